import { useEffect, useRef } from "preact/hooks";
import { problemColor } from "../colors";
import type { Problem } from "../data/report";
import { shareOf, waitingSite } from "../data/problems";
import { address } from "../route";
import { percent } from "../text/format";
import { Name } from "../ui/Name";
import { Swatch } from "../ui/Swatch";
import { Where } from "../ui/Where";

export function ProblemList({ problems, current }: { problems: Problem[]; current: number }) {
    const list = useRef<HTMLElement>(null);
    useEffect(() => list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [current]);
    return (
        <nav class="problem-list" ref={list} aria-label="Problems, the worst first">
            <ol>
                {problems.map((problem, i) => (
                    <li key={i}>
                        <a href={address("problem", i)} aria-current={i === current ? "page" : undefined}>
                            <Swatch color={problemColor(i)} />
                            <span class="what">
                                <span class="label"><Name text={problem.name} /></span>
                                <span class="quiet">
                                    <Where place={waitingSite(problem) ?? {}} brief />
                                </span>
                            </span>
                            <span class="number">{percent(shareOf(problem))}</span>
                        </a>
                    </li>
                ))}
            </ol>
        </nav>
    );
}
