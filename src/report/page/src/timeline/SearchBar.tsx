import { problemTitle } from "../data/problems";
import type { Report } from "../data/report";
import { count, plural } from "../text/format";
import { shortened, visible } from "../text/names";
import { capital, process } from "../text/process";
import { NOTHING, type Search } from "./matching";

interface Properties {
    report: Report;
    search: Search;
    found: number | null;
    change(search: Search): void;
    step(by: 1 | -1): void;
}

/** Search by function or call site, by rank, by problem. */
export function SearchBar({ report, search, found, change, step }: Properties) {
    const set = (part: Partial<Search>) => change({ ...search, ...part });
    return (
        <form class="search" role="search" aria-label="Search the timeline" onSubmit={(event) => {
            event.preventDefault();
            step(1);
        }}>
            <label>
                <span class="unseen">Function or call site</span>
                <input class="field" type="search" name="text" placeholder="Function or call site" list="search-names" value={search.text} onInput={(event) => set({ text: event.currentTarget.value })} />
            </label>
            <datalist id="search-names">
                {report.timeline!.functions.slice(0, 200).map((name, i) => (
                    <option key={i} value={shortened(visible(name), 80)} />
                ))}
            </datalist>
            <label>
                <span class="unseen">{capital(process())}</span>
                <input class="field rank" type="number" min="0" name="rank" placeholder={capital(process())} value={search.rank} onInput={(event) => set({ rank: event.currentTarget.value })} />
            </label>
            <label>
                <span class="unseen">Problem</span>
                <select class="field" name="problem" value={search.problem ?? ""} onChange={(event) => set({ problem: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })}>
                    <option value="">any problem or none</option>
                    {report.problems.map((_, i) => (
                        <option key={i} value={i}>
                            {i + 1}. {shortened(visible(problemTitle(report.problems, i)), 60)}
                        </option>
                    ))}
                </select>
            </label>
            <button class="button" type="button" onClick={() => step(-1)} aria-label="Previous event">‹</button>
            <button class="button" type="submit" aria-label="Next event">›</button>
            {found !== null && (
                <>
                    <span class="quiet found" role="status">{found === 0 ? "nothing found" : `${plural(found, "event")} found`}</span>
                    <button class="button" type="button" onClick={() => change(NOTHING)}>Clear</button>
                </>
            )}
            {found === null && report.timeline!.shown < report.timeline!.events && (
                <span class="quiet found" title="Those with the longest waiting and the longest calls; the colours count all. whyslow report --events N holds more">
                    {count(report.timeline!.shown)} of {plural(report.timeline!.events, "event")} are held
                </span>
            )}
        </form>
    );
}
