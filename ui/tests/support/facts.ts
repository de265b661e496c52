/** What the document determines without saying it, computed once more from the description in docs/json.md. */

import type { Analysis, FlatNode, LoopFacts, Recommendation, Report, WorkRow } from "../../src/logic/contract";

export const total = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** The machine loops of a source loop together; time below a piece counts once. */
export function groupOf(analysis: Analysis, group: number): Record<string, unknown> | undefined {
    const pieces = analysis.loops.filter((each) => each.group === group);
    const [hottest] = pieces.toSorted((a, b) => b.self_seconds - a.self_seconds || a.id - b.id);
    if (hottest === undefined) return undefined;
    const lead = pieces.find((each) => each.role === "body") ?? hottest;
    const outer = pieces.filter((each) => !pieces.some((other) => other.id === each.parent));
    const times = {
        self_seconds: total(pieces.map((each) => each.self_seconds)),
        self_share: total(pieces.map((each) => each.self_share)),
        total_seconds: total(outer.map((each) => each.total_seconds)),
        total_share: Math.min(1, total(outer.map((each) => each.total_share))),
    };
    // Sums over what was counted; nothing where nothing was.
    const worked = (value: (work: WorkRow) => number) => {
        const known = pieces.flatMap((each) => (each.work === undefined ? [] : [value(each.work)]));
        return known.length === 0 ? undefined : total(known);
    };
    const [flop, bytes] = [worked((work) => work.flop), worked((work) => work.bytes_loaded + work.bytes_stored)];
    const work = { instructions: worked((each) => each.instructions), flop, intensity: flop === undefined || bytes === undefined ? undefined : flop / bytes };
    const trip_count = pieces.find((each) => each.trip_count !== undefined)?.trip_count;
    return { ...lead, pieces, ...times, group_share: times.self_share, group: { ...times, work }, trip_count };
}

/** Every recommendation, those with the largest gain for the program first. */
export function recommendations(report: Report): Recommendation[] {
    const { loops, recommendations: others = [] } = report.analysis;
    return [...loops.flatMap((each) => each.recommendations ?? []), ...others];
}

export function loopOf(report: Report, id: number): LoopFacts {
    const loop = report.analysis.loops.find((each) => each.id === id);
    if (loop === undefined) throw new Error(`no loop ${id}`);
    return loop;
}

/** Loops by self time, the hottest first. */
export function hottest(report: Report): LoopFacts[] {
    return report.analysis.loops.toSorted((a, b) => b.self_seconds - a.self_seconds || a.id - b.id);
}

/** Nodes of a tree below one. */
export function childrenOf(tree: readonly FlatNode[], parent: number): number[] {
    return tree.flatMap((node, index) => (node.parent === parent ? [index] : []));
}
