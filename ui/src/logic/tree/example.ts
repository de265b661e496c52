/** A small tree for tests: two ways into one function, a loop in it, a library and the kernel. */

import type { FlatNode } from "../contract";

type Given = [parent: number | null, name: string, self: number, total: number, more?: Partial<FlatNode>];

export function listOf(nodes: readonly Given[]): FlatNode[] {
    return nodes.map(([parent, name, self_seconds, total_seconds, more]) => ({
        parent,
        kind: parent === null ? "program" : "function",
        name,
        module: parent === null ? "" : "app",
        self_seconds,
        total_seconds,
        ...more,
    }));
}

export const EXAMPLE: FlatNode[] = listOf([
    [null, "./app", 0, 10],
    [0, "main", 1, 10],
    [1, "solve", 0.5, 6],
    [2, "loop at a.c:1", 5.5, 5.5, { kind: "loop", loop_id: 7 }],
    [1, "report", 0, 3],
    [4, "write", 1, 1.5, { module: "libc.so.6" }],
    [5, "[kernel]", 0.5, 0.5, { module: "[kernel]" }],
    // Of `report`'s 3 s, 0.5 s are in children too small to be listed.
    [4, "solve", 1, 1],
]);
