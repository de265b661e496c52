import type { ComponentChildren } from "preact";
import { SchemeChoice } from "./SchemeChoice";

/** The top of the page, whatever it is about. */
export function Masthead({ skip, children }: { skip: () => void; children: ComponentChildren }) {
    return (
        <header class="masthead">
            {/* A button: a link within the page would change the address, which names the view. */}
            <button type="button" class="skip" onClick={skip}>
                Skip to content
            </button>
            <p class="brand">loopwright</p>
            <div class="subject">{children}</div>
            <SchemeChoice />
        </header>
    );
}
