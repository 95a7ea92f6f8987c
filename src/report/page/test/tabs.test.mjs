// Every tab in the browser, light and dark: what it shows, how it is reached, and that nobody is kept out.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { eventually, launch, Opened } from "./browser.mjs";
import { comparison } from "./comparison.mjs";
import { exchange } from "./exchange.mjs";
import { structureOf } from "./structure.mjs";
import { synthetic } from "./synthetic.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TABS = ["overview", "problem", "timeline", "exchange", "compare"];
const data = synthetic({ ranks: 5, events: 2000, bins: 1024, exchange: exchange(5), compare: comparison() });
let browser, opened, page;

before(async () => {
    browser = await launch();
    opened = await Opened.of(browser, data);
    page = opened.page;
});
after(() => browser.close());

const text = (selector) => opened.text(selector);
const show = async (hash) => {
    await page.evaluate((to) => (location.hash = to), hash);
    await page.waitForTimeout(50);
};

test("overview: the run in numbers, fix this first, the ranks", async () => {
    const { report } = data;
    await show("#overview");
    const figures = await text(".figures");
    const whole = (share) => `${Math.round(100 * share)} %`;
    const { parallel, load_balance, communication } = report.efficiency;
    for (const share of [parallel, load_balance, communication]) assert.ok(figures.includes(whole(share)), figures);
    assert.match(figures, /91 % serialisation/);
    assert.match(figures, /wall time of 5 ranks/);
    await opened.says(".fix", /Fix this first\s+Late sender\s+\d+ % of the ranks’ time/);
    await opened.counts(".rank-rows li", 5);
    // The parts of a bar are the rank's shares.
    const widths = await page.locator(".rank-rows li").first().locator(".stack > span").evaluateAll((parts) => parts.map((part) => parseFloat(part.style.width)));
    const rank = report.ranks[0];
    [rank.compute_s, rank.communication_s, rank.waiting_s].forEach((part, i) => assert.ok(Math.abs(widths[i] - (100 * part) / rank.total_s) < 0.1));
    await page.getByText("most waiting first").click();
    const sorted = [...report.ranks].sort((a, b) => b.waiting_s - a.waiting_s).map((one) => String(one.rank));
    await eventually(async () => assert.deepEqual(await page.locator(".rank-name").allInnerTexts(), sorted));
    await page.getByText("The same as a table of 5 ranks").click();
    await opened.counts(".ranks tbody tr", 5);
});

test("problem: texts, both call sites in colour, who waits, when, and the way to the timeline", async () => {
    await page.getByRole("link", { name: "Why, and what to change" }).click();
    await opened.says(".detail-head", /Late sender/);
    await opened.says(".advice", /Send first and compute then/);
    await opened.says(".began", /70 % a serialised wavefront: the ranks work one after another, from rank 0 to 4, each a stage of 50 ms after/);
    await opened.says(".began", /26 % computation between the begin of the recording and MPI_Send in exchange at ring.c:12, ranks 1, 3/);
    await opened.counts(".began li", 2); // the third is a trifle
    await opened.counts(".sites .site", 2);
    await eventually(async () => assert.equal((await text(".site.waits .marked")).trim().split(/\s+/)[0], "14"));
    await eventually(async () => assert.equal((await text(".site.causes .marked")).trim().split(/\s+/)[0], "12"));
    await eventually(async () => assert.equal(await page.locator(".site.waits .t-comment").first().innerText(), "/* the borders go round the ring */"));
    await eventually(async () => assert.equal(await page.locator(".site.waits .t-string").first().innerText(), '"row"'));
    const keywordColor = await page.locator(".site.waits .t-type").first().evaluate((span) => getComputedStyle(span).color);
    await eventually(async () => assert.notEqual(keywordColor, await page.locator(".site.waits code").first().evaluate((code) => getComputedStyle(code).color)));
    await eventually(async () => assert.ok((await page.locator(".wait-graph .ribbon").count()) >= 4));
    const bars = data.report.problems[0].histogram.duration_s.filter((value) => value > 0).length;
    await eventually(async () => assert.equal(await page.locator(".histogram .bin").count(), bars));
    // A bar leads to its time.
    await page.locator(".histogram .bin").nth(20).click({ position: { x: 2, y: 40 } });
    await page.locator("#timeline-told", { hasText: "ranks 0 to 4" }).waitFor();
    const { begin_s, width_s, duration_s } = data.report.problems[0].histogram;
    const bin = duration_s.map((value, i) => [value, i]).filter(([value]) => value > 0)[20][1];
    await eventually(async () => assert.ok((await text("#timeline-told")).startsWith(`${(1e6 * (begin_s + bin * width_s)).toFixed(0)} µs`), await text("#timeline-told")));
    await eventually(async () => assert.equal(await page.locator("select[name=problem]").inputValue(), "0"));
    await page.goBack();
    await page.getByRole("link", { name: "Show wait 2," }).click();
    await page.locator(".event").waitFor();
    const instance = data.report.problems[0].instances[1];
    await opened.says(".event", new RegExp(`Rank\\s+${instance.rank}\\s`));
    await opened.says(".event", /Late sender/);
    await page.goBack();
    await opened.says(".detail-head", /Late sender/);
});

test("exchange: the sums, the choice, the scale, a cell under the pointer", async () => {
    await opened.tab("Exchange");
    const sent = data.report.exchange.pairs.reduce((sum, pair) => sum + pair.messages, 0);
    await opened.says(".exchange > .cost", new RegExp(`40 MB in ${sent} messages between 8 pairs of 5 places`));
    await page.selectOption("select[name=kind]", "collective");
    await opened.says(".exchange > .cost", /in 40 messages between 4 pairs/);
    await page.selectOption("select[name=kind]", "");
    await page.selectOption("select[name=function]", "MPI_Send");
    await opened.says(".exchange > .cost", /in 500 messages between 5 pairs/);
    await page.selectOption("select[name=function]", "");
    await page.selectOption("select[name=type]", "none");
    await opened.says(".exchange > .cost", /in 40 messages between 4 pairs/);
    await page.selectOption("select[name=type]", "");
    await page.selectOption("select[name=size]", { index: 1 });
    await opened.says(".exchange > .cost", /in 40 messages/);
    await page.selectOption("select[name=size]", "");
    const cell = (row, column) => page.locator(".heat-map").evaluate((canvas, [row, column]) => {
        // The grid of 5 places: 44 at the left, 34 above, 54 for totals.
        const grid = 5 * Math.floor((canvas.clientWidth - 44 - 54) / 5), box = canvas.getBoundingClientRect();
        const [x, y] = [44 + (grid * (column + 0.5)) / 5, 34 + (grid * (row + 0.5)) / 5];
        const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, -Math.round(x * devicePixelRatio), -Math.round(y * devicePixelRatio));
        const pixel = copy.getImageData(0, 0, 1, 1).data;
        return { x: box.left + x, y: box.top + y, color: [...pixel] };
    }, [row, column]);
    const [none, little, much] = [await cell(2, 2), await cell(2, 0), await cell(2, 3)];
    assert.notDeepEqual(none.color, little.color);
    assert.notDeepEqual(little.color, much.color);
    await page.mouse.move(much.x, much.y);
    await opened.says("#heat-told", /^from 2 to 3: 8 MB; 2 sent 8 MB in all, 3 received 8 MB/);
    await page.getByText("linear").click();
    // On a linear scale little is next to nothing.
    const paler = await cell(2, 0);
    assert.ok(Math.abs(paler.color[0] - much.color[0]) > Math.abs(little.color[0] - much.color[0]));
    await page.locator(".heat-map").focus();
    await page.keyboard.press("ArrowDown");
    await opened.says("#heat-told", /^from \d to \d:/);
    await opened.counts(".received tbody tr", 5);
});

test("exchange: images count from one; without parts there is no choice; what stands in the sums alone is told", async () => {
    const more = { place: { name: "image", first: 1 }, parts: undefined, pairs_left_out: true, received: [9e9, 0, 0], warnings: ["Large collectives are left out."] };
    const { report, binary } = synthetic({ ranks: 3, events: 100, bins: 64, exchange: exchange(3, "MPI_Put", more) });
    const other = await Opened.of(browser, { report, binary }, { hash: "#exchange" });
    await other.counts(".exchange-controls select", 0);
    await other.says(".exchange > .cost", /of 3.images/);
    await other.says(".received tbody tr", /^1\s+9.GB/);
    await eventually(async () => assert.deepEqual(await other.page.locator(".heaviest tbody tr").first().locator("td").allInnerTexts().then((all) => all.slice(0, 2)), ["3", "1"]));
    await other.says(".warnings", /left out/);
    await other.page.locator(".histogram .bin").first().click({ position: { x: 2, y: 2 } });
    await other.page.locator("#timeline-told", { hasText: "events" }).waitFor();
    assert.deepEqual(other.complaints, []);
    await other.close();
});

test("compare: what is gone, better, new, worse", async () => {
    await opened.tab("Compare");
    await opened.says(".compare .figures", /2 s → 1.2 s\s+wall time: 800 ms less \(40 %\)/);
    await eventually(async () => assert.deepEqual(await page.locator(".compared .status").allInnerTexts(), ["gone", "better", "new", "worse", "unchanged"]));
    await opened.says(".compared tbody tr:nth-child(2)", /ring\.c:52 \(moved; was MPI_Recv in exchange at ring\.c:40\)/);
    await page.getByRole("button", { name: "1 new" }).click();
    await opened.counts(".compared tbody tr", 1);
});

test("by keyboard alone: skip link, tabs, problems, timeline", async () => {
    await page.goto(opened.url);
    await page.keyboard.press("Tab");
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.className), "skip"));
    await page.keyboard.press("Enter");
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.id), "panel"));
    await page.keyboard.press("Shift+Tab");
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "tab"));
    await page.keyboard.press("ArrowRight");
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.id), "tab-problem"));
    await opened.says(".detail-head", /Late sender/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".detail-head", { hasText: "Delay before many-to-many" }).waitFor();
    // Focus is to be seen.
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, "solid");
    await page.locator("#tab-problem").focus();
    await page.keyboard.press("End");
    await eventually(async () => assert.equal(await page.evaluate(() => document.activeElement.id), "tab-compare"));
});

for (const colorScheme of ["light", "dark"])
    test(`nobody is kept out (axe, WCAG 2.1 A and AA): ${colorScheme}`, async () => {
        const other = await Opened.of(browser, data, { colorScheme });
        await other.page.evaluate(AXE);
        for (const tab of TABS) {
            await other.page.evaluate((to) => (location.hash = to), tab === "timeline" ? "#timeline/instance/0/0" : `#${tab}`);
            await other.page.waitForTimeout(300);
            for (const fold of await other.page.locator("summary").all()) await fold.click();
            const found = await other.page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
            assert.deepEqual(found.violations.map((one) => `${tab}: ${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" ; ")}`), []);
            assert.ok(found.passes.some((one) => one.id === "color-contrast"), `${tab}: contrast was not looked at`);
        }
        assert.deepEqual(other.complaints, []);
        await other.close();
    });

test("light and dark have one structure, and the switch goes from one to the other", async () => {
    const shots = {};
    for (const colorScheme of ["light", "dark"]) {
        const other = await Opened.of(browser, data, { colorScheme, reducedMotion: "reduce" });
        shots[colorScheme] = await structureOf(other, browser);
        if (colorScheme === "light") {
            await other.page.locator(".theme").getByText("Dark").click();
            shots.switched = await structureOf(other, browser);
        }
        await other.close();
    }
    const { light, dark, switched } = shots;
    assert.ok(light.brightness > 0.8 && dark.brightness < 0.25, `${light.brightness} ${dark.brightness}`);
    assert.ok(Math.abs(switched.brightness - dark.brightness) < 0.05);
    assert.deepEqual(light.boxes, dark.boxes);
    const same = light.busy.filter((busy, i) => busy === dark.busy[i]).length / light.busy.length;
    assert.ok(same > 0.95, `only ${same} of the picture's fields are alike`);
    assert.ok(light.busy.some(Boolean) && !light.busy.every(Boolean));
});

test("nothing was complained of, nothing was asked for but the file itself", () => {
    assert.deepEqual(opened.complaints, []);
    assert.deepEqual(opened.requests.filter((url) => url.split("#")[0] !== opened.url), []);
});

test("without data the page says what it is", async () => {
    const empty = await Opened.of(browser, readFileSync(new URL("../dist/page.html", import.meta.url), "utf8"));
    await empty.says("[role=alert]", /whyslow report DIR -o FILE\.html/);
    assert.deepEqual(empty.complaints, []);
    await empty.close();
});

test("data of another format are refused by name, broken ones with a reason", async () => {
    const { report, binary } = synthetic({ ranks: 2, events: 100, bins: 64 });
    const later = await Opened.of(browser, { report: { ...report, format: 2 }, binary });
    await later.says("[role=alert]", /format 2.*format 1/);
    await later.close();
    const cut = await Opened.of(browser, { report, binary: binary.subarray(0, binary.length / 2) }, { hash: "#timeline" });
    await cut.says("[role=alert]", /The timeline cannot be shown/);
    await cut.tab("Overview");
    await cut.says(".fix", /Fix this first/);
    await cut.close();
});

test("an address that leads nowhere leads to something", async () => {
    for (const hash of ["#%zz", "#nowhere", "#problem/99", "#problem/-1", "#timeline/instance/7/7", "#timeline/time/x/y", "#exchange/1"]) {
        const lost = await Opened.of(browser, data, { hash });
        await lost.page.locator("[role=tab][aria-selected=true]").waitFor();
        await eventually(async () => assert.ok((await lost.text("#panel")).length > 100));
        assert.deepEqual(lost.complaints, [], hash);
        await lost.close();
    }
});

test("a run of nothing", async () => {
    const { report } = synthetic({ ranks: 1, events: 4, bins: 64 });
    const key = { ...report.timeline, end_s: 0, functions: [], types: [], levels: [], events: 0, shown: 0, messages: 0 };
    const nothing = {
        ...report, run: { ...report.run, wall_s: 0, total_s: 0, ranks_recorded: 0, exit_code: null }, efficiency: null, ranks: [], problems: [],
        phases: [], exchange: exchange(0), timeline: key,
    };
    const { binary } = synthetic({ ranks: 1, events: 4, bins: 64 });
    const empty = await Opened.of(browser, { report: nothing, binary });
    for (const tab of ["Problems", "Exchange", "Timeline", "Overview"]) await empty.tab(tab);
    assert.deepEqual(empty.complaints, []);
    await empty.close();
});

test("processes are called what the runtime calls them", async () => {
    const places = await Opened.of(browser, synthetic({ ranks: 3, events: 300, bins: 64, process: "place" }));
    for (const [tab, pattern] of [["Overview", /wall time of 3 places[\s\S]*What each place did/], ["Problems", /of the places’ time/], ["Timeline", /places 0 to 2/]]) {
        await places.tab(tab);
        await places.says("#panel", pattern);
        assert.doesNotMatch(await places.text("#panel"), /\brank/i);
    }
    await places.close();
});

test("a run without problems", async () => {
    const { report, binary } = synthetic({ ranks: 2, events: 100, bins: 64 });
    const good = await Opened.of(browser, { report: { ...report, problems: [], efficiency: null, exchange: null }, binary });
    await good.says(".fix", /Nothing to fix/);
    await good.tab("Problems");
    await good.tab("Timeline");
    await good.page.locator("#timeline-told").waitFor();
    assert.deepEqual(good.complaints, []);
    await good.close();
});
