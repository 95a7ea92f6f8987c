import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { count } from "../text/format";
import { capital, processes } from "../text/process";
import { Fold } from "../ui/Fold";
import { Chart, type Told } from "./chart";
import { ColorLegend } from "./ColorLegend";
import { inWords, summarize } from "./describe";
import { destination } from "./destination";
import { EventDetails } from "./EventDetails";
import { EventTable } from "./EventTable";
import { attach } from "./input";
import { Keys } from "./Keys";
import { lastLook } from "./kept";
import { hitsOf, matcherOf, nextMatch, type Search } from "./matching";
import { rowOf } from "./rows";
import { SearchBar } from "./SearchBar";
import { Strip } from "./strip";
import { showTip, tipText } from "./tip";
import { ViewButtons } from "./ViewButtons";

const TABLE_ROWS = 100;

export function TimelineView({ report, timeline, look, rest }: { report: Report; timeline: Timeline; look: string; rest: string[] }) {
    const canvas = useRef<HTMLCanvasElement>(null);
    const stripCanvas = useRef<HTMLCanvasElement>(null);
    const tip = useRef<HTMLDivElement>(null);
    const chart = useRef<Chart | null>(null);
    const strip = useRef<Strip | null>(null);
    const [selected, setSelected] = useState(lastLook.selected);
    const [search, setSearch] = useState(lastLook.search);
    const [withMessages, setWithMessages] = useState(lastLook.messages);
    const [told, setTold] = useState<Told | null>(null);
    const [moving, setMoving] = useState(true);
    const rowOfRank = useMemo(() => new Map(report.ranks.map((rank, row) => [rank.rank, row])), [report]);
    const hits = useMemo(() => {
        const matcher = matcherOf(search, report, rowOfRank);
        return matcher && hitsOf(matcher, timeline);
    }, [search]);

    const select = (event: number | null, reveal = true) => {
        lastLook.selected = event;
        setSelected(event);
        chart.current!.select(event);
        if (event !== null && reveal) chart.current!.reveal(event);
    };
    const step = (by: 1 | -1) => {
        const { current } = chart;
        const from = lastLook.selected;
        const row = from === null ? Math.floor(current!.view.top) : rowOf(timeline.events, from);
        const next = nextMatch(current!.hits, timeline, from, row, by);
        if (next !== null) select(next);
    };
    const change = (next: Search) => {
        lastLook.search = next;
        setSearch(next);
    };
    const hover = (event: number | null, x: number, y: number) =>
        showTip(tip.current!, event === null ? null : tipText(report, timeline, event), x, y, canvas.current!.clientWidth);
    const toggleMessages = () => setWithMessages((on) => !on);

    useEffect(() => {
        const made = new Chart(canvas.current!, report, timeline);
        chart.current = made;
        strip.current = new Strip(stripCanvas.current!, made);
        made.onRest = (now) => {
            lastLook.view = now.view;
            setTold(now);
            setMoving(false);
        };
        made.onMove = () => setMoving(true);
        made.onFrame = (view) => strip.current!.draw(view);
        made.select(lastLook.selected);
        if (lastLook.view) made.show(lastLook.view);
        const detach = attach(made, { select: (event) => select(event, false), step, toggleMessages, hover });
        return () => {
            detach();
            made.release();
        };
    }, []);

    useEffect(() => {
        strip.current?.forget();
        chart.current?.recolor();
    }, [look]);

    useEffect(() => {
        chart.current!.hits = hits?.of ?? null;
        const row = search.rank.trim() ? rowOfRank.get(Number(search.rank)) : undefined;
        if (row !== undefined) chart.current!.revealRow(row);
        chart.current!.ask();
    }, [hits]);

    useEffect(() => {
        lastLook.messages = withMessages;
        chart.current!.withMessages = withMessages;
        chart.current!.ask();
    }, [withMessages]);

    useEffect(() => {
        const target = destination(rest, report, timeline, rowOfRank, chart.current!.view);
        if (!target) return;
        change({ text: "", rank: "", problem: target.problem });
        chart.current!.show(target.view);
        select(target.selected, false);
    }, [rest.join("/")]);

    const summary = useMemo(
        () => told && summarize(timeline, chart.current!.ends, told.view, hits?.of ?? null, TABLE_ROWS),
        [told, hits],
    );
    const partners = useMemo(
        () => (selected === null || !chart.current ? [] : chart.current.partnersOf(selected)),
        [selected, told !== null],
    );
    const height = Math.max(160, Math.min(timeline.rows * (timeline.rows > 8 ? 30 : 44), 2000)) + 42;

    return (
        <div class={selected === null ? "timeline" : "timeline with-event"}>
            <div class="timeline-tools">
                <SearchBar report={report} search={search} found={hits?.count ?? null} change={change} step={step} />
                <ViewButtons chart={() => chart.current!} manyRows={timeline.rows > 8} withMessages={withMessages} toggleMessages={timeline.sends.length ? toggleMessages : null} />
            </div>
            <ColorLegend problems={report.problems} chosen={search.problem} choose={(problem) => change({ ...search, problem })} />
            <div class="timeline-main">
                <div class="timeline-chart card">
                    <canvas ref={stripCanvas} class="strip" aria-hidden="true" />
                    <div class="timeline-canvas">
                        <canvas
                            ref={canvas}
                            tabIndex={0}
                            role="application"
                            aria-roledescription="timeline"
                            aria-label={`${capital(processes())} over time. Arrow keys move, plus and minus zoom, n and p go from event to event.`}
                            aria-describedby="timeline-told"
                            style={{ height: `min(${height}px, max(320px, calc(100vh - 20rem)))` }}
                        />
                        <div ref={tip} class="tip" hidden aria-hidden="true" />
                    </div>
                    <p id="timeline-told" class="quiet under" role="status" aria-busy={moving}>
                        {told && summary && inWords(report, told.view, summary)}
                        {told?.messages && told.messages.shown < told.messages.count && `; ${count(told.messages.shown)} of ${count(told.messages.count)} messages are drawn: zoom in for all`}
                    </p>
                </div>
                {selected !== null && (
                    <EventDetails report={report} timeline={timeline} event={selected} partners={partners} select={select} />
                )}
            </div>
            <Keys />
            <Fold title={`The events in sight as a table (the ${TABLE_ROWS} that wait longest)`}>
                {() => summary && <EventTable report={report} timeline={timeline} shown={summary.greatest} select={select} />}
            </Fold>
        </div>
    );
}
