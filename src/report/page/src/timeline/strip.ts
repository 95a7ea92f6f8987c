/** The strip above the timeline: the whole run, how much of it waits, and which part is shown. */
import { styleValue } from "../colors";
import type { Timeline } from "../data/timeline";
import type { View } from "./view";
import type { Chart } from "./chart";

interface Profile {
    calls: Float32Array;
    waits: Float32Array;
}

/** Shares over all rows, from the coarsest level that is fine enough for the width. */
function profileOf(timeline: Timeline, width: number): Profile | null {
    const level = [...timeline.levels].reverse().find((one) => one.bins >= width) ?? timeline.levels[0];
    if (!level) return null;
    const profile = { calls: new Float32Array(level.bins), waits: new Float32Array(level.bins) };
    for (let row = 0; row < level.rows; row++)
        for (let bin = 0; bin < level.bins; bin++) {
            profile.calls[bin] += level.calls[row * level.bins + bin] / (255 * level.rows);
            profile.waits[bin] += level.waits[row * level.bins + bin] / (255 * level.rows);
        }
    return profile;
}

export class Strip {
    private profile: Profile | null = null;
    private picture: HTMLCanvasElement | null = null;

    constructor(
        private canvas: HTMLCanvasElement,
        private chart: Chart,
    ) {
        const move = (event: PointerEvent) => {
            const { left, width } = chart.area;
            const { begin_ns, end_ns } = chart.bounds;
            const middle = begin_ns + ((event.offsetX - left) / width) * (end_ns - begin_ns);
            const half = (chart.view.to_ns - chart.view.from_ns) / 2;
            chart.show({ ...chart.view, from_ns: middle - half, to_ns: middle + half });
        };
        canvas.addEventListener("pointerdown", (event) => {
            canvas.setPointerCapture(event.pointerId);
            move(event);
        });
        canvas.addEventListener("pointermove", (event) => {
            if (event.buttons & 1) move(event);
        });
    }

    forget() {
        this.picture = null;
    }

    draw(view: View) {
        const { canvas, chart } = this;
        const ratio = devicePixelRatio || 1;
        const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
        if (!width || !height) return;
        if (canvas.width !== width || canvas.height !== height || !this.picture) {
            Object.assign(canvas, { width, height });
            this.picture = this.paint(width, height, ratio);
        }
        const context = canvas.getContext("2d")!;
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.drawImage(this.picture, 0, 0);
        const { left, width: wide } = chart.area;
        const { begin_ns, end_ns } = chart.bounds;
        const x = (time: number) => (left + ((time - begin_ns) / (end_ns - begin_ns || 1)) * wide) * ratio;
        const [from, to] = [x(view.from_ns), Math.max(x(view.to_ns), x(view.from_ns) + 3 * ratio)];
        context.globalAlpha = 0.55;
        context.fillStyle = styleValue("--surface");
        context.fillRect(left * ratio, 0, from - left * ratio, height);
        context.fillRect(to, 0, width - to, height);
        context.globalAlpha = 1;
        context.strokeStyle = styleValue("--ink");
        context.lineWidth = ratio;
        context.strokeRect(from + ratio / 2, ratio / 2, Math.max(to - from - ratio, 1), height - ratio);
    }

    private paint(width: number, height: number, ratio: number): HTMLCanvasElement {
        const picture = document.createElement("canvas");
        Object.assign(picture, { width, height });
        const context = picture.getContext("2d")!;
        const left = this.chart.area.left * ratio;
        context.fillStyle = styleValue("--surface");
        context.fillRect(0, 0, width, height);
        context.fillStyle = styleValue("--row");
        context.fillRect(left, 0, width - left, height);
        this.profile ??= profileOf(this.chart.timeline, width);
        if (!this.profile) return picture;
        const bins = this.profile.calls.length;
        const colors = [styleValue("--call"), styleValue("--waiting")];
        for (let x = 0; x < width - left; x++) {
            const low = Math.floor((x / (width - left)) * bins);
            const high = Math.max(low + 1, Math.floor(((x + 1) / (width - left)) * bins));
            [this.profile.calls, this.profile.waits].forEach((shares, i) => {
                let sum = 0;
                for (let bin = low; bin < high; bin++) sum += shares[bin];
                const tall = (sum / (high - low)) * height;
                context.fillStyle = colors[i];
                context.fillRect(left + x, height - tall, 1, tall);
            });
        }
        return picture;
    }
}
