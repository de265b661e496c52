/**
 * Source text as coloured pieces. highlight.js finds them; an emitter of our own collects them, so that no markup is ever made
 * from the text of a source file.
 */

import hljs from "highlight.js/lib/core";
import type { Emitter } from "highlight.js";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import fortran from "highlight.js/lib/languages/fortran";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import x86asm from "highlight.js/lib/languages/x86asm";

export type Language = "c" | "cpp" | "fortran" | "python" | "rust" | "x86asm";

/** What a piece is; plain text has none. Each is a class `hl-KIND` of the page. */
export type Kind = "comment" | "keyword" | "string" | "number" | "type" | "function" | "meta";

export interface Piece {
    text: string;
    kind?: Kind;
}

/** Longer files are shown plain: colouring them would hold up the page for longer than colours are worth. */
export const MOST_LINES = 5000;
/** Longer lines are not highlighted: generated files have them, and patterns may need time quadratic in their length. */
const LONGEST_LINE = 2100;

const KINDS: Record<string, Kind> = {
    comment: "comment",
    doctag: "comment",
    quote: "comment",
    keyword: "keyword",
    string: "string",
    regexp: "string",
    char: "string",
    number: "number",
    literal: "number",
    type: "type",
    built_in: "type",
    class: "type",
    symbol: "function",
    title: "function",
    function: "function",
    meta: "meta",
};

/** The kind of highlight.js' scopes, from the outermost to the innermost; `title.function` is a `title`. */
function kindOf(scopes: readonly string[]): Kind | undefined {
    for (let at = scopes.length - 1; at >= 0; at--) {
        const scope = (scopes[at] ?? "").split(".", 1)[0] ?? "";
        // Within comments, strings and meta everything has their colour. Functions' heads and parameters have none of their own.
        const kind = Object.hasOwn(KINDS, scope) && scope !== "function" ? KINDS[scope] : undefined;
        if (kind !== undefined) return kind;
    }
    return undefined;
}

/** Collects pieces instead of writing markup. */
class Pieces implements Emitter {
    readonly lines: Piece[][] = [[]];
    private readonly scopes: string[] = [];

    addText(text: string): void {
        const kind = kindOf(this.scopes);
        text.split("\n").forEach((part, at) => {
            if (at > 0) this.lines.push([]);
            if (part !== "") this.add(kind === undefined ? { text: part } : { text: part, kind });
        });
    }

    startScope(name: string): void {
        this.scopes.push(name);
    }

    endScope(): void {
        this.scopes.pop();
    }

    /** Older names of the same, which highlight.js still calls. */
    openNode(name: string): void {
        this.startScope(name);
    }

    closeNode(): void {
        this.endScope();
    }

    toHTML(): string {
        return "";
    }

    finalize(): void {
        this.scopes.length = 0;
    }

    __addSublanguage(other: Emitter): void {
        if (!(other instanceof Pieces)) return;
        other.lines.forEach((line, at) => {
            if (at > 0) this.lines.push([]);
            for (const piece of line) this.add(piece);
        });
    }

    private add(piece: Piece): void {
        const line = this.lines.at(-1);
        const last = line?.at(-1);
        if (last !== undefined && last.kind === piece.kind) last.text += piece.text;
        else line?.push({ ...piece });
    }
}

hljs.configure({ __emitter: Pieces });
hljs.registerLanguage("c", c);
hljs.registerLanguage("cpp", cpp);
hljs.registerLanguage("fortran", fortran);
hljs.registerLanguage("python", python);
hljs.registerLanguage("rust", rust);
hljs.registerLanguage("x86asm", x86asm);

const EXTENSIONS: Record<string, Language> = {
    c: "c",
    h: "cpp",
    cc: "cpp",
    cpp: "cpp",
    cxx: "cpp",
    cu: "cpp",
    hh: "cpp",
    hpp: "cpp",
    hxx: "cpp",
    inl: "cpp",
    tcc: "cpp",
    ipp: "cpp",
    f: "fortran",
    for: "fortran",
    f77: "fortran",
    f90: "fortran",
    f95: "fortran",
    f03: "fortran",
    f08: "fortran",
    inc: "fortran",
    py: "python",
    pyx: "python",
    rs: "rust",
    s: "x86asm",
    asm: "x86asm",
};

/** The language of a file by its name; undefined when unknown. */
export function languageOf(file: string): Language | undefined {
    const extension = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase();
    return extension !== undefined && Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : undefined;
}

/** Lines of a text without their ends; a text that ends with a newline has no empty line after it. */
export function linesOf(text: string): string[] {
    const lines = text.split(/\r\n|\n|\r/);
    if (lines.length > 0 && lines.at(-1) === "") lines.pop();
    return lines;
}

function plain(lines: readonly string[]): Piece[][] {
    return lines.map((text) => (text === "" ? [] : [{ text }]));
}

/** The pieces of each line. A text is coloured as a whole, for comments go on over lines. */
export function highlight(lines: readonly string[], language: Language | undefined): Piece[][] {
    if (language === undefined || lines.length > MOST_LINES || lines.some((line) => line.length > LONGEST_LINE)) {
        return plain(lines);
    }
    const result = hljs.highlight(lines.join("\n"), { language, ignoreIllegals: true });
    const found = result._emitter;
    // highlight.js gives up on what it cannot follow, and then has only a part of the lines.
    if (!(found instanceof Pieces) || result.errorRaised !== undefined || found.lines.length !== Math.max(lines.length, 1)) {
        return plain(lines);
    }
    return found.lines.slice(0, lines.length);
}

const instructions = new Map<string, Piece[]>();
/** Instructions remembered; a report rarely has more different ones. */
const REMEMBERED = 20_000;

/** The pieces of an instruction. Its first word is the operation, also where highlight.js does not know it yet. */
export function highlightInstruction(text: string): Piece[] {
    const known = instructions.get(text);
    if (known !== undefined) return known;
    const [, operation = "", rest = ""] = /^(\S*)([^]*)$/.exec(text) ?? [];
    const operands = rest.trim() === "" ? [{ text: rest }] : (highlight([rest.replaceAll("\n", " ")], "x86asm")[0] ?? []);
    const pieces: Piece[] = [{ text: operation, kind: "keyword" as const }, ...operands].filter((piece) => piece.text !== "");
    if (instructions.size >= REMEMBERED) instructions.clear();
    instructions.set(text, pieces);
    return pieces;
}
