// A million events of 1024 ranks: still to be read, and still quick.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { CHART, eventually, launch, Opened, told } from "./browser.mjs";
import { exchange } from "./exchange.mjs";
import { synthetic } from "./synthetic.mjs";

let browser, opened, page;

before(async () => {
    browser = await launch();
    const data = synthetic({ ranks: 1024, events: 1000000, bins: 2048, source: false, exchange: exchange(1024) });
    opened = await Opened.of(browser, data, { viewport: { width: 1600, height: 1000 } });
    page = opened.page;
});
after(() => browser.close());

/** Moves with each frame for a while: frames per second, and the script's time for a frame (median, ms). */
const pace = (turn) => page.evaluate(async ({ chart, turn }) => {
    const canvas = document.querySelector(chart);
    const request = window.requestAnimationFrame;
    const own = [];
    window.requestAnimationFrame = (callback) => request((time) => {
        const begin = performance.now();
        callback(time);
        own.push(performance.now() - begin);
    });
    let frames = 0;
    const begin = performance.now();
    while (performance.now() - begin < 1200) {
        const by = Math.floor(frames / 30) % 2 ? -12 : 12;
        canvas.dispatchEvent(new WheelEvent("wheel", { ...(turn ? { deltaY: by } : { deltaX: by, shiftKey: true }), clientX: 700, clientY: 500, cancelable: true }));
        await new Promise((done) => request(done));
        frames++;
    }
    const seconds = (performance.now() - begin) / 1000;
    window.requestAnimationFrame = request;
    own.sort((a, b) => a - b);
    return { fps: frames / seconds, frame_ms: own[own.length >> 1] };
}, { chart: CHART, turn });

test("the overview reads: a column for each rank, and a table", async () => {
    await opened.counts(".rank-columns", 1);
    await page.getByText("The same as a table of 1024 ranks").click();
    await opened.counts(".ranks tbody tr", 1024);
    const box = await page.locator(".rank-columns").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    await page.locator(".ranks .under", { hasText: /^Rank 4\d\d|^Rank 5\d\d/ }).waitFor();
});

test("the timeline opens, and its ranks are told apart", async () => {
    const begin = Date.now();
    await opened.tab("Timeline");
    await page.locator("#timeline-told", { hasText: "events" }).waitFor();
    console.log(`opened in ${Date.now() - begin} ms`);
    await eventually(async () => assert.match(await told(page), /ranks 0 to 1 023: 999 \d\d\d events/));
    await page.fill("input[name=rank]", "777");
    await page.getByRole("button", { name: "Next event" }).click();
    await opened.says(".event", /Rank\s+777\s/);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Fewer ranks" }).click();
    await eventually(async () => assert.match(await told(page), /ranks 2\d\d to 7\d\d:/));
});

test("frames come quickly, far and near", async () => {
    await page.locator(CHART).focus();
    for (const [what, keys] of [["the whole run", ["Home"]], ["a fifth", ["+", "+", "+", "+"]], ["a fortieth", ["+", "+", "+", "+", "+"]]]) {
        for (const key of keys) await page.keyboard.press(key);
        await told(page);
        for (const turn of [false, true]) {
            const { fps, frame_ms } = await pace(turn);
            console.log(`${what}, ${turn ? "zooming" : "moving"}: ${fps.toFixed(0)} frames/s, ${frame_ms.toFixed(1)} ms of script a frame`);
            // 60 on a quiet machine; this one may have ten other things to do, and draws by software.
            assert.ok(fps > 2, `${what}: ${fps} frames/s`);
            assert.ok(frame_ms < 400, `${what}: ${frame_ms} ms`);
        }
    }
});

test("the exchange of 1024 places reads", async () => {
    await opened.tab("Exchange");
    await opened.counts(".received tbody tr", 1024);
    await opened.says(".exchange > .cost", /8\.19 GB in 112 630 messages between 2 046 pairs of 1 024 places/);
    assert.deepEqual(opened.complaints, []);
});
