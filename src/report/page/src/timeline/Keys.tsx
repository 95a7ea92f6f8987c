import { processes } from "../text/process";
import { Fold } from "../ui/Fold";

const keys = (): [string, string][] => [
    ["wheel, + −", "zoom in time"],
    ["Alt + wheel, [ ]", `zoom in ${processes()}`],
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
                    {keys().map(([pressed, what]) => (
                        <div key={pressed}>
                            <dt>{pressed}</dt>
                            <dd>{what}</dd>
                        </div>
                    ))}
                </dl>
            )}
        </Fold>
    );
}
