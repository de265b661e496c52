/** Ranks of a job in blocks of equal size, so that a drawing of a large job can be read. */

/** Ranks or blocks of ranks that are drawn side by side; a hundred would be a few pixels each. */
export const MOST = 64;

export interface Blocks {
    ranks: number;
    /** Ranks of a block; the last one may have fewer. */
    size: number;
    count: number;
}

export function blocksOf(ranks: number): Blocks {
    const size = Math.max(Math.ceil(ranks / MOST), 1);
    return { ranks, size, count: Math.ceil(ranks / size) };
}

/** `3`, or `8–15`. */
export function span(first: number, last: number): string {
    return first === last ? String(first) : `${first}–${last}`;
}

/** The ranks of a block. */
export function blockWords({ ranks, size }: Blocks, at: number): string {
    return span(at * size, Math.min((at + 1) * size, ranks) - 1);
}

/** What a drawing's squares or bars are, where they are of more than one rank. */
export function blockNote({ ranks, size }: Blocks, what: string): string | undefined {
    return size === 1 ? undefined : `${ranks} ranks are drawn in blocks of ${size}: ${what}`;
}
