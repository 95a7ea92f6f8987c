import type { Comparison } from "./comparison";
import type { Exchange } from "./exchange";

/** What the block "ws-report" holds; docs/page.md describes it.  Times are seconds, shares 0 to 1. */

export interface Place {
    called: string;
    function: string;
    file: string;
    line: number;
    module?: string;
    offset?: number;
}

export interface Source {
    language: string;
    first_line: number;
    lines: string[];
    line: number;
    newer?: boolean;
    cut?: boolean;
}

export interface Site extends Place {
    role: string;
    waits: boolean;
    causes: boolean;
    source?: Source | null;
}

export interface RankShare {
    rank: number;
    duration_s: number;
}

export interface WaitsFor extends RankShare {
    for: number;
    count: number;
}

export interface Instance {
    rank: number;
    start_s: number;
    duration_s: number;
    for?: number | null;
}

export interface Histogram {
    begin_s: number;
    width_s: number;
    duration_s: number[];
}

/** Where waiting began (docs/critical-path.md). */
export interface Origin {
    kind: string;
    from?: Place | null;
    site: Place | null;
    share: number;
    duration_s: number;
    ranks: RankShare[];
    wavefront?: { ranks: number; first_rank: number; last_rank: number; sweeps: number; stage_s: number; period_s: number };
}

export interface Problem {
    id: string;
    name: string;
    severity_percent: number;
    duration_s: number;
    count: number;
    ranks: RankShare[];
    causes: RankShare[];
    sites: Site[];
    description: string;
    advice: string;
    remedy?: string;
    gain_s?: number;
    gain_if_removed_s?: number;
    began?: Origin[];
    waits_for?: WaitsFor[];
    waits_for_more?: number;
    histogram?: Histogram | null;
    instances?: Instance[];
}

export interface Recording {
    events: number;
    bytes: number;
    cost_s: number;
    lost: number;
    unmatched: number;
    [key: string]: number;
}

export interface Run {
    command: string;
    program?: string;
    host?: string;
    started?: string;
    whyslow?: string;
    mpi?: string;
    runtime?: string;
    /** What the runtime calls a process. */
    process?: string;
    ranks: number;
    ranks_recorded?: number;
    total_s?: number;
    wall_s: number;
    exit_code: number | null;
    recording: Recording;
}

export interface Rank {
    rank: number;
    node?: string;
    total_s: number;
    compute_s: number;
    communication_s: number;
    waiting_s: number;
    lost?: number;
    begin_s?: number;
    end_s?: number;
}

export interface Efficiency {
    parallel: number;
    load_balance: number;
    communication: number;
    serialisation?: number | null;
    transfer?: number | null;
}

export interface Phase {
    name: string;
    begin_s: number;
    end_s: number;
}

export type ParameterKind = "integer" | "real" | "time" | "boolean" | "string" | "site";

export interface EventType {
    name: string;
    params: { name: string; kind: ParameterKind }[];
}

/** What the numbers in the block "ws-timeline" stand for. */
export interface TimelineKey {
    begin_s: number;
    end_s: number;
    functions: string[];
    strings: string[];
    sites: Omit<Place, "called">[];
    types: EventType[];
    levels: { bins: number; width_s: number }[];
    events: number;
    shown: number;
    messages: number;
}

/** What replaying the run told; its problems then have gains. */
export interface Gains {
    replayed_s: number;
    together_s: number;
}

export interface Report {
    format: number;
    run: Run;
    efficiency: Efficiency | null;
    gains?: Gains | null;
    ranks: Rank[];
    problems: Problem[];
    below_threshold?: { problems: number; duration_s: number };
    phases: Phase[];
    warnings: string[];
    timeline?: TimelineKey | null;
    exchange?: Exchange | null;
    compare?: Comparison | null;
}
