/** Scales of speed-ups. */

/** A scale of speed-ups on which twice as fast is as far from 1 as half as fast. */
export interface RatioScale {
    /** The largest speed-up on the scale; the smallest is its inverse. */
    most: number;
    ticks: number[];
    /** Place between 0 and 1; values beyond the scale are at its end. */
    at: (ratio: number) => number;
}

/** Beyond this the scale ends: one loop that was a thousand times as fast would hide all others. */
const LARGEST = 32;

/** A scale on which all of some speed-ups have room. */
export function ratioScale(ratios: readonly number[]): RatioScale {
    const logs = ratios.filter((each) => each > 0 && Number.isFinite(each)).map((each) => Math.abs(Math.log2(each)));
    const furthest = Math.min(Math.max(...logs.slice(0, 10_000), 0.5), Math.log2(LARGEST));
    const reach = furthest <= 1 ? Math.ceil(furthest * 2) / 2 : Math.ceil(furthest);
    const step = reach <= 1 ? 0.5 : reach <= 3 ? 1 : 2;
    const steps = Math.floor(reach / step);
    const ticks = Array.from({ length: 2 * steps + 1 }, (_, at) => 2 ** ((at - steps) * step));
    const at = (value: number): number => {
        if (!(value > 0)) return 0;
        return Math.min(Math.max((Math.log2(value) / reach + 1) / 2, 0), 1);
    };
    return { most: 2 ** reach, ticks, at };
}
