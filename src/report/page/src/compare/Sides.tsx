import type { Comparison, Side } from "../data/comparison";
import { plural, seconds } from "../text/format";
import { process, processes } from "../text/process";
import { Name } from "../ui/Name";

const ROWS: [string, (side: Side) => string][] = [
    ["Trace", (side) => (side.runs > 1 ? `${side.path} and ${plural(side.runs - 1, "more run")}` : side.path)],
    ["Command", (side) => side.command],
    ["Runtime", (side) => `${side.mpi}, ${plural(side.ranks, process())}`],
    ["Wall time", (side) => seconds(side.wall_s)],
    ["Waiting", (side) => `${seconds(side.waiting_s)} of the ${processes()}’ ${seconds(side.total_s)}`],
];

/** What was compared. */
export function Sides({ comparison }: { comparison: Comparison }) {
    return (
        <section class="card" aria-labelledby="sides-title">
            <h2 id="sides-title">What is compared</h2>
            <div class="scroll">
                <table class="plain">
                    <thead>
                        <tr>
                            <td />
                            <th scope="col">Before</th>
                            <th scope="col">After</th>
                        </tr>
                    </thead>
                    <tbody>
                        {ROWS.map(([title, text]) => (
                            <tr key={title}>
                                <th scope="row">{title}</th>
                                <td><Name text={text(comparison.before)} most={200} /></td>
                                <td><Name text={text(comparison.after)} most={200} /></td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
