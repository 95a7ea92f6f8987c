import { problemColor } from "../colors";
import type { Report } from "../data/report";
import { NO_PROBLEM, SMALL_PROBLEM, type Timeline } from "../data/timeline";
import { address } from "../route";
import { seconds } from "../text/format";
import { capital, process } from "../text/process";
import { Name } from "../ui/Name";
import { Swatch } from "../ui/Swatch";
import { Where } from "../ui/Where";
import { parametersOf } from "./parameters";
import { rowOf } from "./rows";

interface Properties {
    report: Report;
    timeline: Timeline;
    event: number;
    /** Events at the other ends of this one's messages. */
    partners: { event: number; sends: boolean }[];
    select(event: number | null): void;
}

const AT_MOST = 12;

/** All that is recorded of one event. */
export function EventDetails({ report, timeline, event, partners, select }: Properties) {
    const { events } = timeline;
    const key = report.timeline!;
    const rank = (of: number) => report.ranks[rowOf(events, of)]?.rank ?? 0;
    const problem = events.problem[event];
    const site = key.sites[events.site[event]];
    const posted = events.posted_ns[event] > 0;
    return (
        <section class="card event" aria-labelledby="event-title">
            <div class="card-head">
                <h2 id="event-title">
                    <Name text={key.functions[events.function[event]] ?? ""} code most={60} />
                </h2>
                <button class="button" onClick={() => select(null)} aria-label="Close the event's details">Close</button>
            </div>
            <dl class="facts-list">
                <div><dt>{capital(process())}</dt><dd>{rank(event)}</dd></div>
                <div><dt>Event</dt><dd><Name text={key.types[events.type[event]]?.name ?? ""} /></dd></div>
                <div><dt>Start</dt><dd>{seconds(events.start_ns[event] / 1e9)}</dd></div>
                <div><dt>Duration</dt><dd>{seconds(events.duration_ns[event] / 1e9)}</dd></div>
                <div><dt>Waiting</dt><dd>{seconds(events.wait_ns[event] / 1e9)}</dd></div>
                {events.wait_ns[event] > 0 && problem !== NO_PROBLEM && (
                    <div>
                        <dt>Problem</dt>
                        <dd>
                            {problem === SMALL_PROBLEM || !report.problems[problem] ? (
                                "below the threshold"
                            ) : (
                                <a href={address("problem", problem)}>
                                    <Swatch color={problemColor(problem)} />
                                    <Name text={report.problems[problem].name} />
                                </a>
                            )}
                        </dd>
                    </div>
                )}
                <div><dt>Call</dt><dd>{site ? <Where place={{ ...site, called: key.functions[events.function[event]] }} /> : "unknown"}</dd></div>
                {posted && (
                    <div>
                        <dt>Started by</dt>
                        <dd>
                            <Where place={{ ...key.sites[events.posted_site[event]], called: key.functions[events.posted_function[event]] }} />,{" "}
                            {seconds(events.posted_ns[event] / 1e9)} before
                        </dd>
                    </div>
                )}
            </dl>
            <h3>Parameters</h3>
            <dl class="facts-list parameters">
                {parametersOf(report, timeline, event).map(({ name, value }) => (
                    <div key={name}>
                        <dt><Name text={name} code /></dt>
                        <dd><Name text={value} most={200} /></dd>
                    </div>
                ))}
            </dl>
            {partners.length > 0 && (
                <>
                    <h3>{partners.length === 1 ? "Message" : `${partners.length} messages`}</h3>
                    <p class="actions">
                        {partners.slice(0, AT_MOST).map((partner) => (
                            <button key={partner.event} class="button" onClick={() => select(partner.event)}>
                                {partner.sends ? "from" : "to"} {process()} {rank(partner.event)}
                            </button>
                        ))}
                    </p>
                </>
            )}
        </section>
    );
}
