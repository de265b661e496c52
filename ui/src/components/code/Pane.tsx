/** One side of the view: rows that scroll below a head that stays, walked by keyboard. Draws only what shows. */

import type { ComponentChildren, RefObject, TargetedEvent, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Heights } from "../../logic/code/heights";
import { useRowWindow } from "./useRowWindow";

/** Height of a row without remarks, as in `code.css`. */
export const ROW = 20;
const HEAD = 24;

/** How a row was chosen: walked to, pointed at to see where it leads, entered to go there, or opened for the rows below it. */
export type How = "walk" | "point" | "enter" | "open";

/** A wish to see a row; each wish has its own number, so that the same row can be wished for twice. */
export interface Wish {
    row: number;
    serial: number;
}

export interface PaneProps {
    label: string;
    id: string;
    grid: RefObject<HTMLDivElement>;
    heights: Heights;
    columns: readonly string[];
    /** Row of the cursor; -1 for none. */
    cursor: number;
    /** Where walking begins when there is no cursor. */
    start: number;
    wish: Wish;
    /** Rows to print, for paper does not scroll. */
    printed: readonly [number, number] | undefined;
    class: string;
    columnStyle: Record<string, string>;
    row: (row: number) => { class: string; data?: Record<string, string | number>; content: ComponentChildren };
    onChoose: (row: number, how: How) => void;
    onHover: (row: number | undefined) => void;
}

function rowOfEvent(event: TargetedEvent<HTMLElement>): number | undefined {
    if (!(event.target instanceof Element)) return undefined;
    const row = event.target.closest<HTMLElement>("[data-row]")?.dataset["row"];
    return row === undefined ? undefined : Number(row);
}

/** Where a key leads from a row; undefined for keys that do not walk. */
function walk(key: string, at: number, count: number, page: number): number | undefined {
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1 };
    const to = Object.hasOwn(steps, key) ? steps[key] : undefined;
    return to === undefined ? undefined : Math.min(Math.max(to, 0), count - 1);
}

export function Pane(props: PaneProps) {
    const { grid, heights, cursor, wish, id, printed } = props;
    const shown = useRowWindow(grid, heights, HEAD);
    const done = useRef(0);

    useLayoutEffect(() => {
        if (done.current === wish.serial) return;
        done.current = wish.serial;
        shown.reveal(wish.row, "middle");
    }, [wish, shown]);

    const key = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
        // Links and buttons within rows keep their own keys.
        if (event.target !== event.currentTarget || heights.count === 0 || event.altKey || event.metaKey) return;
        if ((event.key === "Enter" || event.key === " ") && cursor >= 0) {
            props.onChoose(cursor, event.key === "Enter" ? "enter" : "open");
        } else {
            const page = Math.max(Math.floor(event.currentTarget.clientHeight / ROW) - 2, 1);
            const to = cursor < 0 ? walk(event.key, Math.max(props.start - 1, -1), heights.count, page) : walk(event.key, cursor, heights.count, page);
            if (to === undefined) return;
            props.onChoose(to, "walk");
            shown.reveal(to, "nearest");
        }
        event.preventDefault();
    };
    const click = (event: TargetedMouseEvent<HTMLDivElement>) => {
        if (event.target instanceof Element && event.target.closest("a, button, summary, .code-remarks") !== null) return;
        const row = rowOfEvent(event);
        if (row !== undefined) props.onChoose(row, "point");
    };

    const [from, to] = printed ?? [shown.from, shown.to];
    const rows = Array.from({ length: Math.max(to - from, 0) }, (_, at) => from + at);
    return (
        <div
            ref={grid}
            id={id}
            class={`code-grid ${props.class}`}
            role="grid"
            aria-label={props.label}
            aria-rowcount={heights.count + 1}
            aria-activedescendant={cursor >= from && cursor < to ? `${id}-${cursor}` : undefined}
            tabIndex={0}
            style={{ "--pane-width": `${shown.width}px`, ...props.columnStyle }}
            onKeyDown={key}
            onClick={click}
            onPointerOver={(event) => props.onHover(rowOfEvent(event))}
            onPointerLeave={() => props.onHover(undefined)}
        >
            <div class="code-columns" role="row" aria-rowindex={1}>
                {props.columns.map((column) => (
                    <span key={column} role="columnheader">
                        {column}
                    </span>
                ))}
            </div>
            <div class="code-space" role="presentation" style={{ height: printed === undefined ? `${heights.offset(from)}px` : "0" }} />
            {rows.map((row) => {
                const { class: name, data, content } = props.row(row);
                return (
                    <div
                        key={row}
                        id={`${id}-${row}`}
                        role="row"
                        aria-rowindex={row + 2}
                        aria-selected={row === cursor}
                        data-row={row}
                        class={`code-row ${name}${row === cursor ? " cursor" : ""}`}
                        {...data}
                    >
                        {content}
                    </div>
                );
            })}
            <div class="code-space" role="presentation" style={{ height: printed === undefined ? `${heights.total - heights.offset(to)}px` : "0" }} />
        </div>
    );
}
