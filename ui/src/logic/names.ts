/** Names from binaries as text that a reader can distinguish: nothing invisible, nothing that turns the line around. */

import type { LoopFacts } from "./contract";

// Controls, formats (among them the marks that reverse the reading direction), separators of lines, lone surrogates, private use.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu;

function escaped(character: string): string {
    if (character === "\n") return "\\n";
    if (character === "\t") return "\\t";
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A name on one line. */
export function printable(name: string): string {
    return name.replace(INVISIBLE, escaped);
}

/** A name of at most `longest` characters, with its middle left out. */
export function elided(name: string, longest: number): string {
    const text = printable(name);
    if (text.length <= longest) return text;
    const head = Math.ceil((longest - 1) / 2);
    return `${text.slice(0, head)}…${text.slice(text.length - (longest - 1 - head))}`;
}

/** The function that a reader of the source looks for: the one in which the loop is written, where that was inlined. */
export function functionName(of: { readonly function?: string; readonly written_in?: string }): string {
    return of.written_in ?? of.function ?? "";
}

export function baseName(path: string): string {
    return path.slice(path.lastIndexOf("/") + 1);
}

/** `file.c:12`, or the address when the source is unknown. */
export function place(each: Pick<LoopFacts, "file" | "line" | "address">): string {
    return each.file !== undefined && each.line !== undefined ? `${baseName(each.file)}:${each.line}` : each.address;
}
