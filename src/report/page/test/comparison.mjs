// A comparison as `compare --json` writes it (docs/report.md), made up: one problem of each kind.
const place = (line, file = "ring.c") => ({ called: "MPI_Recv", function: "exchange", file: `/home/user/${file}`, line, module: "a.out", offset: line });

function side(path, wall_s, waiting_s) {
    return {
        path, runs: 1, command: "mpirun -n 4 ./ring", mpi: "Open MPI 4.1.4", ranks: 4, wall_s, total_s: 4 * wall_s, waiting_s,
        waiting_percent: (100 * waiting_s) / (4 * wall_s), threshold_percent: 0, warnings: [],
    };
}

function problem(status, name, before_s, after_s, matched, lines) {
    const gain_s = (before_s ?? 0) - (after_s ?? 0);
    return {
        status, id: name.toLowerCase().replaceAll(" ", "-"), name, before_s, after_s, gain_s, noise_s: 0.01, clear: status !== "same",
        before_percent: before_s && 100 * before_s, after_percent: after_s && 100 * after_s,
        before_count: before_s === null ? null : 10, after_count: after_s === null ? null : 8,
        before_index: before_s === null ? null : 0, after_index: after_s === null ? null : 0, matched,
        sites: [{ role: "receiver", waits: true, causes: false, before: lines[0] && place(lines[0]), after: lines[1] && place(lines[1]) }],
    };
}

export const comparison = (name = "") => ({
    format: 1,
    before: side("before/", 2, 3.1),
    after: side("after/", 1.2, 0.9),
    wall: { before_s: 2, after_s: 1.2, gain_s: 0.8, gain_percent: 40, noise_s: 0.1, clear: true },
    waiting: { before_s: 3.1, after_s: 0.9, gain_s: 2.2, gain_percent: 71, noise_s: 0.1, clear: true },
    per_rank: false,
    noise: { percent: 5, measured: false, floor_percent: 0.1 },
    problems: [
        problem("gone", `${name}Late sender`, 1.9, null, null, [14, null]),
        problem("better", `${name}Delay before many-to-many`, 0.9, 0.3, "moved", [40, 52]),
        problem("new", `${name}Late receiver`, null, 0.4, null, [null, 60]),
        problem("worse", `${name}Delay before a barrier`, 0.1, 0.15, "function renamed", [70, 75]),
        problem("same", `${name}Early reduce`, 0.05, 0.05, "same lines", [90, 90]),
    ],
    counts: { gone: 1, new: 1, better: 1, worse: 1, same: 1 },
    below_threshold: { problems: 3 },
    warnings: [`${name}The commands differ.`],
});
