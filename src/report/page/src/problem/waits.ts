/** Who waits for whom, few enough to draw: the greatest on each side, the others together. */
import type { WaitsFor } from "../data/report";

export const OTHERS = -1;

export interface Side {
    rank: number;
    duration_s: number;
    ranks: number;
}

export interface Flow {
    from: number;
    to: number;
    duration_s: number;
    count: number;
}

function side(waits: WaitsFor[], key: "rank" | "for", most: number): Side[] {
    const sums = new Map<number, number>();
    for (const wait of waits) sums.set(wait[key], (sums.get(wait[key]) ?? 0) + wait.duration_s);
    const sorted = [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const shown = sorted.length > most ? sorted.slice(0, most - 1) : sorted;
    const rest = sorted.slice(shown.length);
    const sides = shown.map(([rank, duration_s]) => ({ rank, duration_s, ranks: 1 })).sort((a, b) => a.rank - b.rank);
    if (rest.length)
        sides.push({ rank: OTHERS, duration_s: rest.reduce((sum, [, d]) => sum + d, 0), ranks: rest.length });
    return sides;
}

export function flows(waits: WaitsFor[], most: number): { left: Side[]; right: Side[]; flows: Flow[] } {
    const left = side(waits, "rank", most);
    const right = side(waits, "for", most);
    const leftRanks = new Set(left.map((node) => node.rank));
    const rightRanks = new Set(right.map((node) => node.rank));
    const sums = new Map<string, Flow>();
    for (const wait of waits) {
        const from = leftRanks.has(wait.rank) ? wait.rank : OTHERS;
        const to = rightRanks.has(wait.for) ? wait.for : OTHERS;
        const flow = sums.get(`${from} ${to}`) ?? { from, to, duration_s: 0, count: 0 };
        flow.duration_s += wait.duration_s;
        flow.count += wait.count;
        sums.set(`${from} ${to}`, flow);
    }
    return { left, right, flows: [...sums.values()].sort((a, b) => b.duration_s - a.duration_s) };
}
