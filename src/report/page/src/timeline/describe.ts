/** A view in words and in numbers, for those who cannot see the picture. */
import { Greatest } from "../data/greatest";
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { count, moment, percent, plural } from "../text/format";
import { process, processes } from "../text/process";
import { niceStep } from "../ui/scale";
import { touching } from "./rows";
import type { View } from "./view";

export interface Summary {
    events: number;
    waitingShare: number;
    /** Places of events in sight, those with the longest waiting first, then the longest. */
    greatest: number[];
}

export function summarize(timeline: Timeline, ends: Float64Array, view: View, hits: Uint8Array | null, most: number): Summary {
    const { events } = timeline;
    const rows = [Math.floor(view.top), Math.min(timeline.rows, Math.ceil(view.top + view.rows))];
    const before = (a: number, b: number) =>
        events.wait_ns[b] - events.wait_ns[a] || events.duration_ns[b] - events.duration_ns[a] || a - b;
    const greatest = new Greatest(most, before);
    let number = 0;
    let waiting = 0;
    for (let row = rows[0]; row < rows[1]; row++) {
        const [first, end] = touching(events, ends, row, view.from_ns, view.to_ns);
        for (let i = first; i < end; i++) {
            const start = events.start_ns[i];
            if (start + events.duration_ns[i] < view.from_ns || (hits && !hits[i])) continue;
            number++;
            waiting += Math.max(0, Math.min(start + events.wait_ns[i], view.to_ns) - Math.max(start, view.from_ns));
            greatest.add(i);
        }
    }
    const time = (view.to_ns - view.from_ns) * (rows[1] - rows[0]);
    return { events: number, waitingShare: time > 0 ? waiting / time : 0, greatest: greatest.list() };
}

export function inWords(report: Report, view: View, summary: Summary): string {
    const step = niceStep((view.to_ns - view.from_ns) / 1e9 / 200) || 1e-9;
    const first = report.ranks[Math.floor(view.top)]?.rank ?? 0;
    const last = report.ranks[Math.min(report.ranks.length, Math.ceil(view.top + view.rows)) - 1]?.rank ?? 0;
    const ranks = first === last ? `${process()} ${first}` : `${processes()} ${count(first)} to ${count(last)}`;
    return `${moment(view.from_ns / 1e9, step)} to ${moment(view.to_ns / 1e9, step)}, ${ranks}: ${plural(summary.events, "event")}, ${percent(summary.waitingShare)} of the time waits`;
}
