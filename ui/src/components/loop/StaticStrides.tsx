/** The strides that the binary alone shows, for loops that were not traced. */

import type { LoopFacts } from "../../logic/contract";
import { type StaticAccess, grouped, pattern } from "../../logic/loop-page/static-strides";
import { count } from "../../logic/quantity";
import { TableRegion } from "../parts/TableRegion";

/** Rows that are shown. */
const ROWS = 24;

export function StaticStrides({ loop }: { loop: LoopFacts }) {
    const rows = grouped(loop.strides ?? []);
    if (rows.length === 0) return null;
    return (
        <>
            <h3>From iteration to iteration (read from the binary)</h3>
            <TableRegion label="Strides read from the binary">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Line</th>
                            <th scope="col">Access</th>
                            <th scope="col">Operands</th>
                            <th scope="col">Bytes each</th>
                            <th scope="col">Step in bytes</th>
                            <th scope="col">Pattern</th>
                        </tr>
                    </thead>
                    <tbody>
                        {rows.slice(0, ROWS).map((row, at) => (
                            <Row key={at} row={row} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {rows.length > ROWS && <p class="dim">{count(rows.length - ROWS)} more are in the JSON.</p>}
        </>
    );
}

function Row({ row }: { row: StaticAccess }) {
    const words = pattern(row);
    return (
        <tr>
            <td class="number">{row.line > 0 ? row.line : "-"}</td>
            <td>{row.store ? "store" : "load"}</td>
            <td class="number">{count(row.operands)}</td>
            <td class="number" data-key={`strides.${row.at}.size`}>
                {row.size}
            </td>
            <td class="number" data-key={`strides.${row.at}.bytes`}>
                {row.bytes}
            </td>
            <td>{words}</td>
        </tr>
    );
}
