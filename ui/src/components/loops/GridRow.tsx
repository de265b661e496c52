import type { Report } from "../../logic/contract";
import { type Column, pieceName, rowNote } from "../../logic/loop-columns";
import type { TreeRow } from "../../logic/loop-table";
import { functionName, place } from "../../logic/names";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import { GridCell } from "./GridCell";

interface Props {
    report: Report;
    row: TreeRow;
    index: number;
    /** Height of the rows left out before it. */
    skipped: number;
    columns: readonly Column[];
    /** It is the tab stop. */
    active: boolean;
    focused: () => void;
    press: (event: KeyboardEvent) => void;
    toggle: () => void;
}

/** A source loop, or one of its pieces. */
export function GridRow({ report, row, index, skipped, columns, active, focused, press, toggle }: Props) {
    const { loop, group, expanded } = row;
    const split = !row.piece && group.pieces.length > 1;
    return (
        <div
            role="row"
            class={`row ${row.piece ? "piece" : ""} ${index % 2 === 1 ? "odd" : ""}`}
            aria-rowindex={index + 2}
            aria-level={row.piece ? 2 : 1}
            aria-posinset={row.position}
            aria-setsize={row.siblings}
            aria-expanded={expanded}
            tabIndex={active ? 0 : -1}
            data-loop={split ? undefined : loop.id}
            data-group={row.piece ? undefined : group.id}
            data-lead={split ? loop.id : undefined}
            style={skipped > 0 ? { marginTop: `${skipped}px` } : undefined}
            onFocus={focused}
            onKeyDown={press}
        >
            <div role="rowheader" class="cell name-cell">
                {split && (
                    // The keyboard expands by its arrows.
                    <button type="button" class="twist" tabIndex={-1} aria-label={expanded === true ? "Collapse" : "Expand"} onClick={toggle}>
                        <span aria-hidden="true">{expanded === true ? "▾" : "▸"}</span>
                    </button>
                )}
                <span class="lines">
                    <a href={address("loop", loop.id)} tabIndex={active ? 0 : -1}>
                        <Name text={row.piece ? pieceName(row) : functionName(loop)} longest={24} symbol={!row.piece} />
                    </a>
                    <span class="place">
                        <Name text={place(loop)} longest={26} />, {rowNote(row)}
                    </span>
                </span>
            </div>
            {columns.map((column) => (
                <GridCell key={column.id} report={report} row={row} column={column} />
            ))}
        </div>
    );
}
