/** Iterations in a row, and arrows from the one that a dependence leaves to the one that it reaches. */

/** Arrows are drawn from this number of iterations. */
const ARROWS = 3;
/** This number of iterations in a row is distinguished. */
const MOST = 14;

export interface IterationBox {
    iteration: number;
    /** Place in the row, in boxes; the gap for iterations left out takes one. */
    slot: number;
}

export interface Arrows {
    boxes: IterationBox[];
    /** Slots of the ends. */
    arrows: [number, number][];
    /** Place of the gap, when iterations are left out. */
    gap?: number;
    slots: number;
}

/** For a distance of at least 1. */
export function arrows(distance: number): Arrows | undefined {
    if (!Number.isSafeInteger(distance) || distance < 1) return undefined;
    const last = distance + ARROWS - 1;
    if (last < MOST) {
        const boxes = Array.from({ length: last + 1 }, (_, at) => ({ iteration: at, slot: at }));
        return { boxes, arrows: Array.from({ length: ARROWS }, (_, at) => [at, at + distance]), slots: last + 1 };
    }
    const near = Array.from({ length: ARROWS }, (_, at) => ({ iteration: at, slot: at }));
    const far = Array.from({ length: ARROWS }, (_, at) => ({ iteration: at + distance, slot: at + ARROWS + 1 }));
    return {
        boxes: [...near, ...far],
        arrows: Array.from({ length: ARROWS }, (_, at) => [at, at + ARROWS + 1]),
        gap: ARROWS,
        slots: 2 * ARROWS + 1,
    };
}
