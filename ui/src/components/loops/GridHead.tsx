import type { Column } from "../../logic/loop-columns";
import { NAME, type TableState, descendingFirst } from "../../logic/loop-table";
import type { Route } from "../../logic/route";
import { changeQuery } from "../parts/location";

interface Props {
    route: Route;
    state: TableState;
    columns: readonly Column[];
}

/** The names of the columns; each sorts by its column, and the other way round when it did already. */
export function GridHead({ route, state, columns }: Props) {
    const head = (id: string, title: string, hint: string | undefined, number: boolean) => {
        const sorted = state.sort === id;
        const sort = () => {
            const descending = sorted ? !state.descending : descendingFirst(id);
            changeQuery(route, { sort: id, desc: descending ? 1 : 0 });
        };
        return (
            <div
                key={id}
                role="columnheader"
                class={`cell ${id === NAME ? "name-cell" : ""} ${number ? "number" : ""}`}
                aria-sort={sorted ? (state.descending ? "descending" : "ascending") : "none"}
            >
                <button type="button" title={hint} onClick={sort}>
                    {title}
                    {sorted && <span aria-hidden="true"> {state.descending ? "▾" : "▴"}</span>}
                </button>
            </div>
        );
    };
    return (
        <div role="rowgroup" class="grid-head">
            <div role="row" class="row" aria-rowindex={1}>
                {head(NAME, "Function and loop", undefined, false)}
                {columns.map((column) => head(column.id, column.title, column.help, column.number === true))}
            </div>
        </div>
    );
}
