import { describe, expect, it } from "vitest";
import type { Analysis, FlatNode, LoopFacts, Report } from "../contract";
import { around, hottest, neighbours, piecesOf, within } from "./neighbours";
import { sectionOf } from "./sections";
import { sourceLine } from "./source-lines";
import { waysTo } from "./ways";

function loop(id: number, seconds: number, more: Partial<LoopFacts> = {}): LoopFacts {
    return { id, group: id, role: "whole", parent: null, children: [], self_seconds: seconds, self_share: 0, total_seconds: seconds, total_share: 0, ...more } as LoopFacts;
}

const analysis = {
    loops: [
        loop(5, 9, { group: 5, role: "remainder" }),
        loop(6, 4, { group: 5, role: "body", parent: 2 }),
        loop(2, 1, { parent: 1, children: [6, 7] }),
    ],
} as Analysis;
const [remainder, body, outer] = analysis.loops as [LoopFacts, LoopFacts, LoopFacts];

describe("a loop's neighbours", () => {
    it("are those before and behind by self time", () => {
        expect(neighbours(analysis, body)).toEqual({ rank: 2, hotter: remainder, cooler: outer });
        expect(neighbours(analysis, remainder).hotter).toBeUndefined();
        expect(neighbours(analysis, outer).cooler).toBeUndefined();
    });
    it("are its pieces, of which the body leads", () => {
        expect(piecesOf(analysis, remainder)?.pieces.map((each) => each.id)).toEqual([5, 6]);
        expect(hottest(analysis)).toBe(body);
        expect(hottest({ loops: [] as LoopFacts[] } as Analysis)).toBeUndefined();
    });
    it("are the loops around, outermost first, and within, known or not", () => {
        expect(around(analysis, body)).toEqual([{ id: 1, loop: undefined }, { id: 2, loop: outer }]);
        expect(within(analysis, outer)).toEqual([{ id: 6, loop: body }, { id: 7, loop: undefined }]);
    });
    it("end where parents go in a circle", () => {
        const circle = { loops: [loop(1, 1, { parent: 2 }), loop(2, 1, { parent: 1 })] } as Analysis;
        expect(around(circle, circle.loops[0] as LoopFacts).map((each) => each.id)).toEqual([2]);
    });
});

describe("ways to a loop", () => {
    const node = (parent: number | null, name: string, seconds: number, id?: number): FlatNode => ({
        parent,
        kind: parent === null ? "program" : id === undefined ? "function" : "loop",
        name,
        module: "a",
        self_seconds: 0,
        total_seconds: seconds,
        ...(id === undefined ? {} : { loop_id: id }),
    });
    it("are ordered by time; a loop within itself counts once", () => {
        const tree = [node(null, "a.out", 9), node(0, "main", 9), node(1, "loop", 2, 3), node(0, "other", 5), node(3, "loop", 5, 3), node(4, "f", 1), node(5, "loop", 1, 3)];
        const ways = waysTo({ tree } as Analysis, 3);
        expect(ways.map(({ nodes, seconds }) => [nodes.map((each) => each.name), seconds])).toEqual([[["other"], 5], [["main"], 2]]);
    });
    it("end where a parent is not before its child", () => {
        expect(waysTo({ tree: [node(0, "loop", 1, 3), node(9, "loop", 1, 3)] } as Analysis, 3)).toHaveLength(2);
        expect(waysTo({} as Analysis, 3)).toEqual([]);
    });
});

describe("a source line", () => {
    const report = { sources: [{ file: "/a.c", text: "int a;\r\n\tb[i] = 1;  \n\n" }, { file: "/none.c", missing: "gone" }] } as unknown as Report;
    it("is given without the space around it", () => {
        expect(sourceLine(report, "/a.c", 2)).toBe("b[i] = 1;");
    });
    it("is absent where it is not known", () => {
        for (const [file, line] of [["/a.c", 3], ["/a.c", 9], ["/a.c", 0], ["/b.c", 1], ["/none.c", 1], [undefined, 1]] as const) {
            expect(sourceLine(report, file, line)).toBeUndefined();
        }
    });
});

describe("parts of the page", () => {
    it("are named by the address, or none", () => {
        expect(sectionOf("memory")).toBe("memory");
        expect(sectionOf("__proto__")).toBeUndefined();
        expect(sectionOf(null)).toBeUndefined();
    });
});
