/** The neighbours of a loop: before and behind which it is by time, within which and around which, and with which pieces. */

import type { Analysis, LoopFacts } from "../contract";
import { type Group, groups, loopsById } from "../groups";

/** Places of loops and groups in their lists, which are ordered by self time. */
interface Index {
    places: ReadonlyMap<number, number>;
    groups: ReadonlyMap<number, Group>;
}

// Built once for a report: pages are opened one after the other.
const INDEXES = new WeakMap<Analysis, Index>();

function index(analysis: Analysis): Index {
    const known = INDEXES.get(analysis);
    if (known !== undefined) return known;
    const made: Index = {
        places: new Map(analysis.loops.map((each, at) => [each.id, at])),
        groups: new Map(groups(analysis).map((each) => [each.id, each])),
    };
    INDEXES.set(analysis, made);
    return made;
}

/** The loop that is shown when none is named: the main piece of the hottest source loop. */
export function hottest(analysis: Analysis): LoopFacts | undefined {
    return groups(analysis)[0]?.lead;
}

export function loopOf(analysis: Analysis, id: number): LoopFacts | undefined {
    return loopsById(analysis).get(id);
}

/** All machine loops of the same source loop, this one among them. */
export function piecesOf(analysis: Analysis, loop: LoopFacts): Group | undefined {
    return index(analysis).groups.get(loop.group);
}

/** The next hotter and the next cooler loop, and the rank from 1. */
export function neighbours(analysis: Analysis, loop: LoopFacts): { rank: number; hotter?: LoopFacts | undefined; cooler?: LoopFacts | undefined } {
    const at = index(analysis).places.get(loop.id) ?? 0;
    return { rank: at + 1, hotter: at > 0 ? analysis.loops[at - 1] : undefined, cooler: analysis.loops[at + 1] };
}

/** A loop of the nest: known, or a number only when it has no samples, counts or traces. */
export interface Nested {
    id: number;
    loop: LoopFacts | undefined;
}

/** Loops around, outermost first. */
export function around(analysis: Analysis, loop: LoopFacts): Nested[] {
    const found: Nested[] = [];
    const seen = new Set([loop.id]);
    for (let id = loop.parent; id !== null && !seen.has(id); ) {
        seen.add(id);
        const each = loopOf(analysis, id);
        found.push({ id, loop: each });
        id = each?.parent ?? null;
    }
    return found.reverse();
}

export function within(analysis: Analysis, loop: LoopFacts): Nested[] {
    return loop.children.map((id) => ({ id, loop: loopOf(analysis, id) }));
}
