import { useRef } from "preact/hooks";
import { COLUMNS, type Column } from "../../logic/loop-columns";
import type { LoopTable } from "../../logic/loop-table";
import type { Route } from "../../logic/route";
import { changeQuery } from "../parts/location";

interface Props {
    route: Route;
    table: LoopTable;
    shown: readonly Column[];
    /** The reader chose them. */
    chosen: boolean;
}

/** Which columns are shown. */
export function ColumnChoice({ route, table, shown, chosen }: Props) {
    const menu = useRef<HTMLDetailsElement>(null);
    const ids = new Set(shown.map((column) => column.id));
    const toggle = (id: string, on: boolean) => {
        const wanted = COLUMNS.filter((column) => (column.id === id ? on : ids.has(column.id))).map((column) => column.id);
        // None is a choice too; an empty key would mean the usual ones.
        changeQuery(route, { columns: wanted.length === 0 ? "none" : wanted.join(",") });
    };
    const close = (event: KeyboardEvent) => {
        if (event.key !== "Escape" || menu.current === null || !menu.current.open) return;
        menu.current.open = false;
        menu.current.querySelector("summary")?.focus();
    };
    return (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes menus wherever the focus is in them
        <details class="menu" ref={menu} onKeyDown={close}>
            <summary class="button">Columns</summary>
            <fieldset>
                <legend class="unseen">Columns</legend>
                {COLUMNS.map((column) => (
                    <label key={column.id}>
                        <input type="checkbox" checked={ids.has(column.id)} onChange={(event) => toggle(column.id, event.currentTarget.checked)} /> {column.title}
                        {!table.has(column) && <span class="dim"> (no data)</span>}
                    </label>
                ))}
                <button type="button" disabled={!chosen} onClick={() => changeQuery(route, { columns: undefined })}>
                    Usual columns
                </button>
            </fieldset>
        </details>
    );
}
