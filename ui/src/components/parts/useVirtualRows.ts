import type { RefObject } from "preact";
import { useCallback, useLayoutEffect, useState } from "preact/hooks";
import { type VirtualRows, firstRows, scrollFor, virtualRows } from "../../logic/virtual";
import { usePrinting } from "./usePrinting";

/** Rows that are printed at most: a report of thousands of pages is no use. */
export const MOST_PRINTED = 500;

export interface VirtualOptions {
    count: number;
    /** Height of each row in pixels; the style sheet must hold to it. */
    rowHeight: number;
    /** Element whose children the rows are. */
    list: RefObject<HTMLElement>;
    /** Element that scrolls; without it the window does. */
    scroller?: RefObject<HTMLElement> | undefined;
    /** Row that stays drawn, wherever it is: the focused one. */
    keep?: number | undefined;
    overscan?: number;
    /** Height that a header which stays covers at the top. */
    covered?: number;
}

export interface Virtual extends VirtualRows {
    /** Brings a row into sight. */
    reveal: (index: number) => void;
    printing: boolean;
}

interface Sight {
    offset: number;
    height: number;
}

/** Where the list is against what is in sight. */
function look(list: HTMLElement | null, scroller: HTMLElement | null): Sight {
    if (list === null) return { offset: 0, height: innerHeight };
    const top = list.getBoundingClientRect().top;
    if (scroller === null) return { offset: -top, height: innerHeight };
    return { offset: scroller.getBoundingClientRect().top + scroller.clientTop - top, height: scroller.clientHeight };
}

/**
 * The rows of a long list that need to be drawn. Each says how many rows are left out before it: give it a margin of
 * that many row heights (and the list `display: flow-root`, or the first margin moves the list itself), or put an empty
 * row before it; `after` likewise behind the last.
 */
export function useVirtualRows({ count, rowHeight, list, scroller, keep, overscan = 8, covered = 0 }: VirtualOptions): Virtual {
    const printing = usePrinting();
    const [sight, setSight] = useState<Sight>({ offset: 0, height: innerHeight });

    useLayoutEffect(() => {
        const element = scroller?.current ?? null;
        const target: HTMLElement | Window = element ?? window;
        // Rows that come and go above the ones in sight are no reason to move: the gaps have their height.
        (element ?? document.documentElement).style.overflowAnchor = "none";
        const update = () =>
            setSight((known) => {
                const now = look(list.current, element);
                return now.offset === known.offset && now.height === known.height ? known : now;
            });
        update();
        target.addEventListener("scroll", update, { passive: true });
        addEventListener("resize", update);
        const observer = element === null ? undefined : new ResizeObserver(update);
        if (element !== null) observer?.observe(element);
        return () => {
            target.removeEventListener("scroll", update);
            removeEventListener("resize", update);
            observer?.disconnect();
        };
        // A list that changed its length may have made the browser scroll.
    }, [list, scroller, count]);

    const reveal = useCallback(
        (index: number) => {
            const element = scroller?.current ?? null;
            const now = look(list.current, element);
            const moved = scrollFor(index, rowHeight, now.offset, now.height, covered) - now.offset;
            if (moved !== 0) (element ?? window).scrollBy({ top: moved, behavior: "instant" });
        },
        [list, scroller, rowHeight, covered],
    );

    const drawn = printing ? firstRows(count, MOST_PRINTED) : virtualRows({ count, rowHeight, ...sight, overscan, keep });
    return { ...drawn, reveal, printing };
}
