/** Where the time went: by kind of code, and how much of it a few loops hold. */

import type { TimeShares } from "./contract";
import type { Group } from "./groups";

export interface TimePart {
    key: keyof TimeShares;
    /** Class of the colour. */
    kind: "vectorised" | "scalar" | "outside" | "kernel";
    label: string;
    share: number;
}

/** Parts of a whole, those without time left out. */
export function timeParts(time: TimeShares): TimePart[] {
    const parts: TimePart[] = [
        { key: "vectorized", kind: "vectorised", label: "vectorised loops", share: time.vectorized },
        { key: "scalar", kind: "scalar", label: "scalar loops", share: time.scalar },
        { key: "outside_loops", kind: "outside", label: "outside loops", share: time.outside_loops },
        { key: "kernel", kind: "kernel", label: "kernel", share: time.kernel },
    ];
    return parts.filter((part) => part.share > 0);
}

export interface TopShare {
    loops: number;
    share: number;
}

/** Share of the time in the hottest 1, 5 and 10 source loops; numbers beyond the loops that have time say nothing new. */
export function topShares(groups: readonly Group[], steps: readonly number[] = [1, 5, 10]): TopShare[] {
    const timed = groups.filter((group) => group.self_share > 0);
    const sizes = [...new Set(steps.map((step) => Math.min(step, timed.length)))].filter((size) => size > 0);
    return sizes.map((loops) => ({
        loops,
        share: Math.min(timed.slice(0, loops).reduce((sum, group) => sum + group.self_share, 0), 1),
    }));
}
