// The browser that the tests drive: Debian's Chromium, headless.
import { chromium } from "playwright-core";
import { existsSync } from "node:fs";

const path = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export function launch() {
    if (!path) throw new Error("no Chromium: apt-get install chromium, or set CHROMIUM");
    // Within a container, as root, Chromium has no sandbox of its own to offer.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    return chromium.launch({ executablePath: path, args });
}
