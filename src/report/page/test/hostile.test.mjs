// Names that would be something else if they were not only text.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { CHART, eventually, launch, Opened, told } from "./browser.mjs";
import { comparison } from "./comparison.mjs";
import { exchange } from "./exchange.mjs";
import { synthetic } from "./synthetic.mjs";

const SCRIPT = `</script><script>window.broken=1</script><img src=x onerror="window.broken=2">`;
const QUOTES = `"'\`><b onmouseover=alert(1)>&amp;&lt;\${window.broken=3}{{1+1}}`;
const LONG = "f".repeat(10000);
const RIGHT_TO_LEFT = "שלום \u202egnp.exe\u202c العربية";
const NO_UTF8 = "a\ufffd\ufffdb\u0000\u0007\u001b[31mred";

const names = {
    functions: [SCRIPT, QUOTES, LONG],
    function: RIGHT_TO_LEFT,
    file: `/tmp/${SCRIPT}/${LONG}.c`,
    program: QUOTES,
    problem: `${SCRIPT} ${RIGHT_TO_LEFT}`,
    phase: LONG,
    text: `${SCRIPT}\n${QUOTES}\n${LONG} ${NO_UTF8}`,
    warnings: [SCRIPT, LONG, NO_UTF8],
    source: [SCRIPT, `/* ${QUOTES} */`, `const char *x = "${SCRIPT}";`, LONG, RIGHT_TO_LEFT, NO_UTF8, "", "\t}"],
};
let browser, opened, page;

before(async () => {
    browser = await launch();
    const data = synthetic({ ranks: 3, events: 300, bins: 256, names, exchange: exchange(3, SCRIPT), compare: comparison(SCRIPT) });
    opened = await Opened.of(browser, data);
    page = opened.page;
});
after(() => browser.close());

for (const tab of ["Overview", "Problems", "Timeline", "Exchange", "Compare"])
    test(`hostile names are harmless: ${tab}`, async () => {
        await opened.tab(tab);
        if (tab === "Timeline") {
            await page.locator(CHART).waitFor();
            await told(page);
            await page.getByText("The events in sight as a table").click();
            await page.getByRole("button", { name: "Next event" }).click();
            await page.locator(".event").waitFor();
        }
        await eventually(async () => assert.equal(await page.evaluate(() => window.broken), undefined));
        // Of what was built only: no element came out of a name.
        await opened.counts("#page img, #page b, #page script, #page iframe", 0);
        await opened.counts("script", 3);
        // Nothing grows beyond the window, however long its name.
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${over} pixels too wide`);
        assert.deepEqual(opened.complaints, []);
    });

test("they are shown as what they are", async () => {
    await opened.tab("Problems");
    const title = await page.locator("#problem-title").innerText();
    assert.ok(title.includes("</script><script>"), title);
    // What would turn the text around is told, not done.
    await eventually(async () => assert.ok(!/[\u202a-\u202e]/.test(await page.locator("body").innerText())));
    await eventually(async () => assert.ok((await page.locator(".detail").innerText()).includes("\\u202e")));
    await eventually(async () => assert.ok(!/[\u0000\u0007\u001b]/.test(await page.locator("body").innerText())));
    await opened.counts(".site.waits .line", 8);
});

test("and nothing was asked for", () => {
    assert.deepEqual(opened.requests.filter((url) => url.split("#")[0] !== opened.url), []);
});
