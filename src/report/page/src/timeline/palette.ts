/** The colour of a stretch of time: how much of it is in calls, how much waiting, and of which problem. */
import { mix, PROBLEM_COLORS, pixel, styleColor, type Rgb } from "../colors";

const STEPS = 32;
const COLORS = PROBLEM_COLORS + 1;
// The least share that there is must still be seen.
const FAINTEST = 0.22;

export interface Palette {
    pixels: Uint32Array;
    edge: number;
    ground: number;
    faint: Uint32Array;
}

const strength = (step: number) => (step === 0 ? 0 : FAINTEST + ((1 - FAINTEST) * (step - 1)) / (STEPS - 2));

function table(ground: Rgb, call: Rgb, waits: Rgb[]): Uint32Array {
    const pixels = new Uint32Array(COLORS * STEPS * STEPS);
    for (let slot = 0; slot < COLORS; slot++)
        for (let w = 0; w < STEPS; w++)
            for (let c = 0; c < STEPS; c++) {
                const wait = strength(w);
                const inCall = mix(ground, call, Math.max(strength(c), wait));
                pixels[(slot * STEPS + w) * STEPS + c] = pixel(mix(inCall, waits[slot], wait));
            }
    return pixels;
}

export function makePalette(): Palette {
    const ground = styleColor("--row");
    const call = styleColor("--call");
    const waits = Array.from({ length: PROBLEM_COLORS }, (_, i) => styleColor(`--problem-${i}`));
    waits.push(styleColor("--problem-other"));
    const faintCall = mix(ground, call, 0.3);
    return {
        pixels: table(ground, call, waits),
        faint: table(ground, faintCall, waits.map(() => faintCall)),
        edge: pixel(mix(call, styleColor("--ink"), 0.45)),
        ground: pixel(styleColor("--surface")),
    };
}

/** The colour's number of each problem: "other" for all after the eighth. */
export const SLOTS = Uint8Array.from({ length: 256 }, (_, problem) => Math.min(problem, PROBLEM_COLORS));

/** A share as a step of the palette: only nothing is step 0. */
export const stepOf = (share: number) => (share <= 0 ? 0 : share >= 1 ? STEPS - 1 : 1 + Math.floor(share * (STEPS - 1.001)));

export const place = (slot: number, wait: number, call: number) => (slot * STEPS + wait) * STEPS + call;
