import { useEffect, useState } from "preact/hooks";
import type { Exchange } from "../data/exchange";
import type { Report } from "../data/report";
import { loadTimeline } from "../data/timeline";
import { ExchangeTab } from "./ExchangeTab";

/** The exchange with its pairs, which are packed with the timeline where they are many. */
export function Unpacked({ report, exchange, look }: { report: Report; exchange: Exchange; look: string }) {
    const [whole, setWhole] = useState(exchange.pairs_in_timeline ? null : exchange);
    const [failure, setFailure] = useState("");
    useEffect(() => {
        if (!whole)
            loadTimeline(report.timeline).then(
                (timeline) => setWhole({ ...exchange, pairs: timeline?.pairs ?? [] }),
                (error: unknown) => setFailure(String(error)),
            );
    }, []);
    if (failure) return <p class="card" role="alert">The exchange cannot be shown: {failure}</p>;
    if (!whole) return <p class="card" role="status">Unpacking the exchange …</p>;
    return <ExchangeTab exchange={whole} look={look} />;
}
