/** A top-down tree with its children, made from the contract's list in which each node is after its parent. */

import type { FlatNode } from "../contract";

export interface TreeNode {
    /** Place in the list: the node's number in addresses. */
    index: number;
    kind: FlatNode["kind"];
    name: string;
    module: string;
    loop_id: number | undefined;
    self_seconds: number;
    total_seconds: number;
    /** Shares of the whole tree's time. */
    self_share: number;
    total_share: number;
    depth: number;
    parent: TreeNode | undefined;
    /** That with most time first. */
    children: TreeNode[];
}

export interface Tree {
    root: TreeNode;
    /** In the list's order: parents before children. */
    nodes: TreeNode[];
}

/** The tree of a list; undefined when it is empty. */
export function treeOf(list: readonly FlatNode[]): Tree | undefined {
    const whole = list[0]?.total_seconds ?? 0;
    const part = (seconds: number): number => (whole > 0 ? seconds / whole : 0);
    const nodes: TreeNode[] = [];
    for (const [index, flat] of list.entries()) {
        const parent = flat.parent === null ? undefined : nodes[flat.parent];
        const node: TreeNode = {
            index,
            kind: flat.kind,
            name: flat.name,
            module: flat.module,
            loop_id: flat.loop_id,
            self_seconds: flat.self_seconds,
            total_seconds: flat.total_seconds,
            self_share: part(flat.self_seconds),
            total_share: part(flat.total_seconds),
            depth: parent === undefined ? 0 : parent.depth + 1,
            parent,
            children: [],
        };
        parent?.children.push(node);
        nodes.push(node);
    }
    for (const node of nodes) node.children.sort((a, b) => b.total_seconds - a.total_seconds || a.index - b.index);
    const [root] = nodes;
    return root === undefined ? undefined : { root, nodes };
}

/** A node and all below it, each after its parent. */
export function below(node: TreeNode): TreeNode[] {
    const found: TreeNode[] = [];
    const pending = [node];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        found.push(next);
        for (let at = next.children.length - 1; at >= 0; at--) {
            const child = next.children[at];
            if (child !== undefined) pending.push(child);
        }
    }
    return found;
}

/** From the root down to a node. */
export function pathTo(node: TreeNode): TreeNode[] {
    const path: TreeNode[] = [];
    for (let at: TreeNode | undefined = node; at !== undefined; at = at.parent) path.push(at);
    return path.reverse();
}

/**
 * Down the child with most time, to where the time is spent: to a node that itself has at least as much as its heaviest child.
 */
export function hotPath(from: TreeNode): TreeNode[] {
    const path = [from];
    for (let at = from; ; ) {
        const [heaviest] = at.children;
        if (heaviest === undefined || heaviest.total_seconds <= at.self_seconds) return path;
        path.push(heaviest);
        at = heaviest;
    }
}
