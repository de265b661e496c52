/** Measured ceilings of a machine as tables: a row for each kind, a column for each number of cores. */

import type { Ceilings } from "./contract";

export interface CeilingRow {
    name: string;
    /** By place in `cores`: value, its place in the contract's list, and what reached it where that is not in the row's name; nothing where it was not measured. */
    cells: ({ value: number; index: number; by?: string } | undefined)[];
}

export interface CeilingTable {
    cores: number[];
    rows: CeilingRow[];
}

interface Entry {
    name: string;
    cores: number;
    value: number;
    by?: string;
}

/** Of several entries for one cell the largest counts. An entry that is left out is undefined: places are those of the contract's list. */
function table(entries: readonly (Entry | undefined)[]): CeilingTable {
    const cores = [...new Set(entries.flatMap((entry) => entry?.cores ?? []))].sort((a, b) => a - b);
    const rows = new Map<string, CeilingRow>();
    for (const [index, entry] of entries.entries()) {
        if (entry === undefined) continue;
        const { name, cores: on, value, by } = entry;
        const row = rows.get(name) ?? { name, cells: cores.map(() => undefined) };
        const at = cores.indexOf(on);
        if (value > (row.cells[at]?.value ?? -Infinity)) row.cells[at] = by === undefined ? { value, index } : { value, index, by };
        rows.set(name, row);
    }
    return { cores, rows: [...rows.values()] };
}

/** GFLOP/s. */
export function flopCeilings({ flops }: Ceilings): CeilingTable {
    return table(
        flops.map((each) => ({ name: `${each.level} ${each.element}${each.fma ? " FMA" : ""}`, cores: each.cores, value: each.gflops })),
    );
}

/** The highest peak of each element, and the instructions that reach it. */
export function peaks({ flops }: Ceilings): CeilingTable {
    return table(flops.map((each) => ({ name: each.element, cores: each.cores, value: each.gflops, by: `${each.level}${each.fma ? " FMA" : ""}` })));
}

/** GB/s. */
export function bandwidthCeilings({ bandwidths }: Ceilings): CeilingTable {
    return table(bandwidths.map((each) => ({ name: `${each.level} ${each.kernel}`, cores: each.cores, value: each.gbytes })));
}

/** The bandwidth at which each level can be read. */
export function reads({ bandwidths }: Ceilings): CeilingTable {
    return table(bandwidths.map((each) => (each.kernel === "load" ? { name: each.level, cores: each.cores, value: each.gbytes } : undefined)));
}
