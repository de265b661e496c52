import { expect, test } from "vitest";
import type { SourceFile } from "../contract";
import { indentOf, linesOfLoop } from "./source-lines";

const SOURCE = { text: Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join("\n"), marks: [{ from: 10, to: 14, loops: [3], letters: "s" }] } as unknown as SourceFile;

test("a loop is shown from its head to its end with some lines around", () => {
    expect(linesOfLoop(SOURCE, { id: 3, line: 11 })).toEqual([8, 16]);
    expect(linesOfLoop(SOURCE, { id: 4, line: 20, lines: [20, 25] })).toEqual([18, 27]);
});

test("lines stay within the file", () => {
    expect(linesOfLoop(SOURCE, { id: 4, line: 1 })).toEqual([1, 3]);
    expect(linesOfLoop(SOURCE, { id: 4, line: 29, lines: [29, 99] })).toEqual([27, 30]);
});

test("space that all lines begin with is left out", () => {
    expect(indentOf(["    for", "", "        a;", "    }"])).toBe(4);
    expect(indentOf(["\tfor", "    a"])).toBe(0);
    expect(indentOf([])).toBe(0);
});
