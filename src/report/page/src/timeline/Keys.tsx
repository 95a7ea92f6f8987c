import { Fold } from "../ui/Fold";

const KEYS: [string, string][] = [
    ["wheel, + −", "zoom in time"],
    ["Alt + wheel, [ ]", "zoom in ranks"],
    ["drag, arrow keys, Shift + wheel", "move"],
    ["click", "an event’s parameters"],
    ["n p", "next, previous event (that was found)"],
    ["m", "message lines"],
    ["Home", "the whole run"],
    ["Esc", "no event selected"],
];

export function Keys() {
    return (
        <Fold title="Mouse and keyboard">
            {() => (
                <dl class="keys">
                    {KEYS.map(([keys, what]) => (
                        <div key={keys}>
                            <dt>{keys}</dt>
                            <dd>{what}</dd>
                        </div>
                    ))}
                </dl>
            )}
        </Fold>
    );
}
