import { PROBLEM_COLORS, problemColor } from "../colors";
import { problemTitle } from "../data/problems";
import type { Problem } from "../data/report";
import { shortened, visible } from "../text/names";
import { Swatch } from "../ui/Swatch";

interface Properties {
    problems: Problem[];
    chosen: number | null;
    choose(problem: number | null): void;
}

/** What the colours stand for; a problem can be chosen, then only its waiting has colour. */
export function ColorLegend({ problems, chosen, choose }: Properties) {
    return (
        <ul class="legend" aria-label="Colours">
            <li><Swatch color="var(--row)" />computes</li>
            <li><Swatch color="var(--call)" />in a call</li>
            {problems.slice(0, PROBLEM_COLORS).map((_, i) => (
                <li key={i}>
                    <button class="chip" aria-pressed={chosen === i} onClick={() => choose(chosen === i ? null : i)}>
                        <Swatch color={problemColor(i)} />
                        waits: {shortened(visible(problemTitle(problems, i)), 50)}
                    </button>
                </li>
            ))}
            <li><Swatch color="var(--problem-other)" />waits: other</li>
        </ul>
    );
}
