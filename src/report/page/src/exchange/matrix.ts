/** Place × place as a grid; with more places than can be drawn, a cell holds a few neighbours of both sides. */
import type { Pair } from "../data/exchange";

export type Measure = "bytes" | "messages";

export interface Matrix {
    places: number;
    first: number;
    /** Places to a cell's side. */
    each: number;
    side: number;
    cells: Float64Array;
    /** Of the cells of a row, of a column. */
    sent: Float64Array;
    received: Float64Array;
    /** Of each place. */
    sentBy: Float64Array;
    receivedBy: Float64Array;
    most: number;
    least: number;
    total: number;
}

const MOST_CELLS = 512;

/** `first`: the number of the first place, as people count. */
export function matrixOf(pairs: Pair[], places: number, measure: Measure, first = 0): Matrix {
    const each = Math.max(1, Math.ceil(places / MOST_CELLS));
    const side = Math.max(1, Math.ceil(places / each));
    const matrix: Matrix = {
        places, first, each, side, cells: new Float64Array(side * side), sent: new Float64Array(side), received: new Float64Array(side),
        sentBy: new Float64Array(places), receivedBy: new Float64Array(places), most: 0, least: 0, total: 0,
    };
    for (const pair of pairs) {
        if (pair.from < 0 || pair.to < 0 || pair.from >= places || pair.to >= places) continue;
        const [row, column] = [Math.floor(pair.from / each), Math.floor(pair.to / each)];
        matrix.cells[row * side + column] += pair[measure];
        matrix.sent[row] += pair[measure];
        matrix.received[column] += pair[measure];
        matrix.sentBy[pair.from] += pair[measure];
        matrix.receivedBy[pair.to] += pair[measure];
        matrix.total += pair[measure];
    }
    const filled = matrix.cells.filter((value) => value > 0);
    matrix.most = filled.reduce((a, b) => Math.max(a, b), 0);
    matrix.least = filled.reduce((a, b) => Math.min(a, b), matrix.most);
    return matrix;
}

/** A value's place between nothing (0) and the most (1); what there is least of is still to be seen. */
export function strength(value: number, matrix: Matrix, log: boolean): number {
    if (value <= 0 || matrix.most <= 0) return 0;
    if (!log) return value / matrix.most;
    // At least a factor of ten, so that equal values are not all "most".
    const least = Math.min(matrix.least, matrix.most / 10);
    return 0.08 + (0.92 * Math.log(value / least)) / Math.log(matrix.most / least);
}

export const cellName = (index: number, { first, each, places }: Matrix) =>
    each === 1 ? `${first + index}` : `${first + index * each}–${first + Math.min(places, (index + 1) * each) - 1}`;
