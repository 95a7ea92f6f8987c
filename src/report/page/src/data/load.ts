import type { Report } from "./report";

/** The page as it is built holds no data yet: `whyslow report` puts them in. */
export class NoData extends Error {}

export function loadReport(): Report {
    const block = document.getElementById("ws-report");
    if (!block) throw new NoData("This is Whyslow's empty page. `whyslow report DIR -o FILE.html` fills it.");
    const report = JSON.parse(block.textContent ?? "") as Report;
    if (report.format !== 1)
        throw new Error(`The data of this page have format ${report.format}, the page itself reads format 1.`);
    return report;
}
