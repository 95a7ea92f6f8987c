import { processes } from "../text/process";
import type { Chart } from "./chart";
import { wholeOf, zoomedInRows, zoomedInTime } from "./view";

interface Properties {
    chart(): Chart;
    manyRows: boolean;
    withMessages: boolean;
    /** null: this report holds none. */
    toggleMessages: (() => void) | null;
}

/** What wheel and keys do, for those who look for a button. */
export function ViewButtons({ chart, manyRows, withMessages, toggleMessages }: Properties) {
    const zoom = (factor: number) => {
        const { view } = chart();
        chart().show(zoomedInTime(view, factor, (view.from_ns + view.to_ns) / 2));
    };
    const zoomRows = (factor: number) => {
        const { view } = chart();
        chart().show(zoomedInRows(view, factor, view.top + view.rows / 2));
    };
    return (
        <div class="tool-buttons" role="group" aria-label="View">
            <button class="button" onClick={() => zoom(1 / 2)} aria-label="Zoom in on time">+</button>
            <button class="button" onClick={() => zoom(2)} aria-label="Zoom out of time">−</button>
            {manyRows && (
                <>
                    <button class="button" onClick={() => zoomRows(1 / 2)}>Fewer {processes()}</button>
                    <button class="button" onClick={() => zoomRows(2)}>More {processes()}</button>
                </>
            )}
            <button class="button" onClick={() => chart().show(wholeOf(chart().bounds))}>Whole run</button>
            <button class="button" aria-pressed={withMessages} onClick={toggleMessages ?? undefined} disabled={!toggleMessages}>Messages</button>
        </div>
    );
}
