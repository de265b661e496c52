/** The table of loops: what users of a vectorisation advisor look for, sortable, filterable, by keyboard. */

import { useMemo } from "preact/hooks";
import { type TableState, TreeRows, loopTable, tableState } from "../../logic/loop-table";
import type { ViewProps } from "../App";
import { ColumnChoice } from "./ColumnChoice";
import { Filters } from "./Filters";
import { LoopGrid } from "./LoopGrid";
import { NotKnown } from "./NotKnown";
import { Shown } from "./Shown";

export function LoopsView({ report, route }: ViewProps) {
    const { analysis } = report;
    const table = loopTable(analysis);
    const state: TableState = useMemo(() => tableState(route.query), [route.query]);
    const { sort, descending, text, type, module, onlyMain, least, open } = state;
    const loops = useMemo(
        () => table.select({ sort, descending, text, type, module, onlyMain, least }),
        [table, sort, descending, text, type, module, onlyMain, least],
    );
    const rows = useMemo(() => new TreeRows(loops, open), [loops, open]);
    const columns = useMemo(() => table.columns(state.columns), [table, state.columns]);
    if (table.size === 0) return <p>No loops: none of the sampled code is in a loop that could be analysed.</p>;
    return (
        <>
            <div class="toolbar">
                <Filters route={route} state={state} modules={table.modules} />
                <ColumnChoice route={route} table={table} shown={columns} chosen={state.columns !== undefined} />
                <Shown loops={loops} all={table.size} />
            </div>
            <LoopGrid report={report} route={route} state={state} rows={rows} columns={columns} />
            <NotKnown report={report} table={table} />
        </>
    );
}
