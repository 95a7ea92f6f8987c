/** Light or dark: as the system has it, until the reader says otherwise. */
import { useEffect, useState } from "preact/hooks";

export type Choice = "system" | "light" | "dark";
const KEY = "whyslow-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

// A page from disk may be denied storage: then the choice lasts as long as the page.
function remembered(): Choice {
    try {
        const value = localStorage.getItem(KEY);
        return value === "light" || value === "dark" ? value : "system";
    } catch {
        return "system";
    }
}

function remember(choice: Choice) {
    try {
        localStorage.setItem(KEY, choice);
    } catch {
        /* as said above */
    }
}

export function shown(choice: Choice): "light" | "dark" {
    return choice === "system" ? (dark.matches ? "dark" : "light") : choice;
}

export function applyTheme(choice: Choice = remembered()) {
    document.documentElement.dataset.theme = shown(choice);
}

/** The choice, how it looks now, and a function to choose.  Components that draw on canvas draw anew when it changes. */
export function useTheme(): [Choice, "light" | "dark", (choice: Choice) => void] {
    const [choice, setChoice] = useState(remembered);
    const [look, setLook] = useState(shown(choice));
    useEffect(() => {
        const follow = () => {
            applyTheme(choice);
            setLook(shown(choice));
        };
        follow();
        dark.addEventListener("change", follow);
        return () => dark.removeEventListener("change", follow);
    }, [choice]);
    return [
        choice,
        look,
        (next) => {
            remember(next);
            setChoice(next);
        },
    ];
}
