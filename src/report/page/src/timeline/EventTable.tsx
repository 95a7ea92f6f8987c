import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { seconds } from "../text/format";
import { capital, process } from "../text/process";
import { Name } from "../ui/Name";
import { siteText } from "./parameters";
import { rowOf } from "./rows";

/** Events in sight as a table: what the picture shows, for those who read. */
export function EventTable({ report, timeline, shown, select }: { report: Report; timeline: Timeline; shown: number[]; select(event: number): void }) {
    const { events } = timeline;
    const key = report.timeline!;
    return (
        <div class="scroll">
            <table class="plain">
                <thead>
                    <tr>
                        <th scope="col" class="number">{capital(process())}</th>
                        <th scope="col">Call</th>
                        <th scope="col" class="number">Start</th>
                        <th scope="col" class="number">Duration</th>
                        <th scope="col" class="number">Waiting</th>
                        <th scope="col">Problem</th>
                        <th scope="col">Call site</th>
                    </tr>
                </thead>
                <tbody>
                    {shown.map((event) => (
                        <tr key={event}>
                            <td class="number">{report.ranks[rowOf(events, event)]?.rank}</td>
                            <td>
                                <button class="link" onClick={() => select(event)}>
                                    <Name text={key.functions[events.function[event]] ?? ""} code most={50} />
                                </button>
                            </td>
                            <td class="number">{seconds(events.start_ns[event] / 1e9)}</td>
                            <td class="number">{seconds(events.duration_ns[event] / 1e9)}</td>
                            <td class="number">{seconds(events.wait_ns[event] / 1e9)}</td>
                            <td>{events.wait_ns[event] > 0 && <Name text={report.problems[events.problem[event]]?.name ?? "small"} most={40} />}</td>
                            <td><Name text={siteText(key.sites[events.site[event]])} code most={60} /></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}
