import { useMemo } from "preact/hooks";
import type { Problem, RankShare } from "../data/report";
import { count, percent, plural, seconds } from "../text/format";
import { capital, process, processes } from "../text/process";
import { Fold } from "../ui/Fold";
import { flows, OTHERS, type Side } from "./waits";

const MOST = 9;
const WIDTH = 560;
const LEFT = 150;
const RIGHT = WIDTH - 150;
const GAP = 5;
const THIN = 11;

const nodeName = (node: { rank: number; ranks?: number }) =>
    node.rank === OTHERS ? `${count(node.ranks ?? 0)} others` : `${process()} ${node.rank}`;

/** Heights and places of a side's nodes; the smallest are still to be seen. */
function stack(nodes: Side[], height: number) {
    const total = nodes.reduce((sum, node) => sum + node.duration_s, 0) || 1;
    const free = height - GAP * (nodes.length - 1) - THIN * nodes.length;
    let y = 0;
    return new Map(
        nodes.map((node) => {
            const tall = THIN + (free * node.duration_s) / total;
            const placed = { y, tall, used: 0, node };
            y += tall + GAP;
            return [node.rank, placed];
        }),
    );
}

/** "ranks 3 (1.2 s) and 7 (1.1 s)": by the full sums, not by the pairs that are left. */
function mostOf(shares: RankShare[]): string {
    const [first, second] = [...shares].sort((a, b) => b.duration_s - a.duration_s || a.rank - b.rank);
    const one = (share: RankShare) => `${share.rank} (${seconds(share.duration_s)})`;
    return second ? `${processes()} ${one(first)} and ${one(second)}` : first ? `${process()} ${one(first)}` : "none";
}

function Table({ problem }: { problem: Problem }) {
    return (
        <div class="scroll">
            <table class="plain narrow">
                <thead>
                    <tr>
                        <th scope="col" class="number">{capital(process())}</th>
                        <th scope="col" class="number">waits for</th>
                        <th scope="col" class="number">Time</th>
                        <th scope="col" class="number">Waits</th>
                    </tr>
                </thead>
                <tbody>
                    {(problem.waits_for ?? []).slice(0, 500).map((wait, i) => (
                        <tr key={i}>
                            <td class="number">{wait.rank}</td>
                            <td class="number">{wait.for}</td>
                            <td class="number">{seconds(wait.duration_s)}</td>
                            <td class="number">{count(wait.count)}</td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

/** Who waits for whom: the waiting ranks on the left, those they wait for on the right, as wide as the time is long. */
export function WaitGraph({ problem, color }: { problem: Problem; color: string }) {
    const waits = problem.waits_for ?? [];
    const graph = useMemo(() => flows(waits, MOST), [problem]);
    if (!waits.length)
        return (
            <section class="card" aria-labelledby="graph-title">
                <h3 id="graph-title">Who waits for whom</h3>
                <p class="quiet">This problem names nobody who is waited for.</p>
            </section>
        );
    const height = Math.max(graph.left.length, graph.right.length) * 30 + 10;
    const left = stack(graph.left, height);
    const right = stack(graph.right, height);
    const total = waits.reduce((sum, wait) => sum + wait.duration_s, 0) || 1;
    const ribbons = graph.flows.map((flow) => {
        const from = left.get(flow.from)!;
        const to = right.get(flow.to)!;
        const startTall = (from.tall * flow.duration_s) / (from.node.duration_s || 1);
        const endTall = (to.tall * flow.duration_s) / (to.node.duration_s || 1);
        const [a, b] = [from.y + from.used, to.y + to.used];
        from.used += startTall;
        to.used += endTall;
        const middle = (LEFT + RIGHT) / 2;
        const path = `M${LEFT + 8},${a} C${middle},${a} ${middle},${b} ${RIGHT - 8},${b} V${b + endTall} C${middle},${b + endTall} ${middle},${a + startTall} ${LEFT + 8},${a + startTall} Z`;
        return { flow, path };
    });
    const strongest = graph.flows[0];
    const ends = (placed: ReturnType<typeof stack>, x: number, anchor: "start" | "end") =>
        [...placed.values()].map(({ y, tall, node }) => (
            <g key={node.rank}>
                <rect x={x - (anchor === "end" ? 0 : 8)} y={y} width={8} height={tall} rx={2} class="node" />
                <text x={x + (anchor === "end" ? -8 : 8)} y={y + tall / 2} text-anchor={anchor}>
                    <tspan class="strong">{nodeName(node)}</tspan> <tspan class="quiet">{seconds(node.duration_s)}</tspan>
                </text>
            </g>
        ));
    return (
        <section class="card" aria-labelledby="graph-title">
            <h3 id="graph-title">Who waits for whom</h3>
            <svg
                class="wait-graph"
                viewBox={`0 -26 ${WIDTH} ${height + 30}`}
                role="img"
                aria-label={`${plural(graph.left.length, "node")} wait; most of all ${nodeName(strongest ? { rank: strongest.from } : { rank: 0 })} for ${nodeName({ rank: strongest?.to ?? 0 })}, ${seconds(strongest?.duration_s ?? 0)}`}
            >
                <text x={LEFT} y={-17} text-anchor="end" class="quiet">waits</text>
                <text x={RIGHT} y={-17} class="quiet">for</text>
                {ribbons.map(({ flow, path }, i) => (
                    <path key={i} d={path} fill={color} class="ribbon" fill-opacity={0.3 + (0.45 * flow.duration_s) / total}>
                        <title>{`${nodeName({ rank: flow.from })} waits for ${nodeName({ rank: flow.to })}: ${seconds(flow.duration_s)} in ${plural(flow.count, "wait")}`}</title>
                    </path>
                ))}
                {ends(left, LEFT, "end")}
                {ends(right, RIGHT, "start")}
            </svg>
            {!!problem.waits_for_more && (
                <p class="quiet">
                    The greatest pairs, {percent(total / (problem.duration_s || 1))} of the time; {plural(problem.waits_for_more, "smaller pair")} left
                    out. Of all, {mostOf(problem.causes)} are waited for most.
                </p>
            )}
            <Fold title="The same as a table">{() => <Table problem={problem} />}</Fold>
        </section>
    );
}
