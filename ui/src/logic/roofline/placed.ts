/** Loops on the axes of the roofline: their places and order, and which of them are drawn. */

import type { LoopFacts, RooflinePoint } from "../contract";

/** What an axis counts; loops that only move data have no axis, they are listed. */
export type AxisKind = "flop" | "integer";

export const AXES: Record<AxisKind, { choice: string; x: string; y: string; unit: string }> = {
    flop: { choice: "floating point", x: "FLOP per byte", y: "GFLOP/s", unit: "GFLOP/s" },
    integer: { choice: "integer operations", x: "integer operations per byte", y: "10⁹ integer operations/s", unit: "Gop/s" },
};

/** The unit in which a loop's rate and ceiling are. */
export function unitOf(kind: RooflinePoint["kind"]): string {
    return kind === "bytes" ? "GB/s" : AXES[kind].unit;
}

/** The rate of the kind of work that a loop is measured by, in 10^9 per second; undefined without time. */
export function achieved(point: RooflinePoint): number | undefined {
    return { flop: point.gflops, integer: point.gintops, bytes: point.gbytes_per_second }[point.kind];
}

/** A loop with a place on the axes. */
export interface Placed {
    loop: LoopFacts;
    point: RooflinePoint;
    intensity: number;
    rate: number;
}

export function placed(loop: LoopFacts): Placed | undefined {
    const point = loop.roofline;
    if (point === undefined || point.kind === "bytes") return undefined;
    const rate = achieved(point);
    const { intensity } = point;
    // A logarithmic axis has no place for nothing.
    if (intensity === undefined || rate === undefined || !(intensity > 0) || !(rate > 0)) return undefined;
    return { loop, point, intensity, rate };
}

/** Loops of an axis that have a place, that with most self time first. */
export function placedOn(loops: readonly LoopFacts[], kind: AxisKind): Placed[] {
    const found = loops.flatMap((loop) => (loop.roofline?.kind === kind ? (placed(loop) ?? []) : []));
    return found.sort((a, b) => b.loop.self_seconds - a.loop.self_seconds || a.loop.id - b.loop.id);
}

/** Axes on which at least one loop has a place. */
export function axesOf(loops: readonly LoopFacts[]): AxisKind[] {
    return (["flop", "integer"] as const).filter((kind) => loops.some((loop) => loop.roofline?.kind === kind && placed(loop) !== undefined));
}

/** More dots are unreadable and slow. */
export const MOST_DOTS = 2000;

export interface Drawn {
    dots: Placed[];
    /** Loops with less self time than those drawn. */
    more: number;
    /** Loops below the smallest share. */
    small: number;
}

/** The loops to draw, and `marked` in any case. */
export function drawn(all: readonly Placed[], least: number, marked: number | undefined): Drawn {
    const large = all.filter((each) => each.loop.self_share >= least || each.loop.id === marked);
    const dots = large.slice(0, MOST_DOTS);
    const lost = large.slice(MOST_DOTS).find((each) => each.loop.id === marked);
    if (lost !== undefined) dots.push(lost);
    return { dots, more: large.length - dots.length, small: all.length - large.length };
}

const SMALLEST = 4;
const LARGEST = 22;

/** Radius of a dot in pixels: its area is the share of the time, down to what can be seen and pointed at. */
export function radius(selfShare: number): number {
    return Math.max(SMALLEST, LARGEST * Math.sqrt(Math.min(Math.max(selfShare, 0), 1)));
}
