/** The block "ws-timeline" as typed arrays.  docs/page.md describes the bytes. */
import type { Pair } from "./exchange";
import { fromBase64, inflate } from "./inflate";
import type { TimelineKey } from "./report";

/** Shares of time, for each row (a recorded rank) a run of bins. */
export interface Level {
    rows: number;
    bins: number;
    width_ns: number;
    calls: Uint8Array;
    waits: Uint8Array;
    problems: Uint8Array;
}

/** The events shown, by row and start; all columns have the same length. */
export interface Events {
    count: number;
    rows: Float64Array;
    start_ns: Float64Array;
    duration_ns: Float64Array;
    wait_ns: Float64Array;
    posted_ns: Float64Array;
    type: Uint32Array;
    function: Uint32Array;
    site: Uint32Array;
    posted_function: Uint32Array;
    posted_site: Uint32Array;
    problem: Uint8Array;
    order: Float64Array;
}

export interface Timeline {
    begin_ns: number;
    end_ns: number;
    rows: number;
    levels: Level[];
    events: Events;
    sends: Uint32Array;
    receives: Uint32Array;
    /** By parameterKey; unpacked when somebody asks: there are many, and one looks at few. */
    parameters: Map<string, () => Float64Array>;
    /** Of the exchange, where they are too many for the report's JSON. */
    pairs: Pair[];
}

export const NO_PROBLEM = 255;
export const SMALL_PROBLEM = 254;

export const parameterKey = (type: number, param: number) => `${type}.${param}`;

const tagName = (tag: number) =>
    String.fromCharCode(tag & 255, (tag >> 8) & 255, (tag >> 16) & 255, (tag >> 24) & 255);

const REALS = 255;
const COLUMNS = new Set(["ROWS", "GAPS", "DURA", "TYPE", "FUNC", "SITE", "POST", "PFUN", "PSIT", "WAIT", "PROB", "ORDR", "PARM", "MSGS", "MSGR", "FROM", "INTO", "MESS", "BYTS"]);

/** After base, count and width a column has its type and param, which only parameters use. */
function column(buffer: ArrayBuffer, at: number): Float64Array {
    const view = new DataView(buffer, at);
    const base = view.getFloat64(0, true);
    const [count, width] = [8, 12].map((offset) => view.getUint32(offset, true));
    const values = new Float64Array(count).fill(base);
    if (width === REALS) {
        for (let i = 0; i < count; i++) values[i] = view.getFloat64(24 + 8 * i, true);
        return values;
    }
    for (let plane = 0, unit = 1; plane < width; plane++, unit *= 256) {
        const bytes = new Uint8Array(buffer, at + 24 + plane * count, count);
        for (let i = 0; i < count; i++) values[i] += unit * bytes[i];
    }
    return values;
}

function level(buffer: ArrayBuffer, at: number, key: TimelineKey): [number, Level] {
    const view = new DataView(buffer, at);
    const [number, rows, bins] = [0, 4, 8].map((offset) => view.getUint32(offset, true));
    const plane = (n: number) => new Uint8Array(buffer, at + 12 + n * rows * bins, rows * bins);
    const width_ns = key.levels[number].width_s * 1e9;
    return [number, { rows, bins, width_ns, calls: plane(0), waits: plane(1), problems: plane(2) }];
}

function startsOfGaps(rows: Float64Array, gaps: Float64Array): Float64Array {
    const starts = new Float64Array(gaps.length);
    for (let row = 0; row + 1 < rows.length; row++) {
        let start = 0;
        for (let i = rows[row]; i < rows[row + 1]; i++) starts[i] = start += gaps[i];
    }
    return starts;
}

function pairsOf(from: Float64Array, to: Float64Array, messages: Float64Array, bytes: Float64Array): Pair[] {
    return Array.from(from, (place, i) => ({ from: place, to: to[i], messages: messages[i], bytes: bytes[i] }));
}

/** Reads what was inflated; a section that this page does not know is skipped. */
export function readTimeline(buffer: ArrayBuffer, key: TimelineKey): Timeline {
    const columns = new Map<string, Float64Array>();
    const parameters = new Map<string, () => Float64Array>();
    const levels: Level[] = [];
    const view = new DataView(buffer);

    for (let at = 0; at + 8 <= buffer.byteLength; ) {
        const tag = tagName(view.getUint32(at, true));
        const length = view.getUint32(at + 4, true);
        at += 8;
        if (at + length > buffer.byteLength) throw new Error("the timeline's data are cut off");
        if (tag === "LEVL") {
            const [number, read] = level(buffer, at, key);
            levels[number] = read;
        } else if (COLUMNS.has(tag)) {
            const place = at;
            if (tag === "PARM") parameters.set(parameterKey(view.getUint32(at + 16, true), view.getUint32(at + 20, true)), () => column(buffer, place));
            else columns.set(tag, column(buffer, at));
        }
        at += (length + 3) & ~3;
    }

    const need = (tag: string) => columns.get(tag) ?? new Float64Array(0);
    const gaps = need("GAPS");
    const rows = columns.get("ROWS") ?? new Float64Array(1);
    return {
        begin_ns: key.begin_s * 1e9,
        end_ns: key.end_s * 1e9,
        rows: rows.length - 1,
        levels: levels.filter(Boolean),
        events: {
            count: gaps.length,
            rows,
            start_ns: startsOfGaps(rows, gaps),
            duration_ns: need("DURA"),
            wait_ns: need("WAIT"),
            posted_ns: need("POST"),
            type: Uint32Array.from(need("TYPE")),
            function: Uint32Array.from(need("FUNC")),
            site: Uint32Array.from(need("SITE")),
            posted_function: Uint32Array.from(need("PFUN")),
            posted_site: Uint32Array.from(need("PSIT")),
            problem: Uint8Array.from(need("PROB")),
            order: need("ORDR"),
        },
        sends: Uint32Array.from(need("MSGS")),
        receives: Uint32Array.from(need("MSGR")),
        parameters,
        pairs: pairsOf(need("FROM"), need("INTO"), need("MESS"), need("BYTS")),
    };
}

let loading: Promise<Timeline | null> | undefined;

/** The page's timeline, decoded once; null where the page was written without one. */
export function loadTimeline(key: TimelineKey | null | undefined): Promise<Timeline | null> {
    const block = document.getElementById("ws-timeline");
    loading ??=
        block && key
            ? inflate(fromBase64(block.textContent ?? "")).then((buffer) => readTimeline(buffer, key))
            : Promise.resolve(null);
    return loading;
}
