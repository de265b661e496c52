/** Axes that all ladders of a case share. */

import type { CaseRecord } from "../contract";
import type { RatioScale } from "../ratio-scale";

export interface TimeAxis {
    most: number;
    ticks: number[];
    /** Place between 0 and 1. */
    at: (seconds: number) => number;
}

/** Times from zero, with steps of 1, 2 or 5. */
export function timeAxis(seconds: readonly number[], steps = 4): TimeAxis {
    const most = Math.max(...seconds.filter((each) => Number.isFinite(each)), 0);
    if (!(most > 0)) return { most: 1, ticks: [0], at: () => 0 };
    const rough = most / steps;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = ([1, 2, 5].find((each) => each * power >= rough * 0.999_999) ?? 10) * power;
    const last = Math.ceil(most / step - 1e-9);
    const ticks = Array.from({ length: last + 1 }, (_, at) => at * step);
    const end = last * step;
    return { most: end, ticks, at: (value) => Math.min(Math.max(value / end, 0), 1) };
}

/** Times of all ladders, so that compilers and languages compare at a glance. */
export function caseTimes({ ladders }: CaseRecord): number[] {
    return ladders.flatMap(({ stages }) => stages.flatMap(({ measured }) => (measured === undefined ? [] : [measured.seconds.median, measured.seconds.high])));
}

/** Measured and predicted gains of all ladders. */
export function caseGains({ ladders }: CaseRecord): number[] {
    return ladders.flatMap(({ stages }) =>
        stages.flatMap(({ measured, rung }) => {
            const gain = measured?.program_gain;
            return [...(rung?.predicted ?? []), ...(gain === undefined ? [] : [gain.median, gain.low, gain.high])];
        }),
    );
}

/** Beyond this the scale ends: larger values are drawn at its end, the numbers beside give them. */
const LARGEST = 64;

/** Powers of two from the smallest gain to the largest, with 1 among them: unlike a comparison's, it has no middle. */
export function gainScale(gains: readonly number[]): RatioScale {
    const logs = gains.filter((each) => each > 0 && Number.isFinite(each)).map(Math.log2);
    const limit = Math.log2(LARGEST);
    const low = Math.max(Math.floor(Math.min(0, ...logs) + 0.05), -limit);
    const high = Math.min(Math.ceil(Math.max(1, ...logs) - 0.05), limit);
    const step = Math.ceil((high - low) / 5);
    // From 1 in both directions, so that 1 always has a tick.
    const ticks: number[] = [];
    for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push(2 ** at);
    return {
        most: 2 ** high,
        ticks,
        at: (value) => (value > 0 ? Math.min(Math.max((Math.log2(value) - low) / (high - low), 0), 1) : 0),
    };
}
