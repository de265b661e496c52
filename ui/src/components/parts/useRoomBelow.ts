import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Pixels from an element's top to the lower edge of the window when the page is scrolled to its top; 0 before the first layout. */
export function useRoomBelow(element: RefObject<Element>): number {
    const [room, setRoom] = useState(0);
    useLayoutEffect(() => {
        const { current } = element;
        if (current === null) return;
        const measure = () => setRoom(Math.floor(innerHeight - current.getBoundingClientRect().top - scrollY));
        measure();
        addEventListener("resize", measure);
        return () => removeEventListener("resize", measure);
    }, [element]);
    return room;
}
