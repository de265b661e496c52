/** Dependences in words, as the text output says them (`crates/report/src/dependence_words.rs`). */

import type { CarriedScalar, DependenceFacts, DependenceEnd, FoundDependence } from "../contract";
import { count, counted } from "../quantity";

/** How good news is. */
export type Tone = "good" | "caution" | "costly";

export function vectorWords({ vector, max_length }: Pick<DependenceFacts, "vector" | "max_length">): string {
    switch (vector) {
        case "safe":
            return "safe to vectorise";
        case "safe-with-reductions":
            return "safe to vectorise with reductions";
        case "safe-up-to":
            return max_length === undefined ? "safe up to a limited vector length" : `safe up to ${max_length} iterations at once`;
        case "unsafe":
            return "not safe to vectorise";
        case "unknown":
            return "vectors: unknown";
    }
}

export function parallelWords(verdict: DependenceFacts["parallel"]): string {
    switch (verdict) {
        case "independent":
            return "iterations are independent: safe to run in parallel";
        case "with-clauses":
            return "safe to run in parallel with reduction or private clauses";
        case "dependent":
            return "not safe to run in parallel";
        case "unknown":
            return "parallel: unknown";
    }
}

export function tone(verdict: DependenceFacts["vector"]): Tone {
    if (verdict === "safe" || verdict === "safe-with-reductions") return "good";
    return verdict === "unsafe" ? "costly" : "caution";
}

/** What was checked; machine iterations where the source iterations are inferred from them. */
export function checked(known: DependenceFacts): { machine: string | undefined; source: string; entries: string; horizon: string; extent: string } {
    const machine = known.checked_machine_iterations;
    return {
        machine: known.checked_iterations === machine ? undefined : counted(machine, "machine iteration", "machine iterations"),
        source: counted(known.checked_iterations, "source iteration", "source iterations"),
        entries: `in ${counted(known.checked_entries, "entry", "entries")}`,
        horizon: `distances up to ${count(known.horizon)}`,
        extent: known.exhaustive ? "everything that it executed" : "in bursts",
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
export function consequences(found: FoundDependence): string[] {
    const words: string[] = [];
    if (found.limits_vectors) words.push("limits vectors: no more iterations at once than its distance");
    if (found.privatisable) words.push("a private copy for each iteration removes it");
    if (found.forward) words.push("forward: the source stands first in an iteration, so vectors keep the order");
    return words;
}

/** `3`, or `1, 2 others up to 19`. */
export function distance(found: FoundDependence): string {
    const all = found.distances ?? [];
    const longest = all.reduce((most, [each]) => Math.max(most, each), 0);
    if (all.length < 2 || longest <= found.distance) return count(found.distance);
    return `${count(found.distance)}, ${counted(all.length - 1, "other", "others")} up to ${count(longest)}`;
}

/** How often it occurred. */
export function occurrences(found: FoundDependence): number {
    return (found.distances ?? []).reduce((sum, [, times]) => sum + times, 0);
}

/** `s (+, floating-point: another order rounds differently) in line 54`, without the name. */
export function scalarWords(each: CarriedScalar): string {
    const about = [
        ...(each.operation === undefined ? [] : [each.operation]),
        ...(each.floating === true ? ["floating-point: another order rounds differently"] : []),
    ];
    return `${about.length === 0 ? "" : ` (${about.join(", ")})`}${each.line === undefined ? "" : ` in line ${each.line}`}`;
}
