/** Speed-ups of several builds, as they are drawn beside each other on one axis. */

import type { TriedFacts } from "./contract";
import { GIVEN_UP, TRIED_OUTCOMES } from "./contract/words";
import { elided } from "./names";
import { counted, ratio, ratioRange } from "./quantity";
import { type RatioScale, spreadScale } from "./ratio-scale";

/** One build of a picture. */
export interface GainRow {
    /** Its path in the document's facts. */
    at: string;
    name: string;
    tried: TriedFacts;
    /** A few rounds alone: its figure is rough. */
    rough: boolean;
    /** Why it is marked among the others. */
    mark?: string;
}

/** What was measured, the fastest first; what was marked before others that are as fast. */
export function byGain(rows: readonly GainRow[]): GainRow[] {
    return rows
        .filter(({ tried }) => tried.measured_median !== undefined)
        .sort((a, b) => (b.tried.measured_median ?? 0) - (a.tried.measured_median ?? 0) || Number(b.mark !== undefined) - Number(a.mark !== undefined));
}

/** Labels of the axis that are nearer than this share of a narrow drawing would touch. */
const APART_IF_NARROW = 0.16;

/** The axis for all of them and for the band of what is not claimed. */
export function gainScale(rows: readonly GainRow[], claimedFrom: number, narrow = false): RatioScale {
    const drawn = rows.flatMap(({ tried: { measured = [], measured_median: median } }) => [...measured, ...(median === undefined ? [] : [median])]);
    return spreadScale([...drawn, claimedFrom, 1 / claimedFrom], narrow ? APART_IF_NARROW : undefined);
}

/** `1.34×, 1.30–1.38×, faster`: what a row's mark shows. */
export function gainWords({ tried: { measured_median: median, measured, outcome }, rough, mark }: GainRow): string {
    const interval = measured === undefined || measured[0] === measured[1] ? [] : [ratioRange(measured)];
    const parts = [...(median === undefined ? [] : [ratio(median)]), ...interval, rough ? GIVEN_UP : TRIED_OUTCOMES[outcome]];
    return parts.join(", ") + (mark === undefined ? "" : ` (${mark})`);
}

/** The picture in a sentence. */
export function pictureWords(rows: readonly GainRow[], claimedFrom: number): string {
    const gains = rows.flatMap(({ tried }) => tried.measured_median ?? []);
    if (gains.length === 0) return "nothing was measured";
    const marked = rows.filter(({ mark }) => mark !== undefined).map((row) => `; ${elided(row.name, 80)}: ${gainWords(row)}`);
    return `${counted(gains.length, "build", "builds")} from ${ratio(Math.min(...gains))} to ${ratio(Math.max(...gains))}; a gain is claimed from ${ratio(claimedFrom)}${marked.join("")}`;
}
