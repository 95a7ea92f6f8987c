import { useEffect } from "preact/hooks";
import type { Report } from "../data/report";
import { CompareTab } from "../compare/CompareTab";
import { Unpacked } from "../exchange/Unpacked";
import { OverviewTab } from "../overview/OverviewTab";
import { ProblemTab } from "../problem/ProblemTab";
import { useRoute } from "../route";
import { TimelineTab } from "../timeline/TimelineTab";
import { useTheme } from "../theme";
import { Header } from "./Header";
import { Tabs, type Tab } from "./Tabs";

function tabsOf(report: Report): Tab[] {
    return [
        { id: "overview", label: "Overview" },
        { id: "problem", label: "Problems", count: report.problems.length },
        { id: "timeline", label: "Timeline" },
        ...(report.exchange ? [{ id: "exchange", label: "Exchange" }] : []),
        ...(report.compare ? [{ id: "compare", label: "Compare" }] : []),
    ];
}

export function App({ report }: { report: Report }) {
    const route = useRoute();
    const [choice, look, choose] = useTheme();
    const tabs = tabsOf(report);
    const current = tabs.some((tab) => tab.id === route.tab) ? route.tab : "overview";

    useEffect(() => {
        document.title = `Whyslow – ${report.run.program || report.run.command}`;
    }, []);

    return (
        <>
            <a class="skip" href="#panel" onClick={(event) => {
                // The part after "#" is the view: the skip link only moves the focus.
                event.preventDefault();
                document.getElementById("panel")?.focus();
            }}>
                Skip to the content
            </a>
            <Header run={report.run} theme={choice} choose={choose} />
            <main>
                <Tabs tabs={tabs} current={current} />
                <div id="panel" class={`panel panel-${current}`} role="tabpanel" aria-labelledby={`tab-${current}`} tabIndex={-1}>
                    {current === "overview" && <OverviewTab report={report} look={look} />}
                    {current === "problem" && <ProblemTab report={report} rest={route.rest} />}
                    {current === "timeline" && <TimelineTab report={report} look={look} rest={route.rest} />}
                    {current === "exchange" && report.exchange && <Unpacked report={report} exchange={report.exchange} look={look} />}
                    {current === "compare" && report.compare && <CompareTab comparison={report.compare} />}
                </div>
            </main>
        </>
    );
}
