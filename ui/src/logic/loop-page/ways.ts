/** The ways from the program's start to a loop through functions and loops. */

import type { Analysis, FlatNode } from "../contract";

export interface Way {
    nodes: FlatNode[];
    seconds: number;
}

/** Ways with the time below the loop on each, the longest first. A loop within itself (recursion) counts once. */
export function waysTo(analysis: Analysis, id: number): Way[] {
    const tree = analysis.tree ?? [];
    const found: Way[] = [];
    for (const [place, node] of tree.entries()) {
        if (node.loop_id !== id) continue;
        const nodes: FlatNode[] = [];
        let recursive = false;
        // A node is after its parent: the way up ends.
        for (let at = node.parent, below = place; at !== null && at < below; ) {
            const above: FlatNode | undefined = tree[at];
            if (above === undefined) break;
            if (above.loop_id === id) recursive = true;
            if (above.kind !== "program") nodes.push(above);
            below = at;
            at = above.parent;
        }
        if (!recursive) found.push({ nodes: nodes.reverse(), seconds: node.total_seconds });
    }
    return found.sort((a, b) => b.seconds - a.seconds);
}
