/** Dependences in words, as the text output says them (`crates/report/src/dependence_words.rs`). */

import type { CarriedScalar, DependenceFacts, DependenceEnd, FoundDependence } from "../contract";
import {
    CHECKED_BURSTS,
    CHECKED_EVERYTHING,
    DISTANCES_UP_TO,
    ENTRY,
    IN_LINE,
    LIMITED_LENGTH,
    MACHINE_ITERATION,
    OTHER,
    PARALLEL_VERDICTS,
    ROUNDS_DIFFERENTLY,
    SEVERAL_DISTANCES,
    SOURCE_ITERATION,
    VECTOR_TONES,
    VECTOR_VERDICTS,
} from "../contract/words";
import { filled } from "../phrases";
import { count, counted } from "../quantity";

/** How good news is. */
export type Tone = "good" | "caution" | "costly";

export function vectorWords({ vector, max_length }: Pick<DependenceFacts, "vector" | "max_length">): string {
    if (vector === "safe-up-to" && max_length === undefined) return LIMITED_LENGTH;
    return filled(VECTOR_VERDICTS[vector], max_length ?? "");
}

export function parallelWords(verdict: DependenceFacts["parallel"]): string {
    return PARALLEL_VERDICTS[verdict];
}

export function tone(verdict: DependenceFacts["vector"]): Tone {
    return VECTOR_TONES[verdict];
}

/** What was checked; machine iterations where the source iterations are inferred from them. */
export function checked(known: DependenceFacts): { machine: string | undefined; source: string; entries: string; horizon: string; extent: string } {
    const machine = known.checked_machine_iterations;
    return {
        machine: known.checked_iterations === machine ? undefined : counted(machine, ...MACHINE_ITERATION),
        source: counted(known.checked_iterations, ...SOURCE_ITERATION),
        entries: `in ${counted(known.checked_entries, ...ENTRY)}`,
        horizon: filled(DISTANCES_UP_TO, count(known.horizon)),
        extent: known.exhaustive ? CHECKED_EVERYTHING : CHECKED_BURSTS,
    };
}

const KINDS = {
    RAW: "read after write",
    WAR: "write after read",
    WAW: "write after write",
} as const;

export function kindWords(kind: FoundDependence["kind"]): string {
    return KINDS[kind];
}

const DEEDS = {
    RAW: "reads what iteration 0 wrote",
    WAR: "writes what iteration 0 read",
    WAW: "overwrites what iteration 0 wrote",
} as const;

/** What the arrows of a dependence mean. */
export function arrowWords(kind: FoundDependence["kind"], far: number): string {
    return `Iteration ${count(far)} ${DEEDS[kind]}, and so on for the iterations after them.`;
}

/** `a[i-1]`, `at 0x1310 in exp`. */
export function end(each: DependenceEnd): string {
    const what = each.operand ?? `at ${each.address}`;
    return each.function === undefined ? what : `${what} in ${each.function}`;
}

/** What the dependence means for who wants to vectorise; several can hold. */
export function consequences(found: FoundDependence): { costly: boolean; text: string }[] {
    const words: { costly: boolean; text: string }[] = [];
    if (found.limits_vectors) words.push({ costly: true, text: "limits vectors: no more iterations at once than its distance" });
    if (found.privatisable) words.push({ costly: false, text: "a private copy for each iteration removes it" });
    if (found.forward) words.push({ costly: false, text: "forward: the source is first in an iteration, so vectors keep the order" });
    return words;
}

/** `3`, or `1, 2 others up to 19`. */
export function distance(found: FoundDependence): string {
    const all = found.distances ?? [];
    const longest = all.reduce((most, [each]) => Math.max(most, each), 0);
    if (all.length < 2 || longest <= found.distance) return count(found.distance);
    return filled(SEVERAL_DISTANCES, count(found.distance), counted(all.length - 1, ...OTHER), count(longest));
}

/** How often it occurred. */
export function occurrences(found: FoundDependence): number {
    return (found.distances ?? []).reduce((sum, [, times]) => sum + times, 0);
}

/** `s (+, floating-point: another order rounds differently) in line 54`, without the name. */
export function scalarWords(each: CarriedScalar): string {
    const about = [
        ...(each.operation === undefined ? [] : [each.operation]),
        ...(each.floating === true ? [ROUNDS_DIFFERENTLY] : []),
    ];
    return `${about.length === 0 ? "" : ` (${about.join(", ")})`}${each.line === undefined ? "" : filled(IN_LINE, each.line)}`;
}
