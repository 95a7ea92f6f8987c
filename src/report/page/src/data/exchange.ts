/** `exchange --json`, the block "exchange", as far as the page shows it (docs/exchange.md, docs/page.md). */
export interface Pair {
    from: number;
    to: number;
    messages: number;
    bytes: number;
}

/** What one function moved in one kind of transfer, by type and class of sizes. */
export interface Part {
    kind: string;
    function: string;
    /** "tag 7", "": of none. */
    type?: string;
    size_from: number;
    size_to: number | null;
    /** from, to, messages, bytes */
    pairs: [number, number, number, number][];
}

/** A slot of time. */
export interface Slot {
    begin_ns: number;
    end_ns: number;
    messages: number;
    bytes: number;
}

export interface Exchange {
    runtime?: string;
    places: number;
    /** What a place is called, and the number of the first one. */
    place?: { name: string; first: number };
    pairs: Pair[];
    /** How many, where they are columns of ws-timeline instead. */
    pairs_in_timeline?: number;
    pairs_left_out?: boolean;
    received: number[];
    sent?: number[];
    parts?: Part[];
    slots?: Slot[];
    warnings?: string[];
}
