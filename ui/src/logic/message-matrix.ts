/** The messages between ranks as a heat map: blocks of ranks, colours by the logarithm of their bytes, hosts. */

import type { CommFacts } from "./contract";
import { PAIR } from "./contract/words";
import { amount, bytes, counted, share } from "./quantity";
import { type Blocks, blockWords, blocksOf } from "./rank-blocks";

/** Messages from a block of ranks to another one. */
export interface Cell {
    from: number;
    to: number;
    messages: number;
    bytes: number;
    /** Its colour: 0 for the fewest bytes, 1 for the most. */
    level: number;
}

export interface MessageMatrix {
    blocks: Blocks;
    /** By sender, then receiver; pairs without messages have none. */
    cells: Cell[];
    /** Bytes of the palest and of the darkest colour. */
    range: readonly [least: number, most: number];
    /** Ranks that are on another host than the one before. */
    boundaries: number[];
    /** Share of the bytes between ranks on different hosts; of ranks whose host is known, and only where there are several. */
    betweenHosts: number | undefined;
}

/** Where a number of bytes is between the least and the most, by its logarithm. */
export function level(value: number, [least, most]: readonly [number, number]): number {
    if (value <= 0) return 0;
    return most > least ? Math.log(value / least) / Math.log(most / least) : 1;
}

/** Bytes of a level: the other way round. */
export function bytesOf(at: number, [least, most]: readonly [number, number]): number {
    return Math.round(least * (most / least) ** at);
}

/** All ranks that are known of: those of the job, those that were measured, those that were sent to. */
function rankCount({ size = 0, ranks, matrix = [] }: CommFacts): number {
    const known = [...ranks.map(({ rank }) => rank), ...matrix.flatMap(({ from, to }) => [from, to])];
    return known.reduce((most, rank) => Math.max(most, rank + 1), size);
}

function cellsOf({ matrix = [] }: CommFacts, { size, count }: Blocks): Cell[] {
    const cells = new Map<number, Cell>();
    for (const edge of matrix) {
        const [from, to] = [Math.floor(edge.from / size), Math.floor(edge.to / size)];
        const cell = cells.get(from * count + to) ?? { from, to, messages: 0, bytes: 0, level: 0 };
        cell.messages += edge.messages;
        cell.bytes += edge.bytes;
        cells.set(from * count + to, cell);
    }
    return [...cells.values()].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Share of the bytes that leave their host. */
function leavingHost({ ranks, matrix = [] }: CommFacts): number | undefined {
    const hosts = new Map(ranks.map(({ rank, host }) => [rank, host]));
    if (new Set(hosts.values()).size < 2) return undefined;
    let [all, leaving] = [0, 0];
    for (const { from, to, bytes: sent } of matrix) {
        const [one, other] = [hosts.get(from), hosts.get(to)];
        if (one === undefined || other === undefined) continue;
        all += sent;
        if (one !== other) leaving += sent;
    }
    return all > 0 ? leaving / all : undefined;
}

/** Bytes that differ by less are not as far apart as colours can be. */
const NARROWEST = 16;

function rangeOf(sent: readonly number[]): readonly [number, number] {
    const [least, most] = sent.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, 1]);
    return least >= most ? [most, most] : [Math.min(least, Math.max(most / NARROWEST, 1)), most];
}

/** The heat map; nothing where no message is known. */
export function messageMatrix(comm: CommFacts): MessageMatrix | undefined {
    if (comm.matrix === undefined || comm.matrix.length === 0) return undefined;
    const blocks = blocksOf(rankCount(comm));
    const cells = cellsOf(comm, blocks);
    const range = rangeOf(cells.map((cell) => cell.bytes).filter((sent) => sent > 0));
    for (const cell of cells) cell.level = level(cell.bytes, range);
    const sorted = [...comm.ranks].sort((a, b) => a.rank - b.rank);
    const boundaries = sorted.flatMap(({ rank, host }, at) => (at > 0 && host !== sorted[at - 1]?.host ? [rank] : []));
    return { blocks, cells, range, boundaries, betweenHosts: leavingHost(comm) };
}

/** Lines between hosts that do not hide what is between them; where ranks go around hosts in turn, each rank has one. */
const MOST_LINES = 32;

/** Lines between hosts, or nothing where they would hide the squares. */
export function drawnBoundaries({ boundaries }: MessageMatrix): number[] {
    return boundaries.length > MOST_LINES ? [] : boundaries;
}

/** What goes between hosts, and what the lines are. */
export function hostWords(matrix: MessageMatrix): string | undefined {
    const { boundaries, betweenHosts } = matrix;
    if (boundaries.length === 0) return undefined;
    const part = betweenHosts === undefined ? [] : [`${share(betweenHosts)} of the bytes go from one host to another`];
    const lines = drawnBoundaries(matrix).length > 0 ? "lines are boundaries of hosts" : "neighbouring ranks are on different hosts, so that boundaries are not drawn";
    return [...part, lines].join("; ");
}

/** Colours with their bytes, for the legend: one where all squares have the same. */
export function colourSteps({ range }: MessageMatrix): { level: number; bytes: number }[] {
    const levels = range[0] === range[1] ? [1] : [0, 0.25, 0.5, 0.75, 1];
    const steps = levels.map((each) => ({ level: each, bytes: bytesOf(each, range) }));
    return steps.filter((step, at) => step.bytes !== steps[at - 1]?.bytes);
}

/** What a square shows. */
export function cellWords(blocks: Blocks, { from, to, messages, bytes: sent }: Cell): string {
    const ranks = blocks.size === 1 ? "rank" : "ranks";
    return `from ${ranks} ${blockWords(blocks, from)} to ${ranks} ${blockWords(blocks, to)}: ${amount(messages)} ${messages === 1 ? "message" : "messages"}, ${bytes(sent)}`;
}

/** The picture in words. */
export function pictureWords({ blocks, cells }: MessageMatrix): string {
    const most = cells.reduce<Cell | undefined>((best, cell) => (best === undefined || cell.bytes > best.bytes ? cell : best), undefined);
    const pairs = `${counted(cells.length, ...PAIR)} of ${blocks.size === 1 ? "ranks" : "blocks of ranks"} with messages`;
    return `Bytes from rank to rank: ${pairs}${most === undefined ? "" : `; most ${cellWords(blocks, most)}`}`;
}
