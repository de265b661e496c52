/** What tables say of a loop, in the words of the text output (`crates/report/src/loop_words.rs`). */

import type { AccessFacts, DependenceFacts, Isa, LoopFacts, LoopRole, TripCount } from "./contract";
import { FALLBACK_VERSION, ISA_NAMES, LIMITED_IN_SHORT, OPEN_CODED, ROLES, VECTOR_VERDICTS_IN_SHORT } from "./contract/words";
import { type Group, shareOf } from "./groups";
import { filled } from "./phrases";
import { amount, mean, ratio, share, span, wholePercent } from "./quantity";

/** Short name of an instruction set, as programmers say it. */
export function isaName(isa: Isa): string {
    return ISA_NAMES[isa];
}

export type LoopKind = "vectorised" | "scalar";

export function kindOf(each: LoopFacts): LoopKind {
    return each.vectorized ? "vectorised" : "scalar";
}

/** `AVX2 256b ×4`, `scalar f64`. */
export function kindWords(each: LoopFacts): string {
    const scalar = `scalar ${(each.types ?? []).join("+")}`.trimEnd();
    const { vector } = each;
    if (each.vectorized) return vector === undefined ? "vectorised" : `${isaName(vector.isa)} ${vector.bits}b ×${vector.length}`;
    return vector !== undefined && vector.packed_share >= 0.01 ? `${scalar}, ${share(vector.packed_share)} packed` : scalar;
}

/** Reasons, the most specific first, each once; of vectorised loops none. */
export function reasons(each: LoopFacts): string[] {
    if (each.vectorized) return [];
    return [...new Set((each.why_not ?? []).map((why) => why.reason))];
}

export function roleWords(role: LoopRole): string {
    return ROLES[role];
}

/** What a reader should know at a glance: why it is scalar, or what slows its vectors, and how much runs outside the vector body. */
export function remarks(group: Group): string[] {
    const { lead } = group;
    const parts = reasons(lead).slice(0, 1);
    const outside: [LoopRole, string][] = [["peel", ROLES.peel], ["remainder", ROLES.remainder], ["version", FALLBACK_VERSION]];
    for (const [role, label] of outside) {
        const part = shareOf(group, role);
        if (part >= 0.05 && lead.role !== role) parts.push(`${label} ${wholePercent(part)} %`);
    }
    if (lead.idiom !== undefined) parts.push(filled(OPEN_CODED, lead.idiom));
    // `early-exit` is a reason and a trait: once is enough.
    return [...new Set([...parts, ...(lead.traits ?? [])])];
}

/** A ceiling's name without its details: those are in the roofline. */
export function shortBound(bound: string): string {
    return bound.split(" (", 1)[0] ?? bound;
}

/** How far the loop is from the ceiling that binds it: `1.5× DRAM`. */
export function headroom(each: LoopFacts): string | undefined {
    const point = each.roofline;
    if (point?.headroom === undefined || point.bound === undefined) return undefined;
    return `${ratio(point.headroom)} ${shortBound(point.bound)}`;
}

export interface Strides {
    /** The next element, or always the same address. */
    unit: number;
    constant: number;
    variable: number;
}

/** Shares of the patterns in what was accessed while traced, variables in the frame left out. */
export function strides(accesses: readonly AccessFacts[] | undefined): Strides | undefined {
    const sums: Strides = { unit: 0, constant: 0, variable: 0 };
    for (const access of accesses ?? []) {
        if (access.frame === true) continue;
        const kind = access.pattern === "constant" || access.pattern === "variable" ? access.pattern : "unit";
        sums[kind] += access.executions;
    }
    const all = sums.unit + sums.constant + sums.variable;
    return all > 0 ? { unit: sums.unit / all, constant: sums.constant / all, variable: sums.variable / all } : undefined;
}

/** `80/20/0`: percent of unit or uniform, constant, variable strides. */
export function stridesInShort({ unit, constant, variable }: Strides): string {
    return [unit, constant, variable].map((part) => Math.round(part * 100)).join("/");
}

/** The verdict on vectors for a narrow column. */
export function dependenceInShort(found: DependenceFacts): string {
    if (found.vector === "safe-up-to" && found.max_length === undefined) return LIMITED_IN_SHORT;
    return filled(VECTOR_VERDICTS_IN_SHORT[found.vector], found.max_length ?? "");
}

/** Mean source iterations per entry of the loop as written, exact or between bounds. */
export function sourceMean(trips: TripCount): string | undefined {
    if (trips.source_mean !== undefined) return mean(trips.source_mean);
    if (trips.source_mean_bounds === undefined) return undefined;
    const [low, high] = trips.source_mean_bounds;
    return `${mean(low)}–${mean(high)}`;
}

/** Entries of the loop as written, exact or between bounds. */
export function sourceEntries(trips: TripCount): string | undefined {
    if (trips.source_entries !== undefined) return amount(trips.source_entries);
    return trips.source_entries_bounds === undefined ? undefined : span(trips.source_entries_bounds);
}
