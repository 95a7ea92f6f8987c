// Opens a report that whyslow wrote, goes through its tabs, and tells as JSON what it saw: node visit.mjs REPORT.html
import { readFileSync } from "node:fs";
import { CHART, launch, Opened, told } from "./browser.mjs";

const browser = await launch();
const opened = await Opened.of(browser, readFileSync(process.argv[2], "utf8"));
const { page } = opened;
const plain = (text) => text.replaceAll(/[\u00a0\u202f]/g, " ");
// "Problems" has their number beside it.
const seen = { tabs: (await page.getByRole("tab").allInnerTexts()).map((text) => /^[A-Za-z]+/.exec(text)[0]) };

seen.fix = plain(await page.locator(".fix").innerText());
for (const tab of seen.tabs) {
    await opened.tab(tab);
    if (tab === "Problems") {
        seen.problems = [];
        for (const link of await page.locator(".problem-list a").all()) {
            await link.click();
            await page.locator(".problem-list a[aria-current]").waitFor();
            seen.problems.push(plain(await page.locator(".detail").innerText()));
        }
    } else if (tab === "Timeline") {
        await page.locator(CHART).waitFor();
        seen.timeline = await told(page);
        await page.getByRole("button", { name: "Next event" }).click();
        seen.event = plain(await page.locator(".event").innerText());
    } else seen[tab.toLowerCase()] = plain(await page.locator("#panel").innerText());
}
seen.broken = await page.evaluate(() => window.broken ?? null);
seen.elements = await page.locator("#page img, #page b, #page script").count();
seen.complaints = opened.complaints;
seen.requests = opened.requests.filter((url) => url.split("#")[0] !== opened.url);
await opened.close();
await browser.close();
console.log(JSON.stringify(seen));
