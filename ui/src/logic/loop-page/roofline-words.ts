/** A loop's place under the roofs, in words as the text output says them (`crates/report/src/loop_counts.rs`). */

import type { RooflinePoint } from "../contract";
import { OPERATIONS, RATE_UNITS } from "../contract/words";
import { rate } from "../quantity";

export function operations(kind: RooflinePoint["kind"]): string {
    return OPERATIONS[kind];
}

export function unit(kind: RooflinePoint["kind"]): string {
    return RATE_UNITS[kind];
}

/** What was achieved, in the unit of the axes. */
export function achieved(point: RooflinePoint): { key: "gflops" | "gintops" | "gbytes_per_second"; value: number } | undefined {
    const key = ({ flop: "gflops", integer: "gintops", bytes: "gbytes_per_second" } as const)[point.kind];
    const value = point[key];
    return value === undefined ? undefined : { key, value };
}

/** Bounds that are further apart than this say nothing beside an estimate. */
const MOST_SPREAD = 2;

/** An estimated number, with its bounds where they are of the same size. */
export function estimate(value: number, [low, high]: readonly [number, number] = [value, value]): string {
    const number = rate(value);
    const [from, to] = [rate(low), rate(high)];
    return (from === to && from === number) || high > MOST_SPREAD * low ? number : `${number} (${from === to ? from : `${from}–${to}`})`;
}
