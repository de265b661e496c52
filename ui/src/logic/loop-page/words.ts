/** Words for the contract's names, as the text output says them (`crates/report/src/vocabulary.rs`). */

import type { Provenance, Report } from "../contract";

const PROVENANCES: Record<Provenance, string> = {
    measured: "measured",
    counted: "counted",
    modelled: "modelled",
    inferred: "inferred",
    binary: "read from the binary",
    compiler: "reported by the compiler",
};

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
    const what = says.vectorized ? "says that it vectorised this loop" : "says that it did not vectorise this loop";
    const width = says.vector_bytes === undefined ? "" : ` with ${says.vector_bytes}-byte vectors`;
    return `${what}${width}${says.vectorized === does ? "" : "; the instructions say otherwise, and they are what runs"}`;
}

/** Classes of a mix that occur, the most frequent first, with the share of all instructions. */
export function classes(mix: Record<string, number>, all: number): { name: string; count: number; share: number }[] {
    return Object.entries(mix)
        .filter(([, count]) => count > 0)
        .sort((a, b) => b[1] - a[1])
        .map(([name, count]) => ({ name, count, share: all > 0 ? count / all : 0 }));
}
