import { problemColor } from "../colors";
import type { Report } from "../data/report";
import { shareOf } from "../data/problems";
import { address } from "../route";
import { percent, plural, rankList, seconds } from "../text/format";
import { processes } from "../text/process";
import { Name } from "../ui/Name";
import { Prose } from "../ui/Prose";
import { Swatch } from "../ui/Swatch";
import { Began } from "./Began";
import { Gain } from "./Gain";
import { Instances } from "./Instances";
import { SiteCard } from "./SiteCard";
import { WaitGraph } from "./WaitGraph";
import { WaitHistogram } from "./WaitHistogram";

/** All that is known of one problem. */
export function ProblemDetail({ report, index }: { report: Report; index: number }) {
    const problem = report.problems[index];
    const waiting = problem.sites.filter((site) => site.waits || site.causes);
    const others = problem.sites.filter((site) => !site.waits && !site.causes);
    return (
        <article class="detail" aria-labelledby="problem-title">
            <header class="detail-head">
                <h2 id="problem-title">
                    <Swatch color={problemColor(index)} />
                    <Name text={problem.name} />
                </h2>
                <p class="cost">
                    <strong>{percent(shareOf(problem))}</strong> of the {processes()}’ time: {seconds(problem.duration_s)} in{" "}
                    {plural(problem.count, "wait")} of {rankList(problem.ranks.map((share) => share.rank))}
                </p>
                <a class="button" href={address("timeline", "instance", index, 0)}>
                    Longest wait in the timeline
                </a>
            </header>
            <div class="why-what">
                <section class="card" aria-labelledby="why-title">
                    <h3 id="why-title">Why</h3>
                    <Prose text={problem.description} />
                </section>
                <section class="card advice" aria-labelledby="advice-title">
                    <h3 id="advice-title">What to change</h3>
                    <Prose text={problem.advice} />
                    <Gain problem={problem} gains={report.gains} />
                </section>
            </div>
            <Began problem={problem} />
            <div class={waiting.length > 1 ? "sites two" : "sites"}>
                {waiting.map((site, i) => (
                    <SiteCard key={i} site={site} />
                ))}
            </div>
            <div class="why-what">
                <WaitGraph problem={problem} color={problemColor(index)} />
                <WaitHistogram problem={problem} index={index} phases={report.phases} />
            </div>
            {others.length > 0 && (
                <div class="sites two">
                    {others.map((site, i) => (
                        <SiteCard key={i} site={site} />
                    ))}
                </div>
            )}
            <Instances problem={problem} index={index} />
        </article>
    );
}
