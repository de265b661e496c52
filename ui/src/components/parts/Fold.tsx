import type { ComponentChildren } from "preact";
import { usePrinting } from "./usePrinting";

/** Details that most readers pass over: one line until they are wanted, whole on paper. */
export function Fold({ title, open = false, kind, children }: { title: ComponentChildren; open?: boolean; kind?: string; children: ComponentChildren }) {
    const printing = usePrinting();
    return (
        <details class={kind === undefined ? "fold" : `fold ${kind}`} open={open || printing}>
            <summary>{title}</summary>
            {children}
        </details>
    );
}
