import type { Problem, Site } from "./report";

export const shareOf = (problem: Problem) => problem.severity_percent / 100;

export const waitingSite = (problem: Problem): Site | undefined =>
    problem.sites.find((site) => site.waits) ?? problem.sites[0];

export const causingSite = (problem: Problem): Site | undefined =>
    problem.sites.find((site) => site.causes && !site.waits) ?? problem.sites.find((site) => site.causes);

/** A call that waits for itself in another rank is one site with both parts. */
export function siteTitle(site: Site): string {
    if (site.waits && site.causes) return "Waits, and is waited for";
    if (site.waits) return "Waits";
    if (site.causes) return "Is waited for";
    return `Takes part (${site.role})`;
}
