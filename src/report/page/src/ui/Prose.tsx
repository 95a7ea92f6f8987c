import { shortened, visible } from "../text/names";

/** A text of the report: paragraphs where it has line breaks. */
export function Prose({ text, most = 8000 }: { text: string; most?: number }) {
    return (
        <>
            {shortened(text, most).split(/\n+/).filter((line) => line.trim()).map((line, i) => (
                <p key={i} class="prose" dir="auto">
                    {visible(line)}
                </p>
            ))}
        </>
    );
}
