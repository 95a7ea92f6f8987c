/** The lines between sends and receives. */
import type { Timeline } from "../data/timeline";
import { rowOf } from "./rows";
import type { View } from "./view";

export interface Message {
    send: number;
    receive: number;
}

export class Messages {
    private sendRow: Uint32Array;
    private receiveRow: Uint32Array;

    constructor(private timeline: Timeline) {
        const { events, sends, receives } = timeline;
        this.sendRow = Uint32Array.from(sends, (event) => rowOf(events, event));
        this.receiveRow = Uint32Array.from(receives, (event) => rowOf(events, event));
    }

    start(index: number): [number, number] {
        const { events, sends } = this.timeline;
        return [events.start_ns[sends[index]], this.sendRow[index]];
    }

    end(index: number): [number, number] {
        const { events, receives } = this.timeline;
        return [events.start_ns[receives[index]] + events.duration_ns[receives[index]], this.receiveRow[index]];
    }

    /** Messages that cross a view: how many, and places of at most `most` of them, the same ones while the view moves. */
    crossing(view: View, most: number): { count: number; shown: number[] } {
        const { events, sends, receives } = this.timeline;
        const bottom = view.top + view.rows;
        const found: number[] = [];
        let count = 0;
        for (let i = 0; i < sends.length; i++) {
            if (events.start_ns[sends[i]] > view.to_ns) continue;
            if (events.start_ns[receives[i]] + events.duration_ns[receives[i]] < view.from_ns) continue;
            const [a, b] = [this.sendRow[i], this.receiveRow[i]];
            if ((a < view.top - 1 && b < view.top - 1) || (a > bottom && b > bottom)) continue;
            count++;
            if (found.length < 200000) found.push(i);
        }
        if (count <= most) return { count, shown: found };
        const share = (most / found.length) * 2 ** 32;
        return { count, shown: found.filter((i) => Math.imul(i, 2654435761) >>> 0 < share) };
    }

    of(event: number): number[] {
        const { sends, receives } = this.timeline;
        const list: number[] = [];
        for (let i = 0; i < sends.length; i++) if (sends[i] === event || receives[i] === event) list.push(i);
        return list;
    }
}
