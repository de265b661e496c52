/** How far the axes reach: all loops and the corners of the roof, with some room, as the text's chart does. */

import { type CeilingLine, roofAt } from "./ceilings";

export interface Spot {
    intensity: number;
    rate: number;
}

export interface Extent {
    x: [number, number];
    y: [number, number];
}

/** More powers of ten are not shown at first: smaller values are drawn on the edge, and zooming out is possible. */
const DECADES = 6;
const ROOM_BELOW = 10 ** 0.3;
const ROOM_ABOVE = 10 ** 0.2;

function span(values: readonly number[]): [number, number] | undefined {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
        if (!(value > 0) || !Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    if (low > high) return undefined;
    // A single loop is in the middle of one power of ten.
    const widen = Math.max(Math.sqrt(10 / (high / low)), 1);
    const top = high * widen * ROOM_ABOVE;
    return [Math.max(low / widen / ROOM_BELOW, top / 10 ** DECADES), top];
}

export function extent(spots: readonly Spot[], lines: readonly CeilingLine[]): Extent | undefined {
    const peaks = lines.flatMap((line) => (line.kind === "compute" ? line.gflops : []));
    const bandwidths = lines.flatMap((line) => (line.kind === "memory" ? line.gbytes : []));
    const ridges = peaks.length === 0 ? [] : bandwidths.map((bandwidth) => Math.max(...peaks) / bandwidth);
    const across = span([...spots.map((spot) => spot.intensity), ...ridges]);
    if (across === undefined) return undefined;
    // Without peaks, what the bandwidths allow at the loops.
    const allowed = peaks.length > 0 ? peaks : spots.flatMap((spot) => lines.map((line) => roofAt(line, spot.intensity)));
    const up = span([...spots.map((spot) => spot.rate), ...allowed]);
    return up === undefined ? undefined : { x: across, y: up };
}

/** Between neighbouring marks of a decade at least: 1 to 10; 1, 2, 5; all nine. In decades. */
const STEPS: [factors: number[], gap: number][] = [
    [[1, 2, 3, 4, 5, 6, 7, 8, 9], Math.log10(10 / 9)],
    [[1, 2, 5], Math.log10(2)],
    [[1], 1],
];

/** Values to mark on an axis of this length in pixels: powers of ten, and between them what has room. */
export function ticks([from, to]: readonly [number, number], pixels: number, room: number): number[] {
    const decade = pixels / Math.log10(to / from);
    const [factors] = STEPS.find(([, gap]) => gap * decade >= room) ?? [[1]];
    // Where even powers of ten are too many, every second, third, ...
    const every = Math.max(Math.ceil(room / decade), 1);
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
        if (power % every !== 0) continue;
        for (const factor of factors) {
            const value = Number(`${factor}e${power}`);
            if (value >= from && value <= to) found.push(value);
        }
    }
    return found;
}

/** A mark is a round number: it is written with the digits that it has. */
export function tickText(value: number): string {
    return value >= 1e-4 && value < 1e6 ? String(value) : value.toExponential().replace("e+", "e");
}
