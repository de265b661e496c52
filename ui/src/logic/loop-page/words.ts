/** Words for the contract's names, as the text output says them (`crates/report/src/vocabulary.rs`). */

import type { Provenance, Report } from "../contract";
import { INSTRUCTIONS_SAY_OTHERWISE, PROVENANCES, SAYS_NOT_VECTORISED, SAYS_VECTORISED, WITH_VECTORS } from "../contract/words";
import { filled } from "../phrases";

export function provenance(how: Provenance): string {
    return PROVENANCES[how];
}

/** The sentence that the report carries for a name of the contract. */
export function sentence(report: Report, kind: "trait" | "role" | "chain" | "idiom", name: string): string | undefined {
    const key = `${kind}:${name}`;
    return Object.hasOwn(report.words, key) ? report.words[key] : undefined;
}

/** What a compiler says beside what the instructions do. */
export function claim(says: { vectorized: boolean; vector_bytes?: number }, does: boolean): string {
    const what = says.vectorized ? SAYS_VECTORISED : SAYS_NOT_VECTORISED;
    const width = says.vector_bytes === undefined ? "" : filled(WITH_VECTORS, says.vector_bytes);
    return `${what}${width}${says.vectorized === does ? "" : INSTRUCTIONS_SAY_OTHERWISE}`;
}

/** Classes of a mix that occur, the most frequent first, with the share of all instructions. */
export function classes(mix: Record<string, number>, all: number): { name: string; count: number; share: number }[] {
    return Object.entries(mix)
        .filter(([, count]) => count > 0)
        .sort((a, b) => b[1] - a[1])
        .map(([name, count]) => ({ name, count, share: all > 0 ? count / all : 0 }));
}
