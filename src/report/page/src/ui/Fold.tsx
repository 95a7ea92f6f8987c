import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

/** More than most want to see: its content is made when it is first opened. */
export function Fold({ title, children }: { title: string; children: () => ComponentChildren }) {
    const [open, setOpen] = useState(false);
    return (
        <details class="fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{title}</summary>
            {open && children()}
        </details>
    );
}
