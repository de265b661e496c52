import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Width of an element in whole pixels, followed as it changes; 0 before the first layout. */
export function useWidth(element: RefObject<Element>): number {
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        const { current } = element;
        if (current === null) return;
        const measure = () => setWidth(Math.floor(current.getBoundingClientRect().width));
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(current);
        return () => observer.disconnect();
    }, [element]);
    return width;
}
