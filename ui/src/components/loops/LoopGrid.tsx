import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fitted } from "../../logic/column-fit";
import type { Report } from "../../logic/contract";
import type { Column, LoopRow } from "../../logic/loop-columns";
import { type Move, type TableState, type TreeRows, move } from "../../logic/loop-table";
import { type Route, address } from "../../logic/route";
import { changeQuery, go } from "../parts/location";
import { useKeptFocus } from "../parts/useKeptFocus";
import { MOST_PRINTED, useVirtualRows } from "../parts/useVirtualRows";
import { useWidth } from "../parts/useWidth";
import { GridHead } from "./GridHead";
import { GridRow } from "./GridRow";

/** Heights in pixels; `loops.css` holds to them. */
const ROW = 46;
const HEAD = 38;
/** Widths of the first column: on a phone, where there is little room, and else. Below `NARROW` a view is a phone's. */
const NAMES = { phone: 168, narrow: 220, wide: 272 };
const NARROW = 620;
const WIDE = 1400;
/** A scroll bar, which the width of the frame includes. */
const BAR = 18;

interface Props {
    report: Report;
    route: Route;
    state: TableState;
    rows: TreeRows;
    columns: readonly Column[];
}

/** Rows and columns in which the keyboard moves: one row is the tab stop, arrows lead to the others. */
export function LoopGrid({ report, route, state, rows, columns }: Props) {
    const scroller = useRef<HTMLDivElement>(null);
    const body = useRef<HTMLDivElement>(null);
    const [active, setActive] = useState<LoopRow>();
    const moved = useRef(false);
    const at = rows.indexOf(active) ?? 0;
    const virtual = useVirtualRows({ count: rows.length, rowHeight: ROW, list: body, scroller, keep: at, covered: HEAD });
    useKeptFocus(body);

    const act = (what: Move) => {
        if ("to" in what) {
            moved.current = true;
            virtual.reveal(what.to);
            setActive(rows.row(what.to));
        } else if ("open" in what) {
            go(address("loop", what.open));
        } else {
            const open = new Set(state.open);
            if ("expand" in what) open.add(what.expand);
            else open.delete(what.collapse);
            changeQuery(route, { open: [...open].join(",") });
        }
    };
    const press = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        // Enter on a link or a button is theirs.
        if (event.key === "Enter" && (event.target as HTMLElement).closest("a, button") !== null) return;
        const page = Math.max(Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD) / ROW) - 1, 1);
        const what = move(event.key, at, rows, page);
        if (what === undefined) return;
        event.preventDefault();
        act(what);
    };
    // Before the next key: later, the row of the key before would take the focus back, and with it the place.
    useLayoutEffect(() => {
        if (!moved.current) return;
        moved.current = false;
        body.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus({ preventScroll: true });
    });

    const room = useWidth(scroller);
    const name = room < NARROW ? NAMES.phone : room < WIDE ? NAMES.narrow : NAMES.wide;
    const widths = useMemo(() => fitted(columns, room - name - BAR), [columns, room, name]);
    const template = [name, ...widths].map((width) => `${width}px`).join(" ");
    const width = widths.reduce((sum, each) => sum + each, name);
    return (
        <>
            <div class="loop-grid" ref={scroller}>
                <div
                    role="treegrid"
                    aria-label="Loops"
                    aria-rowcount={rows.length + 1}
                    class="grid"
                    style={{ "--template": template, "--width": `${width}px` }}
                >
                    <GridHead route={route} state={state} columns={columns} />
                    <div role="rowgroup" class="grid-body" ref={body} style={{ paddingBottom: `${virtual.after * ROW}px` }}>
                        {virtual.rows.map(({ index, skipped }) => {
                            const row = rows.at(index);
                            if (row === undefined) return null;
                            return (
                                <GridRow
                                    key={row.id}
                                    report={report}
                                    row={row}
                                    index={index}
                                    skipped={skipped * ROW}
                                    columns={columns}
                                    active={index === at}
                                    focused={() => setActive(rows.row(index))}
                                    press={press}
                                    toggle={() => act(row.expanded === true ? { collapse: row.group.id } : { expand: row.group.id })}
                                />
                            );
                        })}
                    </div>
                </div>
                {rows.length === 0 && <p class="dim none">No loop passes these filters.</p>}
            </div>
            {virtual.printing && rows.length > MOST_PRINTED && <p class="dim">{rows.length - MOST_PRINTED} more rows are not printed.</p>}
        </>
    );
}
