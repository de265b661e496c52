/** Two lines that differ, as pieces of which those with other digits are marked. */

import { printable } from "./names";

export interface Piece {
    text: string;
    differs: boolean;
}

export interface Pair {
    expected: Piece[];
    found: Piece[];
}

/** A number, space, or anything between. */
const TOKEN = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?|\s+|[^\s\d.+-]+|./g;
const NUMBER = /^([+-]?(?:\d+\.?\d*|\.\d+))([eEdD][+-]?\d+)?$/;

/** The digits before the point, which decide what the others are worth. */
const whole = (mantissa: string): number => mantissa.replace(/^[+-]/, "").split(".")[0]?.length ?? 0;

/** From which character on two numbers differ; undefined where they are of another size or sign, so that no digits can be compared. */
function firstOther(one: string, other: string): { at: number; ends: [number, number] } | undefined {
    const [a, b] = [NUMBER.exec(one), NUMBER.exec(other)];
    if (a === null || b === null || a[2] !== b[2]) return undefined;
    const [left = "", right = ""] = [a[1], b[1]];
    if (left.startsWith("-") !== right.startsWith("-") || whole(left) !== whole(right)) return undefined;
    let at = 0;
    while (at < Math.min(left.length, right.length) && left[at] === right[at]) at++;
    return { at, ends: [left.length, right.length] };
}

/** Neighbours that are alike as one. */
function joined(pieces: readonly Piece[]): Piece[] {
    const out: Piece[] = [];
    for (const { text, differs } of pieces) {
        const last = out.at(-1);
        if (text === "") continue;
        if (last !== undefined && last.differs === differs) last.text += text;
        else out.push({ text, differs });
    }
    return out;
}

/** A number from its first differing digit on, without its exponent. */
function parts(text: string, at: number, end: number): Piece[] {
    return [
        { text: text.slice(0, at), differs: false },
        { text: text.slice(at, end), differs: true },
        { text: text.slice(end), differs: false },
    ];
}

/** What the beginnings and ends of two lines have in common is plain, what is between differs. */
function aroundTheMiddle(expected: string, found: string): Pair {
    const shorter = Math.min(expected.length, found.length);
    let [from, back] = [0, 0];
    while (from < shorter && expected[from] === found[from]) from++;
    while (back < shorter - from && expected[expected.length - 1 - back] === found[found.length - 1 - back]) back++;
    return { expected: parts(expected, from, expected.length - back), found: parts(found, from, found.length - back) };
}

/** Lines longer than this are shown around their first difference. */
const LONGEST = 400;
/** Characters before it that are kept then. */
const BEFORE = 80;

/** A part of two long lines around the place from which they differ. */
function around(expected: string, found: string): [string, string] {
    if (Math.max(expected.length, found.length) <= LONGEST) return [expected, found];
    let from = 0;
    while (from < Math.min(expected.length, found.length) && expected[from] === found[from]) from++;
    const start = Math.max(from - BEFORE, 0);
    const cut = (line: string) => (start > 0 ? "…" : "") + line.slice(start, start + LONGEST) + (line.length > start + LONGEST ? "…" : "");
    return [cut(expected), cut(found)];
}

/** Both lines in pieces. Numbers at the same place are compared digit by digit. */
export function differingDigits(wanted: string, got: string): Pair {
    const [expected, found] = around(printable(wanted.trim()), printable(got.trim()));
    const [ours, theirs] = [expected.match(TOKEN) ?? [], found.match(TOKEN) ?? []];
    if (ours.length !== theirs.length) {
        const { expected: one, found: other } = aroundTheMiddle(expected, found);
        return { expected: joined(one), found: joined(other) };
    }
    const pieces: Pair = { expected: [], found: [] };
    for (const [place, one] of ours.entries()) {
        const other = theirs[place] ?? "";
        const numbers = one === other ? undefined : firstOther(one, other);
        if (one === other) {
            pieces.expected.push({ text: one, differs: false });
            pieces.found.push({ text: other, differs: false });
        } else if (numbers === undefined) {
            pieces.expected.push({ text: one, differs: true });
            pieces.found.push({ text: other, differs: true });
        } else {
            pieces.expected.push(...parts(one, numbers.at, numbers.ends[0]));
            pieces.found.push(...parts(other, numbers.at, numbers.ends[1]));
        }
    }
    return { expected: joined(pieces.expected), found: joined(pieces.found) };
}

/** Bits of a number's mantissa: as many can agree. */
export const MANTISSA_BITS = 53;

/** Whole bits that agree; undefined where the numbers do not agree in one. */
export function agreeingBits(bits: number | undefined): number | undefined {
    return bits === undefined || !(bits >= 1) ? undefined : Math.floor(bits);
}
