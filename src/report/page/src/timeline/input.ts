/** Wheel, drag and keys: what they do to a chart. */
import type { Chart } from "./chart";
import { moved, wholeOf, zoomedInRows, zoomedInTime } from "./view";

export interface Wishes {
    select(event: number | null): void;
    step(by: 1 | -1): void;
    toggleMessages(): void;
    hover(event: number | null, x: number, y: number): void;
}

const CLICK_PX = 4;
const KEY_STEP = 0.15;
const KEY_ZOOM = 1.5;

function wheelPixels(event: WheelEvent): number {
    return event.deltaMode === 1 ? 24 : event.deltaMode === 2 ? 400 : 1;
}

function onWheel(chart: Chart, event: WheelEvent) {
    event.preventDefault();
    const unit = wheelPixels(event);
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    const { view, area } = chart;
    const span = view.to_ns - view.from_ns;
    const factor = Math.exp(Math.max(-0.5, Math.min(0.5, dy * 0.002)));
    if (event.shiftKey) chart.show(moved(view, ((dx || dy) / area.width) * span, 0));
    else if (event.altKey) chart.show(zoomedInRows(view, factor, chart.rowAt(event.offsetY)));
    else if (Math.abs(dx) > Math.abs(dy)) chart.show(moved(view, (dx / area.width) * span, 0));
    else chart.show(zoomedInTime(view, factor, chart.timeAt(event.offsetX)));
}

/** What a key does; false where it is none of ours. */
function onKey(chart: Chart, event: KeyboardEvent, wishes: Wishes): boolean {
    const { view } = chart;
    const span = view.to_ns - view.from_ns;
    const middle = (view.from_ns + view.to_ns) / 2;
    const middleRow = view.top + view.rows / 2;
    const rows = Math.max(view.rows * KEY_STEP, 1);
    const actions: Record<string, () => void> = {
        ArrowLeft: () => chart.show(moved(view, -span * KEY_STEP, 0)),
        ArrowRight: () => chart.show(moved(view, span * KEY_STEP, 0)),
        ArrowUp: () => chart.show(moved(view, 0, -rows)),
        ArrowDown: () => chart.show(moved(view, 0, rows)),
        PageUp: () => chart.show(moved(view, 0, -view.rows)),
        PageDown: () => chart.show(moved(view, 0, view.rows)),
        "+": () => chart.show(zoomedInTime(view, 1 / KEY_ZOOM, middle)),
        "=": () => chart.show(zoomedInTime(view, 1 / KEY_ZOOM, middle)),
        "-": () => chart.show(zoomedInTime(view, KEY_ZOOM, middle)),
        "]": () => chart.show(zoomedInRows(view, 1 / KEY_ZOOM, middleRow)),
        "[": () => chart.show(zoomedInRows(view, KEY_ZOOM, middleRow)),
        Home: () => chart.show(wholeOf(chart.bounds)),
        "0": () => chart.show(wholeOf(chart.bounds)),
        n: () => wishes.step(1),
        p: () => wishes.step(-1),
        m: () => wishes.toggleMessages(),
        Escape: () => wishes.select(null),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return false;
    actions[event.key]();
    return true;
}

/** Attaches all of it; the function that it gives detaches it. */
export function attach(chart: Chart, wishes: Wishes): () => void {
    const { canvas } = chart;
    const controller = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, listener: (event: HTMLElementEventMap[K]) => void) =>
        canvas.addEventListener(type, listener, { signal: controller.signal, passive: false });
    let drag: { x: number; y: number; far: boolean } | null = null;

    on("wheel", (event) => onWheel(chart, event));
    on("keydown", (event) => {
        if (onKey(chart, event, wishes)) event.preventDefault();
    });
    on("dblclick", (event) => chart.show(zoomedInTime(chart.view, 1 / 3, chart.timeAt(event.offsetX))));
    on("pointerdown", (event) => {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        drag = { x: event.offsetX, y: event.offsetY, far: false };
    });
    on("pointermove", (event) => {
        if (!drag) return wishes.hover(chart.eventAt(event.offsetX, event.offsetY), event.offsetX, event.offsetY);
        const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
        if (!drag.far && Math.hypot(dx, dy) < CLICK_PX) return;
        wishes.hover(null, 0, 0);
        drag = { x: event.offsetX, y: event.offsetY, far: true };
        const { view, area } = chart;
        chart.show(moved(view, (-dx / area.width) * (view.to_ns - view.from_ns), (-dy / area.height) * view.rows));
    });
    on("pointerup", (event) => {
        if (drag && !drag.far) wishes.select(chart.eventAt(event.offsetX, event.offsetY));
        drag = null;
    });
    on("pointercancel", () => (drag = null));
    on("pointerleave", () => wishes.hover(null, 0, 0));
    return () => controller.abort();
}
