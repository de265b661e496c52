/** Which rows of a tree are seen: what is open, large enough, and on the way to what is searched for. */

import { type Tree, type TreeNode, hotPath } from "./nodes";

export interface Row {
    node: TreeNode;
    /** Undefined for rows that have nothing below them. */
    open: boolean | undefined;
    /** Place among the children of its parent that are seen, from 1, and their number. */
    position: number;
    siblings: number;
}

export interface Seen {
    rows: Row[];
    /** Nodes left out because they have less than the smallest share, not counting those below them. */
    small: number;
}

export interface Wanted {
    open: ReadonlySet<number>;
    /** Smallest share of the time. */
    least: number;
    /** Only these, if given; those above them are open whatever `open` says. */
    only?: { withParents: ReadonlySet<number>; nodes: ReadonlySet<number> } | undefined;
}

/** What is open at first: the way to where most time is spent. */
export function openAtFirst(tree: Tree): Set<number> {
    return new Set(hotPath(tree.root).slice(0, -1).map((node) => node.index));
}

export function seen(tree: Tree, { open, least, only }: Wanted): Seen {
    const rows: Row[] = [];
    let small = 0;
    const pending: { node: TreeNode; position: number; siblings: number; withinMatch: boolean }[] = [];
    const push = (children: readonly TreeNode[], withinMatch: boolean) => {
        const large = children.filter((child) => child.total_share >= least);
        small += children.length - large.length;
        const shown = only === undefined || withinMatch ? large : large.filter((child) => only.withParents.has(child.index));
        for (let at = shown.length - 1; at >= 0; at--) {
            const node = shown[at];
            if (node !== undefined) pending.push({ node, position: at + 1, siblings: shown.length, withinMatch });
        }
    };
    push([tree.root], false);
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const { node, position, siblings } = next;
        const match = only?.nodes.has(node.index) ?? false;
        const withinMatch = next.withinMatch || match;
        const leads = only !== undefined && !next.withinMatch && node.children.some((child) => only.withParents.has(child.index));
        const isOpen = leads || open.has(node.index);
        const expandable = node.children.some((child) => child.total_share >= least);
        rows.push({ node, open: expandable ? isOpen : undefined, position, siblings });
        if (!isOpen) continue;
        // On the way to a match only the way is shown; a match that was opened shows all that it has.
        push(node.children, withinMatch && open.has(node.index));
    }
    return { rows, small };
}
