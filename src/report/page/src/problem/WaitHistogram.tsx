import { problemColor } from "../colors";
import type { Phase, Problem } from "../data/report";
import { address } from "../route";
import { moment, seconds } from "../text/format";
import { processes } from "../text/process";
import { niceStep } from "../ui/scale";
import { visible, shortened } from "../text/names";

const WIDTH = 520;
const HEIGHT = 150;
const LEFT = 52;
const BELOW = 40;
const ABOVE = 16;

/** When the waiting took place; a bar leads to its part of the timeline. */
export function WaitHistogram({ problem, index, phases }: { problem: Problem; index: number; phases: Phase[] }) {
    const histogram = problem.histogram;
    if (!histogram) return null;
    const { begin_s, width_s, duration_s } = histogram;
    const end_s = begin_s + width_s * duration_s.length;
    const most = Math.max(...duration_s) || 1;
    const step = (WIDTH - LEFT) / duration_s.length;
    const x = (time_s: number) => LEFT + ((WIDTH - LEFT) * (time_s - begin_s)) / (end_s - begin_s || 1);
    const y = (value: number) => ABOVE + (HEIGHT - ABOVE) * (1 - value / most);
    const timeStep = niceStep((end_s - begin_s) / 5);
    const times = timeStep > 0 ? Array.from({ length: Math.floor(end_s / timeStep) + 1 }, (_, i) => i * timeStep).filter((t) => t >= begin_s) : [];
    const valueStep = niceStep(most / 2.5);
    const values = Array.from({ length: Math.floor(most / valueStep) }, (_, i) => (i + 1) * valueStep);
    const peak = duration_s.indexOf(Math.max(...duration_s));
    return (
        <section class="card" aria-labelledby="histogram-title">
            <h3 id="histogram-title">When</h3>
            <svg
                class="histogram"
                viewBox={`0 0 ${WIDTH} ${HEIGHT + BELOW}`}
                role="img"
                aria-label={`Waiting over time; most of it, ${seconds(most)}, from ${moment(begin_s + peak * width_s, width_s)} to ${moment(begin_s + (peak + 1) * width_s, width_s)}`}
            >
                {values.map((value) => (
                    <g key={value}>
                        <line x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} class="grid" />
                        <text x={LEFT - 6} y={y(value)} text-anchor="end" class="quiet">{moment(value, valueStep)}</text>
                    </g>
                ))}
                {phases.slice(0, 40).map((phase, i) => (
                    <g key={i}>
                        <line x1={x(phase.begin_s)} x2={x(phase.begin_s)} y1={0} y2={HEIGHT} class="phase" />
                        {x(phase.end_s) - x(phase.begin_s) > 50 && (
                            <text x={x(phase.begin_s) + 3} y={8} class="quiet">
                                {shortened(visible(phase.name), Math.floor((x(phase.end_s) - x(phase.begin_s)) / 7))}
                            </text>
                        )}
                    </g>
                ))}
                {duration_s.map((value, i) =>
                    value > 0 ? (
                        <g key={i} class="bin" onClick={() => (location.hash = address("timeline", "time", begin_s + i * width_s, begin_s + (i + 1) * width_s, index))}>
                            <title>{`${moment(begin_s + i * width_s, width_s)} to ${moment(begin_s + (i + 1) * width_s, width_s)}: ${seconds(value)} of waiting; click for the timeline`}</title>
                            <rect class="catch" x={LEFT + i * step} y={0} width={step} height={HEIGHT} />
                            <rect x={LEFT + i * step + 0.5} y={Math.min(y(value), HEIGHT - 1)} width={Math.max(step - 1, 1)} height={Math.max(HEIGHT - y(value), 1)} fill={problemColor(index)} />
                        </g>
                    ) : null,
                )}
                <line x1={LEFT} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} class="axis" />
                {times.map((time) => (
                    <text key={time} x={x(time)} y={HEIGHT + 14} text-anchor="middle" class="quiet">{moment(time, timeStep)}</text>
                ))}
                <text x={WIDTH} y={HEIGHT + 30} text-anchor="end" class="quiet">time of the run; the height is the {processes()}’ waiting in it</text>
            </svg>
        </section>
    );
}
