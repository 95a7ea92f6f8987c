import type { Change } from "../data/comparison";
import { percent, seconds } from "../text/format";

/** "2.1 s less": never by colour alone. */
export function gainText(change: { gain_s: number; clear: boolean }): string {
    if (!change.clear) return "no clear change";
    return change.gain_s >= 0 ? `${seconds(change.gain_s)} less` : `${seconds(-change.gain_s)} more`;
}

export const gainClass = (change: { gain_s: number; clear: boolean }) => (!change.clear ? "same" : change.gain_s >= 0 ? "better" : "worse");

export function ChangeFigure({ title, change }: { title: string; change: Change }) {
    const share = change.before_s > 0 ? Math.abs(change.gain_s) / change.before_s : 0;
    return (
        <div class={`figure change ${gainClass(change)}`}>
            <span class="value">
                {seconds(change.before_s)} <span class="sign" aria-label="then">→</span> {seconds(change.after_s)}
            </span>
            <span class="label">
                {title}: <strong>{gainText(change)}</strong>
                {change.clear && share > 0 && ` (${percent(share)})`}
            </span>
        </div>
    );
}
