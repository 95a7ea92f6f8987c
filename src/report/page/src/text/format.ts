/** Numbers as people read them, in one manner everywhere: three digits, the unit after a no-break space. */
import { process, processes } from "./process";
const SPACE = "\u00a0";

function digits(value: number): string {
    return Math.abs(value) >= 99.95 ? value.toFixed(0) : value.toPrecision(3).replace(/\.?0+$/, "");
}

function scaled(value: number, units: [number, string][], least: string): string {
    for (const [size, unit] of units)
        if (Math.abs(value) >= size * 0.9995) return `${digits(value / size)}${SPACE}${unit}`;
    return `${value === 0 ? "0" : digits(value / units[units.length - 1][0])}${SPACE}${least}`;
}

export function seconds(value: number): string {
    return scaled(value, [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]], value === 0 ? "s" : "ns");
}

export function bytes(value: number): string {
    return scaled(value, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]], "B");
}

/** Powers of two by their own units: 8 KiB. */
export function binaryBytes(value: number): string {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    const power = Math.min(Math.floor(Math.log2(Math.max(value, 1)) / 10), units.length - 1);
    return `${digits(value / 1024 ** power)}${SPACE}${units[power]}`;
}

/** A whole number, by thousands: 12 345. */
export function count(value: number): string {
    return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A share of 1 as percent, two digits below ten. */
export function percent(share: number): string {
    const value = share * 100;
    if (value === 0) return `0${SPACE}%`;
    if (value < 0.01) return `<${SPACE}0.01${SPACE}%`;
    const text = value >= 9.95 ? value.toFixed(0) : value.toPrecision(2).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
    return `${text}${SPACE}%`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
    return `${count(number)}${SPACE}${number === 1 ? one : many}`;
}

/** Moments of an axis: as many decimals as the step between them needs. */
export function moment(value_s: number, step_s: number): string {
    const [size, unit] = step_s >= 0.1 ? [1, "s"] : step_s >= 1e-4 ? [1e-3, "ms"] : [1e-6, "µs"];
    const decimals = Math.max(0, Math.ceil(-Math.log10(step_s / size) - 1e-9));
    return `${(value_s / size).toFixed(Math.min(decimals, 9))}${SPACE}${unit}`;
}

/** "rank 3", "ranks 0–3, 7". */
export function rankList(ranks: number[], most = 8): string {
    const sorted = [...new Set(ranks)].sort((a, b) => a - b);
    const runs: string[] = [];
    for (let i = 0; i < sorted.length; ) {
        let end = i;
        while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) end++;
        runs.push(end === i ? `${sorted[i]}` : end === i + 1 ? `${sorted[i]}, ${sorted[end]}` : `${sorted[i]}–${sorted[end]}`);
        i = end + 1;
    }
    const shown = runs.length > most ? `${runs.slice(0, most).join(", ")} …` : runs.join(", ");
    return `${sorted.length === 1 ? process() : processes()}${SPACE}${shown}`;
}
