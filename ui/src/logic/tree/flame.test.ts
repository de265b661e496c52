import { describe, expect, it } from "vitest";
import type { Analysis, LoopFacts } from "../contract";
import { EXAMPLE } from "./example";
import { flame, neighbour } from "./flame";
import { kindOf } from "./kinds";
import { treeOf } from "./nodes";

const tree = treeOf(EXAMPLE);
if (tree === undefined) throw new Error("no tree");

describe("the flame graph", () => {
    it("makes every box as wide as the tree's total, and puts it within its parent", () => {
        const { boxes, levels, narrow } = flame(tree.root, 1000);
        expect(boxes).toHaveLength(EXAMPLE.length);
        expect([levels, narrow]).toEqual([5, 0]);
        for (const box of boxes) {
            expect(box.width).toBeCloseTo(box.node.total_share * 1000, 6);
            const parent = boxes.find((each) => each.node === box.node.parent);
            if (parent === undefined) continue;
            expect(box.level).toBe(parent.level + 1);
            expect(box.x).toBeGreaterThanOrEqual(parent.x - 1e-9);
            expect(box.x + box.width).toBeLessThanOrEqual(parent.x + parent.width + 1e-9);
        }
    });
    it("fills the width with the node in focus", () => {
        const report = tree.nodes[4] ?? tree.root;
        const { boxes } = flame(report, 600);
        expect(boxes.map(({ node, x, width }) => [node.name, x, width])).toEqual([
            ["report", 0, 600],
            ["write", 0, 300],
            ["[kernel]", 0, 100],
            ["solve", 300, 200],
        ]);
    });
    it("leaves out what cannot be seen, and counts it", () => {
        const { boxes, narrow } = flame(tree.root, 4);
        expect(boxes.map((box) => box.node.name)).not.toContain("[kernel]");
        expect([boxes.length, narrow]).toEqual([6, 2]);
        expect(flame(tree.root, 0)).toEqual({ boxes: [], levels: 0, narrow: 1 });
    });
    it("is walked by arrows among the boxes that are drawn", () => {
        const drawn = new Set(flame(tree.nodes[1] ?? tree.root, 8).boxes.map((box) => box.node.index));
        const [root, main, solve, , report] = tree.nodes;
        if (!root || !main || !solve || !report) throw new Error("no nodes");
        expect(neighbour(main, "child", drawn)).toBe(solve);
        expect(neighbour(solve, "next", drawn)).toBe(report);
        expect(neighbour(report, "previous", drawn)).toBe(solve);
        expect(neighbour(report, "next", drawn)).toBeUndefined();
        expect(neighbour(solve, "parent", drawn)).toBe(main);
        expect(neighbour(main, "parent", drawn), "above the focus").toBeUndefined();
    });
});

describe("kinds of nodes", () => {
    it("distinguish libraries and the kernel from the program, and loops by what they execute", () => {
        const analysis = { modules: [{ path: "/x/app", main_module: true }, { path: "/lib/libc.so.6", main_module: false }] };
        const loops = new Map([[7, { vectorized: true } as LoopFacts]]);
        const kind = kindOf(analysis as unknown as Analysis, loops);
        expect(tree.nodes.map(kind)).toEqual(["program", "function", "function", "vectorised", "function", "library", "kernel", "function"]);
        expect(kindOf(analysis as unknown as Analysis, new Map())(tree.nodes[3] ?? tree.root)).toBe("scalar");
    });
});
