/** Searching a tree by name, and how much of the time the matches are. */

import { printable } from "../names";
import type { Tree, TreeNode } from "./nodes";

export interface Matches {
    /** Numbers of the nodes whose name contains what was asked for. */
    nodes: ReadonlySet<number>;
    /** Those and every node above them. */
    withParents: ReadonlySet<number>;
    /** Time in or below a match; a match below another is not counted twice. */
    total_seconds: number;
    total_share: number;
}

/** Undefined when nothing is asked for. Case does not matter. */
export function search(tree: Tree, text: string): Matches | undefined {
    const wanted = text.trim().toLowerCase();
    if (wanted === "") return undefined;
    const nodes = new Set<number>();
    const withParents = new Set<number>();
    // Parents come first in the list: whether a node is below a match is known when its turn comes.
    const inside = new Set<number>();
    let total = 0;
    for (const node of tree.nodes) {
        const within = node.parent !== undefined && inside.has(node.parent.index);
        const hit = printable(node.name).toLowerCase().includes(wanted) || node.name.toLowerCase().includes(wanted);
        if (within || hit) inside.add(node.index);
        if (!hit) continue;
        nodes.add(node.index);
        if (!within) total += node.total_seconds;
        for (let at: TreeNode | undefined = node; at !== undefined && !withParents.has(at.index); at = at.parent) {
            withParents.add(at.index);
        }
    }
    const whole = tree.root.total_seconds;
    return { nodes, withParents, total_seconds: total, total_share: whole > 0 ? Math.min(total / whole, 1) : 0 };
}
