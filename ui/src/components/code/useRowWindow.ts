import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Heights } from "../../logic/code/heights";

/** Rows drawn beyond both edges, so that scrolling shows no gaps. */
const MORE = 12;

export interface RowWindow {
    from: number;
    to: number;
    /** Width of what is seen of the list, for parts that do not scroll sideways. */
    width: number;
    /** Scrolls a row into view: into the middle, or just as far as needed. */
    reveal: (row: number, how: "middle" | "nearest") => void;
}

/** Which rows of a scrolling list show. Drawn rows, marked by `data-row`, are measured after each drawing. */
export function useRowWindow(scroller: RefObject<HTMLElement>, heights: Heights, head: number): RowWindow {
    const [, redraw] = useState(0);
    const [seen, setSeen] = useState({ top: 0, height: 600, width: 0 });

    // The row that was asked for, and how far the list was scrolled for it: once it is scrolled elsewhere, the row is let go.
    const wanted = useRef<number | undefined>(undefined);
    const placed = useRef(0);

    const look = useCallback(() => {
        const element = scroller.current;
        if (element === null) return;
        if (Math.abs(element.scrollTop - placed.current) > 1) wanted.current = undefined;
        const { scrollTop: top, clientHeight: height, clientWidth: width } = element;
        setSeen((known) => (known.top === top && known.height === height && known.width === width ? known : { top, height, width }));
    }, [scroller]);

    useEffect(() => {
        const element = scroller.current;
        if (element === null) return undefined;
        look();
        element.addEventListener("scroll", look, { passive: true });
        const sizes = new ResizeObserver(look);
        sizes.observe(element);
        return () => {
            element.removeEventListener("scroll", look);
            sizes.disconnect();
        };
    }, [scroller, look]);

    /** Scrolls to the place of a row by the heights that are known now. */
    const scrollTo = useCallback(
        (row: number, how: "middle" | "nearest") => {
            const element = scroller.current;
            if (element === null || row < 0) return;
            const [top, height] = [heights.offset(row), Math.min(heights.height(row), 60)];
            const inside = element.clientHeight - head;
            const shown = top >= element.scrollTop && top + height <= element.scrollTop + inside;
            if (shown && how === "nearest") return;
            if (how === "middle") element.scrollTop = top - Math.max((inside - height) / 2, 0);
            else element.scrollTop = top < element.scrollTop ? top : top + height - inside;
            placed.current = element.scrollTop;
        },
        [scroller, heights, head],
    );

    // What is measured above the window must not move what is read: the row at its upper edge stays where it is. While a row that
    // was asked for comes into view, that one keeps its place instead.
    useLayoutEffect(() => {
        const element = scroller.current;
        if (element === null) return;
        const top = element.scrollTop;
        const anchor = heights.rowAt(top);
        const within = top - heights.offset(anchor);
        let changed = false;
        for (const row of element.querySelectorAll<HTMLElement>("[data-row]")) {
            if (heights.set(Number(row.dataset["row"]), row.getBoundingClientRect().height)) changed = true;
        }
        if (!changed) return;
        const place = heights.offset(anchor) + within;
        redraw((count) => count + 1);
        if (wanted.current !== undefined) scrollTo(wanted.current, "middle");
        else if (place !== top && within < heights.height(anchor)) element.scrollTop = place;
        if (wanted.current === undefined) placed.current = element.scrollTop;
    });

    const reveal = useCallback(
        (row: number, how: "middle" | "nearest") => {
            wanted.current = how === "middle" ? row : undefined;
            scrollTo(row, how);
            look();
        },
        [scrollTo, look],
    );

    const [from, to] = heights.window(seen.top, seen.height, MORE);
    return { from, to, width: seen.width, reveal };
}
