import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Marks an entry of the browser's history, so that its place can be found again. */
interface Entry {
    entry: number;
}

function entryOf(state: unknown): number | undefined {
    return typeof state === "object" && state !== null && "entry" in state && typeof state.entry === "number" ? state.entry : undefined;
}

/** The number of the history entry that is shown; new entries are given one. */
function currentEntry(): number {
    const known = entryOf(history.state);
    if (known !== undefined) return known;
    const entry = Date.now() + Math.random();
    try {
        history.replaceState({ entry } satisfies Entry, "");
    } catch {
        // Refused after very many steps in a short time: this one starts at its top when it is visited again.
    }
    return entry;
}

/**
 * Keeps the reader's place: another view starts at its top with its heading focused (or screen readers would go on
 * reading where the old one was), and going back leads to where the page was scrolled. `shown` names what is shown.
 */
export function usePlace(shown: string, heading: RefObject<HTMLElement>): void {
    const places = useRef(new Map<number, number>());
    const entry = useRef<number>();

    useEffect(() => {
        history.scrollRestoration = "manual";
        entry.current = currentEntry();
        const remember = () => {
            if (entry.current !== undefined) places.current.set(entry.current, scrollY);
        };
        addEventListener("scroll", remember, { passive: true });
        return () => removeEventListener("scroll", remember);
    }, []);

    useLayoutEffect(() => {
        if (entry.current === undefined) return;
        entry.current = currentEntry();
        scrollTo({ top: places.current.get(entry.current) ?? 0, behavior: "instant" });
        heading.current?.focus({ preventScroll: true });
    }, [shown, heading]);
}
