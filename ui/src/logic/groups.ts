/** Loops by number, and the machine loops that a compiler made of one source loop taken together. */

import type { Analysis, LoopFacts, LoopRole } from "./contract";

/** The machine loops of one source loop, the piece with most self time first. */
export interface Group {
    id: number;
    pieces: LoopFacts[];
    /** The piece that the group is named after: the body where there is one, else the hottest. */
    lead: LoopFacts;
    self_seconds: number;
    self_share: number;
    /** Time below any piece; a piece within another piece is not counted twice. */
    total_seconds: number;
    total_share: number;
}

const instructions = (each: LoopFacts): number => each.work?.instructions ?? 0;

function sum(values: readonly number[]): number {
    return values.reduce((all, value) => all + value, 0);
}

function group(id: number, pieces: LoopFacts[]): Group {
    pieces.sort((a, b) => b.self_seconds - a.self_seconds || instructions(b) - instructions(a) || a.id - b.id);
    const [hottest] = pieces;
    if (hottest === undefined) throw new Error("a group has at least one piece");
    const outer = pieces.filter((piece) => !pieces.some((other) => other.id === piece.parent));
    return {
        id,
        pieces,
        lead: pieces.find((piece) => piece.role === "body") ?? hottest,
        self_seconds: sum(pieces.map((piece) => piece.self_seconds)),
        self_share: sum(pieces.map((piece) => piece.self_share)),
        total_seconds: sum(outer.map((piece) => piece.total_seconds)),
        total_share: Math.min(sum(outer.map((piece) => piece.total_share)), 1),
    };
}

/** An analysis does not change once it is read: what is computed from it once holds for every view. */
function once<T>(compute: (analysis: Analysis) => T): (analysis: Analysis) => T {
    const known = new WeakMap<Analysis, { value: T }>();
    return (analysis) => {
        const found = known.get(analysis) ?? { value: compute(analysis) };
        known.set(analysis, found);
        return found.value;
    };
}

/** Groups, that with most self time first; without time, that with most instructions. */
export const groups: (analysis: Analysis) => readonly Group[] = once((analysis) => {
    const pieces = new Map<number, LoopFacts[]>();
    for (const each of analysis.loops) {
        const known = pieces.get(each.group);
        if (known === undefined) pieces.set(each.group, [each]);
        else known.push(each);
    }
    const all = [...pieces].map(([id, own]) => group(id, own));
    const work = new Map(all.map((each) => [each, sum(each.pieces.map(instructions))]));
    const done = (each: Group): number => work.get(each) ?? 0;
    const first = (each: Group): number => each.pieces[0]?.id ?? 0;
    return all.sort((a, b) => b.self_seconds - a.self_seconds || done(b) - done(a) || first(a) - first(b));
});

/** Self time of a role as a share of the group's. */
export function shareOf(each: Group, role: LoopRole): number {
    const part = sum(each.pieces.filter((piece) => piece.role === role).map((piece) => piece.self_seconds));
    return each.self_seconds > 0 ? part / each.self_seconds : 0;
}

/** Loops by number. */
export const loopsById: (analysis: Analysis) => ReadonlyMap<number, LoopFacts> = once(
    (analysis) => new Map(analysis.loops.map((each) => [each.id, each])),
);
