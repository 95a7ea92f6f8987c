import { Swatch } from "./Swatch";

export function Legend({ items }: { items: { color: string; label: string }[] }) {
    return (
        <ul class="legend">
            {items.map((item) => (
                <li key={item.label}>
                    <Swatch color={item.color} />
                    {item.label}
                </li>
            ))}
        </ul>
    );
}
