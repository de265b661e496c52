/** Phrases of the text output (`contract/words.ts`) with their gaps filled in, as `crates/report/src/phrases.rs` does it. */

/** The phrase with a value for each `{}`, one after the other. */
export function filled(phrase: string, ...values: readonly (string | number)[]): string {
    return phrase.split("{}").map((part, at) => (at === 0 ? part : `${values[at - 1] ?? ""}${part}`)).join("");
}
