/** The parameters of an event as the knowledge base names them, ready to be read. */
import type { EventType, Place, Report } from "../data/report";
import { parameterKey, type Timeline } from "../data/timeline";
import { bytes, seconds } from "../text/format";
import { baseName } from "../text/names";

export interface Parameter {
    name: string;
    value: string;
}

export function siteText(site: Omit<Place, "called"> | undefined): string {
    if (!site) return "";
    const place = site.file ? `${baseName(site.file)}:${site.line}` : site.module ? `${baseName(site.module)}+0x${(site.offset ?? 0).toString(16)}` : "";
    return [site.function, place].filter(Boolean).join(" at ");
}

function text(report: Report, type: EventType, param: number, value: number): string {
    const key = report.timeline!;
    if (Number.isNaN(value)) return "undefined";
    switch (type.params[param].kind) {
        case "time":
            return seconds(value / 1e9);
        case "boolean":
            return value ? "yes" : "no";
        case "string":
            return key.strings[value] ?? "";
        case "site":
            return siteText(key.sites[value]) || "unknown";
        case "real":
            return String(Number(value.toPrecision(6)));
        default:
            return type.params[param].name.includes("bytes") && value >= 1000 ? `${value} (${bytes(value)})` : String(value);
    }
}

export function parametersOf(report: Report, timeline: Timeline, event: number): Parameter[] {
    const number = timeline.events.type[event];
    const type = report.timeline!.types[number];
    if (!type) return [];
    // Columns of parameters hold the events of their type only: the place there is how many came before.
    let place = 0;
    for (let i = 0; i < event; i++) if (timeline.events.type[i] === number) place++;
    return type.params.flatMap(({ name }, param) => {
        const values = timeline.parameters.get(parameterKey(number, param));
        return values ? [{ name, value: text(report, type, param, values()[place]) }] : [];
    });
}
