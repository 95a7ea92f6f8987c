/** The colours of the style sheet, as numbers for what is drawn on a canvas. */
export type Rgb = [number, number, number];

export const PROBLEM_COLORS = 8;

/** The custom property that colours a problem; those after the eighth share the colour of "others". */
export function problemColor(index: number): string {
    return index < PROBLEM_COLORS ? `var(--problem-${index})` : "var(--problem-other)";
}

export function styleValue(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function parseColor(hex: string): Rgb {
    const number = parseInt(hex.slice(1), 16);
    return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

export const styleColor = (name: string): Rgb => parseColor(styleValue(name));

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
    return [0, 1, 2].map((i) => Math.round(a[i] + (b[i] - a[i]) * share)) as Rgb;
}

/** A pixel of ImageData seen as Uint32Array (all machines that browsers run on are little-endian). */
export const pixel = ([r, g, b]: Rgb): number => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
