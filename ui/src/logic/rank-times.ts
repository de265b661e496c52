/** Seconds in MPI of each rank, or of blocks of ranks with their least and most. */

import type { CommFacts, CommRank } from "./contract";
import { time } from "./quantity";
import { blocksOf, span } from "./rank-blocks";

/** A rank, or ranks that follow each other. */
export interface RankBar {
    /** Their numbers. */
    name: string;
    first: number;
    ranks: number;
    /** Seconds in MPI. */
    least: number;
    mean: number;
    most: number;
}

function bar(some: readonly CommRank[]): RankBar {
    const seconds = some.map((each) => each.seconds);
    const [first, last] = [some[0]?.rank ?? 0, some.at(-1)?.rank ?? 0];
    return { name: span(first, last), first, ranks: some.length, least: Math.min(...seconds), mean: seconds.reduce((sum, each) => sum + each, 0) / some.length, most: Math.max(...seconds) };
}

/** In the order of ranks. */
export function rankBars({ ranks }: CommFacts): RankBar[] {
    const sorted = [...ranks].sort((a, b) => a.rank - b.rank);
    const { size, count } = blocksOf(sorted.length);
    return Array.from({ length: count }, (_, at) => bar(sorted.slice(at * size, (at + 1) * size)));
}

export function barWords({ name, ranks, least, mean, most }: RankBar): string {
    return ranks === 1 ? `rank ${name}: ${time(mean)}` : `ranks ${name}: ${time(mean)} on average, ${time(least)} to ${time(most)}`;
}

/** How the ranks differ, in one line; nothing where there is nothing to compare. */
export function spreadWords({ ranks, seconds: mean }: CommFacts): string | undefined {
    const sorted = [...ranks].sort((a, b) => a.seconds - b.seconds || a.rank - b.rank);
    const [least, most] = [sorted[0], sorted.at(-1)];
    if (least === undefined || most === undefined || sorted.length < 2) return undefined;
    return `mean ${time(mean)}; least in rank ${least.rank}, ${time(least.seconds)}; most in rank ${most.rank}, ${time(most.seconds)}`;
}
