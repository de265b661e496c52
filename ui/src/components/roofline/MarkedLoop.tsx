import type { LoopFacts } from "../../logic/contract";
import { rate } from "../../logic/quantity";
import { unitOf } from "../../logic/roofline/placed";
import { LoopLink } from "../parts/LoopLink";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { TableRegion } from "../parts/TableRegion";

function range([low, high]: readonly [number, number]): string {
    const [from, to] = [rate(low), rate(high)];
    return from === to ? from : `${from}–${to}`;
}

/** What the caches' simulation says of the marked loop: its intensity at each memory level, and what follows. */
export function MarkedLoop({ loop }: { loop: LoopFacts }) {
    const point = loop.roofline;
    if (point === undefined) return null;
    const levels = point.levels ?? [];
    const unit = unitOf(point.kind);
    return (
        <Panel title={`Loop ${loop.id}`}>
            <div data-loop={loop.id} class="marked-loop">
                <p><LoopLink loop={loop} /></p>
                {point.how !== undefined && (
                    <p>
                        {point.bound !== undefined && <><strong data-key="roofline.bound">{point.bound}</strong>: </>}
                        <span data-key="roofline.how"><Prose text={point.how} /></span>
                    </p>
                )}
                {levels.length > 0 && (
                    <TableRegion label={`Loop ${loop.id} by memory level`}>
                        <table>
                            <caption>By memory level, from the simulated caches</caption>
                            <thead>
                                <tr>
                                    <th scope="col">Level</th>
                                    <th scope="col" class="number">Per byte</th>
                                    <th scope="col" class="number">Estimate</th>
                                    <th scope="col" class="number">Allows {unit}</th>
                                    <th scope="col" class="number">Estimate</th>
                                    <th scope="col" class="number">GB/s</th>
                                </tr>
                            </thead>
                            <tbody>
                                {levels.map((level, at) => {
                                    const key = `roofline.levels.${at}`;
                                    return (
                                        <tr key={level.name}>
                                            <th scope="row" data-key={`${key}.name`}>{level.name}</th>
                                            <td class="number" data-key={`${key}.intensity`}>{level.intensity && range(level.intensity)}</td>
                                            <td class="number" data-key={`${key}.estimated_intensity`}>{level.estimated_intensity && rate(level.estimated_intensity)}</td>
                                            <td class="number" data-key={`${key}.ceiling`}>{level.ceiling && range(level.ceiling)}</td>
                                            <td class="number" data-key={`${key}.estimated_ceiling`}>{level.estimated_ceiling && rate(level.estimated_ceiling)}</td>
                                            <td class="number" data-key={`${key}.gbytes`}>{level.gbytes && `${rate(level.gbytes)} (${level.kernel ?? ""})`}</td>
                                        </tr>
                                    );
                                })}
                            </tbody>
                        </table>
                    </TableRegion>
                )}
            </div>
        </Panel>
    );
}
