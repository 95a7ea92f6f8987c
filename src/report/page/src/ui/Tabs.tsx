import { useRef } from "preact/hooks";
import { address } from "../route";

export interface Tab {
    id: string;
    label: string;
    count?: number;
}

/** The row of tabs: arrow keys go along it, as readers of a screen expect. */
export function Tabs({ tabs, current }: { tabs: Tab[]; current: string }) {
    const list = useRef<HTMLDivElement>(null);
    const onKeyDown = (event: KeyboardEvent) => {
        const at = tabs.findIndex((tab) => tab.id === current);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        const tab = tabs[(to + tabs.length) % tabs.length];
        location.hash = address(tab.id);
        list.current?.querySelector<HTMLElement>(`#tab-${tab.id}`)?.focus();
    };
    return (
        <div class="tabs" role="tablist" aria-label="Views" ref={list} onKeyDown={onKeyDown}>
            {tabs.map((tab) => (
                <a
                    key={tab.id}
                    id={`tab-${tab.id}`}
                    role="tab"
                    href={address(tab.id)}
                    aria-selected={tab.id === current}
                    aria-controls="panel"
                    tabIndex={tab.id === current ? 0 : -1}
                >
                    {tab.label}
                    {tab.count !== undefined && <span class="count">{tab.count}</span>}
                </a>
            ))}
        </div>
    );
}
