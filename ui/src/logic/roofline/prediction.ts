/** What recommendations predict, on the roofline: how far up a loop would move. */

import type { LoopFacts, Recommendation } from "../contract";
import { type Placed, placed } from "./placed";

export interface Prediction {
    place: Placed;
    recommendation: Recommendation;
    /** Rates at the lowest and the highest gain. */
    low: number;
    high: number;
    /** Where the arrow ends: at most at what the machine can do. */
    tip: number;
    note: string | undefined;
}

/** The highest compute roof, or what the nearest memory delivers, whichever is lower: no change of this loop's code gets beyond. */
export function utmost({ roofs }: Placed["point"]): number {
    const most = (kind: "compute" | "memory"): number =>
        (roofs ?? []).filter((roof) => roof.kind === kind).reduce((top, roof) => Math.max(top, roof.value), -Infinity);
    const values = [most("compute"), most("memory")].filter((value) => value > 0);
    return values.length === 0 ? Infinity : Math.min(...values);
}

/** The arrow of a recommendation for a loop; undefined where there is no prediction, or no place to start from. */
export function prediction(loop: LoopFacts, recommendation: Recommendation): Prediction | undefined {
    const place = placed(loop);
    const gain = recommendation.loop_gain;
    if (place === undefined || gain === undefined) return undefined;
    const [low, high] = [place.rate * gain[0], place.rate * gain[1]];
    const most = utmost(place.point);
    const { ceiling, bound } = place.point;
    let note: string | undefined;
    if (high > most) note = "drawn up to what the machine can do at this intensity: beyond it the loop would need fewer bytes or operations";
    else if (ceiling !== undefined && high > ceiling) note = `above the ceiling that binds now (${bound ?? "unnamed"}): the change moves that ceiling, too, or gains less`;
    return { place, recommendation, low, high, tip: Math.max(Math.min(high, most), place.rate), note };
}

/** A recommendation that loops with a place have, and for how many of them. */
export interface Choice {
    id: string;
    title: string;
    loops: number;
}

/** What can be chosen, the one that would gain most for the program first. */
export function choices(places: readonly Placed[]): Choice[] {
    const found = new Map<string, Choice & { most: number }>();
    for (const { loop } of places) {
        const seen = new Set<string>();
        for (const each of loop.recommendations ?? []) {
            if (each.loop_gain === undefined || seen.has(each.id)) continue;
            seen.add(each.id);
            const most = each.program_gain?.[1] ?? 1;
            const known = found.get(each.id);
            if (known === undefined) found.set(each.id, { id: each.id, title: each.title, loops: 1, most });
            else {
                known.loops += 1;
                if (most > known.most) [known.most, known.title] = [most, each.title];
            }
        }
    }
    return [...found.values()].sort((a, b) => b.most - a.most || a.id.localeCompare(b.id)).map(({ id, title, loops }) => ({ id, title, loops }));
}

/** Arrows are drawn for this number of loops at most. */
export const MOST_ARROWS = 50;

/** The arrows of a choice: one recommendation for all loops, or all of one loop. */
export function predictions(places: readonly Placed[], choice: { id: string } | { loop: number }): Prediction[] {
    const found: Prediction[] = [];
    for (const { loop } of places) {
        if ("loop" in choice && loop.id !== choice.loop) continue;
        for (const each of loop.recommendations ?? []) {
            if ("id" in choice && each.id !== choice.id) continue;
            const made = prediction(loop, each);
            if (made !== undefined) found.push(made);
            if (found.length >= MOST_ARROWS) return found;
        }
    }
    return found;
}
