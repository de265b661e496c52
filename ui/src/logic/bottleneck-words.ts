/** What binds a loop, in the words of the text output (`crates/report/src/bottlenecks.rs`). */

import type { Bottleneck, Cause } from "./contract";
import { CAUSES, CAUSES_IN_SHORT, CHANGED_AT, CORE_SHARED, COUNTED_IN_MEMORY, DISTURBED, MEASURED_SHARE, MODELLED_SHARE, SEVERAL_CAUSES, UNCLEAR, UNCLEAR_IN_SHORT, UNCLEAR_LENGTHENED, UNCLEAR_ON_TOP, WINDOW } from "./contract/words";
import type { Group } from "./groups";
import { filled } from "./phrases";
import { counted, mean, share } from "./quantity";

/** Causes that take less than this of an iteration are not listed beside the verdict. */
const LISTED = 0.1;
/** From this share on a resource is shown as one that may bind the loop. */
export const BUSY = 0.7;
/** In iterations of fewer cycles a count in memory shows. */
const FEW_CYCLES = 8;
/** Causes of a bar: more segments cannot be told apart. */
const DRAWN = 4;

/** `load ports (96 %)`, `latency of loads that miss a cache (100 %, modelled)`. */
export function causeWords({ kind, share: part, provenance }: Cause): string {
    return filled(provenance === "modelled" ? MODELLED_SHARE : MEASURED_SHARE, CAUSES[kind], share(part));
}

/** The verdict. */
export function answer({ verdict, sampled_ns: sampled, serial_share: serial }: Bottleneck): string {
    const [only, ...others] = verdict.map(causeWords);
    if (only === undefined) {
        if (sampled !== undefined) return filled(UNCLEAR_LENGTHENED, mean(sampled));
        return serial === undefined ? UNCLEAR : filled(UNCLEAR_ON_TOP, share(serial));
    }
    return others.length === 0 ? only : filled(SEVERAL_CAUSES, [only, ...others].join("; "));
}

/** The cause belongs to the verdict. */
export function binds(known: Bottleneck, cause: Cause): boolean {
    return known.verdict.some(({ kind }) => kind === cause.kind);
}

/** Causes worth a look: those of the verdict, and those that take a noticeable share besides. */
export function listed(known: Bottleneck): Cause[] {
    return known.causes.filter((cause) => binds(known, cause) || cause.share >= LISTED);
}

/** The verdict for a narrow column: `load ports 96 %`. */
export function inShort({ verdict }: Bottleneck): string {
    return verdict.length === 0 ? UNCLEAR_IN_SHORT : verdict.map(causeInShort).join(", ");
}

/** Only what binds, where the shares are beside it. */
export function namesInShort({ verdict }: Bottleneck): string {
    return verdict.length === 0 ? UNCLEAR_IN_SHORT : verdict.map(({ kind }) => CAUSES_IN_SHORT[kind]).join(", ");
}

export function causeInShort({ kind, share: part }: Cause): string {
    return `${CAUSES_IN_SHORT[kind]} ${share(part)}`;
}

/** How it was measured: the iteration, and the windows of time. */
export function iterationWords(known: Bottleneck): string[] {
    const items = [`${mean(known.iteration_ns)} ns`];
    if (known.iteration_cycles !== undefined) items.push(`${mean(known.iteration_cycles)} cycles`);
    items.push(counted(known.windows, ...WINDOW));
    if (known.disturbed > 0) items.push(filled(DISTURBED, known.disturbed));
    return items;
}

/** What a reader of the shares has to keep in mind. */
export function cautions(known: Bottleneck): string[] {
    const notes: string[] = [];
    if (known.changed_at !== undefined) notes.push(filled(CHANGED_AT, known.changed_at));
    if (known.core_shared !== undefined) notes.push(filled(CORE_SHARED, mean(known.core_shared)));
    if (known.counted_in_memory === true && (known.iteration_cycles ?? Infinity) < FEW_CYCLES) notes.push(COUNTED_IN_MEMORY);
    return notes;
}

/** What binds a source loop: its lead, else the first piece that was measured. */
export function bottleneckOf({ lead, pieces }: Group): Bottleneck | undefined {
    return lead.bottleneck ?? pieces.find((piece) => piece.bottleneck !== undefined)?.bottleneck;
}

/** A part of a bar of causes. */
export interface Segment {
    cause: Cause;
    /** Share of the bar's length: shares of causes overlap, so that together they may be longer than an iteration. */
    part: number;
}

/** The first causes side by side; what is left of the bar is what they leave of an iteration. */
export function segments(known: Bottleneck): Segment[] {
    const causes = listed(known).slice(0, DRAWN);
    const all = causes.reduce((sum, cause) => sum + cause.share, 0);
    return causes.map((cause) => ({ cause, part: cause.share / Math.max(all, 1) }));
}

/** The same in words: `load ports 96 %, front end 72 %`. */
export function segmentWords(known: Bottleneck): string {
    const words = segments(known).map(({ cause }) => causeInShort(cause));
    if (known.verdict.length === 0) words.unshift(UNCLEAR_IN_SHORT);
    return words.join(", ");
}
