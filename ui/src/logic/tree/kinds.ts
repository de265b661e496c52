/** What a node of a tree is: it decides its colour and its letter, in the tree and in the flame graph alike. */

import type { Analysis, LoopFacts } from "../contract";
import { baseName } from "../names";
import type { TreeNode } from "./nodes";

export type NodeKind = "program" | "function" | "vectorised" | "scalar" | "library" | "kernel";

export interface NodeWords {
    letter: string;
    words: string;
    /** The class of the style sheets that sets the kind's colour. */
    colour: string;
}

export const NODE_KINDS: Record<NodeKind, NodeWords> = {
    program: { letter: "", words: "program", colour: "whole" },
    function: { letter: "f", words: "function", colour: "outside" },
    vectorised: { letter: "V", words: "vectorised loop", colour: "vectorised" },
    scalar: { letter: "s", words: "scalar loop", colour: "scalar" },
    library: { letter: "L", words: "function of a library", colour: "library" },
    kernel: { letter: "K", words: "kernel", colour: "kernel" },
};

/** Gives the kind of each node of any tree of the report. */
export function kindOf(analysis: Analysis, loops: ReadonlyMap<number, LoopFacts>): (node: TreeNode) => NodeKind {
    const main = new Set(analysis.modules.filter((each) => each.main_module).map((each) => baseName(each.path)));
    return (node) => {
        if (node.kind === "program") return "program";
        if (node.kind === "loop") return node.loop_id !== undefined && loops.get(node.loop_id)?.vectorized === true ? "vectorised" : "scalar";
        if (node.module === "[kernel]") return "kernel";
        // Without a list of modules nothing is known to be a library.
        return main.size === 0 || main.has(node.module) ? "function" : "library";
    };
}
