import { type Column, heights, summary } from "../../logic/loop-page/columns";
import { TableRegion } from "../parts/TableRegion";

/** Columns beside each other, and the same as a table. */
export function ColumnChart({ columns, what, axis, value, at }: {
    columns: readonly Column[];
    /** What is drawn, for who cannot see it. */
    what: string;
    /** What the columns are distinguished by. */
    axis: string;
    /** What their height means. */
    value: string;
    /** Key of the list in the document. */
    at: string;
}) {
    const tall = heights(columns);
    const last = columns.length - 1;
    return (
        <figure class="column-chart">
            <div class="columns" role="img" aria-label={summary(columns, what)}>
                {columns.map((column, place) => (
                    <span class="column-slot" key={column.label} title={`${column.label}: ${column.text}`}>
                        <span class="column" style={{ height: `${(tall[place] ?? 0) * 100}%` }} />
                    </span>
                ))}
            </div>
            <div class="column-ends dim" aria-hidden="true">
                <span>{columns[0]?.label}</span>
                <span>{axis}</span>
                {last > 0 && <span>{columns[last]?.label}</span>}
            </div>
            <figcaption>{summary(columns, what)}</figcaption>
            <details>
                <summary>All {columns.length} as a table</summary>
                <TableRegion label={what}>
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">{axis}</th>
                                <th scope="col">{value}</th>
                            </tr>
                        </thead>
                        <tbody>
                            {columns.map((column, place) => (
                                <tr key={column.label}>
                                    <td class="number">{column.label}</td>
                                    <td class="number" data-key={`${at}.${place}`}>
                                        {column.text}
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </TableRegion>
            </details>
        </figure>
    );
}
