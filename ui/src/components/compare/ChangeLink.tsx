/** Leads to a loop's row in the table below. */

import type { ComponentChildren } from "preact";
import { address, type Route } from "../../logic/route";

/** Brings a row into sight, and the keyboard to it. */
export function reveal(index: number): void {
    const row = document.getElementById(`change-${index}`);
    row?.scrollIntoView({ block: "center" });
    row?.focus({ preventScroll: true });
}

/** Several findings may be about one loop: a link to the address that is there already must lead to the row as well. */
export function ChangeLink({ index, route: { query }, children }: { index: number; route: Route; children: ComponentChildren }) {
    // Filters, which may hide the row, are dropped; the reader's other choices stay.
    const kept = Object.fromEntries([...query].filter(([key]) => ["sort", "desc", "findings", "predictions"].includes(key)));
    return (
        <a href={address("compare", undefined, { ...kept, row: index, all: 1 })} onClick={(event) => event.currentTarget.hash === location.hash && reveal(index)}>
            {children}
        </a>
    );
}
