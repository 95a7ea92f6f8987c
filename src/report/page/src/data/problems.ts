import { baseName } from "../text/names";
import type { Problem, Site } from "./report";

export const shareOf = (problem: Problem) => problem.severity_percent / 100;

export const waitingSite = (problem: Problem): Site | undefined =>
    problem.sites.find((site) => site.waits) ?? problem.sites[0];

/** The call that is waited for, if it is another one. */
export const causingSite = (problem: Problem): Site | undefined => problem.sites.find((site) => site.causes && !site.waits);

/** A problem's name, with the line where it waits if there are others of that name. */
export function problemTitle(problems: Problem[], index: number): string {
    const { name } = problems[index];
    const site = waitingSite(problems[index]);
    const alone = problems.every((other, i) => i === index || other.name !== name);
    return alone || !site?.file ? name : `${name} at ${baseName(site.file)}:${site.line}`;
}

/** A call that waits for itself in another rank is one site with both parts. */
export function siteTitle(site: Site): string {
    if (site.waits && site.causes) return "Waits, and is waited for";
    if (site.waits) return "Waits";
    if (site.causes) return "Is waited for";
    return `Takes part (${site.role})`;
}
