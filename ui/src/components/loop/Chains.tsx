/** Loop-carried values: the longest chain is the least time that an iteration can take. */

import { LONGEST_CHAIN } from "../../logic/contract/words";
import { sentence } from "../../logic/loop-page/words";
import { count, counted } from "../../logic/quantity";
import { TableRegion } from "../parts/TableRegion";
import type { PartProps } from "./LoopPage";

export function Chains({ report, loop }: PartProps) {
    const chains = (loop.chains ?? []).map((chain, at) => ({ chain, at }));
    const carried = chains.filter(({ chain }) => chain.kind !== "induction");
    if (chains.length === 0) return null;
    const counters = chains.length - carried.length;
    return (
        <>
            <h3>Carried from iteration to iteration</h3>
            {carried.length > 0 && (
                <TableRegion label="Chains from iteration to iteration">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">Register</th>
                                <th scope="col">Latency in cycles</th>
                                <th scope="col">Instructions</th>
                                <th scope="col">What it is</th>
                            </tr>
                        </thead>
                        <tbody>
                            {carried.map(({ chain, at }) => (
                                <tr key={at}>
                                    <td>
                                        <code>{chain.register}</code>
                                    </td>
                                    <td class="number" data-key={`chains.${at}.latency_cycles`}>
                                        {count(chain.latency_cycles)}
                                    </td>
                                    <td class="number">{count(chain.instructions.length)}</td>
                                    <td data-key={`chains.${at}.kind`}>{sentence(report, "chain", chain.kind) ?? chain.kind}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </TableRegion>
            )}
            <p class="dim">
                {carried.length > 0 && `${LONGEST_CHAIN} `}
                {counters > 0 && `${counted(counters, "register is a counter or pointer", "registers are counters or pointers")}.`}
            </p>
        </>
    );
}
