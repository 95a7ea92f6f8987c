/** Where the reader is: the part of the address after "#", so that the browser's "back" works. */
import { useEffect, useState } from "preact/hooks";

export interface Route {
    tab: string;
    /** What comes after the tab: "problem/3/instance/0" has ["3", "instance", "0"]. */
    rest: string[];
}

/** An address may be anything that somebody typed. */
function decoded(part: string): string {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

export function parseRoute(hash: string): Route {
    const [tab, ...rest] = hash.replace(/^#/, "").split("/").map(decoded);
    return { tab: tab || "overview", rest };
}

export function address(tab: string, ...rest: (string | number)[]): string {
    return `#${[tab, ...rest].map((part) => encodeURIComponent(part)).join("/")}`;
}

export function useRoute(): Route {
    const [route, setRoute] = useState(() => parseRoute(location.hash));
    useEffect(() => {
        const follow = () => setRoute(parseRoute(location.hash));
        addEventListener("hashchange", follow);
        return () => removeEventListener("hashchange", follow);
    }, []);
    return route;
}
