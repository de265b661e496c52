/** Calls of MPI with an entry of each kind; for the tests of the page. */

import type { CommEdge, CommFacts, CommRank, CommSite, Imbalance } from "./contract";

const site = (facts: Partial<CommSite> & Pick<CommSite, "function" | "seconds">): CommSite => ({
    class: "point-to-point",
    caller: "exchange",
    module: "halo",
    place: "halo.c:14",
    calls: 400,
    bytes: 0,
    bins: [400, 0, 0, 0, 0, 0],
    longest_seconds: 0.25,
    worst_rank: 3,
    best_rank: 0,
    callers: 4,
    ...facts,
});

const imbalance = (mean: number, max: number): Imbalance => ({ threads: 4, max, mean, excess: max - mean, share: (1 - mean / max) * (4 / 3) });

/** Ranks on hosts of this many each; each rank is a tenth of a second longer in MPI than the one before. */
export const ranksOn = (count: number, ofHost: number): CommRank[] =>
    Array.from({ length: count }, (_, rank) => ({ rank, host: `n${Math.floor(rank / ofHost)}`, elapsed_seconds: 20, seconds: 1 + rank / 10, calls: 100, messages: 50, bytes: 4096 }));

/** Each rank sends to the next one, the last to the first. */
export const ringOf = (count: number, bytes = 1000): CommEdge[] => Array.from({ length: count }, (_, from) => ({ from, to: (from + 1) % count, messages: 2, bytes }));

/** Four ranks on two hosts, with estimated and timed waiting. */
export const completeFixture: CommFacts = {
    how: "counted",
    elapsed_seconds: 20,
    seconds: 1.15,
    barriers: false,
    ranks: ranksOn(4, 2),
    sites: [
        site({ function: "MPI_Allreduce", class: "collective", seconds: 0.8, bytes: 3200, sync_at_least: 0.5, imbalance: imbalance(0.8, 1), loop: 1, loop_place: "halo.c:9" }),
        site({ function: "MPI_Bcast", class: "collective", seconds: 0.2, bytes: 6400, bins: [0, 400, 0, 0, 0, 0], sync_seconds: 0.125, imbalance: imbalance(0.2, 0.25), caller: "<b>set</b>up", place: "<img src=x>.c:3" }),
        site({ function: "MPI_Isend", seconds: 0.1, calls: 500, bytes: 80_000, bins: [0, 0, 400, 100, 0, 0], imbalance: imbalance(0.1, 0.2), loop_place: "halo.c:9" }),
        site({ function: "MPI_Isend", seconds: 0.04, calls: 100, bytes: 4_000_000, bins: [0, 0, 0, 0, 99, 1], place: "0x4011d6" }),
        site({ function: "MPI_Waitall", class: "completion", seconds: 0.008, worst_rank: 0, sync_at_least: 0 }),
    ],
    matrix: [
        { from: 0, to: 1, messages: 300, bytes: 1_048_576 },
        { from: 1, to: 2, messages: 100, bytes: 2048 },
        { from: 2, to: 2, messages: 1, bytes: 0 },
        { from: 3, to: 7, messages: 100, bytes: 64 },
    ],
};

/** The same as half of the ranks, and with everything that can be missing. */
export const messagesFixture: CommFacts = {
    ...completeFixture,
    sites: completeFixture.sites.map((each) => (each.calls === 500 ? { ...each, without_bytes: 100, bins: [0, 0, 300, 100, 0, 0] } : each)),
    size: 8,
    lost: { calls: 1, messages: 2, starts: 3, torn: 4, foreign: 5 },
    left: [{ function: "MPI_Iprobe", reason: "its code ends in <script>alert(1)</script>" }],
};
