import { useState } from "preact/hooks";
import type { Problem } from "../data/report";
import { address } from "../route";
import { count, plural, seconds } from "../text/format";
import { capital, process } from "../text/process";

const AT_FIRST = 8;

/** The longest waits, each with its place in the timeline. */
export function Instances({ problem, index }: { problem: Problem; index: number }) {
    const [all, setAll] = useState(false);
    const instances = problem.instances ?? [];
    if (!instances.length) return null;
    const shown = all ? instances : instances.slice(0, AT_FIRST);
    return (
        <section class="card" aria-labelledby="instances-title">
            <h3 id="instances-title">
                The longest {count(instances.length)} of {plural(problem.count, "wait")}
            </h3>
            <div class="scroll">
                <table class="plain narrow">
                    <thead>
                        <tr>
                            <th scope="col" class="number">{capital(process())}</th>
                            <th scope="col" class="number">Waits from</th>
                            <th scope="col" class="number">How long</th>
                            <th scope="col" class="number">For {process()}</th>
                            <th scope="col">In the timeline</th>
                        </tr>
                    </thead>
                    <tbody>
                        {shown.map((instance, i) => (
                            <tr key={i}>
                                <td class="number">{instance.rank}</td>
                                <td class="number">{seconds(instance.start_s)}</td>
                                <td class="number">{seconds(instance.duration_s)}</td>
                                <td class="number">{instance.for ?? "–"}</td>
                                <td>
                                    <a href={address("timeline", "instance", index, i)} aria-label={`Show wait ${i + 1}, of ${process()} ${instance.rank}, in the timeline`}>
                                        Show
                                    </a>
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            {instances.length > AT_FIRST && (
                <button class="button" onClick={() => setAll(!all)} aria-expanded={all}>
                    {all ? "Fewer" : `All ${instances.length}`}
                </button>
            )}
        </section>
    );
}
