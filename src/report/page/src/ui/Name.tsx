import { shortened, visible } from "../text/names";

/** A name from the program: as text, isolated from the direction of what surrounds it, of bearable length. */
export function Name({ text, most = 80, code = false }: { text: string; most?: number; code?: boolean }) {
    const whole = visible(text);
    const short = shortened(whole, most);
    const title = short === whole ? undefined : shortened(whole, 2000);
    return (
        <bdi class={code ? "name code" : "name"} title={title}>
            {short}
        </bdi>
    );
}
