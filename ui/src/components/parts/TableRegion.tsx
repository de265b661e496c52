import type { ComponentChildren } from "preact";

/** A wide table: scrolls within itself, reachable by keyboard. A group, for landmarks as many as tables lead nowhere. */
export function TableRegion({ label, children }: { label: string; children: ComponentChildren }) {
    return (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        <div class="table-region" role="group" aria-label={label} tabIndex={0}>
            {children}
        </div>
    );
}
