/** Joules of the run, of its counters and loops, and of runs with other numbers of threads. */

import { useMemo } from "preact/hooks";
import type { Analysis, EnergyFacts } from "../../logic/contract";
import { ENERGY_BY_TIME, NO_ENERGY, PROVENANCES } from "../../logic/contract/words";
import { energyLoops, energyTitle, isKnown, isModel, othersWords, runWords, sourceWords } from "../../logic/energy";
import { functionName, place } from "../../logic/names";
import { energy as joulesText, percent } from "../../logic/quantity";
import { address } from "../../logic/route";
import type { ViewProps } from "../App";
import { Absent } from "../parts/Absent";
import { Facts } from "../parts/Facts";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { Counters } from "./Counters";
import { ThreadsPanel } from "./ThreadsPanel";

export function EnergyView({ report: { analysis } }: ViewProps) {
    const { energy } = analysis;
    if (energy === undefined) return <Absent>{NO_ENERGY}</Absent>;
    const { run, threads = [] } = energy;
    return (
        <>
            <Run energy={energy} />
            {threads.length > 0 && <ThreadsPanel energy={energy} />}
            {run?.domains !== undefined && run.domains.length > 0 && <Counters run={run} domains={run.domains} />}
            <Loops analysis={analysis} energy={energy} />
        </>
    );
}

/** The answer in one line, and how it is known. */
function Run({ energy }: { energy: EnergyFacts }) {
    const { run, source } = energy;
    const others = othersWords(energy);
    return (
        <Panel title="The run" kind="energy-run">
            {run !== undefined && (
                <p class={isKnown(run) ? "of-run" : "of-run caution"}>
                    <span data-key={isKnown(run) ? "energy.run.joules" : undefined}>{runWords(run)}</span>
                    {isKnown(run) && isModel(energy) && <> <span class="badge caution">{PROVENANCES.modelled}</span></>}
                </p>
            )}
            <Facts
                items={[
                    ["Source", sourceWords(source)],
                    ["Note", others !== undefined && <span class="caution" data-key="energy.run.share_of_busy">{others}</span>],
                ]}
            />
        </Panel>
    );
}

/** The loops that the energy is spent in. */
function Loops({ analysis, energy }: { analysis: Analysis; energy: EnergyFacts }) {
    const rows = useMemo(() => energyLoops(analysis), [analysis]);
    if (rows.length === 0) return null;
    return (
        <Panel title="Loops by energy" note={ENERGY_BY_TIME}>
            <TableRegion label="Loops by energy">
                <table class="energy-loops">
                    <thead>
                        <tr>
                            <th scope="col" class="number">Loop</th>
                            <th scope="col">Place</th>
                            <th scope="col">Function</th>
                            <th scope="col" class="number">Self %</th>
                            <th scope="col" class="number">{energyTitle(energy)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map(({ at, loop, joules }) => (
                            <tr key={loop.id} data-loop={loop.id}>
                                <td class="number"><a href={address("loop", loop.id)}>{loop.id}</a></td>
                                <th scope="row"><Name text={place(loop)} longest={40} /></th>
                                <td><code><Name text={functionName(loop)} longest={40} symbol /></code></td>
                                <td class="number" data-key="self_share">{percent(loop.self_share)}</td>
                                <td class="number" data-key={`energy.loops.${at}.joules`}>{joulesText(joules)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}
