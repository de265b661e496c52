/** Whose time a tree shows: all of the program, one rank, one thread. */

import type { FlatNode, Report, ThreadTree } from "../contract";
import { printable } from "../names";
import { merge } from "./merge";

export interface Origin {
    /** As addresses name it: `all`, `rank-0`, `0-1234-1235` (rank, process, thread). */
    id: string;
    label: string;
    kind: "all" | "rank" | "thread";
    /** Made when it is asked for: ranks are merged from their threads. */
    list: () => readonly FlatNode[];
}

function threadLabel(thread: ThreadTree): string {
    const rank = thread.rank === undefined ? "" : `rank ${thread.rank}, `;
    const name = thread.name === undefined ? "" : ` (${printable(thread.name)})`;
    return `${rank}thread ${thread.tid}${name}`;
}

/** What can be chosen, the whole program first. */
export function origins(report: Report): Origin[] {
    const found: Origin[] = [];
    const whole = report.analysis.tree;
    if (whole !== undefined && whole.length > 0) found.push({ id: "all", label: "all threads", kind: "all", list: () => whole });
    const threads = (report.threads ?? []).filter((thread) => thread.tree.length > 0);
    const ranks = [...new Set(threads.flatMap((thread) => thread.rank ?? []))].sort((a, b) => a - b);
    for (const rank of ranks) {
        const own = threads.filter((thread) => thread.rank === rank);
        found.push({ id: `rank-${rank}`, label: `rank ${rank}`, kind: "rank", list: () => merge(own.map((thread) => thread.tree)) });
    }
    for (const thread of threads) {
        found.push({
            id: `${thread.rank ?? ""}-${thread.pid}-${thread.tid}`,
            label: threadLabel(thread),
            kind: "thread",
            list: () => thread.tree,
        });
    }
    return found;
}

/** That of an address, else the first. */
export function chosen(all: readonly Origin[], id: string | null): Origin | undefined {
    return all.find((each) => each.id === id) ?? all[0];
}
