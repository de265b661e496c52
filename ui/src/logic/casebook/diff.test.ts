import { describe, expect, it } from "vitest";
import type { CasebookDocument } from "../contract";
import { changes, diffLines, hunks, optionChanges, sourcesOf, textOf } from "./diff";

const unchanged = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, at) => ` line ${from + at}\n`).join("");
const FILE = { name: "b.c", before: "a.c", marked: `${unchanged(1, 20)}-old\n+new\n+newer\n${unchanged(22, 30)}` };

describe("a difference", () => {
    it("has line numbers of both files", () => {
        const lines = diffLines(FILE);
        expect(lines[20]).toEqual({ mark: "-", text: "old", before: 21 });
        expect(lines[21]).toEqual({ mark: "+", text: "new", after: 21 });
        expect(lines.at(-1)).toEqual({ mark: " ", text: "line 30", before: 30, after: 31 });
        expect(changes(lines)).toEqual({ added: 2, removed: 1 });
    });
    it("gives the file without what is gone", () => {
        expect(textOf(FILE).split("\n")).toHaveLength(31);
        expect(textOf(FILE)).not.toContain("old");
    });
    it("leaves out what is far from changes", () => {
        const found = hunks(diffLines(FILE));
        expect(found.map(({ hidden, lines }) => [hidden, lines.length])).toEqual([[true, 17], [false, 9], [true, 6]]);
        const near = hunks(diffLines({ name: "b.c", before: "a.c", marked: `${unchanged(1, 4)}+x\n${unchanged(5, 9)}` }));
        expect(near.map(({ hidden, lines }) => [hidden, lines.length])).toEqual([[false, 1], [false, 7], [false, 2]]);
    });
});

describe("sources of a stage", () => {
    const files = [{ name: "a.c", marked: " x\n" }, { name: "driver.c", marked: " y\n" }];
    const book = {
        casebook: {
            sources: [
                { case: "other", stages: [{ name: "first", files: [] }] },
                { case: "mine", track: "c", stages: [{ name: "first", files }, { name: "second", from: "first", files: [FILE], unchanged: ["driver.c"] }] },
            ],
        },
    } as unknown as CasebookDocument;
    it("are those of the case, and say what later stages change", () => {
        const [found] = sourcesOf(book, "mine", "first");
        expect(found?.track).toBe("c");
        expect([...(found?.changedLater ?? [])]).toEqual(["a.c"]);
        expect(sourcesOf(book, "mine", "third")).toEqual([]);
    });
});

it("options are compared without places of files", () => {
    expect(optionChanges(["gcc -O2 -g -c a.c -o x/0.o"], ["gcc -O3 -g -c a.c -o y/0.o", "gcc y/0.o -fopenmp -o y/y"])).toEqual({ added: ["-O3", "-fopenmp"], removed: ["-O2"] });
});
