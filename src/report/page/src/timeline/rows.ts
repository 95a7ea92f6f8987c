/** Searching the events of a row, which are sorted by start; calls of several threads may overlap. */
import type { Events } from "../data/timeline";

/** For each event the latest end of those up to it in its row: it never falls, so it can be searched. */
export function latestEnds(events: Events): Float64Array {
    const ends = new Float64Array(events.count);
    for (let row = 0; row + 1 < events.rows.length; row++) {
        let latest = 0;
        for (let i = events.rows[row]; i < events.rows[row + 1]; i++)
            ends[i] = latest = Math.max(latest, events.start_ns[i] + events.duration_ns[i]);
    }
    return ends;
}

/** The first place from `low` to before `high` whose value is at least `least`; `high` where there is none. */
export function firstAtLeast(values: Float64Array, least: number, low: number, high: number): number {
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (values[middle] < least) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** Places [first, end) that hold all events of a row which touch an interval. */
export function touching(events: Events, ends: Float64Array, row: number, from_ns: number, to_ns: number): [number, number] {
    const [low, high] = [events.rows[row], events.rows[row + 1]];
    return [firstAtLeast(ends, from_ns, low, high), firstAtLeast(events.start_ns, to_ns, low, high)];
}

export function rowOf(events: Events, event: number): number {
    const row = firstAtLeast(events.rows, event + 1, 0, events.rows.length) - 1;
    return row;
}
