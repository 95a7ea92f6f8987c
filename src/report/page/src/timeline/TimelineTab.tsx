import { useEffect, useState } from "preact/hooks";
import type { Report } from "../data/report";
import { loadTimeline, type Timeline } from "../data/timeline";
import { TimelineView } from "./TimelineView";

export function TimelineTab({ report, look, rest }: { report: Report; look: string; rest: string[] }) {
    const [timeline, setTimeline] = useState<Timeline | null | undefined>();
    const [failure, setFailure] = useState("");
    useEffect(() => {
        loadTimeline(report.timeline).then(setTimeline, (error: unknown) => setFailure(String(error)));
    }, []);
    if (failure) return <p class="card" role="alert">The timeline cannot be shown: {failure}</p>;
    if (timeline === undefined) return <p class="card" role="status">Unpacking the timeline …</p>;
    if (timeline === null || !timeline.rows) return <p class="card">This report holds no timeline.</p>;
    return <TimelineView report={report} timeline={timeline} look={look} rest={rest} />;
}
