import { useMemo, useState } from "preact/hooks";
import type { Exchange } from "../data/exchange";
import { bytes, count, plural } from "../text/format";
import { Controls } from "./Controls";
import { HeatMap } from "./HeatMap";
import { HeaviestPairs } from "./HeaviestPairs";
import { matrixOf, type Measure } from "./matrix";
import { Received } from "./Received";
import { ALL, choices, selectedPairs } from "./selection";

export const amount = (value: number, measure: Measure) => (measure === "bytes" ? bytes(value) : plural(value, "message"));

/** Who sent how much to whom. */
export function ExchangeTab({ exchange, look }: { exchange: Exchange; look: string }) {
    const [selection, select] = useState(ALL);
    const [measure, setMeasure] = useState<Measure>("bytes");
    const [log, setLog] = useState(true);
    const offered = useMemo(() => choices(exchange), [exchange]);
    const pairs = useMemo(() => selectedPairs(exchange, selection), [exchange, selection]);
    const matrix = useMemo(() => matrixOf(pairs, exchange.places, measure), [pairs, measure]);
    const messages = pairs.reduce((sum, pair) => sum + pair.messages, 0);
    const moved = pairs.reduce((sum, pair) => sum + pair.bytes, 0);
    return (
        <div class="exchange">
            <Controls offered={offered} selection={selection} select={select} measure={measure} setMeasure={setMeasure} log={log} setLog={setLog} />
            <p class="cost" role="status">
                <strong>{bytes(moved)}</strong> in {plural(messages, "message")} between {count(pairs.length)} pairs of {plural(exchange.places, "place")}
            </p>
            <div class="exchange-main">
                <HeatMap matrix={matrix} measure={measure} log={log} look={look} />
                <div class="exchange-side">
                    <Received matrix={matrix} measure={measure} />
                    <HeaviestPairs pairs={pairs} measure={measure} />
                </div>
            </div>
        </div>
    );
}
