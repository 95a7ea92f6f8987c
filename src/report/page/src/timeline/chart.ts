/** The timeline's canvas: keeps the view, draws a frame when something has changed, tells when it has come to rest. */
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { Messages } from "./messages";
import { Overlay, readInks, type Area, type Inks } from "./overlay";
import { makePalette, type Palette } from "./palette";
import { eventAt } from "./picking";
import { Raster } from "./raster";
import { rowOf } from "./rows";
import { kept, wholeOf, type Bounds, type View } from "./view";

const LEFT = 52;
const AXIS = 22;
const PHASES = 20;
const MOST_MESSAGES = 1500;
// After so long without a change the view is told to those who describe it.
const REST_MS = 200;
// With many rows the picture is made in the page's pixels, not in the screen's finer ones.
const FINE_ROWS = 200;

export interface Told {
    view: View;
    messages: { count: number; shown: number } | null;
}

export class Chart {
    readonly bounds: Bounds;
    view: View;
    private selected: number | null = null;
    private selectedMessages: number[] = [];
    hits: Uint8Array | null = null;
    withMessages = false;
    onRest: (told: Told) => void = () => {};
    /** Called when it leaves its rest: what was told holds no more. */
    onMove: () => void = () => {};
    /** Called with each frame, for what moves along (the overview strip). */
    onFrame: (view: View) => void = () => {};

    private raster: Raster;
    private messages: Messages | null = null;
    private palette!: Palette;
    private inks!: Inks;
    private context: CanvasRenderingContext2D;
    private image: ImageData | null = null;
    private asked = 0;
    private resting: ReturnType<typeof setTimeout> | undefined;
    private atRest = true;
    private crossing: Told["messages"] = null;
    private observer: ResizeObserver;

    constructor(
        readonly canvas: HTMLCanvasElement,
        readonly report: Report,
        readonly timeline: Timeline,
    ) {
        this.context = canvas.getContext("2d", { alpha: false, willReadFrequently: true })!;
        this.bounds = { begin_ns: timeline.begin_ns, end_ns: timeline.end_ns, rows: timeline.rows };
        this.view = wholeOf(this.bounds);
        this.raster = new Raster(timeline, report.timeline!.shown >= report.timeline!.events);
        this.recolor();
        this.observer = new ResizeObserver(() => this.ask());
        this.observer.observe(canvas);
    }

    release() {
        this.observer.disconnect();
        cancelAnimationFrame(this.asked);
        clearTimeout(this.resting);
    }

    recolor() {
        this.palette = makePalette();
        this.inks = readInks();
        this.ask();
    }

    get ends(): Float64Array {
        return this.raster.ends;
    }

    get area(): Area {
        const top = AXIS + (this.report.phases.length ? PHASES : 0);
        return { left: LEFT, top, width: Math.max(this.canvas.clientWidth - LEFT, 1), height: Math.max(this.canvas.clientHeight - top, 1) };
    }

    show(view: View) {
        this.view = kept(view, this.bounds);
        this.ask();
    }

    select(event: number | null) {
        this.selected = event;
        this.selectedMessages = event === null ? [] : this.lines().of(event);
        this.ask();
    }

    /** Moves as little as it takes to have the event in sight. */
    reveal(event: number) {
        const { events } = this.timeline;
        const [start, stop] = [events.start_ns[event], events.start_ns[event] + events.duration_ns[event]];
        const view = { ...this.view };
        const span = view.to_ns - view.from_ns;
        if (stop - start > span) Object.assign(view, { from_ns: start - (stop - start) * 0.1, to_ns: stop + (stop - start) * 0.1 });
        else if (start < view.from_ns || stop > view.to_ns) {
            view.from_ns = (start + stop - span) / 2;
            view.to_ns = view.from_ns + span;
        }
        this.show(view);
        this.revealRow(rowOf(events, event));
    }

    revealRow(row: number) {
        const { view } = this;
        if (row < view.top || row + 1 > view.top + view.rows) this.show({ ...view, top: row + 0.5 - view.rows / 2 });
    }

    timeAt(x: number): number {
        const { left, width } = this.area;
        return this.view.from_ns + ((x - left) / width) * (this.view.to_ns - this.view.from_ns);
    }

    rowAt(y: number): number {
        const { top, height } = this.area;
        return this.view.top + ((y - top) / height) * this.view.rows;
    }

    eventAt(x: number, y: number): number | null {
        const { left, top } = this.area;
        if (x < left || y < top) return null;
        return eventAt(this.timeline, this.ends, Math.floor(this.rowAt(y)), this.timeAt(x - 2), this.timeAt(x + 2), this.hits);
    }

    /** The events at the other ends of an event's messages, and whether they are those that send. */
    partnersOf(event: number): { event: number; sends: boolean }[] {
        const { sends, receives } = this.timeline;
        return this.lines().of(event).map((i) => ({ event: sends[i] === event ? receives[i] : sends[i], sends: sends[i] !== event }));
    }

    ask() {
        if (this.atRest) this.onMove();
        this.atRest = false;
        if (this.asked) return;
        this.asked = requestAnimationFrame(() => {
            this.asked = 0;
            this.draw();
            this.onFrame(this.view);
            clearTimeout(this.resting);
            this.resting = setTimeout(() => this.rest(), REST_MS);
        });
    }

    private rest() {
        this.atRest = true;
        this.onRest({ view: this.view, messages: this.crossing });
    }

    private lines(): Messages {
        return (this.messages ??= new Messages(this.timeline));
    }

    private draw() {
        const { canvas, context, view, area } = this;
        const ratio = devicePixelRatio || 1;
        const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
        if (!width || !height) return;
        if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.fillStyle = this.inks.surface;
        context.fillRect(0, 0, width, height);
        this.picture(ratio);

        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        const overlay = new Overlay(context, this.report, this.timeline, this.ends, this.inks);
        overlay.phases(view, area);
        overlay.times(view, area);
        overlay.ranks(view, area, this.selected === null ? -1 : rowOf(this.timeline.events, this.selected));
        overlay.within(area, () => {
            overlay.names(view, area);
            this.crossing = null;
            if (this.withMessages) {
                const found = this.lines().crossing(view, MOST_MESSAGES);
                this.crossing = { count: found.count, shown: found.shown.length };
                overlay.messages(view, area, this.lines(), found.shown, false);
            }
            if (this.selected !== null) {
                overlay.messages(view, area, this.lines(), this.selectedMessages, true);
                overlay.selected(view, area, this.selected);
            }
        });
    }

    private picture(ratio: number) {
        const { area, context, view } = this;
        const fine = view.rows <= FINE_ROWS ? ratio : 1;
        const [width, height] = [Math.round(area.width * fine), Math.round(area.height * fine)];
        if (!this.image || this.image.width !== width || this.image.height !== height) this.image = new ImageData(width, height);
        const pixels = new Uint32Array(this.image.data.buffer);
        this.raster.paint({ pixels, width, height }, view, this.palette, this.hits);
        if (fine === ratio) {
            context.putImageData(this.image, Math.round(area.left * ratio), Math.round(area.top * ratio));
            return;
        }
        const coarse = new OffscreenCanvas(width, height);
        coarse.getContext("2d")!.putImageData(this.image, 0, 0);
        context.imageSmoothingEnabled = false;
        context.drawImage(coarse, area.left * ratio, area.top * ratio, area.width * ratio, area.height * ratio);
    }
}
