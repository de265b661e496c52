import type { RefObject } from "preact";
import { useCallback, useEffect, useLayoutEffect, useState } from "preact/hooks";
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

    const look = useCallback(() => {
        const element = scroller.current;
        if (element === null) return;
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

    useLayoutEffect(() => {
        let changed = false;
        for (const row of scroller.current?.querySelectorAll<HTMLElement>("[data-row]") ?? []) {
            if (heights.set(Number(row.dataset["row"]), row.getBoundingClientRect().height)) changed = true;
        }
        if (changed) redraw((count) => count + 1);
    });

    const reveal = useCallback(
        (row: number, how: "middle" | "nearest") => {
            const element = scroller.current;
            if (element === null || row < 0) return;
            const [top, height] = [heights.offset(row), Math.min(heights.height(row), 60)];
            const inside = element.clientHeight - head;
            const shown = top >= element.scrollTop && top + height <= element.scrollTop + inside;
            if (shown && how === "nearest") return;
            if (how === "middle") element.scrollTop = top - Math.max((inside - height) / 2, 0);
            else element.scrollTop = top < element.scrollTop ? top : top + height - inside;
            look();
        },
        [scroller, heights, head, look],
    );

    const [from, to] = heights.window(seen.top, seen.height, MORE);
    return { from, to, width: seen.width, reveal };
}
