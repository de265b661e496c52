import { useMemo } from "preact/hooks";
import type { CommFacts } from "../../logic/contract";
import { COMM_BY_SIZE, COMM_SIZES } from "../../logic/contract/words";
import { LONGEST, sizesByFunction } from "../../logic/messages";
import { amount, bytes } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";

/** Calls of each function by the sizes of what they hand over. */
export function SizeTable({ comm }: { comm: CommFacts }) {
    const rows = useMemo(() => sizesByFunction(comm), [comm]);
    if (rows.length === 0) return null;
    return (
        <Panel title={COMM_BY_SIZE}>
            <TableRegion label={COMM_BY_SIZE}>
                <table class="comm-sizes">
                    <thead>
                        <tr>
                            <th scope="col">Function</th>
                            {["Bytes", "Calls", ...COMM_SIZES].map((title) => (
                                <th key={title} scope="col" class="number">{title}</th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map(({ name, bytes: sent, calls, bins }) => (
                            <tr key={name}>
                                <th scope="row"><code><Name text={name} longest={LONGEST} /></code></th>
                                <td class="number">{bytes(sent)}</td>
                                <td class="number">{amount(calls)}</td>
                                {bins.map((each, at) => (
                                    <td key={at} class="number">{each > 0 && amount(each)}</td>
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}
