/** What the runtime calls a process: "rank", "place", "PE".  The report tells, once, before anything is drawn. */
import { shortened, visible } from "./names";

let word = "rank";

export function callProcesses(name: string) {
    word = shortened(visible(name), 20) || "rank";
}

export const process = () => word;
export const processes = () => `${word}s`;
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
