/** What the address asks the timeline to show: "instance/3/0" of a problem, or "time/0.1/0.2/3". */
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { eventOfInstance } from "./picking";
import { around, type View } from "./view";

export interface Destination {
    view: View;
    selected: number | null;
    problem: number | null;
}

export function destination(rest: string[], report: Report, timeline: Timeline, rowOfRank: Map<number, number>, view: View): Destination | null {
    const numbers = rest.slice(1).map(Number);
    if (rest[0] === "instance") {
        const instance = report.problems[numbers[0]]?.instances?.[numbers[1]];
        const row = instance && rowOfRank.get(instance.rank);
        if (!instance || row === undefined) return null;
        const [start, duration] = [instance.start_s * 1e9, instance.duration_s * 1e9];
        const cause = instance.for == null ? row : (rowOfRank.get(instance.for) ?? row);
        // The rank that is waited for is shown too, if it is not too far away to be seen.
        const other = Math.abs(cause - row) <= 40 ? cause : row;
        return {
            view: around(start, start + duration, Math.min(row, other), Math.max(row, other), view),
            selected: eventOfInstance(timeline, row, start, duration, numbers[0]),
            problem: null,
        };
    }
    if (rest[0] === "time" && numbers.slice(0, 2).every(Number.isFinite)) {
        const problem = report.problems[numbers[2]] ? numbers[2] : null;
        return { view: { ...view, from_ns: numbers[0] * 1e9, to_ns: numbers[1] * 1e9 }, selected: null, problem };
    }
    return null;
}
