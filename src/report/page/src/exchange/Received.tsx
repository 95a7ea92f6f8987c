import { percent } from "../text/format";
import { amount } from "./ExchangeTab";
import type { Matrix, Measure } from "./matrix";

const MOST = 1024;

/** What each place received. */
export function Received({ matrix, measure }: { matrix: Matrix; measure: Measure }) {
    const order = Array.from(matrix.receivedBy.keys()).sort((a, b) => matrix.receivedBy[b] - matrix.receivedBy[a] || a - b);
    const most = matrix.receivedBy[order[0]] || 1;
    const mean = matrix.total / (matrix.places || 1);
    return (
        <section class="card" aria-labelledby="received-title">
            <h2 id="received-title">Received by each place</h2>
            <p class="quiet">
                {amount(mean, measure)} on the average; the most is {percent(mean > 0 ? matrix.receivedBy[order[0]] / mean : 0)} of it.
                {matrix.places > MOST && ` The ${MOST} that received most:`}
            </p>
            <div class="scroll received" tabIndex={0} role="group" aria-labelledby="received-title">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col" class="number">Place</th>
                            <th scope="col"><span class="unseen">as a bar</span></th>
                            <th scope="col" class="number">Received</th>
                            <th scope="col" class="number">Sent</th>
                        </tr>
                    </thead>
                    <tbody>
                        {order.slice(0, MOST).map((place) => (
                            <tr key={place}>
                                <th scope="row" class="number">{place}</th>
                                <td class="bar-cell">
                                    <span class="bar" style={{ width: `${(100 * matrix.receivedBy[place]) / most}%` }} />
                                </td>
                                <td class="number">{amount(matrix.receivedBy[place], measure)}</td>
                                <td class="number">{amount(matrix.sentBy[place], measure)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
