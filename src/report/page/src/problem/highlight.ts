/** Source text to pieces with a class.  The highlighter's tree of tokens is used, never its HTML. */
import highlighter from "highlight.js/lib/core";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import fortran from "highlight.js/lib/languages/fortran";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import julia from "highlight.js/lib/languages/julia";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";

export interface Token {
    scope: string;
    text: string;
}

// X10's syntax is near enough to Java's.
const LANGUAGES = { c, "c++": cpp, fortran, go, java, julia, python, rust, x10: java };
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language);

interface TokenNode {
    scope?: string;
    children: (string | TokenNode)[];
}

function flatten(node: TokenNode, scope: string, tokens: Token[]) {
    for (const child of node.children)
        if (typeof child === "string") {
            const last = tokens[tokens.length - 1];
            if (last?.scope === scope) last.text += child;
            else tokens.push({ scope, text: child });
        } else flatten(child, child.scope?.split(".")[0] ?? scope, tokens);
}

/** The lines' tokens; of a language that is not known, or where the highlighter fails, plain ones. */
export function highlight(lines: string[], language: string): Token[][] {
    let tokens: Token[] = [];
    try {
        if (!(language in LANGUAGES)) throw new Error("unknown language");
        const result = highlighter.highlight(lines.join("\n"), { language, ignoreIllegals: true });
        flatten((result._emitter as unknown as { root: TokenNode }).root, "", tokens);
    } catch {
        tokens = [{ scope: "", text: lines.join("\n") }];
    }
    const split: Token[][] = [[]];
    for (const { scope, text } of tokens)
        text.split("\n").forEach((piece, i) => {
            if (i) split.push([]);
            if (piece) split[split.length - 1].push({ scope, text: piece });
        });
    return split;
}
