import type { Route } from "../../logic/route";
import { type SortColumn, type SortOrder, descendingFirst } from "../../logic/sorted-table";
import { changeQuery } from "./location";

/** The heads of a table that the reader sorts; the choice is kept in the address. */
export function SortHeads({ columns, order: { sort, descending }, route }: { columns: readonly Pick<SortColumn<never>, "id" | "title" | "number">[]; order: SortOrder; route: Route }) {
    const by = (id: string) => changeQuery(route, { sort: id, desc: (id === sort ? !descending : descendingFirst(columns, id)) ? 1 : 0 });
    return (
        <thead>
            <tr>
                {columns.map(({ id, title, number }) => (
                    <th key={id} scope="col" class={number ? "number" : undefined} aria-sort={id === sort ? (descending ? "descending" : "ascending") : "none"}>
                        <button type="button" class="sort" onClick={() => by(id)}>
                            {title}
                            <span aria-hidden="true">{id === sort ? (descending ? " ▾" : " ▴") : ""}</span>
                        </button>
                    </th>
                ))}
            </tr>
        </thead>
    );
}
