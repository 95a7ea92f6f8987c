import type { Run } from "../data/report";
import { bytes, count, percent, plural, seconds } from "../text/format";
import { capital, processes } from "../text/process";
import { Name } from "../ui/Name";

/** What was run, and what recording it cost: always stated. */
export function Recording({ run }: { run: Run }) {
    const { recording } = run;
    const cost = run.total_s ? ` (${percent(recording.cost_s / run.total_s)} of the ${processes()}’ time)` : "";
    const rows: [string, string][] = [
        ["Command", run.command],
        ["Exit code", run.exit_code === null ? "unknown" : String(run.exit_code)],
        ["Recorded", `${count(recording.events)} events, ${bytes(recording.bytes)}`],
        ["Cost of recording", `about ${seconds(recording.cost_s)}${cost}`],
    ];
    if (run.ranks_recorded !== undefined && run.ranks_recorded !== run.ranks)
        rows.push([`${capital(processes())} recorded`, `${run.ranks_recorded} of ${run.ranks}`]);
    if (recording.stopped_s) rows.push(["Recording stopped", `${seconds(recording.stopped_s)}, summed over the ${processes()}`]);
    if (recording.counted) rows.push(["Only counted", `${plural(recording.counted, "call")}, as asked`]);
    if (recording.lost) rows.push(["Lost records", count(recording.lost)]);
    if (recording.unmatched) rows.push(["Without counterpart", count(recording.unmatched)]);
    if (recording.clocks > 1) rows.push(["Clocks", `${recording.clocks}, compared to ${seconds(recording.clock_error_s)}`]);
    if (recording.clock_violations) rows.push(["Effects before causes", count(recording.clock_violations)]);
    if (run.whyslow) rows.push(["Whyslow", run.whyslow]);
    return (
        <section class="card recording" aria-labelledby="recording-title">
            <h2 id="recording-title">The recording</h2>
            <dl class="facts-list">
                {rows.map(([title, value]) => (
                    <div key={title}>
                        <dt>{title}</dt>
                        <dd>
                            <Name text={value} most={400} />
                        </dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}
