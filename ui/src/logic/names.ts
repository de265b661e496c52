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

const OPENING = "(<[{";
const CLOSING = ")>]}";
/** Names of C++ operators, and arrows, that hold brackets which are none. */
const OPERATOR = /^(operator(<=>|<<=|>>=|->\*|\(\)|<<|>>|<=|>=|->|<|>)|->|=>)/;

/** Without what is between outermost round brackets, and without them. */
function withoutParameters(name: string): string {
    let [depth, out] = [0, ""];
    for (let at = 0; at < name.length; at++) {
        const operator = OPERATOR.exec(name.slice(at, at + 12))?.[0];
        if (operator !== undefined) {
            if (depth === 0) out += operator;
            at += operator.length - 1;
            continue;
        }
        const character = name.charAt(at);
        if (character === "(") depth++;
        if (depth === 0) out += character;
        if (character === ")" && depth > 0) depth--;
    }
    return out;
}

/**
 * A function's name with its scope and template arguments only: without parameters, what follows them, and the type of the
 * result, which only templates have. The text shortens names alike (`crates/report/src/names.rs`).
 */
export function bareFunction(whole: string): string {
    const name = whole.slice(0, 4000).replaceAll("(anonymous namespace)::", "");
    let depth = 0;
    let [space, list, named] = [-1, -1, false];
    for (let at = 0; at < name.length; at++) {
        const operator = OPERATOR.exec(name.slice(at, at + 12))?.[0];
        if (operator !== undefined) {
            // What follows `operator<< ` are its template arguments.
            named ||= depth === 0;
            at += operator.length - 1;
            continue;
        }
        const character = name.charAt(at);
        if (OPENING.includes(character)) {
            if (character === "(" && depth === 0) list = at;
            depth++;
        } else if (CLOSING.includes(character)) depth = Math.max(0, depth - 1);
        else if (depth === 0 && character === " " && list < 0 && !named && !name.slice(0, at).endsWith("operator")) space = at;
        else if (depth === 0 && character === ":") list = -1;
    }
    const short = list > 0 ? name.slice(space < list ? space + 1 : 0, list) : name;
    return withoutParameters(short);
}

/** A function's name of at most this number of characters: rather without its parameters than with a hole in the middle. */
export function elidedFunction(name: string, longest: number): string {
    const text = printable(name);
    return text.length <= longest ? text : elided(bareFunction(text), longest);
}

/** The name of a node of the call tree; of a loop (`loop at a.cpp:9 in System<double>::move(double)`) the place stays longest. */
export function elidedNode(name: string, longest: number): string {
    const text = printable(name);
    if (text.length <= longest) return text;
    if (!text.startsWith("loop at ")) return elidedFunction(text, longest);
    const rest = text.slice("loop at ".length);
    const at = rest.indexOf(" in ");
    const place = at < 0 ? rest : rest.slice(0, at);
    const room = longest - place.length - " in ".length;
    return at >= 0 && room >= SHORTEST_FUNCTION ? `${place} in ${elidedFunction(rest.slice(at + " in ".length), room)}` : elided(place, longest);
}

/** Fewer characters of a function's name tell nothing. */
const SHORTEST_FUNCTION = 8;

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
