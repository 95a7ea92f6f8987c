// The browser that the tests drive: Debian's Chromium, headless, on files on disk.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { pageOf } from "./synthetic.mjs";

const found = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export function launch() {
    if (!found) throw new Error("no Chromium: apt-get install chromium, or set CHROMIUM");
    // As root, in a container, Chromium has no sandbox of its own to offer; and shared memory may be scarce there.
    const args = ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])];
    return chromium.launch({ executablePath: found, args });
}

/** The page draws when it gets to it: what must hold is looked at until it does, for a while. */
export async function eventually(check, patience_ms = 15000) {
    for (const end = Date.now() + patience_ms; ; await new Promise((done) => setTimeout(done, 50)))
        try {
            return await check();
        } catch (error) {
            if (Date.now() > end) throw error;
        }
}

/** A report as a file, opened from disk; `complaints` gets what the console and the page complain of. */
export class Opened {
    complaints = [];
    requests = [];

    static async of(browser, data, { hash = "", ...context } = {}) {
        const opened = new Opened();
        opened.folder = mkdtempSync(join(tmpdir(), "whyslow-page-"));
        const file = join(opened.folder, "report.html");
        writeFileSync(file, typeof data === "string" ? data : pageOf(data));
        opened.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context });
        opened.page = await opened.context.newPage();
        opened.page.on("console", (message) => {
            if (message.type() === "error" || message.type() === "warning") opened.complaints.push(message.text());
        });
        opened.page.on("pageerror", (error) => opened.complaints.push(String(error)));
        opened.page.on("dialog", (dialog) => {
            opened.complaints.push(`dialog: ${dialog.message()}`);
            dialog.dismiss();
        });
        opened.page.on("request", (request) => opened.requests.push(request.url()));
        opened.url = pathToFileURL(file).href;
        await opened.page.goto(opened.url + hash);
        return opened;
    }

    async tab(name) {
        await this.page.getByRole("tab", { name }).click();
        await this.page.locator(`#tab-${name.toLowerCase().replace(/s$/, "")}[aria-selected="true"]`).waitFor();
    }

    /** The text of the first such element, with plain spaces. */
    async text(selector) {
        return (await this.page.locator(selector).first().innerText()).replaceAll(/[\u00a0\u202f]/g, " ");
    }

    async says(selector, pattern) {
        await eventually(async () => assert.match(await this.text(selector), pattern));
    }

    async counts(selector, number) {
        await eventually(async () => assert.equal(await this.page.locator(selector).count(), number, selector));
    }

    async close() {
        await this.context.close();
        rmSync(this.folder, { recursive: true });
    }
}

export const CHART = '[aria-roledescription="timeline"]';

/** The timeline when it has come to rest: what it says of itself. */
export async function told(page) {
    const read = () => page.locator('#timeline-told[aria-busy="false"]').textContent();
    for (let before = "", now; ; before = now) {
        await page.waitForTimeout(60);
        now = await read();
        if (now && now === before) return now.replaceAll(/[\u00a0\u202f]/g, " ");
    }
}
