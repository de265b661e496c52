/** The counters of the run: what each covers, with its fault where it has no number. */

import type { DomainEnergy, RunEnergy } from "../../logic/contract";
import { domainWatts, domainWords, faultWords } from "../../logic/energy";
import { energy as joulesText, rate } from "../../logic/quantity";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";

export function Counters({ run, domains }: { run: RunEnergy; domains: readonly DomainEnergy[] }) {
    return (
        <Panel title="Counters" note="The run's energy is the sum of the sockets and their memory">
            <TableRegion label="Energy by counter">
                <table class="counters">
                    <thead>
                        <tr>
                            <th scope="col">Counter</th>
                            <th scope="col" class="number">Energy</th>
                            <th scope="col" class="number">Power</th>
                        </tr>
                    </thead>
                    <tbody>
                        {domains.map((each, at) => {
                            const watts = domainWatts(each, run);
                            const fault = faultWords(each);
                            return (
                                <tr key={at}>
                                    <th scope="row">{domainWords(each)}</th>
                                    <td class="number" data-key={each.joules === undefined ? undefined : `energy.run.domains.${at}.joules`}>
                                        {each.joules !== undefined && joulesText(each.joules)}
                                        {fault !== undefined && <span class="caution">{fault}</span>}
                                    </td>
                                    <td class="number">{watts !== undefined && `${rate(watts)} W`}</td>
                                </tr>
                            );
                        })}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}
