/** The words beside the pointer. */
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { seconds } from "../text/format";
import { shortened, visible } from "../text/names";
import { process } from "../text/process";
import { rowOf } from "./rows";

export function tipText(report: Report, timeline: Timeline, event: number): string {
    const { events } = timeline;
    const name = shortened(visible(report.timeline!.functions[events.function[event]] ?? ""), 60);
    const waits = events.wait_ns[event] > 0 ? `, waits ${seconds(events.wait_ns[event] / 1e9)}` : "";
    return `${name} on ${process()} ${report.ranks[rowOf(events, event)]?.rank}: ${seconds(events.duration_ns[event] / 1e9)}${waits}`;
}

/** Puts it below the pointer, within `room` pixels; null hides it. */
export function showTip(element: HTMLElement, text: string | null, x: number, y: number, room: number) {
    element.hidden = text === null;
    if (text === null) return;
    element.textContent = text;
    const left = Math.max(0, Math.min(x + 14, room - element.offsetWidth - 8));
    element.style.transform = `translate(${left}px, ${y + 18}px)`;
}
