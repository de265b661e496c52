import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a view with its heading; a region for screen readers. */
export function Panel({ title, children, note }: { title: string; children: ComponentChildren; note?: ComponentChildren }) {
    const id = useId();
    return (
        <section class="panel" aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            {note !== undefined && <p class="dim">{note}</p>}
            {children}
        </section>
    );
}
