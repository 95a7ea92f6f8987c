/** A patch of colour that stands for something named beside it. */
export function Swatch({ color, hatched = false }: { color: string; hatched?: boolean }) {
    return <span class={hatched ? "swatch hatched" : "swatch"} style={{ background: color }} aria-hidden="true" />;
}
