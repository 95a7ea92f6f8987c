import type { Origin, Problem } from "../data/report";
import { percent, rankList, seconds } from "../text/format";
import { process, processes } from "../text/process";
import { Where } from "../ui/Where";

const FEW = 3;
const LEAST_SHARE = 0.05;

/** What was late of itself there. */
function What({ origin }: { origin: Origin }) {
    const { kind, from, site, wavefront } = origin;
    if (kind === "wavefront" && wavefront && from && site)
        return (
            <>
                a serialised wavefront: the {processes()} work one after another, from {process()} {wavefront.first_rank} to {wavefront.last_rank}, each a
                stage of {seconds(wavefront.stage_s)} after the one before; from <Where place={site} /> to <Where place={from} />
            </>
        );
    if (kind === "computation")
        return (
            <>
                computation between {from ? <Where place={from} /> : "the begin of the recording"} and {site ? <Where place={site} /> : "its end"}
            </>
        );
    return (
        <>
            {kind === "io" ? "file access" : "the call itself"}
            {site && (
                <>
                    , <Where place={site} />
                </>
            )}
        </>
    );
}

/** Where this waiting began: what of it was not passed on by others that waited themselves. */
export function Began({ problem }: { problem: Problem }) {
    const told = (problem.began ?? []).filter((origin) => origin.share >= LEAST_SHARE).slice(0, FEW);
    if (told.length === 0) return null;
    return (
        <section class="card began" aria-labelledby="began-title">
            <h3 id="began-title">Where it began</h3>
            <ul>
                {told.map((origin, i) => (
                    <li key={i}>
                        <strong>{percent(origin.share)}</strong> <What origin={origin} />
                        {origin.kind !== "wavefront" && <>, {rankList(origin.ranks.map((share) => share.rank).sort((a, b) => a - b))}</>}
                    </li>
                ))}
            </ul>
        </section>
    );
}
