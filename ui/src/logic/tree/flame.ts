/** Boxes of a flame graph, top down: as wide as the time in and below a node. */

import { hierarchy, partition } from "d3-hierarchy";
import type { TreeNode } from "./nodes";

export interface Box {
    node: TreeNode;
    x: number;
    width: number;
    /** Rows below the node that is in focus. */
    level: number;
}

export interface Flame {
    boxes: Box[];
    levels: number;
    /** Boxes that would be narrower than a reader can see, those below them not counted. */
    narrow: number;
}

/** Narrower boxes are not drawn; in pixels. */
export const NARROWEST = 0.5;

/** Time of a node that none of its children has: its own, and that of children which the tree leaves out as too small. */
function ownTime(node: TreeNode): number {
    return Math.max(node.total_seconds - node.children.reduce((sum, child) => sum + child.total_seconds, 0), 0);
}

/** The boxes from a node down. */
export function flame(focus: TreeNode, width: number): Flame {
    const root = hierarchy(focus, (node) => node.children).sum(ownTime);
    const boxes: Box[] = [];
    let levels = 0;
    let narrow = 0;
    const pending = [partition<TreeNode>().size([width, 1])(root)];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
        const across = next.x1 - next.x0;
        if (!(across >= NARROWEST)) {
            narrow += 1;
            continue;
        }
        levels = Math.max(levels, next.depth + 1);
        boxes.push({ node: next.data, x: next.x0, width: across, level: next.depth });
        for (const child of [...(next.children ?? [])].reverse()) pending.push(child);
    }
    return { boxes, levels, narrow };
}

export type Step = "parent" | "child" | "next" | "previous";

/** Where an arrow key leads from a box: to the widest child, to siblings that are drawn, not above the focus. */
export function neighbour(from: TreeNode, step: Step, drawn: ReadonlySet<number>): TreeNode | undefined {
    const visible = (node: TreeNode | undefined): TreeNode | undefined => (node !== undefined && drawn.has(node.index) ? node : undefined);
    if (step === "parent") return visible(from.parent);
    if (step === "child") return visible(from.children[0]);
    const siblings = visible(from.parent)?.children.filter((node) => drawn.has(node.index)) ?? [];
    return siblings[siblings.indexOf(from) + (step === "next" ? 1 : -1)];
}
