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

/** More powers of ten are not shown at first: what is below stands on the edge, and zooming out is possible. */
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
    const top = high * ROOM_ABOVE;
    return [Math.max(low / ROOM_BELOW, top / 10 ** DECADES), top];
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

/** Values to mark on an axis: powers of ten, and between them 2 and 5 when there is room. */
export function ticks([from, to]: readonly [number, number], most: number): number[] {
    const all: { value: number; rank: number }[] = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
        for (const factor of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
            const value = Number(`${factor}e${power}`);
            if (value >= from && value <= to) all.push({ value, rank: factor === 1 ? 0 : factor === 2 || factor === 5 ? 1 : 2 });
        }
    }
    const upTo = [2, 1, 0].find((rank) => all.filter((tick) => tick.rank <= rank).length <= most) ?? 0;
    const kept = all.filter((tick) => tick.rank <= upTo).map((tick) => tick.value);
    const every = Math.max(Math.ceil(kept.length / most), 1);
    return kept.filter((_, at) => at % every === 0);
}
