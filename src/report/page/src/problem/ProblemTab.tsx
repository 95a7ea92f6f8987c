import type { Report } from "../data/report";
import { processes } from "../text/process";
import { ProblemDetail } from "./ProblemDetail";
import { ProblemList } from "./ProblemList";

export function ProblemTab({ report, rest }: { report: Report; rest: string[] }) {
    const { problems } = report;
    if (!problems.length) return <p class="card">No problem reaches the threshold: the {processes()} hardly wait for each other.</p>;
    const index = Math.min(Math.max(0, Number(rest[0]) || 0), problems.length - 1);
    return (
        <div class="problems">
            <ProblemList problems={problems} current={index} />
            <ProblemDetail key={index} report={report} index={index} />
        </div>
    );
}
