import { useState } from "preact/hooks";
import type { ComparedProblem, Comparison, Status } from "../data/comparison";
import { percent, plural } from "../text/format";
import { Warnings } from "../overview/Warnings";
import { process, processes } from "../text/process";
import { ChangeFigure } from "./ChangeFigure";
import { ComparedProblems } from "./ComparedProblems";
import { Sides } from "./Sides";
import { STATUSES, statusTitle } from "./status";

function Filter({ comparison, chosen, choose }: { comparison: Comparison; chosen: Status | null; choose(status: Status | null): void }) {
    return (
        <div class="tool-buttons" role="group" aria-label="Which problems">
            {STATUSES.filter((status) => comparison.counts[status] > 0).map((status) => (
                <button key={status} class={`button status-${status}`} aria-pressed={chosen === status} onClick={() => choose(chosen === status ? null : status)}>
                    {comparison.counts[status]} {statusTitle(status)}
                </button>
            ))}
        </div>
    );
}

/** Two runs: what the change brought. */
export function CompareTab({ comparison }: { comparison: Comparison }) {
    const [chosen, choose] = useState<Status | null>(null);
    const { noise, problems, below_threshold } = comparison;
    const shown: ComparedProblem[] = chosen ? problems.filter((problem) => problem.status === chosen) : problems;
    return (
        <div class="compare">
            <section class="figures" aria-label="What the change brought">
                <ChangeFigure title="wall time" change={comparison.wall} />
                <ChangeFigure title={comparison.per_rank ? `waiting of a ${process()}` : `waiting, summed over ${processes()}`} change={comparison.waiting} />
            </section>
            <section class="card" aria-labelledby="changes-title">
                <div class="card-head">
                    <h2 id="changes-title">Problems, the greatest change first</h2>
                    <Filter comparison={comparison} chosen={chosen} choose={choose} />
                </div>
                <ComparedProblems problems={shown} />
                <p class="quiet">
                    Changes below {percent(noise.percent / 100)}{" "}
                    {noise.measured ? "are what several runs of one side differ by" : "are taken for noise"}.
                    {below_threshold.problems > 0 && ` ${plural(below_threshold.problems, "problem")} below the threshold on both sides are not shown.`}
                </p>
            </section>
            <Warnings warnings={comparison.warnings} />
            <Sides comparison={comparison} />
        </div>
    );
}
