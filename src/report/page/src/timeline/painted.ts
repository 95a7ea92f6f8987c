/** Levels as colours, made once for each level and palette: a frame then only copies them. */
import type { Level } from "../data/timeline";
import { place, SLOTS, stepOf, type Palette } from "./palette";

const STEPS_OF = Uint8Array.from({ length: 256 }, (_, share) => stepOf(share / 255));

export class PaintedLevels {
    private made = new Map<Level, Uint32Array>();
    private palette: Palette | null = null;

    of(level: Level, palette: Palette): Uint32Array {
        if (palette !== this.palette) this.made.clear();
        this.palette = palette;
        let colors = this.made.get(level);
        if (!colors) {
            const { calls, waits, problems } = level;
            colors = new Uint32Array(calls.length);
            for (let i = 0; i < colors.length; i++)
                colors[i] = palette.pixels[place(SLOTS[problems[i]], STEPS_OF[waits[i]], STEPS_OF[calls[i]])];
            this.made.set(level, colors);
        }
        return colors;
    }
}
