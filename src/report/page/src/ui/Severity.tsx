import { percent } from "../text/format";

/** The share of the ranks' time as a number and as a bar in the problem's colour, against the worst one's. */
export function Severity({ share, worst, color }: { share: number; worst: number; color: string }) {
    return (
        <span class="severity">
            <span class="number">{percent(share)}</span>
            <span class="gauge" aria-hidden="true">
                <span style={{ width: `${worst > 0 ? (100 * share) / worst : 0}%`, background: color }} />
            </span>
        </span>
    );
}
