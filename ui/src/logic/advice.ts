/** Recommendations of the whole report, in the order and the grouping of the text output. */

import type { Analysis, Confidence, Gain, Recommendation } from "./contract";

const SURENESS: Record<Confidence, number> = { high: 1, medium: 0.7, low: 0.35 };

/** The geometric middle: what gains are ordered by. */
export function middle([low, high]: Gain): number {
    return Math.sqrt(low * high);
}

/** What a change is expected to be worth: the likely gain of the program, discounted by how unsure it is. */
export function worth(advice: Recommendation): number {
    if (advice.program_gain === undefined) return 0;
    return Math.log(advice.program_gain_likely ?? middle(advice.program_gain)) * SURENESS[advice.confidence];
}

function text(a: string | undefined, b: string | undefined): number {
    const [left, right] = [a ?? "", b ?? ""];
    return left < right ? -1 : left > right ? 1 : 0;
}

/** The most valuable first (as `loopwright_advise::advise` orders them). */
export function byWorth(a: Recommendation, b: Recommendation): number {
    return (
        worth(b) - worth(a) ||
        SURENESS[b.confidence] - SURENESS[a.confidence] ||
        (b.share ?? 0) - (a.share ?? 0) ||
        (a.loop_id ?? -1) - (b.loop_id ?? -1) ||
        text(a.id, b.id) ||
        text(a.place, b.place)
    );
}

/** A change that gains less is not put before a hint that may gain more. */
const WORTH_MAKING = 1.02;

/** In order; a hint of low confidence is not the first while something surer is worth making. */
export function ordered(all: readonly Recommendation[]): Recommendation[] {
    const sorted = [...all].sort(byWorth);
    if (sorted[0]?.confidence !== "low") return sorted;
    const surer = sorted.find(({ confidence, program_gain: gain }) => confidence !== "low" && gain !== undefined && middle(gain) >= WORTH_MAKING);
    return surer === undefined ? sorted : [surer, ...sorted.filter((each) => each !== surer)];
}

/** All of them, the most valuable first. */
export function recommendations(analysis: Analysis): Recommendation[] {
    return ordered([...(analysis.recommendations ?? []), ...analysis.loops.flatMap((each) => each.recommendations ?? [])]);
}

/** One for each change, the most valuable first; those that gain too little to be shown at once come last. Earlier documents list single places only. */
export function cards(analysis: Analysis): Recommendation[] {
    return analysis.advice ?? recommendations(analysis);
}

/** The best change at a place, and others for the same loop. */
export interface PlaceAdvice {
    best: Recommendation;
    others: Recommendation[];
}

/** Those of one place together, in the order of each place's best: whoever opens a file wants to know all that holds the loop back. */
export function byPlace(ordered: readonly Recommendation[]): PlaceAdvice[] {
    const places: PlaceAdvice[] = [];
    const groups = new Map<number, PlaceAdvice>();
    for (const advice of ordered) {
        const known = advice.group === undefined ? undefined : groups.get(advice.group);
        if (known !== undefined) {
            known.others.push(advice);
            continue;
        }
        const place = { best: advice, others: [] };
        places.push(place);
        if (advice.group !== undefined) groups.set(advice.group, place);
    }
    return places;
}

/** Kinds of facts that the page states beside the evidence: the loop's share of the time, and how many CPUs were busy. */
const STATED = new Set<string>(["loop-share", "cpus-busy"]);

/** The first pieces of evidence that the page does not state elsewhere. */
export function firstEvidence(advice: Recommendation, most = 1): string[] {
    const others = advice.evidence.filter((_, at) => !STATED.has(advice.facts[at]?.kind ?? ""));
    return (others.length > 0 ? others : advice.evidence).slice(0, most);
}
