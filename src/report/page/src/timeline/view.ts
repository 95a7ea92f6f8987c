/** The part of ranks × time that is shown, and how it moves.  A row is a place in the list of ranks; parts of rows are fine. */
export interface View {
    from_ns: number;
    to_ns: number;
    top: number;
    rows: number;
}

export interface Bounds {
    begin_ns: number;
    end_ns: number;
    rows: number;
}

const SHORTEST_NS = 50;
const FEWEST_ROWS = 1;

const within = (value: number, least: number, most: number) => Math.min(Math.max(value, least), Math.max(least, most));

export function wholeOf(bounds: Bounds): View {
    return { from_ns: bounds.begin_ns, to_ns: Math.max(bounds.end_ns, bounds.begin_ns + SHORTEST_NS), top: 0, rows: bounds.rows };
}

/** The view moved back into the bounds, its size kept where that fits. */
export function kept(view: View, bounds: Bounds): View {
    const all = wholeOf(bounds);
    const span = within(view.to_ns - view.from_ns, SHORTEST_NS, all.to_ns - all.from_ns);
    const from_ns = within(view.from_ns, all.from_ns, all.to_ns - span);
    const rows = within(view.rows, Math.min(FEWEST_ROWS, all.rows), all.rows);
    return { from_ns, to_ns: from_ns + span, top: within(view.top, 0, all.rows - rows), rows };
}

/** Shows `factor` times as much time; the moment `anchor_ns` stays where it is on the screen. */
export function zoomedInTime(view: View, factor: number, anchor_ns: number): View {
    return { ...view, from_ns: anchor_ns - (anchor_ns - view.from_ns) * factor, to_ns: anchor_ns + (view.to_ns - anchor_ns) * factor };
}

export function zoomedInRows(view: View, factor: number, anchor: number): View {
    return { ...view, top: anchor - (anchor - view.top) * factor, rows: view.rows * factor };
}

export function moved(view: View, time_ns: number, rows: number): View {
    return { ...view, from_ns: view.from_ns + time_ns, to_ns: view.to_ns + time_ns, top: view.top + rows };
}

/** A view around an interval of some rows, with room on all sides. */
export function around(from_ns: number, to_ns: number, firstRow: number, lastRow: number, view: View): View {
    const room = Math.max((to_ns - from_ns) * 1.5, SHORTEST_NS);
    const rows = Math.max(Math.min(view.rows, 24), lastRow - firstRow + 3);
    return { from_ns: from_ns - room, to_ns: to_ns + room, top: (firstRow + lastRow + 1) / 2 - rows / 2, rows };
}
