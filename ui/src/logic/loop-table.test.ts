import { describe, expect, it } from "vitest";
import type { Analysis, LoopFacts } from "./contract";
import { COLUMNS } from "./loop-columns";
import { LoopTable, type TableState, TreeRows, move, tableState } from "./loop-table";

let next = 1;

function loop(more: Partial<LoopFacts>): LoopFacts {
    const id = more.id ?? next++;
    return {
        id,
        group: id,
        module: "app",
        main_module: true,
        function: `f${id}`,
        address: `0x${id.toString(16)}`,
        parent: null,
        children: [],
        depth: 1,
        innermost: true,
        role: "whole",
        self_seconds: 0,
        self_share: 0,
        total_seconds: 0,
        total_share: 0,
        samples: 0,
        group_share: 0,
        threads: 1,
        callee_share: 0,
        vectorized: false,
        instruction_mix: {},
        instructions: 1,
        exits: 1,
        bytes_loaded_per_iteration: 0,
        bytes_stored_per_iteration: 0,
        ...more,
    };
}

const timed = (self: number): Partial<LoopFacts> => ({ self_seconds: self, self_share: self / 10, total_seconds: self, total_share: self / 10 });

const analysis = {
    loops: [
        loop({ id: 1, function: "daxpy", file: "/src/blas.c", line: 9, ...timed(4), vectorized: true, vector: { isa: "AVX512F", bits: 512, length: 8, unroll: 1, types: ["f64"], packed_share: 1, gain: 6.4, efficiency: 0.8, provenance: "modelled" }, role: "body" }),
        loop({ id: 2, group: 1, function: "daxpy", file: "/src/blas.c", line: 9, ...timed(1), role: "remainder", why_not: [{ reason: "remainder-only", message: "", provenance: "binary" }] }),
        loop({ id: 3, function: "Sum", file: "/src/sum.c", line: 3, ...timed(3), why_not: [{ reason: "fp-reduction-order", message: "x", provenance: "compiler" }], traits: ["divide"] }),
        loop({ id: 4, function: "memcpy", module: "libc.so.6", main_module: false, ...timed(0.5), traits: ["string-op"], trip_count: { iterations: 8, mean: 8, median: 8, source_factor: 1, source_iterations: 8, group_iterations: 8, source_mean: 8, group_complete: true } }),
        loop({ id: 5, function: "zero" }),
    ],
} as unknown as Analysis;

const table = new LoopTable(analysis);
const state = (query = ""): TableState => tableState(new URLSearchParams(query));
const ids = (query: string) => table.select(state(query)).map((row) => row.loop.id);

describe("the state in the address", () => {
    it("falls back on self time, largest first", () => {
        expect(state()).toMatchObject({ sort: "self_share", descending: true, least: 0, columns: undefined });
        expect(state("sort=__proto__&min=x&type=y&open=1,b,2")).toMatchObject({ sort: "self_share", least: 0, type: "" });
        expect([...state("open=1,b,2").open]).toEqual([1, 2]);
        expect(state("sort=name")).toMatchObject({ sort: "name", descending: false });
        expect(state("sort=name&desc=1").descending).toBe(true);
    });
});

describe("sorting", () => {
    it("orders source loops by self time of all pieces", () => expect(ids("")).toEqual([1, 3, 4, 5]));
    it("orders by name without regard to case", () => {
        expect(ids("sort=name")).toEqual([1, 4, 3, 5]);
        expect(ids("sort=name&desc=1")).toEqual([5, 3, 4, 1]);
    });
    it("puts loops without a value last, either way", () => {
        expect(ids("sort=trips")).toEqual([4, 1, 3, 5]);
        expect(ids("sort=trips&desc=0")).toEqual([4, 1, 3, 5]);
        expect(ids("sort=efficiency&desc=0")[0]).toBe(1);
    });
    it("works for every column, both ways", () => {
        for (const { id } of COLUMNS) {
            expect(ids(`sort=${id}&desc=1`).sort()).toEqual([1, 3, 4, 5]);
            expect(ids(`sort=${id}&desc=0`).sort()).toEqual([1, 3, 4, 5]);
        }
    });
});

describe("filters", () => {
    it("look for all words in function, file, module, reasons and traits of any piece", () => {
        expect(ids("q=SUM")).toEqual([3]);
        expect(ids("q=blas.c:9")).toEqual([1]);
        expect(ids("q=remainder-only")).toEqual([1]);
        expect(ids("q=libc string")).toEqual([4]);
        expect(ids("q=libc divide")).toEqual([]);
    });
    it("choose by type, module, program and share", () => {
        expect(ids("type=vectorised")).toEqual([1]);
        expect(ids("type=scalar")).toEqual([3, 4, 5]);
        expect(ids("module=libc.so.6")).toEqual([4]);
        expect(ids("main=1")).toEqual([1, 3, 5]);
        expect(ids("min=30")).toEqual([1, 3]);
    });
});

describe("columns", () => {
    it("are the usual ones that say something, or those chosen", () => {
        const usual = table.columns(undefined).map((column) => column.id);
        expect(usual).toContain("efficiency");
        expect(usual).not.toContain("dependence");
        expect(usual).not.toContain("module");
        expect(table.columns(["dependence", "nonsense"]).map((column) => column.id)).toEqual(["dependence"]);
        expect(table.columns(["none"])).toEqual([]);
    });
    it("say where a number comes from", () => {
        const rows = new TreeRows(table.select(state()), new Set());
        const [split, whole] = [rows.at(0), rows.at(1)];
        const share = COLUMNS.find((column) => column.id === "self_share");
        if (split === undefined || whole === undefined || share === undefined) throw new Error("rows");
        expect(share.fact(split)).toMatchObject({ key: "group_share", text: "50.0" });
        expect(share.fact(whole)).toMatchObject({ key: "self_share", text: "30.0" });
    });
});

describe("rows", () => {
    const rows = new TreeRows(table.select(state()), new Set([1]));
    const all = Array.from({ length: rows.length }, (_, at) => rows.at(at));
    it("show the pieces of expanded loops below them", () => {
        expect(all.map((row) => row?.id)).toEqual(["g1", "l1", "l2", "g3", "g4", "g5"]);
        expect(rows.at(0)).toMatchObject({ expanded: true, position: 1, siblings: 4 });
        expect(rows.at(2)).toMatchObject({ piece: true, position: 2, siblings: 2 });
        expect(rows.at(3)?.expanded).toBeUndefined();
        expect(rows.at(6)).toBeUndefined();
        expect(new TreeRows(table.select(state()), new Set())).toHaveLength(4);
    });
    it("stay the same however they are ordered", () => {
        const sum = rows.row(3);
        expect(new TreeRows(table.select(state("sort=name")), new Set()).indexOf(sum)).toBe(2);
        expect(new TreeRows(table.select(state("q=daxpy")), new Set()).indexOf(sum)).toBeUndefined();
        expect(new TreeRows(table.select(state("q=daxpy")), new Set([1])).indexOf(rows.row(2))).toBe(2);
    });
    it("are moved through by keys", () => {
        expect(move("ArrowDown", 0, rows, 3)).toEqual({ to: 1 });
        expect(move("k", 0, rows, 3)).toEqual({ to: 0 });
        expect(move("End", 0, rows, 3)).toEqual({ to: 5 });
        expect(move("PageDown", 4, rows, 3)).toEqual({ to: 5 });
        expect(move("ArrowLeft", 2, rows, 3)).toEqual({ to: 0 });
        expect(move("ArrowLeft", 1, rows, 3)).toEqual({ to: 0 });
        expect(move("ArrowRight", 0, rows, 3)).toEqual({ to: 1 });
        expect(move("ArrowLeft", 0, rows, 3)).toEqual({ collapse: 1 });
        expect(move("ArrowRight", 0, new TreeRows(table.select(state()), new Set()), 3)).toEqual({ expand: 1 });
        expect(move("ArrowRight", 3, rows, 3)).toBeUndefined();
        expect(move("Enter", 3, rows, 3)).toEqual({ open: 3 });
        expect(move("x", 3, rows, 3)).toBeUndefined();
    });
});
