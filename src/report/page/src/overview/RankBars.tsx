import { useState } from "preact/hooks";
import type { Rank } from "../data/report";
import { count, percent, seconds } from "../text/format";
import { capital, process, processes } from "../text/process";
import { Fold } from "../ui/Fold";
import { Legend } from "../ui/Legend";
import { Name } from "../ui/Name";
import { RankColumns } from "./RankColumns";
import { RankRows } from "./RankRows";

const PARTS = [
    { color: "var(--compute)", label: "computes" },
    { color: "var(--communication)", label: "communicates" },
    { color: "var(--waiting)", label: "waits" },
];

// More rows than this are drawn as columns, side by side.
const MOST_ROWS = 24;

function RankTable({ ranks }: { ranks: Rank[] }) {
    const lost = ranks.some((rank) => rank.lost);
    return (
        <div class="scroll">
            <table class="plain narrow">
                <thead>
                    <tr>
                        {[capital(process()), "Node", "Total", "Computes", "Communicates", "Waits", "Waiting"].map((title, i) => (
                            <th key={title} scope="col" class={i === 1 ? "" : "number"}>
                                {title}
                            </th>
                        ))}
                        {lost && <th scope="col" class="number">Lost records</th>}
                    </tr>
                </thead>
                <tbody>
                    {ranks.map((rank) => (
                        <tr key={rank.rank}>
                            <th scope="row" class="number">{rank.rank}</th>
                            <td><Name text={rank.node ?? ""} most={40} /></td>
                            <td class="number">{seconds(rank.total_s)}</td>
                            <td class="number">{seconds(rank.compute_s)}</td>
                            <td class="number">{seconds(rank.communication_s)}</td>
                            <td class="number">{seconds(rank.waiting_s)}</td>
                            <td class="number">{percent(rank.total_s > 0 ? rank.waiting_s / rank.total_s : 0)}</td>
                            {lost && <td class="number">{count(rank.lost ?? 0)}</td>}
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

/** What each {process()} did with its time. */
export function RankBars({ ranks, look }: { ranks: Rank[]; look: string }) {
    const [byWaiting, setByWaiting] = useState(false);
    const sorted = byWaiting ? [...ranks].sort((a, b) => b.waiting_s - a.waiting_s || a.rank - b.rank) : ranks;
    const longest = ranks.reduce((most, rank) => Math.max(most, rank.total_s), 0);
    return (
        <section class="card ranks" aria-labelledby="ranks-title">
            <div class="card-head">
                <h2 id="ranks-title">What each {process()} did with its time</h2>
                <Legend items={PARTS} />
                <fieldset class="segments">
                    <legend class="unseen">Order of the {processes()}</legend>
                    {[false, true].map((value) => (
                        <label key={String(value)}>
                            <input type="radio" name="rank-order" checked={byWaiting === value} onChange={() => setByWaiting(value)} />
                            <span>{value ? "most waiting first" : `by ${process()}`}</span>
                        </label>
                    ))}
                </fieldset>
            </div>
            {ranks.length <= MOST_ROWS ? (
                <RankRows ranks={sorted} longest={longest} />
            ) : (
                <RankColumns ranks={sorted} longest={longest} look={look} inOrder={!byWaiting} />
            )}
            <Fold title={`The same as a table of ${ranks.length} ${processes()}`}>{() => <RankTable ranks={sorted} />}</Fold>
        </section>
    );
}
