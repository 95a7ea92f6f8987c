import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { PROBLEM_COLORS, problemColor } from "../colors";
import { problemTitle } from "../data/problems";
import type { Report } from "../data/report";
import type { Timeline } from "../data/timeline";
import { count, seconds } from "../text/format";
import { shortened, visible } from "../text/names";
import { Fold } from "../ui/Fold";
import { Swatch } from "../ui/Swatch";
import { Chart, type Told } from "./chart";
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
import { wholeOf, zoomedInRows, zoomedInTime } from "./view";

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
        const row = current!.selected === null ? Math.floor(current!.view.top) : rowOf(timeline.events, current!.selected);
        const next = nextMatch(current!.hits, timeline, current!.selected, row, by);
        if (next !== null) select(next);
    };
    const change = (next: Search) => {
        lastLook.search = next;
        setSearch(next);
    };
    const hover = (event: number | null, x: number, y: number) => {
        const element = tip.current!;
        element.hidden = event === null;
        if (event === null) return;
        const { events } = timeline;
        const wait = events.wait_ns[event] > 0 ? `, waits ${seconds(events.wait_ns[event] / 1e9)}` : "";
        const name = shortened(visible(report.timeline!.functions[events.function[event]] ?? ""), 60);
        element.textContent = `${name} on rank ${report.ranks[rowOf(events, event)]?.rank}: ${seconds(events.duration_ns[event] / 1e9)}${wait}`;
        const room = canvas.current!.clientWidth - element.offsetWidth - 8;
        element.style.transform = `translate(${Math.max(0, Math.min(x + 14, room))}px, ${y + 18}px)`;
    };
    const toggleMessages = () => setWithMessages((on) => !on);

    useEffect(() => {
        const made = new Chart(canvas.current!, report, timeline);
        chart.current = made;
        strip.current = new Strip(stripCanvas.current!, made);
        made.onRest = (now) => {
            lastLook.view = now.view;
            setTold(now);
        };
        made.onFrame = (view) => strip.current!.draw(view);
        made.selected = lastLook.selected;
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
        chart.current!.ask();
    }, [hits]);

    useEffect(() => {
        lastLook.messages = withMessages;
        chart.current!.withMessages = withMessages;
        chart.current!.ask();
    }, [withMessages]);

    useEffect(() => {
        const asked = rest.join("/");
        if (asked === lastLook.address) return;
        lastLook.address = asked;
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
    const partners = useMemo(() => {
        if (selected === null) return [];
        return chart.current ? chart.current.messagesOf(selected).map((i) => ({
            event: timeline.sends[i] === selected ? timeline.receives[i] : timeline.sends[i],
            sends: timeline.sends[i] !== selected,
        })) : [];
    }, [selected, told !== null]);
    const zoom = (factor: number) => {
        const { view } = chart.current!;
        chart.current!.show(zoomedInTime(view, factor, (view.from_ns + view.to_ns) / 2));
    };
    const zoomRows = (factor: number) => {
        const { view } = chart.current!;
        chart.current!.show(zoomedInRows(view, factor, view.top + view.rows / 2));
    };
    const height = Math.max(160, Math.min(timeline.rows * (timeline.rows > 8 ? 30 : 44), 2000)) + 42;

    return (
        <div class={selected === null ? "timeline" : "timeline with-event"}>
            <div class="timeline-tools">
                <SearchBar report={report} search={search} found={hits?.count ?? null} change={change} step={step} />
                <div class="tool-buttons" role="group" aria-label="View">
                    <button class="button" onClick={() => zoom(1 / 2)} aria-label="Zoom in on time">+</button>
                    <button class="button" onClick={() => zoom(2)} aria-label="Zoom out of time">−</button>
                    {timeline.rows > 8 && (
                        <>
                            <button class="button" onClick={() => zoomRows(1 / 2)} aria-label="Fewer ranks, higher">Fewer ranks</button>
                            <button class="button" onClick={() => zoomRows(2)} aria-label="More ranks, lower">More ranks</button>
                        </>
                    )}
                    <button class="button" onClick={() => chart.current!.show(wholeOf(chart.current!.bounds))}>Whole run</button>
                    <button class="button" aria-pressed={withMessages} onClick={toggleMessages} disabled={timeline.sends.length === 0}>Messages</button>
                </div>
            </div>
            <ul class="legend timeline-legend" aria-label="Colours">
                <li><Swatch color="var(--row)" />computes</li>
                <li><Swatch color="var(--call)" />in a call</li>
                {report.problems.slice(0, PROBLEM_COLORS).map((_, i) => (
                    <li key={i}>
                        <button class="chip" aria-pressed={search.problem === i} onClick={() => change({ ...search, problem: search.problem === i ? null : i })}>
                            <Swatch color={problemColor(i)} />
                            waits: {shortened(visible(problemTitle(report.problems, i)), 50)}
                        </button>
                    </li>
                ))}
                <li><Swatch color="var(--problem-other)" />waits: other</li>
            </ul>
            <div class="timeline-main">
                <div class="timeline-chart card">
                    <canvas ref={stripCanvas} class="strip" aria-hidden="true" />
                    <div class="timeline-canvas">
                        <canvas
                            ref={canvas}
                            tabIndex={0}
                            role="application"
                            aria-roledescription="timeline"
                            aria-label="Ranks over time. Arrow keys move, plus and minus zoom, n and p go from event to event."
                            aria-describedby="timeline-told"
                            style={{ height: `min(${height}px, max(320px, calc(100vh - 20rem)))` }}
                        />
                        <div ref={tip} class="tip" hidden aria-hidden="true" />
                    </div>
                    <p id="timeline-told" class="quiet under" role="status">
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
