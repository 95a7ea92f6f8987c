// Reports as whyslow writes them (docs/page.md), made up: any number of ranks and events, any names.
import { deflateSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const TEMPLATE = fileURLToPath(new URL("../dist/page.html", import.meta.url));
const MARKER = "<!-- whyslow:data -->";

/** The same numbers for the same seed. */
export function randomNumbers(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
        let x = state;
        x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
        x = Math.imul(x ^ (x >>> 16), 0x45d9f3b) >>> 0;
        return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
    };
}

function section(tag, payload) {
    const head = Buffer.alloc(8);
    head.write(tag, "latin1");
    head.writeUInt32LE(payload.length, 4);
    return Buffer.concat([head, payload, Buffer.alloc((4 - (payload.length % 4)) % 4)]);
}

export function column(tag, values, type = 0, param = 0) {
    let least = Infinity, most = -Infinity;
    for (const value of values) {
        least = Math.min(least, value);
        most = Math.max(most, value);
    }
    if (!values.length) least = most = 0;
    let width = 0;
    for (let range = most - least; range > 0; range = Math.floor(range / 256)) width++;
    const payload = Buffer.alloc(24 + width * values.length);
    payload.writeDoubleLE(least, 0);
    [values.length, width, type, param].forEach((number, i) => payload.writeUInt32LE(number, 8 + 4 * i));
    for (let i = 0; i < values.length; i++) {
        let rest = values[i] - least;
        for (let plane = 0; plane < width; plane++, rest = Math.floor(rest / 256))
            payload[24 + plane * values.length + i] = rest % 256;
    }
    return section(tag, payload);
}

const FUNCTIONS = ["MPI_Send", "MPI_Recv", "MPI_Allreduce"];
const TYPES = [
    { name: "send", params: [{ name: "peer", kind: "integer" }, { name: "bytes", kind: "integer" }, { name: "posted_site", kind: "site" }] },
    { name: "recv", params: [{ name: "peer", kind: "integer" }, { name: "bytes", kind: "integer" }] },
    { name: "nxn", params: [{ name: "comm", kind: "string" }, { name: "share", kind: "real" }, { name: "late", kind: "boolean" }, { name: "ahead", kind: "time" }] },
];

/** A ring: each rank computes, sends to the next, receives from the one before; now and then all reduce. */
function simulate({ ranks, events, random }) {
    const rounds = Math.max(1, Math.floor(events / ranks / 2.1));
    const rows = Array.from({ length: ranks }, () => []);
    const now = new Float64Array(ranks);
    const messages = [];
    for (let round = 0; round < rounds; round++) {
        const sent = new Float64Array(ranks);
        for (let rank = 0; rank < ranks; rank++) {
            const slow = rank % 7 === 3 ? 1.8 : 1;
            now[rank] += Math.round((20000 + 30000 * random()) * slow);
            sent[rank] = now[rank];
            rows[rank].push({ type: 0, site: 1, start: now[rank], duration: 3000, wait: 0, problem: 255, round, peer: (rank + 1) % ranks });
            now[rank] += 3000;
        }
        for (let rank = 0; rank < ranks; rank++) {
            const from = (rank + ranks - 1) % ranks;
            const wait = Math.max(0, sent[from] - now[rank]);
            rows[rank].push({ type: 1, site: 2, start: now[rank], duration: wait + 2000, wait, problem: wait ? 0 : 255, round, peer: from });
            messages.push([from, rank, round]);
            now[rank] += wait + 2000;
        }
        if (round % 10 === 9) {
            const last = now.reduce((a, b) => Math.max(a, b), 0);
            for (let rank = 0; rank < ranks; rank++) {
                const wait = last - now[rank];
                rows[rank].push({ type: 2, site: 3, start: now[rank], duration: wait + 5000, wait, problem: wait ? 1 : 255, round });
                now[rank] = last + 5000;
            }
        }
    }
    return { rows, messages, end: now.reduce((a, b) => Math.max(a, b), 0) + 10000 };
}

function levels(rows, end, most) {
    const list = [];
    for (let bins = most; bins >= 64; bins /= 2) {
        const width = end / bins;
        const planes = [0, 1, 2].map(() => Buffer.alloc(rows.length * bins));
        planes[2].fill(255);
        rows.forEach((row, r) => {
            const calls = new Float64Array(bins), waits = new Float64Array(bins);
            const spread = (into, from, to, each) => {
                for (let bin = Math.floor(from / width); bin < bins && bin * width < to; bin++) {
                    const part = Math.min(to, (bin + 1) * width) - Math.max(from, bin * width);
                    if (part <= 0) continue;
                    into[bin] += part / width;
                    each?.(bin);
                }
            };
            for (const event of row) {
                spread(calls, event.start, event.start + event.duration);
                if (event.wait) spread(waits, event.start, event.start + event.wait, (bin) => (planes[2][r * bins + bin] = event.problem));
            }
            for (let bin = 0; bin < bins; bin++) {
                planes[0][r * bins + bin] = Math.min(255, Math.ceil(255 * calls[bin]));
                planes[1][r * bins + bin] = Math.min(255, Math.ceil(255 * waits[bin]));
            }
        });
        const head = Buffer.alloc(12);
        [list.length, rows.length, bins].forEach((number, i) => head.writeUInt32LE(number, 4 * i));
        list.push({ bins, width_s: width / 1e9, section: section("LEVL", Buffer.concat([head, ...planes])) });
    }
    return list;
}

function timeline({ rows, messages, end, names, bins }) {
    const all = rows.flat();
    const place = new Map();
    const gaps = [];
    rows.forEach((row, rank) => {
        let before = 0;
        for (const event of row) {
            place.set(`${rank} ${event.type} ${event.round}`, gaps.length);
            gaps.push(event.start - before);
            before = event.start;
        }
    });
    const first = [0];
    for (const row of rows) first.push(first.at(-1) + row.length);
    const cells = levels(rows, end, bins);
    const of = (type) => all.filter((event) => event.type === type);
    const sections = [
        ...cells.map((level) => level.section),
        column("ROWS", first),
        column("GAPS", gaps),
        column("DURA", all.map((event) => event.duration)),
        column("TYPE", all.map((event) => event.type)),
        column("FUNC", all.map((event) => event.type)),
        column("SITE", all.map((event) => event.site)),
        column("POST", all.map(() => 0)),
        column("PFUN", all.map((event) => event.type)),
        column("PSIT", all.map((event) => event.site)),
        column("WAIT", all.map((event) => event.wait)),
        column("PROB", all.map((event) => event.problem)),
        column("ORDR", all.map((_, i) => i)),
        column("PARM", of(0).map((event) => event.peer), 0, 0),
        column("PARM", of(0).map(() => 80000), 0, 1),
        column("PARM", of(0).map(() => 1), 0, 2),
        column("PARM", of(1).map((event) => event.peer), 1, 0),
        column("PARM", of(1).map(() => 80000), 1, 1),
        column("PARM", of(2).map(() => 0), 2, 0),
        column("PARM", of(2).map((event) => (event.wait ? 1 : 0)), 2, 2),
        column("PARM", of(2).map((event) => event.wait), 2, 3),
        column("MSGS", messages.map(([from, , round]) => place.get(`${from} 0 ${round}`))),
        column("MSGR", messages.map(([, to, round]) => place.get(`${to} 1 ${round}`))),
        section("NEWS", Buffer.from("a section of a later format")),
    ];
    const key = {
        begin_s: 0,
        end_s: end / 1e9,
        functions: names.functions,
        strings: ["MPI_COMM_WORLD"],
        sites: [
            { function: "", file: "", line: 0, module: "", offset: 0 },
            { function: names.function, file: names.file, line: 12, module: "a.out", offset: 100 },
            { function: names.function, file: names.file, line: 14, module: "a.out", offset: 120 },
            { function: "main", file: names.file, line: 40, module: "a.out", offset: 200 },
        ],
        types: TYPES,
        levels: cells.map(({ bins, width_s }) => ({ bins, width_s })),
        events: all.length,
        shown: all.length,
        messages: messages.length,
    };
    return { key, binary: deflateSync(Buffer.concat(sections), { level: 1 }) };
}

const SOURCE = [
    "/* the borders go round the ring */",
    "static void exchange(double *row, int n)",
    "{",
    '    const char *what = "row";',
    "    MPI_Send(row, n, MPI_DOUBLE, next, 0, MPI_COMM_WORLD);",
    "    if (n > 1000) /* never */",
    "        MPI_Recv(row, n, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "}",
];

function problemOf(index, name, rows, end, names, source) {
    const waits = new Map();
    const ranks = [], instances = [], bins = new Array(64).fill(0);
    rows.forEach((row, rank) => {
        let sum = 0;
        for (const event of row) {
            if (event.problem !== index) continue;
            sum += event.wait / 1e9;
            const cause = event.peer ?? 3 % rows.length;
            const key = `${rank} ${cause}`;
            const entry = waits.get(key) ?? { rank, for: cause, duration_s: 0, count: 0 };
            entry.duration_s += event.wait / 1e9;
            entry.count++;
            waits.set(key, entry);
            instances.push({ rank, start_s: event.start / 1e9, duration_s: event.wait / 1e9, for: cause });
            bins[Math.min(63, Math.floor((64 * event.start) / end))] += event.wait / 1e9;
        }
        if (sum) ranks.push({ rank, duration_s: sum });
    });
    const duration = ranks.reduce((sum, share) => sum + share.duration_s, 0);
    const site = (role, called, line, flags) => ({
        role, called, function: names.function, file: names.file, line, module: "a.out", offset: line, ...flags,
        ...(source ? { source: { language: "c", first_line: 8, lines: names.source ?? SOURCE, line } } : {}),
    });
    return {
        id: `problem-${index}`,
        name,
        severity_percent: (100 * duration) / ((rows.length * end) / 1e9),
        duration_s: duration,
        count: instances.length,
        ranks,
        causes: [{ rank: 3 % rows.length, duration_s: duration }],
        sites: [
            site("receiver", "MPI_Recv", 14, { waits: true, causes: false }),
            site("sender", "MPI_Send", 12, { waits: false, causes: true }),
        ],
        description: names.text ?? "It waits in MPI_Recv for a message that is not yet sent.",
        advice: names.text ?? "Send first and compute then; or start the receive early by MPI_Irecv and complete it where the data are needed.",
        waits_for: [...waits.values()].sort((a, b) => b.duration_s - a.duration_s).slice(0, 2000),
        waits_for_more: 0,
        began: [
            {
                kind: "wavefront", rank: 0, from: site("", "MPI_Recv", 14), site: site("", "MPI_Send", 12), share: 0.7, duration_s: 0.7 * duration,
                ranks: [{ rank: 0, duration_s: 0.7 * duration }], way: [],
                wavefront: { ranks: rows.length, first_rank: 0, last_rank: rows.length - 1, sweeps: 9, stage_s: 0.05, period_s: 0.2 },
            },
            {
                kind: "computation", rank: 3, from: null, site: site("", "MPI_Send", 12), share: 0.26, duration_s: 0.26 * duration,
                ranks: [{ rank: 3, duration_s: 0.2 * duration }, { rank: 1, duration_s: 0.06 * duration }], way: [],
            },
            { kind: "io", rank: 1, site: site("", "MPI_File_write", 19), share: 0.04, duration_s: 0.04 * duration, ranks: [{ rank: 1, duration_s: 0.04 * duration }], way: [] },
        ],
        histogram: { begin_s: 0, width_s: end / 64e9, duration_s: bins },
        instances: instances.sort((a, b) => b.duration_s - a.duration_s).slice(0, 100),
    };
}

/** {report, binary}: what goes into the two blocks. */
export function synthetic({ ranks = 4, events = 2000, bins = 4096, seed = 1, source = true, names = {}, exchange = null, compare = null, process = "rank" } = {}) {
    const all = { functions: FUNCTIONS, function: "exchange", file: "/home/user/solver/ring.c", program: "ring", ...names };
    const { rows, messages, end } = simulate({ ranks, events, random: randomNumbers(seed) });
    const { key, binary } = timeline({ rows, messages, end, names: all, bins });
    const sum = (row, what) => row.reduce((total, event) => total + what(event), 0) / 1e9;
    const rankList = rows.map((row, rank) => {
        const calls = sum(row, (event) => event.duration), waiting = sum(row, (event) => event.wait);
        return {
            rank, node: `node${rank >> 5}`, total_s: end / 1e9, compute_s: end / 1e9 - calls,
            communication_s: calls - waiting, waiting_s: waiting, lost: 0, begin_s: 0, end_s: end / 1e9,
        };
    });
    const mean = rankList.reduce((total, rank) => total + rank.compute_s, 0) / ranks;
    const most = Math.max(...rankList.map((rank) => rank.compute_s));
    const total_s = (ranks * end) / 1e9;
    const report = {
        format: 1,
        run: {
            command: `mpirun -n ${ranks} ./${all.program}`, program: all.program, mpi: "Open MPI 4.1.4", process, ranks, wall_s: end / 1e9,
            begin_s: 0, end_s: end / 1e9, started: "2026-11-30T12:00:00Z", host: "node0", ranks_recorded: ranks, total_s, whyslow: "0",
            exit_code: 0,
            recording: { events: key.events, bytes: 20 * key.events, cost_s: 2e-8 * key.events, lost: 0, unmatched: 0 },
        },
        efficiency: { parallel: mean / (end / 1e9), load_balance: mean / most, communication: most / (end / 1e9), serialisation: 0.91, transfer: most / (end / 0.91e9) },
        ranks: rankList,
        problems: [
            problemOf(0, names.problem ?? "Late sender", rows, end, all, source),
            problemOf(1, names.problem ?? "Delay before many-to-many", rows, end, all, source),
        ],
        below_threshold: { problems: 2, duration_s: 1e-4 },
        phases: [
            { name: names.phase ?? "setup", begin_s: 0, end_s: end / 4e9 },
            { name: "solve", begin_s: end / 4e9, end_s: end / 1e9 },
        ],
        warnings: names.warnings ?? [],
        exchange,
        compare,
        timeline: key,
    };
    return { report, binary };
}

const escapes = { "<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029" };

/** The whole page as text. */
export function pageOf({ report, binary }) {
    const json = JSON.stringify(report).replace(/[<>&\u2028\u2029]/g, (c) => escapes[c]);
    return readFileSync(TEMPLATE, "utf8").replace(
        MARKER,
        () => `<script type="application/json" id="ws-report">${json}</script>\n` +
            `<script type="text/plain" id="ws-timeline">${binary.toString("base64")}</script>`,
    );
}
