import { useState } from "preact/hooks";
import { styleValue } from "../colors";
import type { Rank } from "../data/report";
import { capital, process, processes } from "../text/process";
import { niceStep } from "../ui/scale";
import { moment, seconds } from "../text/format";
import { Canvas, type Draw } from "../ui/Canvas";

const HEIGHT = 240;
const LEFT = 56;
const BELOW = 22;
const ABOVE = 8;

/** Parts of a column's height from below: computing, communicating, waiting; of several ranks the means. */
function means(ranks: Rank[]): [number, number, number] {
    const sum = [0, 0, 0] as [number, number, number];
    for (const rank of ranks) {
        sum[0] += rank.compute_s / ranks.length;
        sum[1] += rank.communication_s / ranks.length;
        sum[2] += rank.waiting_s / ranks.length;
    }
    return sum;
}

/** A column for each rank, hundreds of them side by side; where there are more ranks than pixels, one for a few neighbours. */
export function RankColumns({ ranks, longest, look, inOrder }: { ranks: Rank[]; longest: number; look: string; inOrder: boolean }) {
    const [hovered, setHovered] = useState(-1);
    const place = (width: number) => {
        const inner = width - LEFT;
        const each = Math.max(1, Math.ceil(ranks.length / inner));
        const columns = Math.ceil(ranks.length / each);
        return { each, columns, step: inner / columns };
    };

    const draw: Draw = (context, width) => {
        const { each, columns, step } = place(width);
        const inner = HEIGHT - BELOW - ABOVE;
        const y = (value: number) => ABOVE + inner * (1 - (longest > 0 ? value / longest : 0));
        const gap = step >= 4 ? 1 : 0;
        const fills = ["--compute", "--communication", "--waiting"].map(styleValue);

        context.font = styleValue("--canvas-font");
        context.textBaseline = "middle";
        const tick = niceStep(longest / 4);
        for (let value = 0; tick > 0 && value <= longest * 1.0001; value += tick) {
            context.fillStyle = styleValue("--line");
            context.fillRect(LEFT, Math.round(y(value)), width - LEFT, 1);
            context.fillStyle = styleValue("--ink-2");
            context.textAlign = "right";
            context.fillText(moment(value, tick), LEFT - 6, y(value));
        }
        for (let column = 0; column < columns; column++) {
            // Whole pixels, or neighbours would run into each other in waves.
            const [left, right] = [column, column + 1].map((edge) => LEFT + Math.round(edge * step));
            let from = 0;
            means(ranks.slice(column * each, (column + 1) * each)).forEach((part, i) => {
                context.fillStyle = fills[i];
                context.fillRect(left, y(from + part), Math.max(right - left - gap, 1), y(from) - y(from + part));
                from += part;
            });
        }
        context.fillStyle = styleValue("--ink-2");
        context.textBaseline = "top";
        if (inOrder) {
            const rankStep = Math.max(1, niceStep(ranks.length / (width / 90)));
            context.textAlign = "center";
            for (let i = 0; i < ranks.length; i += rankStep)
                context.fillText(String(ranks[i].rank), Math.max(LEFT + ((i + 0.5) / each) * step, LEFT + 6), HEIGHT - BELOW + 6);
        } else {
            context.textAlign = "left";
            context.fillText(`${processes()}, most waiting first`, LEFT, HEIGHT - BELOW + 6);
        }
        if (hovered >= 0 && hovered < ranks.length) {
            context.strokeStyle = styleValue("--ink");
            context.strokeRect(LEFT + Math.floor(hovered / each) * step - 1, ABOVE, step + 1, inner);
        }
    };

    const at = (event: MouseEvent) => {
        const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
        const { each, step } = place(box.width);
        const index = Math.floor((event.clientX - box.left - LEFT) / step) * each;
        setHovered(index >= 0 && index < ranks.length ? index : -1);
    };
    const rank = ranks[hovered];
    return (
        <>
            <Canvas
                class="rank-columns"
                role="img"
                aria-label={`A column for each of ${ranks.length} ${processes()}: computing, communicating, waiting; the table below holds the numbers`}
                height={HEIGHT}
                draw={draw}
                depends={[ranks, longest, look, hovered]}
                onMouseMove={at}
                onMouseLeave={() => setHovered(-1)}
            />
            <p class="quiet under" aria-hidden="true">
                {rank
                    ? `${capital(process())} ${rank.rank}: computes ${seconds(rank.compute_s)}, communicates ${seconds(rank.communication_s)}, waits ${seconds(rank.waiting_s)}`
                    : "Point at a column for its numbers."}
            </p>
        </>
    );
}
