import { describe, expect, it } from "vitest";
import type { Instruction, Listing, LoopFacts, Report, SourceFile } from "../contract";
import { parse } from "../route";
import { choice } from "./choice";
import { addressOf, Counterparts, hottest, jump } from "./listing";
import { rowOf, sourceRows } from "./source";

const loop = (id: number, parent: number | null, self: number, more: Partial<LoopFacts> = {}): LoopFacts =>
    ({ id, parent, self_seconds: self, function: "sweep", module: "lbm", address: `0x${(0x1000 + id).toString(16)}`, ...more }) as LoopFacts;

const rows = (...all: [at: number, file: number | null, line: number | null, seconds: number, loop: number | null][]): Instruction[] =>
    all.map(([at, file, line, seconds, inner]) => [`0x${at.toString(16)}`, "nop", file, line, seconds, inner]);

const listings: Listing[] = [
    {
        function: "sweep",
        module: "lbm",
        address: "0x1000",
        files: ["/a/site.c", "/a/site.h"],
        loops: [1, 2],
        instructions: rows([0x1000, 0, 3, 0, null], [0x1001, 0, 4, 0.1, 1], [0x1002, 1, 9, 0.5, 2], [0x1003, 0, 4, 0.2, 1], [0x1004, null, null, 0, null]),
    },
    { function: "other", module: "lbm", address: "0x2000", files: ["/a/site.h"], loops: [3], instructions: rows([0x2000, 0, 9, 0.6, 3], [0x2001, 0, 9, 0.1, 3]) },
];
const source = (file: string, more: Partial<SourceFile>): SourceFile => ({ file, lines: [], marks: [], remarks: [], ...more });
const report = {
    analysis: { loops: [loop(1, null, 0.3, { file: "/a/site.c", line: 4 }), loop(2, 1, 0.5, { file: "/a/site.h", line: 9 }), loop(3, null, 0.7, { file: "/a/site.h", line: 9 })] },
    sources: [source("/a/site.h", {}), source("/a/site.c", { text: "one\n", lines: [[4, 0.3]] })],
    listings,
} as unknown as Report;
const loops = new Map(report.analysis.loops.map((each) => [each.id, each]));

describe("instructions", () => {
    it("lead where their operand says", () => {
        expect(jump("jne 1004h")).toEqual({ before: "jne ", target: "1004h", address: 0x1004 });
        expect(jump("jmp short 0x1240")).toEqual({ before: "jmp short ", target: "0x1240", address: 0x1240 });
        expect(jump("call 0FFFF80h")?.address).toBe(0xffff80);
        for (const none of ["jmp rax", "call qword ptr [rip+20h]", "mov rax, 1004h", "jne", "", "call <script>1h</script>"]) {
            expect(jump(none), none).toBeUndefined();
        }
    });
    it("have addresses or none", () => {
        expect(addressOf("0x1240")).toBe(0x1240);
        expect(addressOf("main")).toBeNaN();
    });
    it("are within their loops", () => {
        const facts = new Counterparts(report, loops).listing(0);
        expect(facts?.slots).toBe(2);
        expect(facts?.brackets[2]).toEqual([
            { loop: 1, slot: 0, edge: "through" },
            { loop: 2, slot: 1, edge: "single" },
        ]);
        expect(facts?.headers.get(0x1002)?.id).toBe(2);
        expect(facts?.byAddress.get(0x1003)).toBe(3);
        const around = { ...report, analysis: { loops: [loop(1, 2, 0), loop(2, 1, 0)] } } as Report;
        expect(new Counterparts(around, new Map(around.analysis.loops.map((each) => [each.id, each]))).listing(0)?.slots).toBe(2);
    });
    it("are found by their lines, where the line takes its time", () => {
        const counterparts = new Counterparts(report, loops);
        expect(counterparts.of("/a/site.c", 4, 1)).toEqual({ listing: 0, instructions: [1, 3] });
        expect(counterparts.of("/a/site.h", 9, 0)).toEqual({ listing: 0, instructions: [2] });
        expect(counterparts.of("/a/site.h", 9, -1)).toEqual({ listing: 1, instructions: [0, 1] });
        expect(counterparts.of("/a/site.h", 10, 0)).toBeUndefined();
        expect(hottest(listings[0] as Listing, [1, 3])).toBe(3);
        expect(hottest(listings[0] as Listing, [0, 4])).toBe(0);
        expect(hottest(listings[0] as Listing, [])).toBeUndefined();
    });
});

describe("the address's choice", () => {
    const chosen = (hash: string) => {
        const { loop: found, ...rest } = choice(report, parse(hash));
        return { ...rest, loop: found?.id };
    };
    it("is the hottest loop when nothing is asked for", () => {
        expect(chosen("#/code")).toEqual({ source: 0, listing: 1, line: 9, loop: 3 });
    });
    it("is a loop, a file or a function", () => {
        expect(chosen("#/code/1")).toEqual({ source: 1, listing: 0, line: 4, loop: 1 });
        expect(chosen("#/code/1?line=2")).toEqual({ source: 1, listing: 0, line: 2, loop: 1 });
        expect(chosen("#/code?file=%2Fa%2Fsite.c&line=4")).toEqual({ source: 1, listing: 0, line: 4, loop: undefined });
        expect(chosen("#/code?function=other")).toEqual({ source: 0, listing: 1, loop: undefined });
        expect(chosen("#/code?function=sweep&at=0x1003")).toEqual({ source: 1, listing: 0, line: 4, instruction: 3, loop: undefined });
        expect(chosen("#/code?function=sweep&at=0x1002")).toEqual({ source: 0, listing: 0, line: 9, instruction: 2, loop: undefined });
    });
    it("shows nothing in place of what is unknown", () => {
        expect(chosen("#/code/77")).toEqual({ source: -1, listing: -1, loop: undefined });
        expect(chosen("#/code?function=main")).toEqual({ source: -1, listing: -1, loop: undefined });
        expect(chosen("#/code?file=x.c")).toEqual({ source: -1, listing: -1, loop: undefined });
        expect(choice({ ...report, listings: [], sources: [] }, parse("#/code"))).toMatchObject({ source: -1, listing: -1 });
    });
});

describe("rows of a source", () => {
    const remark = { line: 7, compiler: "gcc", outcome: "missed" as const, message: "no" };
    it("are its lines, and those behind its end that were sampled", () => {
        const found = sourceRows(source("a.c", { text: "one\ntwo\n", lines: [[2, 0.5], [5, 0.1]], remarks: [remark] }));
        expect(found.map((row) => [row.line, row.text, row.seconds])).toEqual([
            [1, "one", 0],
            [2, "two", 0.5],
            [5, undefined, 0.1],
            [7, undefined, 0],
        ]);
        expect(found[3]?.remarks).toEqual([remark]);
    });
    it("show what is invisible, and cut what is endless", () => {
        const [first, second] = sourceRows(source("a.c", { text: `\ta\u202eb\u0000\n${"x".repeat(5000)}` }));
        expect(first?.text).toBe("\ta\\u{202e}b\\u{0}");
        expect(second?.text).toMatch(/^x{2000}… \(3000 more characters\)$/);
    });
    it("are what is known when the text is missing", () => {
        const found = sourceRows(source("a.c", { missing: "gone", lines: [[2, 0.5]], marks: [{ from: 1, to: 4, slot: 0, letters: "s", loops: [1] }] }), [3]);
        expect(found.map((row) => row.line)).toEqual([1, 2, 3, 4]);
        expect(rowOf(found, 3)).toBe(2);
        expect(rowOf(found, 5)).toBeUndefined();
    });
});
