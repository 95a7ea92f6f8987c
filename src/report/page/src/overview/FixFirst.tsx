import { problemColor } from "../colors";
import type { Gains, Problem } from "../data/report";
import { causingSite, shareOf, waitingSite } from "../data/problems";
import { address } from "../route";
import { Gain } from "../problem/Gain";
import { percent, plural, seconds } from "../text/format";
import { processes } from "../text/process";
import { Name } from "../ui/Name";
import { Swatch } from "../ui/Swatch";
import { Where } from "../ui/Where";
import { Prose } from "../ui/Prose";

/** The problem that costs most is where to begin. */
export function FixFirst({ problems, gains }: { problems: Problem[]; gains: Gains | null | undefined }) {
    const [first] = problems;
    if (!first)
        return (
            <section class="card fix" aria-labelledby="fix-title">
                <h2 id="fix-title">Nothing to fix</h2>
                <p>No problem reaches the threshold: the {processes()} hardly wait for each other.</p>
            </section>
        );
    const site = waitingSite(first);
    const cause = causingSite(first);
    return (
        <section class="card fix" aria-labelledby="fix-title">
            <h2 id="fix-title">Fix this first</h2>
            <p class="headline">
                <Swatch color={problemColor(0)} />
                <a href={address("problem", 0)}><Name text={first.name} /></a>
            </p>
            <p class="cost">
                <strong>{percent(shareOf(first))}</strong> of the {processes()}’ time, {seconds(first.duration_s)} in{" "}
                {plural(first.count, "wait")}
            </p>
            {site && (
                <p>
                    <Where place={site} />
                    {cause && (
                        <>
                            {" waits for "}
                            <Where place={cause} />
                        </>
                    )}
                </p>
            )}
            <Prose text={first.advice} most={600} />
            <Gain problem={first} gains={gains} />
            <p class="actions">
                <a class="button primary" href={address("problem", 0)}>
                    Why, and what to change
                </a>
                <a class="button" href={address("timeline", "instance", 0, 0)}>
                    See it in the timeline
                </a>
            </p>
        </section>
    );
}
