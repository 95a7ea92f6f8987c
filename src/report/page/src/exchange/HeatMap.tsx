import { useMemo, useState } from "preact/hooks";
import { mix, pixel, styleColor, styleValue } from "../colors";
import { visible } from "../text/names";
import { niceStep } from "../ui/scale";
import { Canvas, type Draw } from "../ui/Canvas";
import { amount } from "./amount";
import { cellName, strength, type Matrix, type Measure } from "./matrix";

const LEFT = 44;
const TOP = 34;
// Room for the bars of totals on the right and below.
const TOTALS = 54;
const STEPS = 64;

interface Cell {
    row: number;
    column: number;
}

function ramp(): Uint32Array {
    const [none, low, high] = [styleColor("--row"), styleColor("--heat-low"), styleColor("--heat-high")];
    return Uint32Array.from({ length: STEPS + 1 }, (_, step) => pixel(step === 0 ? none : mix(low, high, (step - 1) / (STEPS - 1))));
}

/** The grid as a picture of one pixel per cell, to be drawn larger. */
function picture(matrix: Matrix, log: boolean): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = matrix.side;
    const image = new ImageData(matrix.side, matrix.side);
    const pixels = new Uint32Array(image.data.buffer);
    const colors = ramp();
    for (let i = 0; i < pixels.length; i++) {
        const share = strength(matrix.cells[i], matrix, log);
        pixels[i] = colors[share <= 0 ? 0 : 1 + Math.round(share * (STEPS - 1))];
    }
    canvas.getContext("2d")!.putImageData(image, 0, 0);
    return canvas;
}

function told(matrix: Matrix, measure: Measure, { row, column }: Cell): string {
    return `from ${cellName(row, matrix)} to ${cellName(column, matrix)}: ${amount(matrix.cells[row * matrix.side + column], measure)}; ${cellName(row, matrix)} sent ${amount(matrix.sent[row], measure)} in all, ${cellName(column, matrix)} received ${amount(matrix.received[column], measure)}`;
}

/** Sender × receiver; totals sent on the right, received below. */
export function HeatMap({ name, matrix, measure, log, look }: { name: string; matrix: Matrix; measure: Measure; log: boolean; look: string }) {
    const [cell, setCell] = useState<Cell | null>(null);
    const [size, setSize] = useState(560);
    const { side } = matrix;
    // Not anew for each move of the pointer.
    const drawn = useMemo(() => picture(matrix, log), [matrix, log, look]);
    // Cells of whole pixels: of many small ones some would come out twice as large as others.
    const room = size - LEFT - TOTALS;
    const step = room >= side ? Math.floor(room / side) : room / side;
    const grid = step * side;

    const draw: Draw = (context, width) => {
        if (Math.min(width, 640) !== size) setSize(Math.min(width, 640));
        context.imageSmoothingEnabled = false;
        context.drawImage(drawn, LEFT, TOP, grid, grid);
        if (step >= 10) {
            context.fillStyle = styleValue("--surface");
            for (let i = 1; i < side; i++) {
                context.fillRect(LEFT + i * step - 0.5, TOP, 1, grid);
                context.fillRect(LEFT, TOP + i * step - 0.5, grid, 1);
            }
        }
        context.font = styleValue("--canvas-font");
        context.fillStyle = styleValue("--ink-2");
        const labels = Math.max(1, niceStep(24 / step));
        for (let i = 0; i < side; i += labels) {
            context.textAlign = "center";
            context.textBaseline = "alphabetic";
            context.fillText(`${matrix.first + i * matrix.each}`, LEFT + (i + 0.5) * step, TOP - 5);
            context.textAlign = "right";
            context.textBaseline = "middle";
            context.fillText(`${matrix.first + i * matrix.each}`, LEFT - 6, TOP + (i + 0.5) * step);
        }
        context.textAlign = "left";
        context.textBaseline = "alphabetic";
        context.fillText("to →", LEFT, 12);
        context.save();
        context.translate(10, TOP + grid);
        context.rotate(-Math.PI / 2);
        context.textAlign = "right";
        context.fillText("← from", grid, 0);
        context.restore();

        const mostSent = matrix.sent.reduce((a, b) => Math.max(a, b), 0) || 1;
        const mostReceived = matrix.received.reduce((a, b) => Math.max(a, b), 0) || 1;
        context.fillStyle = styleValue("--compute");
        const gap = step >= 6 ? 1 : 0;
        for (let i = 0; i < side; i++) {
            // Whole pixels, or neighbours would run into each other in waves.
            const [at, next] = [Math.round(i * step), Math.round((i + 1) * step)];
            const thick = Math.max(next - at - gap, 1);
            const long = ((TOTALS - 10) * matrix.sent[i]) / mostSent;
            const tall = ((TOTALS - 10) * matrix.received[i]) / mostReceived;
            context.fillRect(LEFT + grid + 6, TOP + at, long, thick);
            context.fillRect(LEFT + at, TOP + grid + 6, thick, tall);
        }
        if (cell) {
            context.strokeStyle = styleValue("--ink");
            context.lineWidth = 2;
            context.strokeRect(LEFT + cell.column * step, TOP + cell.row * step, Math.max(step, 3), Math.max(step, 3));
        }
    };

    const within = (index: number) => Math.max(0, Math.min(side - 1, index));
    const point = (event: MouseEvent) => {
        const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
        const [column, row] = [Math.floor((event.clientX - box.left - LEFT) / step), Math.floor((event.clientY - box.top - TOP) / step)];
        setCell(column >= 0 && row >= 0 && column < side && row < side ? { row, column } : null);
    };
    const onKeyDown = (event: KeyboardEvent) => {
        const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
        if (!by) return;
        event.preventDefault();
        setCell(cell ? { row: within(cell.row + by[0]), column: within(cell.column + by[1]) } : { row: 0, column: 0 });
    };
    return (
        <section class="card heat" aria-labelledby="heat-title">
            <h2 id="heat-title">From {visible(name)} to {visible(name)}</h2>
            <Canvas
                class="heat-map"
                tabIndex={0}
                role="application"
                aria-roledescription="heat map"
                aria-label={`What ${matrix.places} ${name}s sent to each other; arrow keys go from cell to cell, the tables beside hold the numbers`}
                aria-describedby="heat-told"
                height={TOP + grid + TOTALS}
                draw={draw}
                depends={[matrix, log, look, cell, measure]}
                onMouseMove={point}
                onMouseLeave={() => setCell(null)}
                onKeyDown={onKeyDown}
            />
            <p id="heat-told" class="quiet under" role="status">
                {cell ? told(matrix, measure, cell) : "Point at a cell for its numbers. The bars are the totals: sent on the right, received below."}
            </p>
            <p class="heat-legend quiet">
                <span>{matrix.most > 0 ? amount(log ? Math.min(matrix.least, matrix.most / 10) : 0, measure) : "nothing"}</span>
                <span class="heat-ramp" aria-hidden="true" />
                <span>{amount(matrix.most, measure)}</span>
            </p>
        </section>
    );
}
