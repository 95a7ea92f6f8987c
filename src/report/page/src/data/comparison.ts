/** `compare --json`, the block "compare" (docs/report.md).  A gain is what the later run takes less. */
import type { Place } from "./report";

export interface Side {
    path: string;
    runs: number;
    command: string;
    mpi: string;
    ranks: number;
    wall_s: number;
    total_s: number;
    waiting_s: number;
    waiting_percent: number;
    threshold_percent: number;
    warnings: string[];
}

export interface Change {
    before_s: number;
    after_s: number;
    gain_s: number;
    gain_percent?: number | null;
    noise_s: number;
    clear: boolean;
}

export type Status = "gone" | "new" | "better" | "worse" | "same";

export interface ComparedSite {
    role: string;
    waits: boolean;
    causes: boolean;
    before: Place | null;
    after: Place | null;
}

export interface ComparedProblem extends Omit<Change, "before_s" | "after_s"> {
    status: Status;
    id: string;
    name: string;
    before_s: number | null;
    after_s: number | null;
    before_at_most_s?: number;
    after_at_most_s?: number;
    before_percent: number | null;
    after_percent: number | null;
    before_count: number | null;
    after_count: number | null;
    before_index: number | null;
    after_index: number | null;
    matched: string | null;
    sites: ComparedSite[];
}

export interface Comparison {
    format: number;
    before: Side;
    after: Side;
    wall: Change;
    waiting: Change;
    per_rank: boolean;
    noise: { percent: number; measured: boolean; floor_percent: number };
    problems: ComparedProblem[];
    counts: Record<Status, number>;
    below_threshold: { problems: number };
    warnings: string[];
}
