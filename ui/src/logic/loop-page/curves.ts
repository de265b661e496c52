/**
 * How a loop bore injected operations, as drawings: the time of an iteration over the number of operations, the flat part in
 * which operations are absorbed, and the line below which no curve can be.
 *
 * An iteration takes at least `busy + operations * cost`: what the loop itself needs of the resource, and the operations one
 * after the other. `busy` is the largest share for which that holds at all points, so the line from it touches the curve.
 */

import type { ResourceFacts } from "../contract";

/** The drawings of a loop end here at the latest: operations are injected until an iteration takes about three times as long. */
const HIGHEST = 3.25;
const LOWEST = 2;

/** A place within a drawing, as shares of its width and its height from the bottom. */
export interface Place {
    x: number;
    y: number;
}

export interface Line {
    from: Place;
    to: Place;
}

export interface Mark extends Place {
    /** The interval. */
    low: number;
    high: number;
}

export interface Drawing {
    marks: Mark[];
    /** From each point to the next one, the first of them from the iteration without operations. */
    curve: Line[];
    /** Where the flat part ends. */
    room: number;
    /** The first point above the drawing, and where the curve leaves it. */
    beyond: { x: number; operations: number; ratio: number } | undefined;
    /** The least time, from the loop's own share on. */
    own: Line | undefined;
    /** Operations at the right edge. */
    most: number;
}

/** The greatest multiple that all drawings of a loop show, so that slopes can be compared. */
export function highest(resources: readonly ResourceFacts[]): number {
    const ratios = resources.flatMap(({ curve }) => curve.map(({ ratio }) => ratio));
    return Math.min(Math.max(Math.ceil(Math.max(...ratios, 0) * 2) / 2, LOWEST), HIGHEST);
}

/** Time that an operation takes beside the loop's own, in iterations; undefined where no number of them filled the resource. */
export function costOf({ busy, curve }: ResourceFacts): number | undefined {
    if (busy === undefined || curve.length === 0) return undefined;
    return Math.min(...curve.map(({ operations, ratio }) => (ratio - busy) / operations));
}

/** The part of a line that is below the upper edge. */
function within(from: readonly [number, number], to: readonly [number, number], top: number): readonly [number, number] {
    if (to[1] <= top || to[1] <= from[1]) return to;
    return [from[0] + ((top - from[1]) / (to[1] - from[1])) * (to[0] - from[0]), top];
}

/** A resource drawn up to `top` iterations. */
export function drawing(resource: ResourceFacts, top: number): Drawing {
    const { curve, room, busy } = resource;
    const most = Math.max(...curve.map(({ operations }) => operations), 1);
    const place = ([operations, ratio]: readonly [number, number]): Place => ({ x: operations / most, y: Math.min(ratio, top) / top });
    const points = [[0, 1] as const, ...curve.map(({ operations, ratio }) => [operations, ratio] as const)];
    const lines: Line[] = [];
    for (const [at, to] of points.entries()) {
        const from = points[at - 1];
        if (from === undefined) continue;
        // What comes after the curve left the drawing is not drawn, also where it comes back.
        if (from[1] > top) break;
        lines.push({ from: place(from), to: place(within(from, to, top)) });
    }
    const above = curve.find(({ ratio }) => ratio > top);
    const cost = costOf(resource);
    const own =
        cost === undefined || busy === undefined ? undefined : { from: place([0, busy]), to: place(within([0, busy], [most, busy + cost * most], top)) };
    return {
        marks: curve.filter(({ ratio }) => ratio <= top).map(({ operations, ratio, low, high }) => ({
            ...place([operations, ratio]),
            low: Math.min(low, top) / top,
            high: Math.min(high, top) / top,
        })),
        curve: lines,
        beyond: above === undefined ? undefined : { x: lines.at(-1)?.to.x ?? 0, operations: above.operations, ratio: above.ratio },
        room: Math.min(room / most, 1),
        own,
        most,
    };
}

/** Those that the loop keeps busiest first; then those that absorb least of what they were given. */
export function byBusy(resources: readonly ResourceFacts[]): ResourceFacts[] {
    return [...resources].sort((a, b) => (b.busy ?? -1) - (a.busy ?? -1));
}
