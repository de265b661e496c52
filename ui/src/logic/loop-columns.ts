/** Columns of the table of loops: what each says of a row, as text, for sorting, and under which key of the contract. */

import type { LoopFacts, Recommendation, TripCount, WorkRow } from "./contract";
import { CAUSES_IN_SHORT, LOOP_COLUMNS } from "./contract/words";
import type { Group } from "./groups";
import { dependenceInShort, headroom, isaName, kindWords, reasons, roleWords, shortBound, sourceEntries, sourceMean, strides, stridesInShort } from "./loop-words";
import { amount, count, gain as gainInWords, mean, percent, rate, ratio, span, time, wholePercent } from "./quantity";
import { worth } from "./advice";
import { bottleneckOf, inShort } from "./bottleneck-words";

/** A source loop (the pieces that a compiler made of it together), or one of several pieces. */
export interface LoopRow {
    group: Group;
    /** The piece; the group's lead when the row is the source loop. */
    loop: LoopFacts;
    /** The row is one of several pieces. */
    piece: boolean;
    best?: Recommendation | undefined;
}

/** What a column says of a row. */
export interface Fact {
    /** Path of the key in the contract. */
    key: string;
    text: string;
    /** What the column sorts by. */
    value: number | string;
    /** A second line. */
    detail?: string | undefined;
}

/** A column: what heads it comes from the text output's list of fields, what it says of a row is the page's. */
export interface Column {
    id: (typeof LOOP_COLUMNS)[number]["id"];
    title: string;
    /** What the heading means. */
    help: string;
    /** In pixels. */
    width: number;
    number?: boolean;
    /** Shown when the reader has not chosen columns. */
    usual: boolean;
    /** Collection that fills it. */
    from?: "tripcounts" | "map" | "dependencies" | "survey" | "bottlenecks";
    fact: (row: LoopRow) => Fact | undefined;
}

function known(key: string, value: number | undefined, words: (value: number) => string, detail?: string): Fact | undefined {
    return value === undefined ? undefined : { key, text: words(value), value, detail };
}

function listed(key: string, items: readonly string[], detail?: string): Fact | undefined {
    return items.length === 0 ? undefined : { key, text: items.join(", "), value: items.join(", "), detail };
}

/** The row describes several pieces. */
function together({ group, piece }: LoopRow): boolean {
    return !piece && group.pieces.length > 1;
}

/** A time of the row: the loop's own, or the sum over the pieces. */
function summed(row: LoopRow, key: "self_share" | "self_seconds" | "total_share" | "total_seconds", words: (value: number) => string): Fact {
    const all = together(row);
    const value = all ? row.group[key] : row.loop[key];
    return { key: all ? (key === "self_share" ? "group_share" : `group.${key}`) : key, text: words(value), value };
}

/** Counts of the row: of a source loop those that any piece knows of it. */
function trips(row: LoopRow): TripCount | undefined {
    return row.piece ? row.loop.trip_count : row.group.pieces.find((piece) => piece.trip_count !== undefined)?.trip_count;
}

function meanTrips(row: LoopRow): Fact | undefined {
    const counted = trips(row);
    if (row.piece && counted?.mean !== undefined) return known("trip_count.mean", counted.mean, mean);
    const text = counted === undefined || row.piece ? undefined : sourceMean(counted);
    if (counted !== undefined && text !== undefined) {
        const [low, high] = counted.source_mean_bounds ?? [0, 0];
        const exact = counted.source_mean !== undefined;
        return { key: exact ? "trip_count.source_mean" : "trip_count.source_mean_bounds", text, value: counted.source_mean ?? (low + high) / 2 };
    }
    return known("constant_trips", row.loop.constant_trips, count, "constant");
}

function medianTrips(row: LoopRow): Fact | undefined {
    const counted = together(row) ? undefined : trips(row);
    if (counted === undefined) return undefined;
    const about = counted.approximate === true ? "~" : "";
    if (counted.median !== undefined) return known("trip_count.median", counted.median, (value) => about + amount(value));
    const bounds = counted.median_bounds;
    return bounds && { key: "trip_count.median_bounds", text: about + span(bounds), value: (bounds[0] + bounds[1]) / 2 };
}

function entries(row: LoopRow): Fact | undefined {
    const counted = trips(row);
    if (counted === undefined) return undefined;
    if (row.piece) return known("trip_count.entries", counted.entries, amount);
    const text = sourceEntries(counted);
    if (text === undefined) return undefined;
    const key = counted.source_entries === undefined ? "trip_count.source_entries_bounds" : "trip_count.source_entries";
    return { key, text, value: counted.source_entries ?? counted.source_entries_bounds?.[0] ?? 0 };
}

/** Counted work of the row; of a source loop the sum over its pieces. */
function worked(row: LoopRow, key: "instructions" | "flop" | "bytes_loaded" | "bytes_stored"): number | undefined {
    const works = (row.piece ? [row.loop] : row.group.pieces).map((piece) => piece.work).filter((work): work is WorkRow => work !== undefined);
    return works.length === 0 ? undefined : works.reduce((sum, work) => sum + work[key], 0);
}

function work(row: LoopRow, key: "instructions" | "flop"): Fact | undefined {
    const value = worked(row, key);
    if (value === undefined || (key === "flop" && value === 0)) return undefined;
    const bound = key === "flop" && row.group.pieces.some((piece) => piece.work?.flop_is_bound === true) ? "≤ " : "";
    return { key: together(row) ? `group.work.${key}` : `work.${key}`, text: bound + amount(value), value };
}

function intensity(row: LoopRow): Fact | undefined {
    if (!together(row)) return known("work.intensity", row.loop.work?.intensity, rate);
    const [flop, loaded, stored] = [worked(row, "flop"), worked(row, "bytes_loaded"), worked(row, "bytes_stored")];
    const bytes = (loaded ?? 0) + (stored ?? 0);
    return flop === undefined || flop === 0 || bytes === 0 ? undefined : known("group.work.intensity", flop / bytes, rate);
}

function roofline({ loop }: LoopRow): Fact | undefined {
    const point = loop.roofline;
    if (point?.headroom === undefined || headroom(loop) === undefined) return undefined;
    return { key: "roofline.headroom", text: ratio(point.headroom), value: point.headroom, detail: shortBound(point.bound ?? "") };
}

function advice({ best }: LoopRow): Fact | undefined {
    if (best === undefined) return undefined;
    const gain = best.program_gain === undefined ? undefined : `program ${gainInWords(best.program_gain, best.program_gain_likely)}`;
    return { key: "recommendations", text: best.title, value: worth(best), detail: gain };
}

function strideShares({ loop }: LoopRow): Fact | undefined {
    const shares = strides(loop.access);
    return shares && { key: "access", text: stridesInShort(shares), value: shares.unit };
}

/** A vector's property; gain and efficiency mean nothing where most of the arithmetic is scalar. */
function vector(row: LoopRow, key: "gain" | "efficiency", words: (value: number) => string): Fact | undefined {
    return row.loop.vectorized ? known(`vector.${key}`, row.loop.vector?.[key], words) : undefined;
}

function calls({ loop }: LoopRow): Fact | undefined {
    const targets = [...new Set((loop.calls ?? []).map((call) => call.target ?? "through a pointer"))];
    return targets.length === 0 ? undefined : { key: "calls", text: targets.join(", "), value: loop.calls?.length ?? 0 };
}

/** What binds the loop; sorted by the first cause, those that take most of it first. */
function boundBy({ group, loop, piece }: LoopRow): Fact | undefined {
    const known = piece ? loop.bottleneck : bottleneckOf(group);
    if (known === undefined) return undefined;
    const [first] = known.verdict;
    // Shares are below 10: the place of the digits is the same in all.
    const rank = first === undefined ? "~" : `${CAUSES_IN_SHORT[first.kind]} ${(10 - first.share).toFixed(4)}`;
    return { key: "bottleneck", text: inShort(known), value: rank };
}

const FACTS: Record<Column["id"], Column["fact"]> = {
    self_share: (row) => summed(row, "self_share", percent),
    self_seconds: (row) => summed(row, "self_seconds", time),
    total_share: (row) => summed(row, "total_share", percent),
    total_seconds: (row) => summed(row, "total_seconds", time),
    type: ({ loop }) => ({ key: "vectorized", text: kindWords(loop), value: kindWords(loop) }),
    why_not: ({ loop }) => listed("why_not", reasons(loop)),
    bound_by: boundBy,
    roofline: roofline,
    recommendation: advice,
    trips: meanTrips,
    trips_median: medianTrips,
    entries: entries,
    isa: ({ loop }) => (loop.vector === undefined ? undefined : listed("vector.isa", [isaName(loop.vector.isa)])),
    width: ({ loop }) => known("vector.bits", loop.vector?.bits, (bits) => `${bits}b ×${loop.vector?.length ?? 1}`),
    efficiency: (row) => vector(row, "efficiency", (value) => `${wholePercent(value)} %`),
    gain: (row) => vector(row, "gain", ratio),
    strides: strideShares,
    dependence: ({ loop }) => (loop.dependence === undefined ? undefined : { key: "dependence.vector", text: dependenceInShort(loop.dependence), value: loop.dependence.vector }),
    traits: ({ loop }) => listed("traits", loop.traits ?? []),
    calls: calls,
    module: ({ loop }) => listed("module", [loop.module]),
    data: ({ loop }) => listed("types", loop.types ?? []),
    unroll: ({ loop }) => known("vector.unroll", loop.vector?.unroll, count),
    instructions: (row) => work(row, "instructions"),
    flop: (row) => work(row, "flop"),
    intensity: intensity,
    threads: ({ loop }) => known("threads", loop.threads, count),
};

export const COLUMNS: readonly Column[] = LOOP_COLUMNS.map((column) => ({ ...column, fact: FACTS[column.id] }));

/** What a piece is called below its source loop: its role, and the function where the compiler put it into another one. */
export function pieceName({ group, loop }: LoopRow): string {
    return loop.function === group.lead.function ? roleWords(loop.role) : `${roleWords(loop.role)} in ${loop.function}`;
}

/** What the first column says beside function and place. */
export function rowNote({ group, loop, piece }: LoopRow): string {
    return piece || group.pieces.length === 1 ? `loop ${loop.id}` : `${group.pieces.length} pieces`;
}
