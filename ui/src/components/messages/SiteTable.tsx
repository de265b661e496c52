/** Every place that calls a function of MPI, by descending time or by a column. */

import { useMemo } from "preact/hooks";
import type { CommFacts, CommSite } from "../../logic/contract";
import { COMM_WAITING } from "../../logic/contract/words";
import { LONGEST, type SiteColumn, isWaitingEstimated, siteColumns } from "../../logic/messages";
import { count } from "../../logic/quantity";
import { type Route, address } from "../../logic/route";
import { sortOrder, sortedRows } from "../../logic/sorted-table";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { SortHeads } from "../parts/SortHeads";
import { TableRegion } from "../parts/TableRegion";

/** Rows that are shown; the JSON has all. */
const SHOWN = 500;

export function SiteTable({ comm, route }: { comm: CommFacts; route: Route }) {
    const columns = useMemo(() => siteColumns(comm), [comm]);
    const order = useMemo(() => sortOrder(columns, route.query), [columns, route.query]);
    const rows = useMemo(() => sortedRows(comm.sites, columns, order), [comm, columns, order]);
    const more = rows.length - SHOWN;
    return (
        <Panel title="Calls by place" note="Times are the mean of the ranks.">
            <TableRegion label="Calls by place">
                <table class="comm-sites">
                    <SortHeads columns={columns} order={order} route={route} />
                    <tbody>
                        {rows.slice(0, SHOWN).map(({ at, facts }) => (
                            <tr key={at}>
                                {columns.map((column) => (
                                    <Cell key={column.id} column={column} site={facts} at={`comm.sites.${at}`} />
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {more > 0 && <p class="dim">{count(more)} more places are in the JSON.</p>}
            {isWaitingEstimated(comm) && <p class="dim"><Prose text={COMM_WAITING} /></p>}
        </Panel>
    );
}

function Cell({ column: { id, number, text, key }, site, at }: { column: SiteColumn; site: CommSite; at: string }) {
    const said = text(site);
    if (number) return <td class="number" data-key={said === "" || key === undefined ? undefined : `${at}.${key(site)}`}>{said}</td>;
    const name = <Name text={said} longest={LONGEST} symbol={id === "caller"} />;
    if (id === "function") return <th scope="row"><code>{name}</code></th>;
    if (id === "loop") return <td>{site.loop === undefined ? name : <a href={address("loop", site.loop)}>{name}</a>}</td>;
    return <td>{id === "caller" ? <code>{name}</code> : name}</td>;
}
