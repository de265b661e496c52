import { describe, expect, it } from "vitest";
import { EXAMPLE, listOf } from "./example";
import { type Tree, treeOf } from "./nodes";
import { readRanges, writeRanges } from "./ranges";
import { openAtFirst, seen } from "./rows";
import { search } from "./search";

function made(list = EXAMPLE): Tree {
    const tree = treeOf(list);
    if (tree === undefined) throw new Error("no tree");
    return tree;
}
const tree = made();
const names = (rows: readonly { node: { name: string } }[]) => rows.map((row) => row.node.name);

describe("rows that are seen", () => {
    it("lead to the hottest place at first", () => {
        const { rows, small } = seen(tree, { open: openAtFirst(tree), least: 0 });
        expect(names(rows)).toEqual(["./app", "main", "solve", "loop at a.c:1", "report"]);
        expect(rows.map((row) => row.open)).toEqual([true, true, true, undefined, false]);
        expect(rows.map((row) => [row.position, row.siblings])).toEqual([[1, 1], [1, 1], [1, 2], [1, 1], [2, 2]]);
        expect(small).toBe(0);
    });
    it("have the smallest share that is asked for", () => {
        const { rows, small } = seen(tree, { open: new Set([0, 1, 2, 4, 5]), least: 0.2 });
        expect(names(rows)).toEqual(["./app", "main", "solve", "loop at a.c:1", "report"]);
        expect(small).toBe(2);
        expect(rows.at(-1)?.open).toBeUndefined();
    });
    it("show the way to what is searched for, and what is below it once it is opened", () => {
        const only = search(tree, "WRITE");
        expect(names(seen(tree, { open: new Set(), least: 0, only }).rows)).toEqual(["./app", "main", "report", "write"]);
        expect(names(seen(tree, { open: new Set([5]), least: 0, only }).rows)).toEqual(["./app", "main", "report", "write", "[kernel]"]);
        expect(seen(tree, { open: new Set(), least: 0, only: search(tree, "nothing") }).rows).toEqual([]);
    });
});

describe("a search", () => {
    it("counts time once, also where matches are within matches", () => {
        expect(search(tree, "solve")).toMatchObject({ total_seconds: 7, total_share: 0.7 });
        const recursive = made(listOf([[null, "p", 0, 4], [0, "f", 1, 4], [1, "g", 1, 3], [2, "f", 2, 2]]));
        expect(search(recursive, "f")?.total_seconds).toBe(4);
        expect(search(recursive, "f")?.nodes).toEqual(new Set([1, 3]));
    });
    it("is none for blanks, and finds names as they are shown", () => {
        expect(search(tree, "  ")).toBeUndefined();
        const odd = made(listOf([[null, "p", 0, 1], [0, "a\nb", 1, 1]]));
        expect(search(odd, "a\\nb")?.nodes.size).toBe(1);
    });
});

describe("ranges in addresses", () => {
    it("read what they write", () => {
        const numbers = new Set([9, 0, 1, 2, 3, 12, 13]);
        expect(writeRanges(numbers)).toBe("0-3.9.12-13");
        expect(readRanges("0-3.9.12-13", 100)).toEqual(numbers);
        expect(readRanges("", 100)).toEqual(new Set());
    });
    it("ignore what means nothing, and end with the tree", () => {
        expect(readRanges("x.5-3.-1.7.0-999999999", 3)).toEqual(new Set([0, 1, 2]));
    });
});
