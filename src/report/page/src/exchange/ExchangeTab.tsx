import { useMemo, useState } from "preact/hooks";
import type { Exchange } from "../data/exchange";
import { Warnings } from "../overview/Warnings";
import { bytes, plural } from "../text/format";
import { Controls } from "./Controls";
import { HeatMap } from "./HeatMap";
import { HeaviestPairs } from "./HeaviestPairs";
import { matrixOf, type Measure } from "./matrix";
import { OverTime } from "./OverTime";
import { Received } from "./Received";
import { ALL, choices, isAll, selectedPairs } from "./selection";

/** Who sent how much to whom. */
export function ExchangeTab({ exchange, look }: { exchange: Exchange; look: string }) {
    const { name, first } = exchange.place ?? { name: "place", first: 0 };
    const [selection, select] = useState(ALL);
    const [measure, setMeasure] = useState<Measure>("bytes");
    const [log, setLog] = useState(true);
    const offered = useMemo(() => choices(exchange), [exchange]);
    const pairs = useMemo(() => selectedPairs(exchange, selection), [exchange, selection]);
    const matrix = useMemo(() => matrixOf(pairs, exchange.places, measure, first), [pairs, measure]);
    // Where large collectives are in the sums but not among the pairs, the sums of all are as they were told.
    const whole = isAll(selection) && measure === "bytes" && exchange.pairs_left_out ? exchange : null;
    const messages = pairs.reduce((sum, pair) => sum + pair.messages, 0);
    const moved = pairs.reduce((sum, pair) => sum + pair.bytes, 0);
    return (
        <div class="exchange">
            <Controls offered={offered} selection={selection} select={select} measure={measure} setMeasure={setMeasure} log={log} setLog={setLog} />
            <p class="cost" role="status">
                <strong>{bytes(moved)}</strong> in {plural(messages, "message")} between {plural(pairs.length, "pair")} of {plural(exchange.places, name)}
            </p>
            <div class="exchange-main">
                <div class="exchange-side">
                    <HeatMap name={name} matrix={matrix} measure={measure} log={log} look={look} />
                    {exchange.slots && exchange.slots.length > 1 && <OverTime slots={exchange.slots} measure={measure} />}
                </div>
                <div class="exchange-side">
                    <Received name={name} matrix={matrix} measure={measure} whole={whole} />
                    <HeaviestPairs pairs={pairs} measure={measure} first={first} />
                </div>
            </div>
            <Warnings warnings={exchange.warnings ?? []} />
        </div>
    );
}
