import type { Place } from "../data/report";
import { baseName } from "../text/names";
import { Name } from "./Name";

/** "MPI_Send in exchange() at border.c:63", or module and offset where the debug information does not tell. */
export function Where({ place, brief = false }: { place: Partial<Place>; brief?: boolean }) {
    return (
        <span class="where">
            {place.called && <Name text={place.called} code />}
            {!brief && place.function && (
                <>
                    {" in "}
                    <Name text={place.function} code />
                </>
            )}
            {place.file ? (
                <>
                    {" at "}
                    <Name text={`${baseName(place.file)}:${place.line ?? 0}`} code />
                </>
            ) : (
                place.module && (
                    <>
                        {" at "}
                        <Name text={`${baseName(place.module)}+0x${(place.offset ?? 0).toString(16)}`} code />
                    </>
                )
            )}
        </span>
    );
}
