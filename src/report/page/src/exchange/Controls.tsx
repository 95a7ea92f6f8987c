import { shortened, visible } from "../text/names";
import type { Measure } from "./matrix";
import type { Selection } from "./selection";

const TITLES: [keyof Selection, string, string][] = [
    ["kind", "Kind", "all kinds"],
    ["function", "Function", "all functions"],
    ["type", "Type", "all types"],
    ["size", "Size", "all sizes"],
];

interface Properties {
    offered: Record<keyof Selection, string[]>;
    selection: Selection;
    select(selection: Selection): void;
    measure: Measure;
    setMeasure(measure: Measure): void;
    log: boolean;
    setLog(log: boolean): void;
}

function Choice({ legend, options, value, set }: { legend: string; options: [string, string][]; value: string; set(value: string): void }) {
    return (
        <fieldset class="segments">
            <legend class="unseen">{legend}</legend>
            {options.map(([option, label]) => (
                <label key={option}>
                    <input type="radio" name={`exchange-${legend}`} checked={value === option} onChange={() => set(option)} />
                    <span>{label}</span>
                </label>
            ))}
        </fieldset>
    );
}

export function Controls({ offered, selection, select, measure, setMeasure, log, setLog }: Properties) {
    return (
        <div class="tool-buttons exchange-controls">
            {TITLES.filter(([key]) => offered[key].length > 0).map(([key, title, all]) => (
                <label key={key}>
                    <span class="quiet">{title}</span>{" "}
                    <select
                        class="field"
                        name={key}
                        value={selection[key] ?? ""}
                        onChange={(event) => select({ ...selection, [key]: event.currentTarget.value || null })}
                    >
                        <option value="">{all}</option>
                        {offered[key].map((name) => (
                            <option key={name} value={name}>{shortened(visible(name), 60)}</option>
                        ))}
                    </select>
                </label>
            ))}
            <Choice legend="Measure" options={[["bytes", "bytes"], ["messages", "messages"]]} value={measure} set={(value) => setMeasure(value as Measure)} />
            <Choice legend="Scale" options={[["log", "log scale"], ["linear", "linear"]]} value={log ? "log" : "linear"} set={(value) => setLog(value === "log")} />
        </div>
    );
}
