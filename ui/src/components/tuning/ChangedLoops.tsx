/** Hot loops that the best build made otherwise: what the compiler made of each before and after. */

import type { RebuiltLoop } from "../../logic/contract";
import { percent } from "../../logic/quantity";
import { builtWords, rebuiltPlace } from "../../logic/tuning";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";

export function ChangedLoops({ loops }: { loops: readonly RebuiltLoop[] }) {
    if (loops.length === 0) return null;
    return (
        <Panel title="Loops that the best build made otherwise">
            <TableRegion label="Loops before and in the best build">
                <table class="rebuilt">
                    <thead>
                        <tr>
                            <th scope="col">Loop</th>
                            <th scope="col">Function</th>
                            <th scope="col" class="number">Self %</th>
                            <th scope="col">Before</th>
                            <th scope="col">In the best build</th>
                        </tr>
                    </thead>
                    <tbody>
                        {loops.map((each, at) => (
                            <tr key={at}>
                                <th scope="row"><Name text={rebuiltPlace(each)} longest={40} /></th>
                                <td><code><Name text={each.function} longest={40} symbol /></code></td>
                                <td class="number" data-key={`tuning.loops_changed.${at}.share`}>{percent(each.share)}</td>
                                <td>{builtWords(each.before)}</td>
                                <td>{builtWords(each.after)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}
