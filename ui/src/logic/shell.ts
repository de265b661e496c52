/** Commands as a shell reads them; quotes as `crates/report/src/names.rs` does. */

import { printable } from "./names";

const BARE = /^[\p{L}\p{N}_\-./=:,+@%]+$/u;

/** One word, in single quotes unless every shell takes it as it is. */
export function quoted(word: string): string {
    return BARE.test(word) ? word : `'${printable(word.replaceAll("'", String.raw`'\''`))}'`;
}

/** The words of a command on one line. */
export function commandLine(words: readonly string[]): string {
    return words.map(quoted).join(" ");
}
