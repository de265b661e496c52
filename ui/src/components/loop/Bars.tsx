import type { ComponentChildren } from "preact";

export interface Bar {
    name: ComponentChildren;
    /** Length, between 0 and 1. */
    share: number;
    text: ComponentChildren;
    key?: string;
}

/** Named shares as bars, longest as given: a list for screen readers. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
    return (
        <ul class="bars" aria-label={label}>
            {bars.map((bar, at) => (
                <li key={at}>
                    <span class="bar-name">{bar.name}</span>
                    <span class="bar-track" aria-hidden="true">
                        <span class="bar-fill" style={{ width: `${Math.min(Math.max(bar.share, 0), 1) * 100}%` }} />
                    </span>
                    <span class="bar-text" data-key={bar.key}>
                        {bar.text}
                    </span>
                </li>
            ))}
        </ul>
    );
}
