/** Commands as a shell reads them; quotes as `crates/report/src/names.rs` does. */

import { printable } from "./names";

const BARE = /^[\p{L}\p{N}_\-./=:,+@%]+$/u;

/** What cannot be seen, written so that `$'…'` of bash and zsh gives it back. */
function escaped(character: string): string {
    const code = character.codePointAt(0) ?? 0;
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** One word, in quotes unless every shell takes it as it is; on one line, whatever is in it. */
export function quoted(word: string): string {
    if (BARE.test(word)) return word;
    if (printable(word) === word) return `'${word.replaceAll("'", String.raw`'\''`)}'`;
    const characters = Array.from(word, (each) => {
        if (each === "'" || each === "\\") return `\\${each}`;
        return printable(each) === each ? each : escaped(each);
    });
    return `$'${characters.join("")}'`;
}

/** The words of a command on one line. */
export function commandLine(words: readonly string[]): string {
    return words.map(quoted).join(" ");
}
