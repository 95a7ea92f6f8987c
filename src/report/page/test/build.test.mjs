// The built page is what its sources build, small, and allowed to do nothing but run its own script.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const page = readFileSync(at("dist/page.html"), "utf8");

test("the committed page is built from the committed sources", () => {
    const folder = mkdtempSync(join(tmpdir(), "whyslow-build-"));
    const result = spawnSync(process.execPath, [at("build.mjs"), join(folder, "page.html")], { encoding: "utf8" });
    assert.equal(result.status, 0, result.stderr);
    assert.ok(page === readFileSync(join(folder, "page.html"), "utf8"), "dist/page.html is not what `make page` builds");
    rmSync(folder, { recursive: true });
});

test("it is smaller than 1 MB", () => {
    assert.ok(Buffer.byteLength(page) < 1e6, `${Buffer.byteLength(page)} bytes`);
});

test("it needs nothing else, and may ask for nothing else", () => {
    const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)?.[1];
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']*'; style-src 'sha256-[^']*'; base-uri 'none'; form-action 'none'$/);
    // Before anything that it shall govern.
    assert.ok(page.indexOf("Content-Security-Policy") < page.indexOf("<style"));
    assert.doesNotMatch(page, /<(link|img|iframe|object|embed|base)\b|<script[^>]*\bsrc|@import|@font-face|url\(/);
});

test("the marker stands alone on one line", () => {
    assert.equal(page.split("\n").filter((line) => line === "<!-- whyslow:data -->").length, 1);
    assert.equal(page.split("<!-- whyslow:data -->").length, 2);
});

test("the licences of what is within come with it", () => {
    for (const name of ["preact", "highlight.js"]) assert.ok(page.includes(`${name}\n\n`), name);
    assert.match(page, /Permission is hereby granted[\s\S]*Redistributions in binary form/);
});
