import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Keeps the focus within a list whose rows come and go: an element that drawing moves among others loses the focus,
 * which then goes back to the row with the tab stop. For lists of `useVirtualRows` through which the keyboard moves.
 */
export function useKeptFocus(list: RefObject<HTMLElement>): void {
    const inside = useRef(false);
    const drawing = useRef(false);
    // From here until the effect below the page is being redrawn: focus lost meanwhile was not taken away by the reader.
    drawing.current = true;
    useLayoutEffect(() => {
        drawing.current = false;
        const element = list.current;
        if (!inside.current || element === null || element.contains(document.activeElement)) return;
        element.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    });
    useLayoutEffect(() => {
        const element = list.current;
        const enter = () => {
            inside.current = true;
        };
        const leave = () => {
            if (!drawing.current) inside.current = false;
        };
        element?.addEventListener("focusin", enter);
        element?.addEventListener("focusout", leave);
        return () => {
            element?.removeEventListener("focusin", enter);
            element?.removeEventListener("focusout", leave);
        };
    }, [list]);
}
