import { useMemo } from "preact/hooks";
import type { Source } from "../data/report";
import { shortened, visible } from "../text/names";
import { highlight } from "./highlight";

const LONGEST_LINE = 400;

/** The lines around a call, that of the call marked. */
export function SourceView({ source }: { source: Source }) {
    const lines = useMemo(
        () => highlight(source.lines.map((line) => shortened(line, LONGEST_LINE)), source.language),
        [source],
    );
    return (
        <pre class="source" tabIndex={0} aria-label={`Source, lines ${source.first_line} to ${source.first_line + lines.length - 1}; the call is in line ${source.line}`}>
            {lines.map((tokens, i) => {
                const number = source.first_line + i;
                const marked = number === source.line;
                return (
                    <div key={number} class={marked ? "line marked" : "line"}>
                        <span class="line-number" aria-hidden={!marked}>
                            {number}
                        </span>
                        <code dir="ltr">
                            {tokens.map((token, k) => (
                                <span key={k} class={token.scope ? `t-${token.scope}` : undefined}>
                                    {visible(token.text)}
                                </span>
                            ))}
                            {tokens.length === 0 && " "}
                        </code>
                    </div>
                );
            })}
        </pre>
    );
}
