import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** A part of a view with its heading; a region for screen readers. */
export function Panel({ title, children, note, kind }: { title: string; children: ComponentChildren; note?: ComponentChildren; kind?: string }) {
    const id = useId();
    return (
        <section class={kind === undefined ? "panel" : `panel ${kind}`} aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            {note !== undefined && <p class="dim">{note}</p>}
            {children}
        </section>
    );
}
