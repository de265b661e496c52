/** Trees of threads added up: nodes with the same names from the root down become one. */

import type { FlatNode } from "../contract";

interface Merged extends Omit<FlatNode, "parent"> {
    children: Map<string, Merged>;
}

/** Two functions of one name in two modules are two. */
function key(node: FlatNode): string {
    return JSON.stringify([node.kind, node.name, node.module, node.loop_id ?? null]);
}

function copyOf(node: FlatNode): Merged {
    const { kind, name, module, loop_id } = node;
    const which = loop_id === undefined ? {} : { loop_id };
    return { kind, name, module, ...which, self_seconds: 0, total_seconds: 0, children: new Map() };
}

/** One list for several, in the contract's form: parents before children, children by time. */
export function merge(trees: readonly (readonly FlatNode[])[]): FlatNode[] {
    let root: Merged | undefined;
    for (const tree of trees) {
        const merged: Merged[] = [];
        for (const node of tree) {
            let target: Merged;
            if (node.parent === null) {
                target = root ??= copyOf(node);
            } else {
                const siblings = merged[node.parent]?.children;
                if (siblings === undefined) throw new Error("a node of the tree comes before its parent");
                const name = key(node);
                target = siblings.get(name) ?? copyOf(node);
                siblings.set(name, target);
            }
            target.self_seconds += node.self_seconds;
            target.total_seconds += node.total_seconds;
            merged.push(target);
        }
    }
    return root === undefined ? [] : flat(root);
}

function flat(root: Merged): FlatNode[] {
    const list: FlatNode[] = [];
    const pending: [number | null, Merged][] = [[null, root]];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const [parent, { children, ...facts }] = next;
        const index = list.push({ ...facts, parent }) - 1;
        // The last to be pushed comes first.
        const lightestFirst = [...children.values()].sort((a, b) => a.total_seconds - b.total_seconds);
        for (const child of lightestFirst) pending.push([index, child]);
    }
    return list;
}
