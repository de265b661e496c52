/** The simulated caches, a table for each hierarchy. */

import type { CacheFacts, Hierarchy, MemoryFacts } from "../../logic/contract";
import { bounds, geometry, missesWithin } from "../../logic/loop-page/memory-words";
import { count, rate } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { TableRegion } from "../parts/TableRegion";

export function Caches({ memory, hierarchies }: { memory: MemoryFacts; hierarchies: readonly Hierarchy[] }) {
    const simulated = (memory.caches ?? []).map((levels, at) => ({ levels, hierarchy: hierarchies[at], at })).filter(({ levels }) => levels.length > 0);
    if (simulated.length === 0) return null;
    const unknown = simulated.some(({ levels }) => levels.some((level) => (level.unknown ?? 0) > 0));
    return (
        <>
            {simulated.map(({ levels, hierarchy, at }) => (
                <OneHierarchy key={at} levels={levels} hierarchy={hierarchy} at={at} />
            ))}
            {unknown && (
                <p class="dim">
                    Misses are estimated where bursts were traced: what earlier bursts left in a cache is taken to have stayed there. Below them: what is known without that, at least and at most.
                </p>
            )}
        </>
    );
}

function OneHierarchy({ levels, hierarchy, at }: { levels: readonly CacheFacts[]; hierarchy: Hierarchy | undefined; at: number }) {
    return (
        <TableRegion label={`Caches of ${hierarchy?.name ?? "hierarchy"}`}>
            <table>
                <caption>
                    Caches of <Name text={hierarchy?.name ?? String(at + 1)} />
                </caption>
                <thead>
                    <tr>
                        <th scope="col">Level</th>
                        <th scope="col" class="number">Asked for</th>
                        <th scope="col" class="number">Misses (est.)</th>
                        <th scope="col" class="number">Per 1000</th>
                        <th scope="col" class="number">Bytes in / iteration</th>
                        <th scope="col" class="number">Bytes out</th>
                        <th scope="col" class="number">Operations / byte</th>
                    </tr>
                </thead>
                <tbody>
                    {levels.map((level, place) => {
                        const shape = hierarchy?.levels.find((each) => each.name === level.name) ?? hierarchy?.levels[place];
                        return <Level key={place} level={level} at={`memory.caches.${at}.${place}`} shape={shape === undefined ? undefined : geometry(shape)} pages={shape?.translation === true} />;
                    })}
                </tbody>
            </table>
        </TableRegion>
    );
}

/** What is known without the estimate, under it. */
function Within({ at, text }: { at: string; text: string }) {
    return (
        <span class="within" data-key={at}>
            {text}
        </span>
    );
}

function Level({ level, at, shape, pages }: { level: CacheFacts; at: string; shape: string | undefined; pages: boolean }) {
    const unsure = (level.unknown ?? 0) > 0;
    return (
        <tr>
            <th scope="row">
                {level.name} {shape !== undefined && <span class="dim shape">{shape}</span>}
            </th>
            <td class="number" data-key={`${at}.accesses`}>
                {count(level.accesses)}
            </td>
            <td class="number">
                <span data-key={`${at}.estimated_misses`}>{count(level.estimated_misses)}</span>
                {unsure && <Within at={`${at}.misses`} text={missesWithin(level)} />}
            </td>
            <td class="number">
                <span data-key={`${at}.estimated_misses_per_1000`}>{rate(level.estimated_misses_per_1000)}</span>
                {unsure && <Within at={`${at}.misses_per_1000`} text={bounds(level.misses_per_1000)} />}
            </td>
            {pages ? (
                <td colSpan={3} class="dim">
                    pages, no bytes
                </td>
            ) : (
                <>
                    <td class="number">
                        <span data-key={`${at}.estimated_bytes_in_per_iteration`}>{rate(level.estimated_bytes_in_per_iteration)}</span>
                        {unsure && <Within at={`${at}.bytes_in_per_iteration`} text={bounds(level.bytes_in_per_iteration)} />}
                    </td>
                    <td class="number" data-key={`${at}.estimated_bytes_out_per_iteration`}>
                        {rate(level.estimated_bytes_out_per_iteration)}
                    </td>
                    <td class="number" data-key={level.estimated_intensity === undefined ? undefined : `${at}.estimated_intensity`}>
                        {level.estimated_intensity === undefined ? "" : rate(level.estimated_intensity)}
                    </td>
                </>
            )}
        </tr>
    );
}
