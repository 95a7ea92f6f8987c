import { siteTitle } from "../data/problems";
import type { Site } from "../data/report";
import { Name } from "../ui/Name";
import { Where } from "../ui/Where";
import { SourceView } from "./SourceView";

/** A call that takes part, with the lines around it where the report holds them. */
export function SiteCard({ site }: { site: Site }) {
    return (
        <section class={`card site ${site.waits ? "waits" : site.causes ? "causes" : ""}`}>
            <h3><Name text={siteTitle(site)} /></h3>
            <p>
                <Where place={site} />
            </p>
            {site.file && (
                <p class="quiet path">
                    <Name text={site.file} most={90} />
                </p>
            )}
            {site.source ? (
                <SourceView source={site.source} />
            ) : (
                <p class="quiet">The source is not in this report.</p>
            )}
            {site.source?.newer && (
                <p class="quiet">The file was changed after the program was built: these may not be the lines that ran.</p>
            )}
        </section>
    );
}
