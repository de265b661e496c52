/** Energy against performance, a point for each number of threads (a Z-plot): lines from the origin have one energy-delay product. */

import { scaleLinear } from "d3-scale";
import type { EnergyFacts } from "./contract";
import { bestThreads, performance, threadWords } from "./energy";
import { energy as joulesText, rate, ratio } from "./quantity";
import type { Rectangle, Segment } from "./roofline/labels";

export interface ZPoint {
    /** Its number in the document's list. */
    at: number;
    threads: number;
    /** In words. */
    name: string;
    /** How many times as fast as with the first number of threads. */
    performance: number;
    joules: number;
    interval: readonly [number, number] | undefined;
    /** Joules times seconds. */
    product: number | undefined;
    isLeast: boolean;
    hasLeastProduct: boolean;
}

/** Numbers of threads whose energy and time are known, in their order. */
export function zPoints(energy: EnergyFacts): ZPoint[] {
    // Where the program ignores its number of threads, no number is better than another.
    const isBest = (at: number, best: number | undefined): boolean => energy.same_threads !== true && at === best;
    return (energy.threads ?? []).flatMap((each, at) => {
        const { threads, joules, joules_interval: interval, delay_product: product } = each;
        const faster = performance(energy, each);
        if (joules === undefined || faster === undefined) return [];
        const known = interval !== undefined && interval[0] !== interval[1] ? interval : undefined;
        return [{ at, threads, name: threadWords(each), performance: faster, joules, interval: known, product, isLeast: isBest(at, energy.least_energy), hasLeastProduct: isBest(at, energy.least_delay_product) }];
    });
}

/** Beyond the largest value, as a share of it. */
const BEYOND = 1.1;

/** Both axes, from zero to a little beyond the largest values, in pixels of the drawing. */
export function zScales(points: readonly ZPoint[], plot: Rectangle) {
    const most = (values: readonly number[]): number => BEYOND * Math.max(...values, Number.MIN_VALUE);
    const x = scaleLinear([0, most(points.map((each) => each.performance))], [plot.x, plot.x + plot.width]);
    const y = scaleLinear([0, most(points.flatMap(({ joules, interval = [] }) => [joules, ...interval]))], [plot.y + plot.height, plot.y]);
    return { x, y };
}

export type ZScales = ReturnType<typeof zScales>;

/** A line of one energy-delay product. */
export interface ProductLine {
    /** In joule seconds. */
    product: number;
    /** Joules for each unit of performance. */
    slope: number;
    isLeast: boolean;
}

/** Lines whose slopes are nearer than this would lie on each other. */
const APART = 1.25;

/** The line through the least product, and those through the first and the last point where they are apart from it. */
export function productLines(points: readonly ZPoint[]): ProductLine[] {
    const lines: ProductLine[] = [];
    for (const point of [points.find(({ hasLeastProduct }) => hasLeastProduct), points[0], points.at(-1)]) {
        if (point?.product === undefined || point.joules <= 0) continue;
        const slope = point.joules / point.performance;
        const isApart = lines.every((other) => Math.max(slope / other.slope, other.slope / slope) >= APART);
        if (isApart) lines.push({ product: point.product, slope, isLeast: point.hasLeastProduct });
    }
    return lines;
}

/** The line from the origin to the edge of the plot, in pixels. */
export function drawnLine({ slope }: ProductLine, { x, y }: ZScales): Segment {
    const [right = 0, top = 0] = [x.domain()[1], y.domain()[1]];
    const end = Math.min(right, top / slope);
    return { x1: x(0), y1: y(0), x2: x(end), y2: y(end * slope) };
}

/** Pixels between pieces of a line that names keep away from. */
const PIECE = 3;

/** The line as small rectangles, for what is to keep away from it. */
export function along({ x1, y1, x2, y2 }: Segment): Rectangle[] {
    const pieces = Math.max(Math.ceil(Math.hypot(x2 - x1, y2 - y1) / PIECE), 1);
    const half = PIECE / 2;
    return Array.from({ length: pieces + 1 }, (_, at) => ({ x: x1 + ((x2 - x1) * at) / pieces - half, y: y1 + ((y2 - y1) * at) / pieces - half, width: PIECE, height: PIECE }));
}

/** The lines that join the points in their order, in pixels. */
export function joined(points: readonly ZPoint[], { x, y }: ZScales): Segment[] {
    return points.slice(1).flatMap((to, at) => {
        const from = points[at];
        return from === undefined ? [] : [{ x1: x(from.performance), y1: y(from.joules), x2: x(to.performance), y2: y(to.joules) }];
    });
}

/** The unit of an axis of energies, so that its marks are short. */
export function energyUnit(largest: number): { unit: string; joules: number } {
    const units = ["J", "kJ", "MJ", "GJ"];
    let [at, size] = [0, 1];
    while (largest / size >= 999.5 && at + 1 < units.length) [at, size] = [at + 1, size * 1000];
    return { unit: units[at] ?? "", joules: size };
}

/** A mark without the digits that divisions leave behind. */
export function markText(value: number): string {
    return String(Number(value.toPrecision(6)));
}

/** What one point shows. */
function pointWords({ name, performance: faster, joules, product }: ZPoint): string {
    return [`${name}: ${ratio(faster)}`, joulesText(joules), ...(product === undefined ? [] : [`${rate(product)} J s`])].join(", ");
}

/** The picture in words. */
export function zWords(energy: EnergyFacts, points: readonly ZPoint[]): string {
    const best = bestThreads(energy);
    return `Energy over performance: ${points.map(pointWords).join("; ")}${best === undefined ? "" : `; ${best}`}`;
}
