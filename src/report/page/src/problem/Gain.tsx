import type { Gains, Problem } from "../data/report";
import { percent, seconds } from "../text/format";

/** What was changed of the replayed run. */
const remedies: Record<string, string> = {
    balance: "with the work balanced",
    earlier: "with what is waited for started before the computation that stands before it",
    later: "with the waiting put off until after the next computation",
    drop: "without this operation",
};

/** What a fix would gain of the run's time, as the replay of the run has it. */
export function Gain({ problem, gains }: { problem: Problem; gains: Gains | null | undefined }) {
    if (!gains || problem.gain_s === undefined) return null;
    const remedy = remedies[problem.remedy ?? ""];
    const share = gains.replayed_s > 0 ? problem.gain_s / gains.replayed_s : 0;
    return (
        <p class="gain">
            Gain: <strong>{seconds(problem.gain_s)}</strong> of the run’s {seconds(gains.replayed_s)} ({percent(share)}){" "}
            {remedy ?? "if this waiting were not"}
            {remedy && problem.gain_if_removed_s !== undefined && (
                <>, {seconds(problem.gain_if_removed_s)} if only this waiting were not</>
            )}
            .
        </p>
    );
}
