/** Which event lies under a point. */
import type { Timeline } from "../data/timeline";
import { touching } from "./rows";

/** Of a row's events that touch an interval: the one that waits longest, of equal ones the shortest, which lies on top. */
export function eventAt(timeline: Timeline, ends: Float64Array, row: number, from_ns: number, to_ns: number, hits: Uint8Array | null): number | null {
    if (row < 0 || row >= timeline.rows) return null;
    const { events } = timeline;
    const [first, end] = touching(events, ends, row, from_ns, to_ns);
    let best: number | null = null;
    for (let i = first; i < end; i++) {
        if (events.start_ns[i] + events.duration_ns[i] < from_ns || (hits && !hits[i])) continue;
        const more =
            best === null ||
            events.wait_ns[i] > events.wait_ns[best] ||
            (events.wait_ns[i] === events.wait_ns[best] && events.duration_ns[i] < events.duration_ns[best]);
        if (more) best = i;
    }
    return best;
}

/** The event of a problem's instance: that of the row whose waiting of this problem lies nearest to its begin. */
export function eventOfInstance(timeline: Timeline, row: number, start_ns: number, duration_ns: number, problem: number): number | null {
    const { events } = timeline;
    let best: number | null = null;
    let bestScore = -Infinity;
    for (let i = events.rows[row]; i < events.rows[row + 1]; i++) {
        const overlap = Math.min(events.start_ns[i] + events.duration_ns[i], start_ns + duration_ns) - Math.max(events.start_ns[i], start_ns);
        const score = overlap + (events.problem[i] === problem ? duration_ns / 2 : 0);
        if (overlap > 0 && score > bestScore) [best, bestScore] = [i, score];
    }
    return best;
}
