import type { Report } from "../data/report";
import { FixFirst } from "./FixFirst";
import { Figures } from "./Figures";
import { RankBars } from "./RankBars";
import { RankedProblems } from "./RankedProblems";
import { Recording } from "./Recording";
import { Warnings } from "./Warnings";

export function OverviewTab({ report, look }: { report: Report; look: string }) {
    return (
        <div class="overview">
            <Figures report={report} />
            <div class="lead">
                <FixFirst problems={report.problems} gains={report.gains} />
                <RankedProblems report={report} />
            </div>
            <RankBars ranks={report.ranks} look={look} />
            <Warnings warnings={report.warnings} />
            <Recording run={report.run} />
        </div>
    );
}
