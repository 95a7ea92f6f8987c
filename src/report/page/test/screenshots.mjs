// Pictures of a report for the README: node screenshots.mjs REPORT.html FOLDER
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const SHOTS = [
    { name: "overview", hash: "overview", colorScheme: "light", height: 760 },
    { name: "problem", hash: "problem/1", colorScheme: "light", height: 900 },
    { name: "timeline", hash: "timeline/instance/1/0", colorScheme: "dark", height: 640 },
];

const [, , report, folder] = process.argv;
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const { name, hash, colorScheme, height } of SHOTS) {
    const page = await browser.newPage({ viewport: { width: 1200, height }, colorScheme });
    await page.goto(`${pathToFileURL(resolve(report)).href}#${hash}`);
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.close();
}
await browser.close();
