import { describe, expect, it } from "vitest";
import { EXAMPLE, listOf } from "./example";
import { type Tree, below, hotPath, pathTo, treeOf } from "./nodes";

function tree(list = EXAMPLE): Tree {
    const made = treeOf(list);
    if (made === undefined) throw new Error("no tree");
    return made;
}
const names = (nodes: readonly { name: string }[]) => nodes.map((node) => node.name);

describe("a tree of a list", () => {
    it("has shares of the whole and children by time", () => {
        const { root, nodes } = tree();
        expect(names(root.children[0]?.children ?? [])).toEqual(["solve", "report"]);
        expect(nodes[3]).toMatchObject({ depth: 3, self_share: 0.55, total_share: 0.55, loop_id: 7 });
        expect(names(tree(listOf([[null, "p", 0, 3], [0, "a", 1, 1], [0, "b", 2, 2]])).root.children)).toEqual(["b", "a"]);
    });
    it("is absent without nodes, and has no shares without time", () => {
        expect(treeOf([])).toBeUndefined();
        expect(tree(listOf([[null, "p", 0, 0]])).root.total_share).toBe(0);
    });
    it("is walked in order, however deep it is", () => {
        expect(names(below(tree().root))).toEqual(["./app", "main", "solve", "loop at a.c:1", "report", "write", "[kernel]", "solve"]);
        const deep = tree(listOf(Array.from({ length: 20_000 }, (_, at) => [at === 0 ? null : at - 1, `f${at}`, 0, 1])));
        expect(below(deep.root)).toHaveLength(20_000);
        expect(pathTo(deep.nodes[19_999] ?? deep.root)).toHaveLength(20_000);
    });
});

describe("the hot path", () => {
    it("goes down the heaviest child to where time is spent", () => {
        expect(names(hotPath(tree().root))).toEqual(["./app", "main", "solve", "loop at a.c:1"]);
    });
    it("stops at a node that has more time of its own than any child", () => {
        const { root } = tree(listOf([[null, "p", 0, 10], [0, "f", 6, 10], [1, "g", 4, 4]]));
        expect(names(hotPath(root))).toEqual(["p", "f"]);
    });
});
