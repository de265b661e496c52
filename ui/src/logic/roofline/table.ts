/** The loops of the roofline as a table: the same numbers as the chart's. */

import type { LoopFacts } from "../contract";
import { functionName, place } from "../names";
import { achieved } from "./placed";

export const COLUMNS = ["id", "self", "name", "kind", "intensity", "achieved", "bandwidth", "bound", "ceiling", "headroom", "cores"] as const;
export type ColumnKey = (typeof COLUMNS)[number];

/** What a column sorts by; undefined comes last either way. */
export const VALUES: Record<ColumnKey, (loop: LoopFacts) => number | string | undefined> = {
    id: (loop) => loop.id,
    self: (loop) => loop.self_share,
    name: (loop) => `${functionName(loop)} ${place(loop)}`,
    kind: (loop) => loop.roofline?.kind,
    intensity: (loop) => loop.roofline?.intensity,
    achieved: (loop) => (loop.roofline === undefined ? undefined : achieved(loop.roofline)),
    bandwidth: (loop) => loop.roofline?.gbytes_per_second,
    bound: (loop) => loop.roofline?.bound,
    ceiling: (loop) => loop.roofline?.ceiling,
    headroom: (loop) => loop.roofline?.headroom,
    cores: (loop) => loop.roofline?.cores,
};

export interface Order {
    by: ColumnKey;
    descending: boolean;
}

/** Counted loops with at least this share of the time, in order. */
export function tableRows(loops: readonly LoopFacts[], least: number, { by, descending }: Order): LoopFacts[] {
    const value = VALUES[by];
    const sign = descending ? -1 : 1;
    const keyed = loops.filter((loop) => loop.roofline !== undefined && loop.self_share >= least).map((loop) => ({ loop, key: value(loop) }));
    keyed.sort((a, b) => {
        if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined) || a.loop.id - b.loop.id;
        const order = typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
        return order * sign || b.loop.self_seconds - a.loop.self_seconds || a.loop.id - b.loop.id;
    });
    return keyed.map((each) => each.loop);
}
