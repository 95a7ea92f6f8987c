/** `exchange --json`, the block "exchange", as far as the page shows it (docs/exchange.md, docs/page.md). */
export interface Pair {
    from: number;
    to: number;
    messages: number;
    bytes: number;
}

/** What one function moved in one kind of transfer and one class of sizes. */
export interface Part {
    kind: string;
    function: string;
    size_from: number;
    size_to: number | null;
    /** from, to, messages, bytes */
    pairs: [number, number, number, number][];
}

export interface Exchange {
    runtime?: string;
    places: number;
    pairs: Pair[];
    received: number[];
    parts?: Part[];
}
