// WCAG AA, computed: 4.5 for text, 3 for what has to be told apart; for both looks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

const css = readFileSync(new URL("../src/style/colors.css", import.meta.url), "utf8");

function colorsOf(theme) {
    const block = css.slice(css.indexOf(`:root[data-theme="${theme}"]`));
    const pairs = block.slice(0, block.indexOf("}")).matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g);
    return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}

export function contrast(a, b) {
    const light = (hex) => {
        const [r, g, b] = [1, 3, 5].map((i) => {
            const part = parseInt(hex.slice(i, i + 2), 16) / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
}

const GROUNDS = ["--ground", "--surface", "--raised"];
const PROBLEMS = [...Array(8).keys()].map((i) => `--problem-${i}`).concat("--problem-other");

for (const theme of ["light", "dark"]) {
    const colors = colorsOf(theme);
    const check = (front, back, least) => {
        const ratio = contrast(colors[front], colors[back]);
        assert.ok(ratio >= least, `${theme}: ${front} on ${back} has ${ratio.toFixed(2)}, needs ${least}`);
    };
    test(`text is legible: ${theme}`, () => {
        for (const ground of GROUNDS) for (const ink of ["--ink", "--ink-2", "--accent", "--bad", "--good"]) check(ink, ground, 4.5);
        check("--accent-ink", "--accent", 4.5);
        check("--accent", "--accent-soft", 4.5);
        check("--ink", "--marked", 4.5);
        check("--ink", "--call", 4.5);
        check("--ink", "--row", 4.5);
        // Names of calls on the colour of their waiting, and what a tip says.
        for (const problem of PROBLEMS) check("--surface", problem, 4.5);
        check("--surface", "--ink", 4.5);
        for (const token of ["keyword", "type", "string", "number", "comment", "title", "meta"])
            for (const ground of ["--ground", "--marked"]) check(`--t-${token}`, ground, 4.5);
    });
    test(`figures are to be seen: ${theme}`, () => {
        for (const part of ["--compute", "--communication", "--waiting", "--edge"]) check(part, "--surface", 3);
        for (const problem of PROBLEMS) check(problem, "--row", 3);
        check("--problem-0", "--call", 1.8);
        check("--heat-high", "--row", 3);
    });
}
