/** Measured ceilings of a machine as tables: a row for each kind, a column for each number of cores. */

import type { Ceilings } from "./contract";

export interface CeilingRow {
    name: string;
    /** By place in `cores`: value and its place in the contract's list; nothing where it was not measured. */
    cells: ({ value: number; index: number } | undefined)[];
}

export interface CeilingTable {
    cores: number[];
    rows: CeilingRow[];
}

function table(entries: readonly { name: string; cores: number; value: number }[]): CeilingTable {
    const cores = [...new Set(entries.map((entry) => entry.cores))].sort((a, b) => a - b);
    const rows = new Map<string, CeilingRow>();
    for (const [index, { name, cores: on, value }] of entries.entries()) {
        const row = rows.get(name) ?? { name, cells: cores.map(() => undefined) };
        row.cells[cores.indexOf(on)] = { value, index };
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

/** GB/s. */
export function bandwidthCeilings({ bandwidths }: Ceilings): CeilingTable {
    return table(bandwidths.map((each) => ({ name: `${each.level} ${each.kernel}`, cores: each.cores, value: each.gbytes })));
}
