/** `exchange --json`, as far as the page shows it (docs/exchange.md). */
export interface Pair {
    from: number;
    to: number;
    messages: number;
    bytes: number;
}

export interface Exchange {
    places: number;
    pairs: Pair[];
    received: number[];
}
