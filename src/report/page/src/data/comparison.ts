/** `compare --json`, as far as the page shows it (docs/report.md). */
export interface Comparison {
    problems?: unknown[];
}
