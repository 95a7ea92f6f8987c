import type { Slot } from "../data/exchange";
import { address } from "../route";
import { seconds } from "../text/format";
import { amount } from "./amount";
import type { Measure } from "./matrix";

const WIDTH = 600;
const HEIGHT = 90;

/** When it was sent, by slots of time; a bar leads to its part of the timeline. */
export function OverTime({ slots, measure }: { slots: Slot[]; measure: Measure }) {
    const most = slots.reduce((value, slot) => Math.max(value, slot[measure]), 0) || 1;
    const step = WIDTH / slots.length;
    const end_s = slots[slots.length - 1].end_ns / 1e9;
    const peak = slots.find((slot) => slot[measure] === most) ?? slots[0];
    return (
        <section class="card" aria-labelledby="over-time-title">
            <h2 id="over-time-title">Over time</h2>
            <svg class="histogram" viewBox={`0 0 ${WIDTH} ${HEIGHT + 22}`} role="img" aria-label={`What was sent over time, all kinds together; most, ${amount(most, measure)}, from ${seconds(peak.begin_ns / 1e9)}`}>
                {slots.map((slot, i) => {
                    const tall = (HEIGHT * slot[measure]) / most;
                    return (
                        <g key={i} class="bin" onClick={() => (location.hash = address("timeline", "time", slot.begin_ns / 1e9, slot.end_ns / 1e9))}>
                            <title>{`${seconds(slot.begin_ns / 1e9)} to ${seconds(slot.end_ns / 1e9)}: ${amount(slot[measure], measure)}`}</title>
                            <rect class="catch" x={i * step} y={0} width={step} height={HEIGHT} />
                            <rect class="amount" x={i * step + 1} y={HEIGHT - tall} width={Math.max(step - 2, 1)} height={tall} />
                        </g>
                    );
                })}
                <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} class="axis" />
                <text x={0} y={HEIGHT + 13} class="quiet">0</text>
                <text x={WIDTH} y={HEIGHT + 13} text-anchor="end" class="quiet">{seconds(end_s)}</text>
            </svg>
        </section>
    );
}
