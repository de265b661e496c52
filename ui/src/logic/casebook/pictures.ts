/** Pictures that a program drew of what it computes: points in the unit square, distinguished by kind. */

import type { Frame } from "../contract";
import { count, counted } from "../quantity";

/** Kinds that have a shape and a colour of their own; what is beyond shares the last. */
export const KINDS = 6;

/** Points of one kind, with the number that the program gave it. */
export interface KindOfPoint {
    kind: number;
    /** Place among all kinds of the pictures: chooses shape and colour. */
    slot: number;
    points: [number, number][];
}

/** Kinds that occur in any frame, in their order: a kind looks the same in all of them. */
export function kindsOf(frames: readonly Frame[]): number[] {
    const kinds = new Set<number>();
    for (const { points } of frames) for (const [, , kind] of points) kinds.add(kind);
    return [...kinds].sort((a, b) => a - b);
}

/** The points of a frame by kind. */
export function byKind(frame: Frame, kinds: readonly number[]): KindOfPoint[] {
    const all = kinds.map((kind, at): KindOfPoint => ({ kind, slot: Math.min(at, KINDS - 1), points: [] }));
    const of = new Map(all.map((each) => [each.kind, each]));
    for (const [x, y, kind] of frame.points) if (Number.isFinite(x) && Number.isFinite(y)) of.get(kind)?.points.push([x, y]);
    return all;
}

/** Marks of half a size around the origin; distinguished by shape, not by colour alone. */
const SHAPES: readonly ((size: number) => string)[] = [
    (s) => `m${-s} 0a${s} ${s} 0 1 0 ${2 * s} 0a${s} ${s} 0 1 0 ${-2 * s} 0z`,
    (s) => `m0 ${-1.3 * s}l${1.3 * s} ${1.3 * s}l${-1.3 * s} ${1.3 * s}l${-1.3 * s} ${-1.3 * s}z`,
    (s) => `m0 ${-1.2 * s}l${1.2 * s} ${2.1 * s}h${-2.4 * s}z`,
    (s) => `m${-s} ${-s}h${2 * s}v${2 * s}h${-2 * s}z`,
    (s) => `m${-s} ${-s}l${2 * s} ${2 * s}m0 ${-2 * s}l${-2 * s} ${2 * s}`,
    (s) => `m${-1.3 * s} 0h${2.6 * s}m${-1.3 * s} ${-1.3 * s}v${2.6 * s}`,
];

/** All points of a kind as one path: thousands of elements would make the page slow. */
export function marks(points: readonly [number, number][], slot: number, side: number, size: number): string {
    const shape = rounded(SHAPES[slot]?.(size) ?? "");
    // Upwards as in a textbook.
    return points.map(([x, y]) => `M${(x * side).toFixed(1)} ${((1 - y) * side).toFixed(1)}${shape}`).join("");
}

function rounded(path: string): string {
    return path.replace(/-?\d+\.\d+/g, (number) => String(Math.round(Number(number) * 100) / 100));
}

/** Half a mark's size: many points get small ones. */
export function markSize(points: number, side: number): number {
    return Math.min(Math.max((0.3 * side) / Math.sqrt(Math.max(points, 1)), 0.8), 4);
}

/** Where the points of a kind are: their middle and how far they are from it. */
function spreadOf(points: readonly [number, number][]): string {
    const mean = (of: (point: [number, number]) => number): number => points.reduce((sum, point) => sum + of(point), 0) / points.length;
    const [x, y] = [mean((point) => point[0]), mean((point) => point[1])];
    const away = Math.sqrt(mean((point) => (point[0] - x) ** 2 + (point[1] - y) ** 2));
    return `around (${x.toFixed(2)}, ${y.toFixed(2)}), ${away.toFixed(2)} away on average`;
}

/** A frame for who cannot see it. */
export function frameWords(frame: Frame, kinds: readonly KindOfPoint[]): string {
    const present = kinds.filter(({ points }) => points.length > 0);
    const described = present.map(({ kind, points }) => `kind ${kind}: ${counted(points.length, "point", "points")} ${spreadOf(points)}`);
    return `Step ${count(frame.step)}, ${[counted(frame.points.length, "point", "points"), ...described].join("; ")}`;
}
