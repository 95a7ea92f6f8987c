import { problemColor } from "../colors";
import type { Report } from "../data/report";
import { shareOf, waitingSite } from "../data/problems";
import { address } from "../route";
import { plural, rankList, seconds } from "../text/format";
import { processes } from "../text/process";
import { Name } from "../ui/Name";
import { Severity } from "../ui/Severity";
import { Swatch } from "../ui/Swatch";
import { Where } from "../ui/Where";

const AT_FIRST = 12;

/** All problems, the worst first. */
export function RankedProblems({ report }: { report: Report }) {
    const { problems, below_threshold } = report;
    const worst = problems.length ? shareOf(problems[0]) : 0;
    const shown = problems.slice(0, AT_FIRST);
    return (
        <section class="card ranked" aria-labelledby="ranked-title">
            <h2 id="ranked-title">{plural(problems.length, "problem")}, the worst first</h2>
            {shown.length > 0 && (
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">Problem</th>
                            <th scope="col">Share of the {processes()}’ time</th>
                            <th scope="col" class="number">Time</th>
                            <th scope="col" class="wide-only">Who waits</th>
                        </tr>
                    </thead>
                    <tbody>
                        {shown.map((problem, i) => (
                            <tr key={i}>
                                <td>
                                    <a class="problem-link" href={address("problem", i)}>
                                        <Swatch color={problemColor(i)} />
                                        <Name text={problem.name} />
                                    </a>
                                    <div class="quiet">
                                        <Where place={waitingSite(problem) ?? {}} brief />
                                    </div>
                                </td>
                                <td>
                                    <Severity share={shareOf(problem)} worst={worst} color={problemColor(i)} />
                                </td>
                                <td class="number">{seconds(problem.duration_s)}</td>
                                <td class="wide-only quiet">{rankList(problem.ranks.map((share) => share.rank), 3)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            )}
            {problems.length > AT_FIRST && (
                <p>
                    <a href={address("problem", AT_FIRST)}>{plural(problems.length - AT_FIRST, "more problem")}</a>
                </p>
            )}
            {!!below_threshold?.problems && (
                <p class="quiet">
                    {plural(below_threshold.problems, "smaller problem")}, {seconds(below_threshold.duration_s)} in all.
                </p>
            )}
        </section>
    );
}
