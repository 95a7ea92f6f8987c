import { useMemo } from "preact/hooks";
import type { Pair } from "../data/exchange";
import { Greatest } from "../data/greatest";
import { bytes, count } from "../text/format";
import type { Measure } from "./matrix";

const MOST = 50;

/** The pairs that exchange most: the heat map in numbers. */
export function HeaviestPairs({ pairs, measure, first }: { pairs: Pair[]; measure: Measure; first: number }) {
    const heaviest = useMemo(() => {
        const greatest = new Greatest<Pair>(MOST, (a, b) => b[measure] - a[measure] || a.from - b.from || a.to - b.to);
        for (const pair of pairs) greatest.add(pair);
        return greatest.list();
    }, [pairs, measure]);
    return (
        <section class="card" aria-labelledby="heaviest-title">
            <h2 id="heaviest-title">The heaviest pairs</h2>
            <div class="scroll heaviest" tabIndex={0} role="group" aria-labelledby="heaviest-title">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col" class="number">From</th>
                            <th scope="col" class="number">To</th>
                            <th scope="col" class="number">Bytes</th>
                            <th scope="col" class="number">Messages</th>
                            <th scope="col" class="number">Mean size</th>
                        </tr>
                    </thead>
                    <tbody>
                        {heaviest.map((pair) => (
                            <tr key={`${pair.from} ${pair.to}`}>
                                <td class="number">{first + pair.from}</td>
                                <td class="number">{first + pair.to}</td>
                                <td class="number">{bytes(pair.bytes)}</td>
                                <td class="number">{count(pair.messages)}</td>
                                <td class="number">{pair.messages ? bytes(pair.bytes / pair.messages) : "–"}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
