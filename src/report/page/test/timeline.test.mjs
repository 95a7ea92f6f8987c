// The timeline in the browser: zoom and move by wheel, drag and keyboard; click, search, messages.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { CHART, eventually, launch, Opened, told } from "./browser.mjs";
import { synthetic } from "./synthetic.mjs";

const data = synthetic({ ranks: 12, events: 6000, bins: 1024 });
const { report } = data;
let browser, opened, page, box;

before(async () => {
    browser = await launch();
    opened = await Opened.of(browser, data, { hash: "#timeline" });
    page = opened.page;
    await page.locator(CHART).waitFor();
    box = await page.locator(CHART).boundingBox();
});
after(() => browser.close());

/** What is in sight, of the words below the picture: times in ms, ranks, events. */
async function sight() {
    const words = await told(page);
    const match = /^([\d.]+) (s|ms|µs) to ([\d.]+) (s|ms|µs), ranks? (\d+)(?: to (\d+))?: ([\d ]+) events?/.exec(words);
    assert.ok(match, words);
    const ms = (value, unit) => Number(value) * { s: 1e3, ms: 1, µs: 1e-3 }[unit];
    return {
        from: ms(match[1], match[2]), to: ms(match[3], match[4]), first: Number(match[5]), last: Number(match[6] ?? match[5]),
        events: Number(match[7].replaceAll(" ", "")),
    };
}
const span = (view) => view.to - view.from;
const key = async (...keys) => {
    await page.locator(CHART).focus();
    for (const one of keys) await page.keyboard.press(one);
};
const whole = async () => {
    await key("Home");
    return sight();
};

test("the whole run is in sight at first", async () => {
    const view = await sight();
    assert.equal(view.events, report.timeline.shown);
    assert.ok(Math.abs(view.to - 1e3 * report.run.wall_s) < 0.01 * view.to);
    assert.deepEqual([view.first, view.last], [0, 11]);
});

test("the wheel zooms around the pointer, with Shift it moves, with Alt it zooms in ranks", async () => {
    const before = await whole();
    const area = box.width - 52;
    const under = (view, x) => view.from + ((x - 52) / area) * span(view);
    await page.mouse.move(box.x + 52 + area / 4, box.y + box.height / 2);
    for (let i = 0; i < 5; i++) await page.mouse.wheel(0, -200);
    const near = await sight();
    assert.ok(span(near) < 0.3 * span(before), `${span(near)} of ${span(before)}`);
    assert.ok(Math.abs(under(near, 52 + area / 4) - under(before, 52 + area / 4)) < 0.02 * span(near));
    await page.keyboard.down("Shift");
    await page.mouse.wheel(0, 100);
    await page.keyboard.up("Shift");
    const moved = await sight();
    assert.ok(moved.from > near.from && Math.abs(span(moved) - span(near)) < 0.01 * span(near));
    await page.keyboard.down("Alt");
    for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -300);
    await page.keyboard.up("Alt");
    const few = await sight();
    assert.ok(few.last - few.first < 8, `${few.first} to ${few.last}`);
});

test("dragging moves; the strip above shows where", async () => {
    await whole();
    await key("+", "+", "+", "+");
    const before = await sight();
    await page.mouse.move(box.x + 600, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, box.y + 200, { steps: 4 });
    await page.mouse.up();
    const after = await sight();
    const expected = (200 / (box.width - 52)) * span(before);
    assert.ok(Math.abs(after.from - before.from - expected) < 0.05 * span(before), `${after.from} ${before.from} ${expected}`);
    await eventually(async () => assert.equal(await page.locator(".event").count(), 0, "a drag is no click"));
    const strip = await page.locator(".strip").boundingBox();
    await page.mouse.click(strip.x + strip.width - 5, strip.y + 10);
    await eventually(async () => assert.ok(Math.abs((await sight()).to - 1e3 * report.run.wall_s) < 0.05));
});

test("keys move, zoom and go back to the whole", async () => {
    const all = await whole();
    await key("+", "+");
    const near = await sight();
    assert.ok(span(near) < 0.5 * span(all));
    await key("ArrowRight");
    const right = await sight();
    assert.ok(right.from > near.from);
    await key("ArrowLeft");
    await eventually(async () => assert.ok(Math.abs((await sight()).from - near.from) < 0.02 * span(near)));
    await key("]", "]", "]");
    const few = await sight();
    assert.ok(few.last - few.first < 6);
    await key("PageUp", "PageUp");
    await eventually(async () => assert.equal((await sight()).first, 0));
    await key("-", "-", "-");
    await eventually(async () => assert.ok(span(await sight()) > span(near)));
    await eventually(async () => assert.deepEqual(await whole(), all));
});

test("a click shows the event's parameters; its message leads to the other rank", async () => {
    await page.goto(`${opened.url}#timeline/instance/0/3`);
    const instance = report.problems[0].instances[3];
    const details = page.locator(".event");
    await details.getByText("peer").waitFor();
    const words = await opened.text(".event");
    assert.match(words, /MPI_Recv/);
    assert.match(words, new RegExp(`Rank\\s+${instance.rank}\\s`));
    assert.match(words, new RegExp(`peer\\s+${instance.for}\\s`));
    assert.match(words, /bytes\s+80000 \(80 kB\)/);
    assert.match(words, /exchange at ring\.c:14/);
    await details.getByRole("button", { name: `from rank ${instance.for}` }).click();
    await details.getByRole("heading", { name: "MPI_Send" }).waitFor();
    await eventually(async () => assert.match(await details.innerText(), /posted_site\s+exchange at ring\.c:12/));
    await key("Escape");
    await eventually(async () => assert.equal(await details.count(), 0));
    // The instance is in the middle of the picture: there it is clicked.
    const { first, last } = await sight();
    const now = await page.locator(CHART).boundingBox();
    const top = 42, row = (now.height - top) / (last - first + 1);
    await page.mouse.click(now.x + 52 + (now.width - 52) / 2, now.y + top + (instance.rank - first + 0.4) * row);
    await details.getByRole("heading", { name: "MPI_Recv" }).waitFor();
    await eventually(async () => assert.match(await details.innerText(), new RegExp(`Rank\\s+${instance.rank}\\s`)));
    await key("Escape");
});

test("the pointer tells what lies under it", async () => {
    await page.goto(`${opened.url}#timeline/instance/0/0`);
    await sight();
    const now = await page.locator(CHART).boundingBox();
    const { first, last } = await sight();
    const instance = report.problems[0].instances[0];
    const row = (now.height - 42) / (last - first + 1);
    await page.mouse.move(now.x + 52 + (now.width - 52) / 2, now.y + 42 + (instance.rank - first + 0.4) * row);
    await opened.says(".tip", new RegExp(`MPI_Recv on rank ${instance.rank}: .* waits `));
    await key("Escape");
});

test("search by function, by rank, by call site, by problem", async () => {
    await whole();
    const found = async () => Number((await page.locator(".found").innerText()).replaceAll(/[\u00a0\u202f]/g, "").match(/^\d+/)?.[0] ?? 0);
    const rounds = report.timeline.messages / 12;
    await page.fill("input[name=text]", "allreduce");
    await eventually(async () => assert.equal(await found(), Math.floor(rounds / 10) * 12));
    await page.fill("input[name=rank]", "5");
    await eventually(async () => assert.equal(await found(), Math.floor(rounds / 10)));
    // A rank out of sight comes into sight.
    await key("]", "]", "]", "]", "]", "PageDown", "PageDown");
    await eventually(async () => assert.ok((await sight()).first > 5));
    await page.fill("input[name=rank]", "");
    await page.fill("input[name=rank]", "5");
    const shown = await sight();
    assert.ok(shown.first <= 5 && shown.last >= 5, `${shown.first} to ${shown.last}`);
    await page.fill("input[name=text]", "ring.c:12");
    await eventually(async () => assert.equal(await found(), rounds));
    await page.getByRole("button", { name: "Next event" }).click();
    await opened.says(".event", /^MPI_Send[\s\S]*Rank\s+5\s/);
    const start = () => page.locator(".event dd").nth(2).innerText();
    const first = await start();
    await key("n");
    await eventually(async () => assert.notEqual(await start(), first));
    await key("p");
    await eventually(async () => assert.equal(await start(), first));
    await page.fill("input[name=text]", "no such function");
    await opened.says(".found", /nothing found/);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.selectOption("select[name=problem]", "1");
    await eventually(async () => assert.equal(await found(), report.problems[1].count));
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await key("Escape");
});

test("waiting has the colour of its problem; a search dims the rest", async () => {
    const colors = async () => {
        await told(page);
        return page.locator(CHART).evaluate((canvas) => {
            const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const pixels = new Uint32Array(copy.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            const counts = {};
            for (const pixel of pixels) counts[pixel & 0xffffff] = (counts[pixel & 0xffffff] ?? 0) + 1;
            const of = (name) => {
                const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
                return counts[parseInt(hex.slice(5, 7) + hex.slice(3, 5) + hex.slice(1, 3), 16)] ?? 0;
            };
            return [of("--problem-0"), of("--problem-1")];
        });
    };
    await page.goto(`${opened.url}#timeline/instance/1/0`);
    await key("Escape");
    const [late, delay] = await colors();
    assert.ok(late > 500 && delay > 500, `${late} ${delay}`);
    await page.selectOption("select[name=problem]", "1");
    const [dimmed, kept] = await colors();
    assert.equal(dimmed, 0);
    assert.ok(Math.abs(kept - delay) < 0.1 * delay);
    await page.selectOption("select[name=problem]", "");
});

test("message lines on demand", async () => {
    await whole();
    await key("+", "+", "+", "+", "+", "+");
    await told(page);
    const picture = () => page.locator(CHART).evaluate((canvas) => canvas.toDataURL());
    const without = await picture();
    await key("m");
    await told(page);
    await eventually(async () => assert.equal(await page.getByRole("button", { name: "Messages" }).getAttribute("aria-pressed"), "true"));
    await eventually(async () => assert.notEqual(await picture(), without));
    await page.getByRole("button", { name: "Messages" }).click();
    await told(page);
    await eventually(async () => assert.equal(await picture(), without));
});

test("what is in sight is a table too", async () => {
    await page.goto(`${opened.url}#timeline/instance/0/1`);
    await told(page);
    await page.getByText("The events in sight as a table").click();
    const rows = page.locator(".timeline .fold tbody tr");
    await rows.nth(3).waitFor();
    const [rank, call, start] = await rows.nth(2).locator("td").allInnerTexts();
    await rows.nth(2).getByRole("button").click();
    await page.locator(".event", { hasText: start }).waitFor();
    await opened.says(".event", new RegExp(`^${call.trim()}[\\s\\S]*Rank\\s+${rank}\\s`));
    const waits = await rows.locator("td:nth-child(5)").allInnerTexts();
    const ns = (text) => parseFloat(text) * { s: 1e9, ms: 1e6, µs: 1e3, ns: 1 }[text.split(/\s/)[1]];
    assert.deepEqual(waits, [...waits].sort((a, b) => ns(b) - ns(a)));
});

test("a link leads to its instance each time", async () => {
    await page.goto(`${opened.url}#timeline/instance/0/2`);
    const there = await sight();
    await whole();
    await opened.tab("Problems");
    await page.getByRole("link", { name: "Show wait 3," }).click();
    await eventually(async () => assert.deepEqual(await sight(), there));
    await key("Escape");
    await opened.tab("Timeline");
});

test("another tab and back: the view is as it was", async () => {
    await whole();
    await key("+", "+", "+");
    const before = await sight();
    await opened.tab("Overview");
    await opened.tab("Timeline");
    await eventually(async () => assert.deepEqual(await sight(), before));
});

test("nothing was complained of", () => assert.deepEqual(opened.complaints, []));
