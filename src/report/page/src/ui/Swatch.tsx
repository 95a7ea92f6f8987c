/** A patch of colour that stands for something named beside it. */
export function Swatch({ color }: { color: string }) {
    return <span class="swatch" style={{ background: color }} aria-hidden="true" />;
}
