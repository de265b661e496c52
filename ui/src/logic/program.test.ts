import { describe, expect, it } from "vitest";
import type { ProgramFacts } from "./contract";
import { binned, commandLine, cpuUsage, moment, waitName } from "./program";

describe("a command", () => {
    it("is what a shell takes", () => {
        expect(commandLine(["./a.out", "-n", "4"])).toBe("./a.out -n 4");
        expect(commandLine(["a b", "it's", ""])).toBe("'a b' 'it'\\''s' ''");
    });
    it("ran at a moment", () => {
        expect(moment("2026-11-22T08:26:42Z")).toBe("2026-11-22 08:26:42 UTC");
        expect(moment("2026-11-22T08:26:42.125Z")).toBe("2026-11-22 08:26:42 UTC");
        expect(moment("yesterday")).toBe("yesterday");
    });
});

describe("a wait", () => {
    it("is named by the library's function, else the call, and by who asked", () => {
        const wait = { kind: "storage", seconds: 1, share: 0.5, seen: 9 } as const;
        expect(waitName({ ...wait, call: "futex", through: "pthread_join", function: "main" })).toBe("pthread_join in main");
        expect(waitName({ ...wait, call: "fsync" })).toBe("fsync");
        expect(waitName(wait)).toBe("memory");
    });
});

describe("CPU usage", () => {
    const program = (cpu_usage: number[], cpus_allowed: number) => ({ cpu_usage, cpus_allowed }) as ProgramFacts;
    it("runs up to the CPUs allowed, and beyond where more were busy", () => {
        const usage = cpuUsage(program([1, 3], 4));
        expect(usage?.levels.map((level) => level.share)).toEqual([0.25, 0.75, 0, 0, 0]);
        expect(usage?.average).toBeCloseTo(0.75);
        expect(cpuUsage(program([0, 0, 1], 1))?.levels).toHaveLength(3);
        expect(cpuUsage(program([0, 0], 4))).toBeUndefined();
    });
    it("keeps its seconds in bins", () => {
        const usage = cpuUsage(program(Array.from({ length: 129 }, () => 1), 128));
        if (usage === undefined) throw new Error("observed");
        const bins = binned(usage, 17);
        expect(bins).toHaveLength(17);
        expect(bins[0]).toMatchObject({ from: 0, to: 0, seconds: 1 });
        expect(bins[1]).toMatchObject({ from: 1, to: 8, seconds: 8 });
        expect(bins.reduce((sum, bin) => sum + bin.seconds, 0)).toBe(129);
        expect(binned(cpuUsage(program([1, 3], 2)) ?? usage, 17)).toHaveLength(3);
    });
});
