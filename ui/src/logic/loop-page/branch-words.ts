/** A loop's branches in words, as the text output says them (`crates/report/src/branches.rs`). */

import type { BranchFacts, TracingFacts } from "../contract";
import { MISSES_COST, MISSES_OF_BRANCHES, PREDICTOR, TOO_FEW_OUTCOMES } from "../contract/words";
import { filled } from "../phrases";
import { bytes, mean, rate } from "../quantity";

export const BRANCHES_HOW = "Executions and outcomes are counted in the trace; mispredictions are those of a simulated predictor (modelled).";
export const BRANCHES_COST = "Cycles are estimated: the mispredictions times what one costs the machine's core; other work may hide a part.";

/** Mispredicted branches per machine iteration; undefined where no branch was judged. */
export function mispredicted(branches: readonly BranchFacts[]): number | undefined {
    const known = branches.flatMap((branch) => branch.misses_per_iteration ?? []);
    return known.length === 0 ? undefined : known.reduce((sum, misses) => sum + misses, 0);
}

/** What all branches together cost, and who says so. */
export function judged(branches: readonly BranchFacts[], tracing: TracingFacts | undefined): string[] {
    const misses = mispredicted(branches);
    const parts: string[] = [];
    if (misses === undefined) parts.push(TOO_FEW_OUTCOMES);
    else {
        parts.push(filled(MISSES_OF_BRANCHES, rate(misses)));
        const each = tracing?.mispredict_cycles;
        if (each !== undefined) parts.push(filled(MISSES_COST, rate(misses * each), mean(each)));
    }
    const predictor = tracing?.predictor;
    if (predictor !== undefined) parts.push(filled(PREDICTOR, predictor.kind.toUpperCase(), bytes(Math.floor(predictor.bits / 8))));
    return parts;
}

/** `at 0x1318`, `at 0x1a04 in relax`. */
export function branchName(branch: BranchFacts): string {
    return branch.function === undefined ? `at ${branch.address}` : `at ${branch.address} in ${branch.function}`;
}
