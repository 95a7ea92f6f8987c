import { percent } from "../text/format";
import { amount } from "./ExchangeTab";
import { cellName, type Matrix, type Measure } from "./matrix";

const MOST = 512;

/** What each place received. */
export function Received({ matrix, measure }: { matrix: Matrix; measure: Measure }) {
    const order = Array.from(matrix.received.keys()).sort((a, b) => matrix.received[b] - matrix.received[a] || a - b);
    const most = matrix.received[order[0]] || 1;
    const mean = matrix.total / matrix.side;
    return (
        <section class="card" aria-labelledby="received-title">
            <h2 id="received-title">Received by each place</h2>
            <p class="quiet">
                {amount(mean, measure)} on the average; the most is {percent(mean > 0 ? matrix.received[order[0]] / mean : 0)} of it.
            </p>
            <div class="scroll received" tabIndex={0} role="region" aria-labelledby="received-title">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col" class="number">{matrix.each > 1 ? "Places" : "Place"}</th>
                            <th scope="col"><span class="unseen">as a bar</span></th>
                            <th scope="col" class="number">Received</th>
                            <th scope="col" class="number">Sent</th>
                        </tr>
                    </thead>
                    <tbody>
                        {order.slice(0, MOST).map((place) => (
                            <tr key={place}>
                                <th scope="row" class="number">{cellName(place, matrix)}</th>
                                <td class="bar-cell">
                                    <span class="bar" style={{ width: `${(100 * matrix.received[place]) / most}%` }} />
                                </td>
                                <td class="number">{amount(matrix.received[place], measure)}</td>
                                <td class="number">{amount(matrix.sent[place], measure)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}
