import type { ComparedProblem } from "../data/comparison";
import { address } from "../route";
import { seconds } from "../text/format";
import { Name } from "../ui/Name";
import { Where } from "../ui/Where";
import { gainClass, gainText } from "./ChangeFigure";
import { statusTitle } from "./status";

const MOST = 200;

function time(value: number | null, atMost: number | undefined): string {
    if (atMost !== undefined) return `at most ${seconds(atMost)}`;
    return value === null ? "–" : seconds(value);
}

/** The call that waits as it is now, and where it was. */
function Places({ problem }: { problem: ComparedProblem }) {
    const site = problem.sites.find((one) => one.waits) ?? problem.sites[0];
    if (!site) return null;
    const now = site.after ?? site.before ?? {};
    const moved = problem.matched && problem.matched !== "same lines" && site.before;
    return (
        <div class="quiet">
            <Where place={now} />
            {moved && (
                <>
                    {` (${problem.matched}; was`} <Where place={site.before!} />
                    {")"}
                </>
            )}
        </div>
    );
}

export function ComparedProblems({ problems }: { problems: ComparedProblem[] }) {
    const most = problems.reduce((value, problem) => Math.max(value, problem.before_s ?? 0, problem.after_s ?? 0), 0);
    const bar = (value: number | null, kind: string) => <span class={`bar ${kind}`} style={{ width: `${value ? (100 * value) / most : 0}%` }} />;
    if (!problems.length) return <p>No problem on either side.</p>;
    return (
        <table class="plain compared">
            <thead>
                <tr>
                    <th scope="col">Change</th>
                    <th scope="col">Problem</th>
                    <th scope="col" class="number">Before</th>
                    <th scope="col" class="number">After</th>
                    <th scope="col" class="wide-only"><span class="unseen">Before and after as bars</span></th>
                    <th scope="col" class="number">Gain</th>
                </tr>
            </thead>
            <tbody>
                {problems.slice(0, MOST).map((problem, i) => (
                    <tr key={i}>
                        <td>
                            <span class={`status status-${problem.status}`}>{statusTitle(problem.status)}</span>
                        </td>
                        <td>
                            {problem.after_index === null ? (
                                <strong><Name text={problem.name} /></strong>
                            ) : (
                                <a class="problem-link" href={address("problem", problem.after_index)}><Name text={problem.name} /></a>
                            )}
                            <Places problem={problem} />
                        </td>
                        <td class="number">{time(problem.before_s, problem.before_at_most_s)}</td>
                        <td class="number">{time(problem.after_s, problem.after_at_most_s)}</td>
                        <td class="bars wide-only" aria-hidden="true">
                            {bar(problem.before_s, "before")}
                            {bar(problem.after_s, "after")}
                        </td>
                        <td class={`number gain ${gainClass(problem)}`}>{gainText(problem)}</td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
