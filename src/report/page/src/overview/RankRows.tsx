import type { Rank } from "../data/report";
import { percent, seconds } from "../text/format";
import { process } from "../text/process";

/** A bar for each of a few ranks. */
export function RankRows({ ranks, longest }: { ranks: Rank[]; longest: number }) {
    return (
        <ul class="rank-rows">
            {ranks.map((rank) => {
                const width = (part: number) => ({ width: `${longest > 0 ? (100 * part) / longest : 0}%` });
                const waits = rank.total_s > 0 ? rank.waiting_s / rank.total_s : 0;
                const told = `${process()} ${rank.rank}: computes ${seconds(rank.compute_s)}, communicates ${seconds(rank.communication_s)}, waits ${seconds(rank.waiting_s)}`;
                return (
                    <li key={rank.rank} aria-label={told} title={told}>
                        <span class="rank-name" aria-hidden="true">{rank.rank}</span>
                        <span class="stack" aria-hidden="true">
                            <span class="compute" style={width(rank.compute_s)} />
                            <span class="communication" style={width(rank.communication_s)} />
                            <span class="waiting" style={width(rank.waiting_s)} />
                        </span>
                        <span class="rank-waits" aria-hidden="true">{percent(waits)} waits</span>
                    </li>
                );
            })}
        </ul>
    );
}
