/**
 * Loops drawn beside their lines: in the source as in Cray's loopmark listings (`V---<` where a loop begins, `V--->` where it ends),
 * in the assembly as brackets around their instructions.
 */

import type { Mark } from "../contract";

/** What a line shows of a loop: where it begins, goes on, ends, or all of it. */
export type Edge = "start" | "through" | "end" | "single";

export interface MarkHere {
    mark: Mark;
    edge: Edge;
}

/** What the letters of the marks mean. */
const LETTERS: readonly (readonly [letter: string, meaning: string])[] = [
    ["V", "vectorised"],
    ["s", "scalar"],
    ["r", "unrolled"],
    ["p", "with peel or remainder loops"],
    ["c", "calls functions"],
    ["I", "inlined here"],
    ["i", "interchanged"],
    ["b", "blocked"],
    ["f", "fused"],
    ["m", "threaded"],
];

/** The letters that occur, each with its meaning; one without a meaning is not left out. */
export function legend(marks: readonly Mark[]): [letter: string, meaning: string][] {
    const used = new Set(marks.flatMap((mark) => Array.from(mark.letters)));
    const known = LETTERS.filter(([letter]) => used.delete(letter)).map(([letter, meaning]): [string, string] => [letter, meaning]);
    return [...known, ...[...used].map((letter): [string, string] => [letter, "see the manual"])];
}

/** Letters in words: `vectorised, unrolled`. */
export function wordsOf(letters: string): string {
    return Array.from(letters).map((letter) => LETTERS.find(([known]) => known === letter)?.[1] ?? letter).join(", ");
}

/** The marks of a file, found by line. */
export class Margin {
    readonly slots: number;
    private readonly bySlot: Mark[][] = [];

    constructor(marks: readonly Mark[]) {
        for (const mark of marks) (this.bySlot[mark.slot] ??= []).push(mark);
        this.slots = this.bySlot.length;
        for (let slot = 0; slot < this.slots; slot++) {
            (this.bySlot[slot] ??= []).sort((a, b) => a.from - b.from || b.to - a.to);
        }
    }

    /** The loops of a line, outer ones first; at most one for each slot. */
    at(line: number): MarkHere[] {
        const found: MarkHere[] = [];
        for (const marks of this.bySlot) {
            let [from, to] = [0, marks.length];
            while (from < to) {
                const middle = Math.floor((from + to) / 2);
                if ((marks[middle]?.from ?? 0) <= line) from = middle + 1;
                else to = middle;
            }
            const mark = marks[from - 1];
            if (mark !== undefined && mark.to >= line) found.push({ mark, edge: edge(line === mark.from, line === mark.to) });
        }
        return found;
    }
}

function edge(first: boolean, last: boolean): Edge {
    if (first) return last ? "single" : "start";
    return last ? "end" : "through";
}

/** The bracket of a loop at an instruction. */
export interface Bracket {
    loop: number;
    edge: Edge;
    /** Column: 0 for the outermost. */
    slot: number;
}

/**
 * Brackets of every instruction, outer loops first. `nests` has the loops of each instruction from the outermost on; code of a loop
 * that is in several places begins and ends several times, as in the text output.
 */
export function brackets(nests: readonly (readonly number[])[]): Bracket[][] {
    return nests.map((nest, at) =>
        nest.map((loop, slot) => ({
            loop,
            slot,
            edge: edge(nests[at - 1]?.[slot] !== loop, nests[at + 1]?.[slot] !== loop),
        })),
    );
}
