/** Which transfers are shown; null: all of them. */
import type { Exchange, Pair, Part } from "../data/exchange";
import { binaryBytes } from "../text/format";

export interface Selection {
    kind: string | null;
    function: string | null;
    type: string | null;
    size: string | null;
}

export const ALL: Selection = { kind: null, function: null, type: null, size: null };

/** Classes end before a power of two: "8 KiB to 16 KiB" has those below 16 KiB. */
function sizeName({ size_from, size_to }: Part): string {
    if (size_to === null) return `from ${binaryBytes(size_from)}`;
    return size_from === size_to ? binaryBytes(size_from) : `${binaryBytes(size_from)} to ${binaryBytes(size_to + 1)}`;
}

const typeName = (part: Part) => part.type || "none";

export const isAll = (selection: Selection) => Object.values(selection).every((choice) => choice === null);

const chosen = (part: Part, selection: Selection) =>
    (selection.kind === null || part.kind === selection.kind) &&
    (selection.function === null || part.function === selection.function) &&
    (selection.type === null || typeName(part) === selection.type) &&
    (selection.size === null || sizeName(part) === selection.size);

/** The choices that there are, in the order of the report; classes of sizes from small to large. */
export function choices(exchange: Exchange): Record<keyof Selection, string[]> {
    const parts = exchange.parts ?? [];
    const bySize = [...parts].sort((a, b) => a.size_from - b.size_from);
    return {
        kind: [...new Set(parts.map((part) => part.kind))],
        function: [...new Set(parts.map((part) => part.function))].sort(),
        type: parts.some((part) => part.type) ? [...new Set(parts.map(typeName))].sort() : [],
        size: [...new Set(bySize.map(sizeName))],
    };
}

export function selectedPairs(exchange: Exchange, selection: Selection): Pair[] {
    if (isAll(selection)) return exchange.pairs;
    const sums = new Map<number, Pair>();
    for (const part of exchange.parts ?? []) {
        if (!chosen(part, selection)) continue;
        for (const [from, to, messages, bytes] of part.pairs) {
            const key = from * exchange.places + to;
            const pair = sums.get(key) ?? { from, to, messages: 0, bytes: 0 };
            pair.messages += messages;
            pair.bytes += bytes;
            sums.set(key, pair);
        }
    }
    return [...sums.values()];
}
