import type { Report } from "../data/report";
import { percent, plural, seconds } from "../text/format";
import { process, processes } from "../text/process";

// What the POP centre calls acceptable.
const ACCEPTABLE = 0.8;

function Efficiency({ title, share }: { title: string; share: number }) {
    const verdict = share >= ACCEPTABLE ? "good" : "poor";
    return (
        <div class={`factor ${verdict}`}>
            <span class="value">{percent(share)}</span>
            <span class="label">{title}</span>
        </div>
    );
}

/** The run in five numbers. */
export function Figures({ report }: { report: Report }) {
    const { run, efficiency, ranks } = report;
    const total = ranks.reduce((sum, rank) => sum + rank.total_s, 0);
    const share = (key: "compute_s" | "communication_s" | "waiting_s") =>
        total > 0 ? ranks.reduce((sum, rank) => sum + rank[key], 0) / total : 0;
    return (
        <section class="figures" aria-label="The run in numbers">
            <div class="figure">
                <span class="value">{seconds(run.wall_s)}</span>
                <span class="label">wall time of {plural(run.ranks, process())}</span>
            </div>
            <div class="figure">
                <span class="value">{percent(share("waiting_s"))}</span>
                <span class="label">
                    of the {processes()}’ time waits; {percent(share("communication_s"))} communicates, {percent(share("compute_s"))} computes
                </span>
            </div>
            {efficiency && (
                <div class="figure equation" role="group" aria-label="Parallel efficiency is load balance times communication efficiency">
                    <Efficiency title="parallel efficiency" share={efficiency.parallel} />
                    <span class="sign">=</span>
                    <Efficiency title="load balance" share={efficiency.load_balance} />
                    <span class="sign">×</span>
                    <Efficiency title="communication efficiency" share={efficiency.communication} />
                    {typeof efficiency.serialisation === "number" && typeof efficiency.transfer === "number" && (
                        <p class="note">
                            Communication is {percent(efficiency.serialisation)} serialisation ({processes()} wait for each other’s work) ×{" "}
                            {percent(efficiency.transfer)} transfer (messages and calls take time themselves).
                        </p>
                    )}
                    <p class="note">
                        Load balance: mean by greatest computing time of a {process()}; communication: greatest computing time by run time. 80 % is called
                        acceptable.
                    </p>
                </div>
            )}
        </section>
    );
}
