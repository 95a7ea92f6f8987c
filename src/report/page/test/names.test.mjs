// Numbers and names as they are shown.  The sources are typed: esbuild makes modules of them.
import { build } from "esbuild";
import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";

async function load(path) {
    const result = await build({
        entryPoints: [fileURLToPath(new URL(`../src/${path}`, import.meta.url))],
        bundle: true, write: false, format: "esm", logLevel: "error",
    });
    return import(`data:text/javascript,${encodeURIComponent(result.outputFiles[0].text)}`);
}
const plain = (text) => text.replaceAll(/[\u00a0\u202f]/g, " ");

test("numbers", async () => {
    const { seconds, bytes, binaryBytes, percent, count, rankList, moment } = await load("text/format.ts");
    for (const [value, text] of [[0, "0 s"], [1.24, "1.24 s"], [0.39, "390 ms"], [6.31e-4, "631 µs"], [3e-9, "3 ns"], [120, "120 s"], [0.9999, "1 s"]])
        assert.equal(plain(seconds(value)), text);
    for (const [value, text] of [[0, "0 B"], [155000, "155 kB"], [8, "8 B"], [2.5e9, "2.5 GB"]]) assert.equal(plain(bytes(value)), text);
    for (const [value, text] of [[0, "0 B"], [1, "1 B"], [1024, "1 KiB"], [8192, "8 KiB"], [2 ** 33, "8 GiB"]]) assert.equal(plain(binaryBytes(value)), text);
    for (const [value, text] of [[0, "0 %"], [0.47, "47 %"], [0.063, "6.3 %"], [0.0003, "0.03 %"], [0.1, "10 %"], [1, "100 %"]])
        assert.equal(plain(percent(value)), text);
    assert.equal(plain(count(1234567)), "1 234 567");
    assert.equal(plain(rankList([3, 1, 2, 7])), "ranks 1–3, 7");
    assert.equal(plain(moment(0.0123, 0.001)), "12 ms");
});

test("names", async () => {
    const { visible, shortened } = await load("text/names.ts");
    assert.equal(visible("a\u202eb\u0000c"), "a\\u202eb\\u0000c");
    assert.equal(shortened("abcdefghij", 5), "abc…j");
    assert.equal(shortened("x".repeat(10000), 80).length, 80);
    assert.equal(shortened("😀".repeat(100), 10).match(/😀/gu).length, 9);
});

test("who waits for whom, the greatest alone and the others together", async () => {
    const { flows } = await load("problem/waits.ts");
    const waits = [...Array(20).keys()].map((rank) => ({ rank, for: 99, duration_s: 20 - rank, count: 1 }));
    const graph = flows(waits, 4);
    assert.deepEqual(graph.left.map((node) => [node.rank, node.ranks]), [[0, 1], [1, 1], [2, 1], [-1, 17]]);
    const total = (list) => list.reduce((sum, item) => sum + item.duration_s, 0);
    assert.equal(total(graph.left), 210);
    assert.equal(total(graph.flows), 210);
    assert.equal(graph.flows.find((flow) => flow.from === -1).count, 17);
});

test("the timeline's columns", async () => {
    const { readTimeline } = await load("data/timeline.ts");
    const { synthetic } = await import("./synthetic.mjs");
    const { inflateSync } = await import("node:zlib");
    const { report, binary } = synthetic({ ranks: 3, events: 300, bins: 256 });
    const bytes = inflateSync(binary);
    const timeline = readTimeline(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), report.timeline);
    const { events } = timeline;
    assert.equal(events.count, report.timeline.shown);
    assert.equal(timeline.rows, 3);
    assert.equal(timeline.levels[0].bins, 256);
    // What the columns say of waiting is what the ranks' sums say.
    for (const rank of report.ranks) {
        let waits = 0;
        for (let i = events.rows[rank.rank]; i < events.rows[rank.rank + 1]; i++) {
            waits += events.wait_ns[i];
            assert.ok(i === events.rows[rank.rank] || events.start_ns[i] >= events.start_ns[i - 1]);
        }
        assert.ok(Math.abs(waits / 1e9 - rank.waiting_s) < 1e-12);
    }
    for (let i = 0; i < timeline.sends.length; i++) {
        assert.equal(events.type[timeline.sends[i]], 0);
        assert.equal(events.type[timeline.receives[i]], 1);
        assert.ok(events.start_ns[timeline.receives[i]] + events.duration_ns[timeline.receives[i]] > events.start_ns[timeline.sends[i]]);
    }
    assert.throws(() => readTimeline(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 5000), report.timeline), /cut off/);
});
