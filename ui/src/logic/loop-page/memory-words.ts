/** What caches and other threads make of a loop's accesses, in words as the text output says them (`crates/report/src/memory_behaviour.rs`). */

import type { CacheGeometry, LoopFacts, MemoryFacts, ReuseCarrier, SharingFacts } from "../contract";
import {
    APART_ON_AVERAGE,
    CACHE_LINE,
    CARRIED_BY,
    COME_BACK_FROM,
    FALSELY_SHARED,
    FOR_VICTIMS,
    FULLY_ASSOCIATIVE,
    HALF,
    LINES_WITH_ACCESSES,
    NINE_TENTHS,
    PAGE,
    WAYS,
    WOULD_HIT,
} from "../contract/words";
import { filled } from "../phrases";
import { bytes, count, counted, rate, share } from "../quantity";
import type { Column } from "./columns";

/** `32 KiB 8-way LRU`. */
export function geometry(cache: CacheGeometry): string {
    const ways = cache.ways >= cache.lines ? FULLY_ASSOCIATIVE : filled(WAYS, cache.ways);
    const size =
        cache.translation ? `${counted(cache.lines, ...PAGE)} of ${bytes(cache.line_bytes)}` : bytes(cache.lines * cache.line_bytes);
    return `${size} ${ways} ${cache.policy.toUpperCase()}${cache.victim ? FOR_VICTIMS : ""}`;
}

export function bounds([low, high]: readonly [number, number]): string {
    const [from, to] = [rate(low), rate(high)];
    return from === to ? from : `${from}–${to}`;
}

/** The distance that contains `part` of the line uses, in lines; undefined when fewer return at all. */
export function within(reuse: readonly (readonly [number, number, number])[], part: number): number | undefined {
    let sum = 0;
    for (const [, highest, each] of reuse) {
        sum += each;
        // Shares were rounded where they were added up.
        if (sum >= part - 1e-9) return highest;
    }
    return undefined;
}

/** The size of the cache that would keep half and nine tenths of what is used again. */
export function reuseSizes(memory: MemoryFacts, line: number): string[] {
    const found: string[] = [];
    for (const [part, word] of [[0.5, HALF], [0.9, NINE_TENTHS]] as const) {
        const distance = within(memory.reuse ?? [], part);
        // The line itself has to stay, too.
        if (distance !== undefined) found.push(filled(WOULD_HIT, word, bytes((distance + 1) * line)));
    }
    return found;
}

/** Line uses by the size of a cache that would keep the line. */
export function reuseColumns(memory: MemoryFacts, line: number): Column[] {
    const size = (lines: number): string => bytes((lines + 1) * line);
    return (memory.reuse ?? []).map(([low, high, part]) => ({
        label: low === high ? size(low) : `${size(low)}–${size(high)}`,
        value: part,
        text: `${share(part)} of the line uses`,
    }));
}

/** Which loop carries reuse, without its name. */
export function carrierWords(carrier: Pick<ReuseCarrier, "before_loop" | "mean_bytes">): { what: string; distance: string } {
    const what = carrier.before_loop === true ? COME_BACK_FROM : CARRIED_BY;
    return { what, distance: carrier.mean_bytes >= 1 ? filled(APART_ON_AVERAGE, bytes(Math.round(carrier.mean_bytes))) : "" };
}

/** An access by its place in the loop's list. */
export function accessName(loop: LoopFacts, at: number): string {
    const access = loop.access?.[at];
    const what = access?.operand ?? access?.addresses[0];
    if (access === undefined || what === undefined) return `access ${at + 1}`;
    return access.line === undefined ? what : `${what} (line ${access.line})`;
}

/** Accesses to another node's memory, the largest share first. */
export function remoteNodes(memory: MemoryFacts): { share: number; pairs: [number, number, number][] } {
    const pairs = (memory.nodes ?? []).filter(([page, thread]) => page !== thread).sort((a, b) => b[2] - a[2]);
    return { share: pairs.reduce((sum, [, , part]) => sum + part, 0), pairs };
}

function linesWith(lines: number, part: number): string {
    return filled(LINES_WITH_ACCESSES, counted(lines, ...CACHE_LINE), share(part));
}

export function sharingWords(sharing: SharingFacts): { costly: boolean; text: string }[] {
    const words: { costly: boolean; text: string }[] = [];
    if (sharing.false_lines > 0) {
        words.push({
            costly: true,
            text: `False sharing of ${linesWith(sharing.false_lines, sharing.false_share)}: ${FALSELY_SHARED}.`,
        });
    }
    if (sharing.true_lines > 0) words.push({ costly: false, text: `True sharing of ${linesWith(sharing.true_lines, sharing.true_share)}, with writes.` });
    if (words.length === 0) words.push({ costly: false, text: "No cache line that a thread wrote was used by another one at the same time." });
    return words;
}

/** Misses that surely were, and may have been. */
export function missesWithin(level: { misses: number; unknown?: number }): string {
    return `${count(level.misses)}–${count(level.misses + (level.unknown ?? 0))}`;
}
