/** How the threads of a run shared its work. */

import type { Analysis, Imbalance, LoopFacts, ThreadFacts } from "./contract";

/** How a thread spent the run; what is not known is left out. */
export interface ThreadTime {
    thread: ThreadFacts;
    /** Place in the contract's list. */
    at: number;
    /** Parts of the longest thread's time. */
    parts: { kind: "cpu" | "ready" | "blocked"; part: number }[];
}

function spent({ cpu_seconds: cpu, ready_seconds: ready = 0, blocked_seconds: blocked = 0 }: ThreadFacts): number {
    return cpu + ready + blocked;
}

export function threadTimes({ threads }: Analysis): ThreadTime[] {
    const longest = threads.reduce((most, thread) => Math.max(most, spent(thread)), 0);
    return threads.map((thread, at) => {
        const seconds = { cpu: thread.cpu_seconds, ready: thread.ready_seconds ?? 0, blocked: thread.blocked_seconds ?? 0 };
        const kinds = ["cpu", "ready", "blocked"] as const;
        return { thread, at, parts: longest > 0 ? kinds.map((kind) => ({ kind, part: seconds[kind] / longest })) : [] };
    });
}

/** The busiest thread's CPU time against the mean: 1 where all did as much. */
export function spread(threads: readonly ThreadFacts[]): { max: number; mean: number } | undefined {
    const total = threads.reduce((sum, thread) => sum + thread.cpu_seconds, 0);
    if (threads.length < 2 || total <= 0) return undefined;
    return { max: threads.reduce((most, thread) => Math.max(most, thread.cpu_seconds), 0), mean: total / threads.length };
}

/** Below this part of the program's CPU time an uneven loop is not worth a line. */
const NOTICEABLE = 0.005;

/** Loops whose threads did uneven work, by what balance would save. */
export function unevenLoops({ loops, program }: Analysis): { loop: LoopFacts; imbalance: Imbalance }[] {
    return loops
        .flatMap((loop) => {
            const imbalance = loop.by_thread?.time_imbalance;
            return imbalance === undefined || imbalance.excess < NOTICEABLE * program.cpu_seconds ? [] : [{ loop, imbalance }];
        })
        .sort((a, b) => b.imbalance.excess - a.imbalance.excess);
}
