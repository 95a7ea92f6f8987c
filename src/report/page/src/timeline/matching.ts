/** What is searched for: parts of a function's name or of a call site, a rank, a problem. */
import type { Report } from "../data/report";
import type { Events, Timeline } from "../data/timeline";
import { baseName } from "../text/names";

export interface Search {
    text: string;
    rank: string;
    problem: number | null;
}

export const NOTHING: Search = { text: "", rank: "", problem: null };

/** Which events match: by function or site, and by row, and by problem. */
export interface Matcher {
    function: Uint8Array;
    site: Uint8Array;
    row: number | null;
    problem: number | null;
}

/** null where nothing is searched for. */
export function matcherOf(search: Search, report: Report, rowOfRank: Map<number, number>): Matcher | null {
    const key = report.timeline!;
    const text = search.text.trim().toLowerCase();
    const rank = search.rank.trim();
    if (!text && !rank && search.problem === null) return null;
    const has = (name: string) => (name.toLowerCase().includes(text) ? 1 : 0);
    return {
        function: Uint8Array.from(key.functions, has),
        site: Uint8Array.from(key.sites, (site) => has(`${site.function} ${site.file} ${baseName(site.file)}:${site.line}`)),
        row: rank ? (rowOfRank.get(Number(rank)) ?? -1) : null,
        problem: search.problem,
    };
}

function matches(matcher: Matcher, events: Events, event: number, row: number): boolean {
    return (
        (matcher.row === null || matcher.row === row) &&
        (matcher.problem === null || events.problem[event] === matcher.problem) &&
        (matcher.function[events.function[event]] === 1 ||
            matcher.site[events.site[event]] === 1 ||
            matcher.site[events.posted_site[event]] === 1)
    );
}

export interface Hits {
    /** 1 for each event that matches. */
    of: Uint8Array;
    count: number;
}

export function hitsOf(matcher: Matcher, timeline: Timeline): Hits {
    const { events } = timeline;
    const hits = { of: new Uint8Array(events.count), count: 0 };
    for (let row = 0; row < timeline.rows; row++)
        for (let i = events.rows[row]; i < events.rows[row + 1]; i++)
            if (matches(matcher, events, i, row)) {
                hits.of[i] = 1;
                hits.count++;
            }
    return hits;
}

/** The next (step 1) or previous (-1) match by time after `event`'s start; from the beginning or the end where none is selected. */
export function nextMatch(hits: Uint8Array | null, timeline: Timeline, event: number | null, row: number, step: 1 | -1): number | null {
    const { events } = timeline;
    const now = event === null ? (step > 0 ? -Infinity : Infinity) : events.start_ns[event];
    let best: number | null = null;
    let bestRow = -1;
    // Events by start, and of those that start at once by row.
    const after = (i: number, r: number, than: number, thanRow: number) =>
        step > 0
            ? events.start_ns[i] > than || (events.start_ns[i] === than && r > thanRow)
            : events.start_ns[i] < than || (events.start_ns[i] === than && r < thanRow);
    for (let r = 0; r < timeline.rows; r++) {
        if (!hits && event !== null && r !== row) continue;
        const [low, high] = [events.rows[r], events.rows[r + 1]];
        for (let i = step > 0 ? low : high - 1; i >= low && i < high; i += step) {
            const later = event !== null && r === row ? (step > 0 ? i > event : i < event) : after(i, r, now, row);
            if (!later || (hits && !hits[i])) continue;
            if (best === null || after(best, bestRow, events.start_ns[i], r)) [best, bestRow] = [i, r];
            break;
        }
    }
    return best;
}
