import type { ComponentChildren } from "preact";

/** A wide table: scrolls within itself, reachable by keyboard. */
export function TableRegion({ label, children }: { label: string; children: ComponentChildren }) {
    return (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        <div class="table-region" role="region" aria-label={label} tabIndex={0}>
            {children}
        </div>
    );
}
