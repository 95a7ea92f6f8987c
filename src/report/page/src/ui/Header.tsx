import type { Run } from "../data/report";
import { plural, seconds } from "../text/format";
import type { Choice } from "../theme";
import { process } from "../text/process";
import { Name } from "./Name";

const CHOICES: [Choice, string][] = [
    ["system", "Auto"],
    ["light", "Light"],
    ["dark", "Dark"],
];

function ThemeSwitch({ choice, choose }: { choice: Choice; choose: (choice: Choice) => void }) {
    return (
        <fieldset class="segments theme">
            <legend class="unseen">Colours</legend>
            {CHOICES.map(([value, label]) => (
                <label key={value}>
                    <input type="radio" name="theme" checked={choice === value} onChange={() => choose(value)} />
                    <span>{label}</span>
                </label>
            ))}
        </fieldset>
    );
}

function started(text: string): string {
    const date = new Date(text);
    return isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 16).replace("T", " ");
}

export function Header({ run, theme, choose }: { run: Run; theme: Choice; choose: (choice: Choice) => void }) {
    const facts = [
        run.mpi || run.runtime || "",
        plural(run.ranks, process()),
        seconds(run.wall_s),
        run.host ?? "",
        run.started ? started(run.started) : "",
    ].filter(Boolean);
    return (
        <header class="top">
            <div class="brand" aria-hidden="true">
                <svg viewBox="0 0 32 32" width="28" height="28">
                    <rect class="brand-a" x="3" y="5" width="16" height="5" rx="2.5" />
                    <rect class="brand-b" x="21" y="5" width="8" height="5" rx="2.5" />
                    <rect class="brand-a" x="3" y="13.5" width="8" height="5" rx="2.5" />
                    <rect class="brand-b" x="13" y="13.5" width="16" height="5" rx="2.5" />
                    <rect class="brand-a" x="3" y="22" width="21" height="5" rx="2.5" />
                    <rect class="brand-b" x="26" y="22" width="3" height="5" rx="1.5" />
                </svg>
            </div>
            <div class="title">
                <h1>
                    Whyslow <span class="program"><Name text={run.program || run.command || "a run"} most={60} /></span>
                </h1>
                <p class="facts">
                    {facts.map((fact) => (
                        <span key={fact}>
                            <Name text={fact} most={60} />
                        </span>
                    ))}
                </p>
            </div>
            <ThemeSwitch choice={theme} choose={choose} />
        </header>
    );
}
