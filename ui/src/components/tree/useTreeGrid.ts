import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { address } from "../../logic/route";
import { below, hotPath } from "../../logic/tree/nodes";
import type { Row } from "../../logic/tree/rows";
import { go } from "../parts/location";

interface Given {
    rows: readonly Row[];
    /** Rows in a screenful. */
    page: number;
    open: ReadonlySet<number>;
    setOpen: (open: ReadonlySet<number>) => void;
    reveal: (index: number) => void;
}

/** The keyboard of a tree grid whose rows take the focus: https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/ */
export function useTreeGrid({ rows, page, open, setOpen, reveal }: Given, grid: { current: HTMLElement | null }, at: [number, (node: number) => void]) {
    const [node, setNode] = at;
    const wanted = useRef<number>();
    const [, again] = useState(0);
    const current = Math.max(rows.findIndex((row) => row.node.index === node), 0);

    const focus = useCallback(
        (index: number) => {
            const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
            if (row === undefined) return;
            wanted.current = row.node.index;
            setNode(row.node.index);
            reveal(rows.indexOf(row));
            again((count) => count + 1);
        },
        [rows, reveal, setNode],
    );

    // The row may be drawn only after it was revealed.
    useEffect(() => {
        if (wanted.current === undefined) return;
        const element = grid.current?.querySelector<HTMLElement>(`[data-node="${wanted.current}"]`);
        if (element === null || element === undefined) return;
        wanted.current = undefined;
        element.focus({ preventScroll: true });
    });

    const change = useCallback(
        (nodes: Iterable<number>, opened: boolean) => {
            const next = new Set(open);
            for (const each of nodes) {
                if (opened) next.add(each);
                else next.delete(each);
            }
            setOpen(next);
        },
        [open, setOpen],
    );
    const expandAll = useCallback(
        (index: number) => {
            const row = rows[index];
            if (row !== undefined) change(below(row.node).filter((each) => each.children.length > 0).map((each) => each.index), true);
        },
        [rows, change],
    );
    const expandHotPath = useCallback(
        (index: number) => {
            const row = rows[index];
            if (row !== undefined) change(hotPath(row.node).slice(0, -1).map((each) => each.index), true);
        },
        [rows, change],
    );

    const onKeyDown = (event: KeyboardEvent) => {
        const row = rows[current];
        if (row === undefined || event.altKey || event.metaKey || (event.ctrlKey && event.key !== "Home" && event.key !== "End")) return;
        const parent = () => rows.findIndex((each) => each.node === row.node.parent);
        const does: Record<string, () => void> = {
            ArrowDown: () => focus(current + 1),
            ArrowUp: () => focus(current - 1),
            PageDown: () => focus(current + page),
            PageUp: () => focus(current - page),
            Home: () => focus(0),
            End: () => focus(rows.length - 1),
            ArrowRight: () => {
                if (row.open === false) change([row.node.index], true);
                else if (row.open === true) focus(current + 1);
            },
            ArrowLeft: () => {
                if (row.open === true && open.has(row.node.index)) change([row.node.index], false);
                else if (row.node.parent !== undefined) focus(parent());
            },
            "*": () => expandAll(current),
            Enter: () => {
                if (row.node.loop_id !== undefined) go(address("loop", row.node.loop_id));
                else if (row.open !== undefined) change([row.node.index], !row.open);
            },
            " ": () => {
                if (row.open !== undefined) change([row.node.index], !row.open);
            },
        };
        const action = does[event.key];
        if (action === undefined) return;
        event.preventDefault();
        action();
    };

    const onClick = (event: MouseEvent) => {
        const target = event.target as Element;
        const index = Number(target.closest("[data-node]")?.getAttribute("data-node") ?? NaN);
        const row = rows.find((each) => each.node.index === index);
        if (row === undefined) return;
        setNode(index);
        if (target.closest(".twisty") !== null && row.open !== undefined) change([index], !row.open);
    };
    return { current, onKeyDown, onClick, expandAll: () => expandAll(current), expandHotPath: () => expandHotPath(current) };
}
