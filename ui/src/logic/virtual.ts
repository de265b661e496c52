/**
 * Which rows of a long list to draw: those in sight and a few around them, and one that must stay (the focused one, for
 * a row that is taken away while it has the focus leaves the keyboard nowhere).
 */

/** A row to draw, and the rows left out between it and the one drawn before it. */
export interface VirtualRow {
    index: number;
    skipped: number;
}

export interface VirtualRows {
    rows: VirtualRow[];
    /** Rows left out after the last one. */
    after: number;
}

export interface Window {
    /** Rows in all. */
    count: number;
    rowHeight: number;
    /** Distance from the top of the list to the top of what is in sight; negative when the list starts further down. */
    offset: number;
    /** Height of what is in sight. */
    height: number;
    /** Rows to draw beyond each edge. */
    overscan: number;
    /** Row that must be drawn wherever it is. */
    keep?: number | undefined;
}

/** First row in the window, and the first one behind it. */
export function range({ count, rowHeight, offset, height, overscan }: Window): [from: number, to: number] {
    if (count <= 0 || rowHeight <= 0) return [0, 0];
    const first = Math.floor(offset / rowHeight) - overscan;
    const last = Math.ceil((offset + height) / rowHeight) + overscan;
    const from = Math.min(Math.max(first, 0), count);
    return [from, Math.min(Math.max(last, from), count)];
}

/** Rows to draw, in order. */
export function virtualRows(window: Window): VirtualRows {
    const [from, to] = range(window);
    const { count, keep } = window;
    const indices: number[] = [];
    const kept = keep !== undefined && keep >= 0 && keep < count ? keep : undefined;
    if (kept !== undefined && kept < from) indices.push(kept);
    for (let index = from; index < to; index++) indices.push(index);
    if (kept !== undefined && kept >= to) indices.push(kept);
    return gaps(indices, count);
}

/** The first rows, a limited number: for paper, which does not scroll. */
export function firstRows(count: number, most: number): VirtualRows {
    return gaps(Array.from({ length: Math.min(Math.max(count, 0), most) }, (_, index) => index), Math.min(count, most));
}

function gaps(indices: number[], count: number): VirtualRows {
    let next = 0;
    const rows = indices.map((index) => {
        const row = { index, skipped: index - next };
        next = index + 1;
        return row;
    });
    return { rows, after: Math.max(count - next, 0) };
}

/** Where to scroll so that a row is in sight, moving as little as possible; `covered` is hidden at the top (a header that stays). */
export function scrollFor(index: number, rowHeight: number, offset: number, height: number, covered = 0): number {
    const top = index * rowHeight;
    if (top < offset + covered) return top - covered;
    const bottom = top + rowHeight;
    return bottom > offset + height ? bottom - height : offset;
}
