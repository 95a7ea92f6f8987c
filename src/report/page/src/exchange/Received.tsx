import type { Exchange } from "../data/exchange";
import { percent } from "../text/format";
import { visible } from "../text/names";
import { capital } from "../text/process";
import { amount } from "./amount";
import type { Matrix, Measure } from "./matrix";

const MOST = 1024;

/** What each place received. */
export function Received({ name, matrix, measure, whole }: { name: string; matrix: Matrix; measure: Measure; whole: Exchange | null }) {
    const received = whole?.received ?? matrix.receivedBy;
    const sent = whole?.sent ?? matrix.sentBy;
    const order = Array.from({ length: matrix.places }, (_, place) => place).sort((a, b) => received[b] - received[a] || a - b);
    const most = received[order[0]] || 1;
    const mean = order.reduce((sum, place) => sum + received[place], 0) / (matrix.places || 1);
    return (
        <section class="card" aria-labelledby="received-title">
            <h2 id="received-title">Received by each {visible(name)}</h2>
            <p class="quiet">
                {amount(mean, measure)} on the average; the most is {percent(mean > 0 ? received[order[0]] / mean : 0)} of it.
                {matrix.places > MOST && ` The ${MOST} that received most:`}
            </p>
            <div class="scroll received" tabIndex={0} role="group" aria-labelledby="received-title">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col" class="number">{capital(visible(name))}</th>
                            <th scope="col"><span class="unseen">as a bar</span></th>
                            <th scope="col" class="number">Received</th>
                            <th scope="col" class="number">Sent</th>
                        </tr>
                    </thead>
                    <tbody>
                        {order.slice(0, MOST).map((place) => (
                            <tr key={place}>
                                <th scope="row" class="number">{matrix.first + place}</th>
                                <td class="bar-cell">
                                    <span class="bar" style={{ width: `${(100 * received[place]) / most}%` }} />
                                </td>
                                <td class="number">{amount(received[place], measure)}</td>
                                <td class="number">{amount(sent[place], measure)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
