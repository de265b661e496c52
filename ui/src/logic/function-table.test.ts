import { expect, test } from "vitest";
import type { Analysis } from "./contract";
import { functionState, knownColumns, modulesOf, selected, withInlined } from "./function-table";

const each = (name: string, self: number, more: object = {}) => ({ function: name, module: "prog", self_share: self, self_seconds: self, total_share: self, total_seconds: self, samples: 1, ...more });
const ANALYSIS = {
    functions: [each("solve", 0.6, { calls: 3, file: "/src/solver.c" }), each("main", 0.3), each("memcpy", 0.1, { module: "libc.so.6", calls: 9 })],
} as unknown as Analysis;

const names = (query: string): string[] => selected(ANALYSIS, functionState(new URLSearchParams(query))).map((found) => found.function);

test("the hottest comes first unless the reader wants another order", () => {
    expect(names("")).toEqual(["solve", "main", "memcpy"]);
    expect(names("sort=name")).toEqual(["main", "memcpy", "solve"]);
    expect(names("sort=name&desc=1")).toEqual(["solve", "memcpy", "main"]);
    expect(names("sort=nonsense")).toEqual(names(""));
});

test("what is not known comes last, whichever way", () => {
    expect(names("sort=calls")).toEqual(["memcpy", "solve", "main"]);
    expect(names("sort=calls&desc=0")).toEqual(["solve", "memcpy", "main"]);
});

test("filters look at name, module and file", () => {
    expect(names("q=SOLVER.c")).toEqual(["solve"]);
    expect(names("q=mem libc")).toEqual(["memcpy"]);
    expect(names("module=libc.so.6")).toEqual(["memcpy"]);
    expect(names("min=20")).toEqual(["solve", "main"]);
});

test("columns without anything known are left out", () => {
    expect(knownColumns(ANALYSIS).map(({ id }) => id)).toEqual(["self", "self_seconds", "total", "total_seconds", "samples", "calls"]);
    expect(modulesOf(ANALYSIS)).toEqual(["prog", "libc.so.6"]);
});

test("inlined functions follow the one that holds them, in the document's order or the reader's", () => {
    const inner = (name: string, self: number, total: number) => ({ function: name, self_share: self, self_seconds: self, total_share: total, total_seconds: total, samples: 1 });
    const inlined = [inner("gather", 0.1, 0.5), inner("relax", 0.3, 0.3), inner("get", 0.001, 0.001)];
    const analysis = { functions: [each("solve", 0.6, { inlined }), each("main", 0.3)] } as unknown as Analysis;
    const shown = (query: string): string[] => {
        const state = functionState(new URLSearchParams(query));
        return withInlined(selected(analysis, state), state).map((row) => row.inlined?.function ?? row.each.function);
    };
    expect(shown("")).toEqual(["solve", "gather", "relax", "main"]);
    expect(shown("sort=self_seconds&desc=1")).toEqual(["solve", "relax", "gather", "main"]);
    expect(shown("sort=total&desc=1")).toEqual(["solve", "gather", "relax", "main"]);
    expect(shown("sort=total&desc=0")).toEqual(["main", "solve", "relax", "gather"]);
    expect(shown("sort=name")).toEqual(["main", "solve", "gather", "relax"]);
    expect(shown("min=20")).toEqual(["solve", "relax", "main"]);
    expect(shown("q=gather")).toEqual(["solve", "gather", "relax"]);
});
