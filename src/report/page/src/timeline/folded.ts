/** Levels for more ranks than lines on the screen: neighbours are taken together, 2, 4, 8 … at a time. */
import type { Level } from "../data/timeline";

function pairs(level: Level): Level {
    const rows = Math.ceil(level.rows / 2);
    const size = rows * level.bins;
    const folded: Level = { ...level, rows, calls: new Uint8Array(size), waits: new Uint8Array(size), problems: new Uint8Array(size) };
    for (let row = 0; row < rows; row++) {
        const a = 2 * row * level.bins;
        const b = 2 * row + 1 < level.rows ? a + level.bins : a;
        for (let bin = 0; bin < level.bins; bin++) {
            const at = row * level.bins + bin;
            // Rounded up: what little there is stays visible.
            folded.calls[at] = (level.calls[a + bin] + level.calls[b + bin] + 1) >> 1;
            folded.waits[at] = (level.waits[a + bin] + level.waits[b + bin] + 1) >> 1;
            folded.problems[at] = level.waits[a + bin] >= level.waits[b + bin] ? level.problems[a + bin] : level.problems[b + bin];
        }
    }
    return folded;
}

/** Levels with 2^fold ranks to a row, made when first asked for. */
export class FoldedLevels {
    private made = new Map<Level, Level[]>();

    at(level: Level, fold: number): Level {
        const list = this.made.get(level) ?? [level];
        this.made.set(level, list);
        while (list.length <= fold) list.push(pairs(list[list.length - 1]));
        return list[fold];
    }
}
