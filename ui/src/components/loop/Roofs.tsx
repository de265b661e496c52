/** The ceilings at the loop's intensity, and the same by the traffic of simulated caches. */

import type { RooflinePoint } from "../../logic/contract";
import { BY_LEVEL } from "../../logic/contract/words";
import { achieved, estimate, operations, unit } from "../../logic/loop-page/roofline-words";
import { provenance } from "../../logic/loop-page/words";
import { rate } from "../../logic/quantity";
import { TableRegion } from "../parts/TableRegion";

export function Roofs({ point }: { point: RooflinePoint }) {
    const roofs = point.roofs ?? [];
    if (roofs.length === 0) return null;
    const reached = achieved(point)?.value ?? 0;
    return (
        <>
            <h3>Ceilings at this intensity</h3>
            <TableRegion label="Ceilings at this intensity">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Ceiling</th>
                            <th scope="col">Kind</th>
                            <th scope="col">{unit(point.kind)}</th>
                            <th scope="col">Reached</th>
                            <th scope="col">Bandwidth</th>
                            <th scope="col">How</th>
                        </tr>
                    </thead>
                    <tbody>
                        {roofs.map((roof, at) => (
                            <tr key={at} class={roof.name === point.bound ? "binds" : undefined}>
                                <th scope="row">
                                    {roof.name}
                                    {roof.name === point.bound && " (binds)"}
                                </th>
                                <td>{roof.kind}</td>
                                <td class="number" data-key={`roofline.roofs.${at}.value`}>
                                    {rate(roof.value)}
                                </td>
                                <td class="meter">
                                    {reached > 0 && (
                                        <span class="bar-track" title={`${rate(reached)} of ${rate(roof.value)}`}>
                                            <span class="bar-fill" style={{ width: `${Math.min(reached / roof.value, 1) * 100}%` }} />
                                        </span>
                                    )}
                                </td>
                                <td>
                                    {roof.gbytes !== undefined && <><span data-key={`roofline.roofs.${at}.gbytes`}>{rate(roof.gbytes)}</span> GB/s{roof.kernel !== undefined && ` (${roof.kernel})`}</>}
                                </td>
                                <td>{provenance(roof.provenance)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </>
    );
}

export function Levels({ point }: { point: RooflinePoint }) {
    const levels = point.levels ?? [];
    if (levels.length === 0) return null;
    return (
        <>
            <h3>By memory level (simulated caches)</h3>
            <TableRegion label="By memory level">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Level</th>
                            <th scope="col">{operations(point.kind)} per byte</th>
                            <th scope="col">Allows {unit(point.kind)}</th>
                            <th scope="col">Bandwidth</th>
                            <th scope="col">How</th>
                        </tr>
                    </thead>
                    <tbody>
                        {levels.map((level, at) => (
                            <tr key={at}>
                                <th scope="row">{level.name}</th>
                                <td class="number" data-key={level.estimated_intensity === undefined ? undefined : `roofline.levels.${at}.estimated_intensity`}>
                                    {level.estimated_intensity === undefined ? "moves nothing" : estimate(level.estimated_intensity, level.intensity)}
                                </td>
                                <td class="number" data-key={level.estimated_ceiling === undefined ? undefined : `roofline.levels.${at}.estimated_ceiling`}>
                                    {level.estimated_ceiling === undefined ? "" : estimate(level.estimated_ceiling, level.ceiling)}
                                </td>
                                <td>{level.gbytes !== undefined && <><span data-key={`roofline.levels.${at}.gbytes`}>{rate(level.gbytes)}</span> GB/s{level.kernel !== undefined && ` (${level.kernel})`}</>}</td>
                                <td>{level.provenance !== undefined && provenance(level.provenance)}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            <p class="dim">{BY_LEVEL}</p>
        </>
    );
}
