/** Predicted gains on a logarithmic scale, so that twice as fast and half as fast are as far from 1. */

import type { Gain } from "../contract";

/** Least extent of a scale: small gains should look small. */
const LEAST = 4;

export interface Span {
    from: number;
    to: number;
    /** The place of 1 (no change). */
    one: number;
    most: number;
}

/** Ends of a range as shares of a scale that reaches to `most` or further. */
export function span([low, high]: Gain, most: number = LEAST): Span | undefined {
    if (!(low > 0) || !(high >= low) || !Number.isFinite(high)) return undefined;
    const end = Math.max(most, high, LEAST);
    const begin = Math.min(1, low);
    const at = (value: number): number => Math.log(value / begin) / Math.log(end / begin);
    return { from: at(low), to: at(high), one: at(1), most: end };
}
