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

/** Speed-ups at which a scale that is not even may have ticks; slower ones are their inverses. */
const TICKS = [1, 1.1, 1.2, 1.5, 2, 3, 4, 6, 8, 16, LARGEST];
/** Ticks that are nearer than this share of the scale would touch in their labels. */
const APART = 0.09;

/** A logarithmic scale from the least to the largest of some speed-ups, with 1 on it: where gains are small, half of an even scale is empty. */
export function spreadScale(ratios: readonly number[], apart = APART): RatioScale {
    const known = ratios.filter((each) => each > 0 && Number.isFinite(each)).map((each) => Math.min(Math.max(each, 1 / LARGEST), LARGEST));
    const steps = [...TICKS.slice(1).reverse().map((tick) => 1 / tick), ...TICKS];
    const [low, high] = [Math.min(...known, 1 / 1.1), Math.max(...known, 1.1)];
    const from = steps.findLast((step) => step <= low * 1.0001) ?? low;
    const to = steps.find((step) => step >= high / 1.0001) ?? high;
    const at = (value: number): number => (value > 0 ? Math.min(Math.max(Math.log(value / from) / Math.log(to / from), 0), 1) : 0);
    // From 1 outwards, so that 1 has its label whatever is near.
    const ticks: number[] = [];
    for (const step of [...steps].sort((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))) {
        if (step >= from && step <= to && ticks.every((tick) => Math.abs(at(tick) - at(step)) >= apart)) ticks.push(step);
    }
    return { most: to, ticks: ticks.sort((a, b) => a - b), at };
}

/** A tick's label: fractions for what is slower, where they are whole. */
export function tickLabel(tick: number): string {
    const [size, inverse] = [Math.round(tick * 100) / 100, Math.round(100 / tick) / 100];
    return tick < 1 && Number.isInteger(inverse) ? `1/${inverse}` : String(size);
}
