/** Counted work in words, as the text output writes it (`crates/report/src/trip_counts.rs`). */

import type { TracingFacts, WorkRow } from "./contract";
import { BURST, INSTRUCTION_CLASSES, TRACED_BOTH, TRACED_DEPENDENCES, TRACED_EVERYTHING, TRACED_NOTHING, TRACED_PATTERNS } from "./contract/words";
import { amount, counted, share } from "./quantity";

/** The sign of an upper bound. */
export function atMost(isBound: boolean | undefined): string {
    return isBound === true ? "≤ " : "";
}

/** A count of bytes with decimal prefixes: `24,070 B`, `1.235 GB`. */
export function byteCount(value: number): string {
    const text = amount(value);
    return value < 1_000_000 ? `${text} B` : `${text}B`;
}

export interface FlopOfType {
    key: "flop_f16" | "flop_bf16" | "flop_f32" | "flop_f64" | "flop_f80";
    type: string;
    flop: number;
}

/** FLOP by type, types that do not occur left out. */
export function flopByType(work: WorkRow): FlopOfType[] {
    const types: FlopOfType[] = [
        { key: "flop_f16", type: "f16", flop: work.flop_f16 },
        { key: "flop_bf16", type: "bf16", flop: work.flop_bf16 },
        { key: "flop_f32", type: "f32", flop: work.flop_f32 },
        { key: "flop_f64", type: "f64", flop: work.flop_f64 },
        { key: "flop_f80", type: "x87", flop: work.flop_f80 },
    ];
    return types.filter((each) => each.flop > 0);
}

/** A class of executed instructions in words. */
export function className(name: string): string {
    return INSTRUCTION_CLASSES[name] ?? name;
}

/** Executed instructions by class, the most frequent first, as shares of all. */
export function mixShares(work: WorkRow): { name: string; share: number }[] {
    if (work.instructions === 0) return [];
    const used = Object.entries(work.mix).filter(([, executed]) => executed > 0);
    return used.sort(([, a], [, b]) => b - a).map(([name, executed]) => ({ name, share: executed / work.instructions }));
}

/** `integer operations, 12 % packed`. */
export function packedInt(work: WorkRow): string {
    const { packed_int_share: packed } = work;
    return packed !== undefined && packed > 0 ? ` (${share(packed)} packed)` : "";
}

/** What a tracing run looked for. */
export function tracedWhat(tracing: TracingFacts): string {
    if (tracing.strides) return tracing.dependences ? TRACED_BOTH : TRACED_PATTERNS;
    return tracing.dependences ? TRACED_DEPENDENCES : TRACED_NOTHING;
}

/** How much it traced. */
export function tracedExtent(tracing: TracingFacts): string {
    const how = tracing.exhaustive ? TRACED_EVERYTHING : counted(tracing.bursts, ...BURST);
    return `${how}, ${amount(tracing.accesses)} ${tracing.accesses === 1 ? "access" : "accesses"}`;
}
