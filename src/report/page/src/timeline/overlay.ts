/** What lies over the picture: names of ranks, times, phases, names of calls, messages, the selected event. */
import { styleValue } from "../colors";
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { moment } from "../text/format";
import { shortened, visible } from "../text/names";
import { niceStep } from "../ui/scale";
import type { Messages } from "./messages";
import { rowOf, touching } from "./rows";
import type { View } from "./view";

export interface Area {
    left: number;
    top: number;
    width: number;
    height: number;
}

export interface Inks {
    font: string;
    ink: string;
    quiet: string;
    line: string;
    accent: string;
    surface: string;
}

export const readInks = (): Inks => ({
    font: styleValue("--canvas-font"),
    ink: styleValue("--ink"),
    quiet: styleValue("--ink-2"),
    line: styleValue("--line"),
    accent: styleValue("--accent"),
    surface: styleValue("--surface"),
});

// Calls that are narrower have no name.
const NAMED_PX = 46;

type Context = CanvasRenderingContext2D;

export class Overlay {
    constructor(
        private context: Context,
        private report: Report,
        private timeline: Timeline,
        private ends: Float64Array,
        private inks: Inks,
    ) {}

    private x = (time_ns: number, view: View, area: Area) =>
        area.left + ((time_ns - view.from_ns) / (view.to_ns - view.from_ns)) * area.width;

    private y = (row: number, view: View, area: Area) => area.top + ((row - view.top) / view.rows) * area.height;

    within(area: Area, draw: () => void) {
        const { context } = this;
        context.save();
        context.beginPath();
        context.rect(area.left, area.top, area.width, area.height);
        context.clip();
        draw();
        context.restore();
    }

    times(view: View, area: Area) {
        const { context, inks } = this;
        const span_s = (view.to_ns - view.from_ns) / 1e9;
        const step = niceStep((span_s * 110) / area.width);
        context.font = inks.font;
        context.textBaseline = "alphabetic";
        context.textAlign = "left";
        const first = Math.ceil(view.from_ns / 1e9 / step - 1e-9);
        for (let i = first; step > 0 && i * step * 1e9 <= view.to_ns; i++) {
            const x = Math.round(this.x(i * step * 1e9, view, area));
            context.fillStyle = inks.line;
            context.fillRect(x, area.top - 8, 1, 8);
            context.fillStyle = inks.quiet;
            const text = moment(i * step, step);
            if (x + 4 + context.measureText(text).width <= area.left + area.width) context.fillText(text, x + 4, area.top - 5);
        }
    }

    phases(view: View, area: Area) {
        const { context, inks } = this;
        context.font = inks.font;
        context.textAlign = "left";
        context.textBaseline = "alphabetic";
        for (const phase of this.report.phases) {
            const from = this.x(phase.begin_s * 1e9, view, area);
            const to = this.x(phase.end_s * 1e9, view, area);
            if (to < area.left || from > area.left + area.width) continue;
            const left = Math.max(from, area.left);
            const room = Math.min(to, area.left + area.width) - left - 8;
            context.fillStyle = inks.line;
            context.fillRect(left, 2, Math.max(1, room + 6), 15);
            context.fillStyle = inks.quiet;
            if (from >= area.left) context.fillRect(from, 2, 1, area.top + area.height - 2);
            context.fillStyle = inks.ink;
            if (room > 24) context.fillText(shortened(visible(phase.name), Math.floor(room / 7)), left + 4, 14);
        }
    }

    ranks(view: View, area: Area, selectedRow: number) {
        const { context, inks, report } = this;
        const height = area.height / view.rows;
        const step = Math.max(1, niceStep(16 / height));
        context.font = inks.font;
        context.textAlign = "right";
        context.textBaseline = "middle";
        for (let row = Math.ceil(view.top / step) * step; row < Math.min(view.top + view.rows, report.ranks.length); row += step) {
            const y = this.y(row + 0.5, view, area);
            if (y < area.top || y > area.top + area.height) continue;
            context.fillStyle = row === selectedRow ? inks.ink : inks.quiet;
            context.fillText(String(report.ranks[row].rank), area.left - 8, y);
        }
    }

    /** The calls' names, where they have room. */
    names(view: View, area: Area) {
        const { context, inks, timeline } = this;
        const { events } = timeline;
        const height = area.height / view.rows;
        if (height < 15) return;
        context.font = inks.font;
        context.textAlign = "left";
        context.textBaseline = "middle";
        let drawn = 0;
        for (let row = Math.floor(view.top); row < Math.min(Math.ceil(view.top + view.rows), timeline.rows) && drawn < 800; row++) {
            const [first, end] = touching(events, this.ends, row, view.from_ns, view.to_ns);
            if (end - first > 4000) continue;
            for (let i = first; i < end && drawn < 800; i++) {
                const from = Math.max(this.x(events.start_ns[i], view, area), area.left);
                const to = Math.min(this.x(events.start_ns[i] + events.duration_ns[i], view, area), area.left + area.width);
                if (to - from < NAMED_PX) continue;
                // Waiting lies at the begin of a call; the name stands on the greater part, in the colour that is legible there.
                const waits = Math.max(from, Math.min(to, this.x(events.start_ns[i] + events.wait_ns[i], view, area)));
                const onWaiting = waits - from > to - waits;
                const [left, right] = onWaiting ? [from, waits] : [waits, to];
                if (right - left < NAMED_PX) continue;
                this.label(i, left, this.y(row + 0.44, view, area), right - left, onWaiting);
                drawn++;
            }
        }
    }

    private label(event: number, x: number, y: number, room: number, onWaiting: boolean) {
        const { context, inks } = this;
        const { events } = this.timeline;
        const name = visible(this.report.timeline!.functions[events.function[event]] ?? "");
        const text = shortened(name, Math.floor((room - 8) / 7));
        if (text !== name && room < 90) return;
        context.fillStyle = onWaiting ? inks.surface : inks.ink;
        context.fillText(text, x + 5, y);
    }

    messages(view: View, area: Area, messages: Messages, which: number[], strong: boolean) {
        const { context, inks } = this;
        context.strokeStyle = strong ? inks.accent : inks.ink;
        context.fillStyle = context.strokeStyle;
        context.globalAlpha = strong ? 1 : which.length > 300 ? 0.35 : 0.65;
        context.beginPath();
        for (const index of which) {
            const [[fromTime, fromRow], [toTime, toRow]] = [messages.start(index), messages.end(index)];
            context.moveTo(this.x(fromTime, view, area), this.y(fromRow + 0.44, view, area));
            context.lineTo(this.x(toTime, view, area), this.y(toRow + 0.44, view, area));
        }
        if (strong) {
            // A halo: it goes over calls of any colour.
            context.strokeStyle = inks.surface;
            context.lineWidth = 5;
            context.stroke();
            context.strokeStyle = inks.accent;
        }
        context.lineWidth = strong ? 2 : 1;
        context.stroke();
        if (which.length <= 300) for (const index of which) this.arrowHead(view, area, messages, index);
        context.globalAlpha = 1;
    }

    private arrowHead(view: View, area: Area, messages: Messages, index: number) {
        const { context } = this;
        const [[fromTime, fromRow], [toTime, toRow]] = [messages.start(index), messages.end(index)];
        const [x, y] = [this.x(toTime, view, area), this.y(toRow + 0.44, view, area)];
        const angle = Math.atan2(y - this.y(fromRow + 0.44, view, area), x - this.x(fromTime, view, area));
        context.beginPath();
        context.moveTo(x, y);
        for (const side of [-0.4, 0.4]) context.lineTo(x - 8 * Math.cos(angle + side), y - 8 * Math.sin(angle + side));
        context.fill();
    }

    selected(view: View, area: Area, event: number) {
        const { context, inks, timeline } = this;
        const { events } = timeline;
        const row = rowOf(events, event);
        const from = this.x(events.start_ns[event], view, area);
        const to = this.x(events.start_ns[event] + events.duration_ns[event], view, area);
        const top = this.y(row, view, area);
        const height = Math.max(area.height / view.rows, 3);
        const left = Math.max(from, area.left - 10);
        const width = Math.max(Math.min(to, area.left + area.width + 10) - left, 4);
        context.lineWidth = 4;
        context.strokeStyle = inks.surface;
        context.strokeRect(left - 1, top - 1, width + 2, height + 1);
        context.lineWidth = 2;
        context.strokeStyle = inks.ink;
        context.strokeRect(left - 1, top - 1, width + 2, height + 1);
        if (events.posted_ns[event] > 0) {
            const posted = this.x(events.start_ns[event] - events.posted_ns[event], view, area);
            context.setLineDash([3, 3]);
            context.strokeRect(Math.max(posted, area.left - 10), top + height / 2, Math.max(left - posted, 1), 0.5);
            context.setLineDash([]);
        }
    }
}
