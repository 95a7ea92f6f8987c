// Builds the page into one file: node build.mjs [FILE], by default dist/page.html.  The same sources and packages
// give the same bytes.  `whyslow report` puts the data in place of the line that is the marker.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MARKER = "<!-- whyslow:data -->";
const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
    const result = await build({
        entryPoints: [join(here, entry)],
        absWorkingDir: here,
        bundle: true,
        write: false,
        minify: true,
        format: "iife",
        target: ["chrome103", "firefox113"],
        charset: "utf8",
        legalComments: "none",
        logLevel: "warning",
    });
    return result.outputFiles[0].text.trim();
}

// What is within the page needs its authors' licences with it.
function licences(packages) {
    const texts = packages.map((name) => {
        const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
        return `${name}\n\n${text.replaceAll("--", "- -")}`;
    });
    return `<!--\nThis page contains:\n\n${texts.join("\n\n")}\n-->`;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = await bundle("src/main.tsx");
const style = await bundle("src/style/page.css");
// Nothing but this very script and style runs, and nothing is fetched from anywhere.
const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
].join("; ");
const parts = { policy, style, script };
const page = readFileSync(join(here, "src/page.html"), "utf8")
    .replace(/\{(policy|style|script)\}/g, (_, name) => parts[name])
    .replace("</html>", `${licences(["preact", "highlight.js"])}\n</html>`);
if (page.split(MARKER).length !== 2) throw new Error(`${MARKER} must be in the page exactly once`);

const output = process.argv[2] ?? join(here, "dist/page.html");
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
