/** The picture of a view, pixel by pixel: from levels where it is far, from events where it is near.
 *
 * This runs for each frame.  A line of pixels is made for each rank (or for a few neighbours where there are more
 * ranks than lines), from a cell or two per pixel or from the events that touch the view, then copied to the height
 * of the row: a million pixels and some ten thousand events take a few milliseconds. */
import type { Level, Timeline } from "../data/timeline";
import { NO_PROBLEM } from "../data/timeline";
import { FoldedLevels } from "./folded";
import { PaintedLevels } from "./painted";
import { place, SLOTS, stepOf, type Palette } from "./palette";
import { latestEnds, touching } from "./rows";
import type { View } from "./view";

export interface Frame {
    pixels: Uint32Array;
    width: number;
    height: number;
}

interface Cells {
    level: Level;
    low: Int32Array;
    high: Int32Array;
}

/** The mean of two pixels, all four parts at once. */
const between = (a: number, b: number) => ((a & b) + (((a ^ b) & 0xfefefefe) >>> 1)) >>> 0;

// So many pixels to a cell.
const NEAR = 2;
// So many events are drawn one by one wherever they are.
const FEW = 20000;
// Wide enough to have an edge of its own.
const EDGED_PX = 4;
// Rows as high as this have a gap between them.
const GAPPED_PX = 5;

export class Raster {
    private folded = new FoldedLevels();
    private painted = new PaintedLevels();
    readonly ends: Float64Array;
    private calls = new Float32Array(0);
    private waits = new Float32Array(0);
    private most = new Float32Array(0);
    private problem = new Uint8Array(0);
    private edges = new Uint8Array(0);
    private other = new Float32Array(0);
    private low = new Int32Array(0);
    private high = new Int32Array(0);

    constructor(
        private timeline: Timeline,
        private complete: boolean,
    ) {
        this.ends = latestEnds(timeline.events);
    }

    /** Whether single events tell more: a pixel is much less than a cell, or all there are in sight are few. */
    private near(view: View, width: number): boolean {
        const finest = this.timeline.levels[0];
        const pixel_ns = (view.to_ns - view.from_ns) / width;
        return !finest || pixel_ns * NEAR < finest.width_ns || (this.complete && this.few(view));
    }

    private few(view: View): boolean {
        const last = Math.min(Math.ceil(view.top + view.rows), this.timeline.rows);
        let count = 0;
        for (let row = Math.floor(view.top); row < last && count <= FEW; row++) {
            const [first, end] = touching(this.timeline.events, this.ends, row, view.from_ns, view.to_ns);
            count += end - first;
        }
        return count <= FEW;
    }

    /** `hits`: of each event whether it is looked for; null: all are. */
    paint(frame: Frame, view: View, palette: Palette, hits: Uint8Array | null) {
        this.resize(frame.width);
        const near = this.near(view, frame.width);
        const rowHeight = frame.height / view.rows;
        const fold = Math.max(0, Math.ceil(Math.log2(1 / rowHeight)));
        const each = 2 ** fold;
        const gap = rowHeight * each >= GAPPED_PX ? Math.max(1, Math.round(rowHeight * 0.12)) : 0;
        const first = Math.floor(view.top / each);
        const last = Math.min(Math.ceil((view.top + view.rows) / each), Math.ceil(this.timeline.rows / each));

        const cells = this.timeline.levels.length ? this.cellsOf(view, frame.width, fold) : null;

        frame.pixels.fill(palette.ground);
        for (let band = first; band < last; band++) {
            const y0 = Math.max(0, Math.round((band * each - view.top) * rowHeight));
            const y1 = Math.min(frame.height, Math.round(((band + 1) * each - view.top) * rowHeight) - gap);
            if (y1 <= y0) continue;
            const line = frame.pixels.subarray(y0 * frame.width, (y0 + 1) * frame.width);
            if (!near && !hits) this.paintCells(line, cells!, band, palette);
            else {
                this.clear();
                if (!near) this.addBackdrop(cells!, band);
                // Events that were left out are still in the cells.
                else if (cells && !this.complete && !hits) this.addCells(cells, band);
                for (let row = band * each; row < Math.min((band + 1) * each, this.timeline.rows); row++)
                    this.addEvents(view, frame.width, row, 1 / each, hits, !near);
                this.color(line, palette, y1 - y0 >= GAPPED_PX);
            }
            for (let y = y0 + 1; y < y1; y++) frame.pixels.copyWithin(y * frame.width, y0 * frame.width, (y0 + 1) * frame.width);
        }
    }

    private resize(width: number) {
        if (this.calls.length === width) return;
        this.calls = new Float32Array(width);
        this.waits = new Float32Array(width);
        this.most = new Float32Array(width);
        this.other = new Float32Array(width);
        this.problem = new Uint8Array(width);
        this.edges = new Uint8Array(width);
        this.low = new Int32Array(width);
        this.high = new Int32Array(width);
    }

    private clear() {
        this.calls.fill(0);
        this.waits.fill(0);
        this.most.fill(0);
        this.other.fill(0);
        this.edges.fill(0);
        this.problem.fill(NO_PROBLEM);
    }

    /** The coarsest level of which a pixel still holds a cell or more; the finest where none does. */
    private levelFor(pixel_ns: number): Level {
        const { levels } = this.timeline;
        let best = levels[0];
        for (const level of levels) if (level.width_ns <= pixel_ns && level.width_ns > best.width_ns) best = level;
        return best;
    }

    /** Which cells of a row each pixel shows: the same for all rows of a frame. */
    private cellsOf(view: View, width: number, fold: number): Cells {
        const pixel_ns = (view.to_ns - view.from_ns) / width;
        const level = this.folded.at(this.levelFor(pixel_ns), fold);
        for (let x = 0; x < width; x++) {
            const from = (view.from_ns + x * pixel_ns - this.timeline.begin_ns) / level.width_ns;
            const low = Math.max(0, Math.min(level.bins - 1, Math.floor(from)));
            this.low[x] = low;
            this.high[x] = Math.max(low, Math.min(level.bins - 1, Math.ceil(from + pixel_ns / level.width_ns) - 1));
        }
        return { level, low: this.low, high: this.high };
    }

    private paintCells(line: Uint32Array, cells: Cells, band: number, palette: Palette) {
        const { level, low, high } = cells;
        const colors = this.painted.of(level, palette);
        const base = band * level.bins;
        for (let x = 0; x < line.length; x++) {
            const first = base + low[x];
            const last = base + high[x];
            if (first === last) line[x] = colors[first];
            else if (last - first === 1) line[x] = between(colors[first], colors[last]);
            // Of three cells the middle one is the pixel's for the greatest part.
            else line[x] = between(between(colors[first], colors[last]), colors[(first + last) >> 1]);
        }
    }

    private addCells(cells: Cells, band: number) {
        const { level, low } = cells;
        for (let x = 0; x < this.calls.length; x++) {
            const at = band * level.bins + low[x];
            this.calls[x] = level.calls[at] / 255;
            this.waits[x] = this.most[x] = level.waits[at] / 255;
            this.problem[x] = level.problems[at];
        }
    }

    /** Far away all calls are in the cells: only those that are looked for are drawn one by one. */
    private addBackdrop(cells: Cells, band: number) {
        const { level, low } = cells;
        for (let x = 0; x < this.other.length; x++) this.other[x] = level.calls[band * level.bins + low[x]] / 255;
    }

    private addEvents(view: View, width: number, row: number, weight: number, hits: Uint8Array | null, onlyHits: boolean) {
        const { events } = this.timeline;
        // In names of their own: this is the innermost loop of the page.
        const { start_ns, duration_ns, wait_ns, problem } = events;
        const { calls, waits, most } = this;
        const [first, end] = touching(events, this.ends, row, view.from_ns, view.to_ns);
        const scale = width / (view.to_ns - view.from_ns);
        for (let i = first; i < end; i++) {
            const hit = hits === null || hits[i] === 1;
            if (onlyHits && !hit) continue;
            const start = (start_ns[i] - view.from_ns) * scale;
            const long = duration_ns[i] * scale;
            const stop = start + long;
            if (stop < 0) continue;
            const pixel = start | 0;
            const wait = wait_ns[i] * scale;
            // Most events of a far view lie within one pixel.
            if (hit && start >= 0 && stop < pixel + 1) {
                calls[pixel] += long > 1e-3 ? long * weight : 1e-3;
                if (wait === 0) continue;
                waits[pixel] += wait * weight;
                if (wait >= most[pixel]) {
                    most[pixel] = wait;
                    this.problem[pixel] = problem[i];
                }
                continue;
            }
            if (!hit) {
                this.spread(this.other, start, stop, width, weight);
                continue;
            }
            this.spread(calls, start, stop, width, weight);
            if (long >= EDGED_PX && start >= 0) this.edges[pixel] = 1;
            if (wait > 0) this.spreadWait(start, start + wait, width, weight, problem[i]);
        }
    }

    /** Adds to each pixel the part of it that an interval covers. */
    private spread(into: Float32Array, start: number, stop: number, width: number, weight: number) {
        const first = Math.max(0, Math.floor(start));
        const last = Math.min(width - 1, Math.floor(stop));
        if (first > last) return;
        if (first === last) {
            into[first] += Math.max(stop - start, 1e-3) * weight;
            return;
        }
        into[first] += start > first ? (first + 1 - start) * weight : weight;
        for (let x = first + 1; x < last; x++) into[x] += weight;
        into[last] += Math.min(stop - last, 1) * weight;
    }

    /** The same of waiting; a pixel has the problem that covers most of it. */
    private spreadWait(start: number, stop: number, width: number, weight: number, number: number) {
        const { waits, most, problem } = this;
        const first = Math.max(0, Math.floor(start));
        const last = Math.min(width - 1, Math.floor(stop));
        for (let x = first; x <= last; x++) {
            const part = x === first || x === last ? Math.min(stop, x + 1) - Math.max(start, x) : 1;
            waits[x] += part * weight;
            if (part >= most[x]) {
                most[x] = part;
                problem[x] = number;
            }
        }
    }

    private color(line: Uint32Array, palette: Palette, edges: boolean) {
        const { calls, waits, other, problem } = this;
        const nothing = palette.pixels[0];
        for (let x = 0; x < line.length; x++) {
            if (calls[x] === 0) line[x] = other[x] > 0 ? palette.faint[place(0, 0, stepOf(other[x]))] : nothing;
            else if (edges && this.edges[x]) line[x] = palette.edge;
            // Most pixels of a call are as the one before.
            else if (x && calls[x] === calls[x - 1] && waits[x] === waits[x - 1] && problem[x] === problem[x - 1] && !this.edges[x - 1])
                line[x] = line[x - 1];
            else line[x] = palette.pixels[place(SLOTS[problem[x]], stepOf(waits[x]), stepOf(calls[x]))];
        }
    }
}
