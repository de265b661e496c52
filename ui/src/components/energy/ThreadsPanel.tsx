/** Runs with other numbers of threads: which takes the least, drawn and in numbers. */

import type { EnergyFacts, ThreadsEnergy } from "../../logic/contract";
import { SAME_THREADS } from "../../logic/contract/words";
import { bestThreads, energyTitle, intervalWords, performance } from "../../logic/energy";
import { energy as joulesText, rate, ratio, time } from "../../logic/quantity";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { ZPlot } from "./ZPlot";

export function ThreadsPanel({ energy }: { energy: EnergyFacts }) {
    const { threads = [], same_threads: same } = energy;
    const best = bestThreads(energy);
    return (
        <Panel title="By number of threads" kind="energy-threads">
            {same === true && <p class="caution">{SAME_THREADS}</p>}
            {best !== undefined && <p class="best">{best}</p>}
            <ZPlot energy={energy} />
            <TableRegion label="Energy by number of threads">
                <table>
                    <thead>
                        <tr>
                            {["Threads", "Runs", "Time", "Faster", "CPU time", energyTitle(energy), "95 % interval", "Power", "Energy × delay"].map((title) => (
                                <th key={title} scope="col" class="number">{title}</th>
                            ))}
                        </tr>
                    </thead>
                    <tbody>
                        {threads.map((each, at) => (
                            <Row key={at} energy={energy} each={each} at={at} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}

function Row({ energy, each, at }: { energy: EnergyFacts; each: ThreadsEnergy; at: number }) {
    const { least_energy: least, least_delay_product: product, same_threads: same = false } = energy;
    const faster = performance(energy, each);
    const interval = intervalWords(each);
    const key = (name: keyof ThreadsEnergy): string => `energy.threads.${at}.${name}`;
    const cell = (name: keyof ThreadsEnergy, text: string | undefined, isBest = false) => (
        <td class={isBest ? "number best" : "number"} data-key={text === undefined ? undefined : key(name)}>{text}</td>
    );
    return (
        <tr>
            <th scope="row" class="number" data-key={key("threads")}>{each.threads}</th>
            {cell("runs", String(each.runs))}
            {cell("seconds", time(each.seconds))}
            <td class="number">{faster !== undefined && ratio(faster)}</td>
            {cell("cpu_seconds", time(each.cpu_seconds))}
            {cell("joules", each.joules === undefined ? undefined : joulesText(each.joules), !same && at === least)}
            {cell("joules_interval", interval)}
            {cell("watts", each.watts === undefined ? undefined : `${rate(each.watts)} W`)}
            {cell("delay_product", each.delay_product === undefined ? undefined : `${rate(each.delay_product)} J s`, !same && at === product)}
        </tr>
    );
}
