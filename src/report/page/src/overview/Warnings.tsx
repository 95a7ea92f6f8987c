import { Name } from "../ui/Name";

export function Warnings({ warnings }: { warnings: string[] }) {
    if (!warnings.length) return null;
    return (
        <section class="card warnings" aria-labelledby="warnings-title">
            <h2 id="warnings-title">Read the times with care</h2>
            <ul>
                {warnings.map((warning, i) => (
                    <li key={i}>
                        <Name text={warning} most={1000} />
                    </li>
                ))}
            </ul>
        </section>
    );
}
