// Pairs of places that are too many for the JSON are columns beside the timeline's: the exchange is the same.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { deflateSync, inflateSync } from "node:zlib";
import { launch, Opened } from "./browser.mjs";
import { exchange } from "./exchange.mjs";
import { column, synthetic } from "./synthetic.mjs";

let browser;

before(async () => {
    browser = await launch();
});
after(() => browser.close());

/** The same page with its pairs in columns. */
function packed({ report, binary }) {
    const { pairs, ...rest } = report.exchange;
    const columns = [["FROM", "from"], ["INTO", "to"], ["MESS", "messages"], ["BYTS", "bytes"]].map(([tag, key]) =>
        column(tag, pairs.map((pair) => pair[key])),
    );
    return {
        report: { ...report, exchange: { ...rest, pairs: [], pairs_in_timeline: pairs.length } },
        binary: deflateSync(Buffer.concat([inflateSync(binary), ...columns])),
    };
}

async function shown(data) {
    const opened = await Opened.of(browser, data);
    await opened.tab("Exchange");
    const text = await opened.page.locator(".exchange").innerText();
    assert.deepEqual(opened.complaints, []);
    await opened.close();
    return text;
}

test("the exchange is the same, wherever its pairs are", async () => {
    const data = synthetic({ exchange: exchange(40) });
    const text = await shown(data);
    assert.match(text, /between 78.pairs of 40.places/);
    assert.equal(await shown(packed(data)), text);
});
