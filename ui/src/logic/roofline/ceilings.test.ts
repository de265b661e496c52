import { describe, expect, it } from "vitest";
import { type CeilingLine, type ComputeLine, type MemoryLine, attainable, ceilingLines, coresAtFirst, course, elementAtFirst, kernelAtFirst, measuredCores, ridge, roofAt } from "./ceilings";
import { CEILINGS, flop, loopOf } from "./example";

const choice = { axis: "flop", cores: [1], kernel: "load", element: "f64" } as const;
const lines = ceilingLines(CEILINGS, choice);
const named = (name: string): CeilingLine => {
    const line = lines.find((each) => each.name === name);
    if (line === undefined) throw new Error(name);
    return line;
};

describe("ceilings as lines", () => {
    it("are those of the choice, fastest first, named as the analysis names them", () => {
        expect(lines.map((line) => line.name)).toEqual(["L1", "DRAM", "AVX2 f64 FMA", "AVX2 f64", "scalar f64"]);
        expect(ceilingLines(CEILINGS, { ...choice, element: "f32" }).map((line) => line.name)).toEqual(["L1", "DRAM", "AVX2 f32 FMA"]);
        expect(ceilingLines(CEILINGS, { ...choice, cores: [4] }).map((line) => line.name)).toEqual(["DRAM", "AVX2 f64 FMA"]);
        expect(ceilingLines(CEILINGS, { ...choice, cores: [1, 4] })).toHaveLength(7);
    });
    it("have no peaks for integer operations, which are not measured", () => {
        expect(ceilingLines(CEILINGS, { ...choice, axis: "integer" }).every((line) => line.kind === "memory")).toBe(true);
    });
    it("allow bandwidth times intensity, or the peak", () => {
        expect(roofAt(named("DRAM"), 0.25)).toBe(2.5);
        expect(roofAt(named("scalar f64"), 0.25)).toBe(8);
        expect(ridge(named("DRAM") as MemoryLine, named("AVX2 f64 FMA") as ComputeLine)).toBe(6.4);
        expect(attainable(lines, 0.1)).toBe(32);
        expect(attainable(lines, 10)).toBe(64);
        expect(attainable([], 1)).toBe(Infinity);
        expect(attainable([named("DRAM")], 2)).toBe(20);
    });
    it("end where the roof's corner is", () => {
        expect(course(named("DRAM"), lines, [0.1, 100])).toEqual({ x1: 0.1, y1: 1, x2: 6.4, y2: 64 });
        expect(course(named("scalar f64"), lines, [0.001, 100])).toEqual({ x1: 0.025, y1: 8, x2: 100, y2: 8 });
        expect(course(named("L1"), lines, [1, 100]), "to the right of its corner").toBeUndefined();
        expect(course(named("DRAM"), [named("DRAM")], [0.1, 100])?.x2, "no peaks").toBe(100);
    });
});

describe("what is shown at first", () => {
    it("are the cores of the loops if they agree, else one and all", () => {
        expect(measuredCores(CEILINGS)).toEqual([1, 4]);
        expect(coresAtFirst(CEILINGS, [loopOf(1, flop(1, 1, { cores: 4 })), loopOf(2, undefined)])).toEqual([4]);
        expect(coresAtFirst(CEILINGS, [loopOf(1, flop(1, 1)), loopOf(2, flop(1, 1, { cores: 4 }))])).toEqual([1, 4]);
        expect(coresAtFirst(CEILINGS, [loopOf(1, flop(1, 1, { cores: 3 }))]), "not measured").toEqual([1, 4]);
        expect(coresAtFirst({ flops: [], bandwidths: [] }, [])).toEqual([]);
    });
    it("is the benchmark that most of the loops' time refers to", () => {
        const like = (kernel: string) => flop(1, 1, { roofs: [{ name: "L1", kind: "memory", value: 1, kernel, gbytes: 1, provenance: "measured" }] });
        const loops = [loopOf(1, like("load")), loopOf(2, like("triad"), { self_seconds: 3 }), loopOf(3, like("load"))];
        expect(kernelAtFirst(CEILINGS, loops, "flop")).toBe("triad");
        expect(kernelAtFirst(CEILINGS, loops, "integer")).toBe("load");
        expect(kernelAtFirst({ flops: [], bandwidths: [] }, loops, "flop")).toBeUndefined();
    });
    it("is the type of most of the arithmetic", () => {
        const work = (flop_f32: number, flop_f64: number) => loopOf(1, undefined, { work: { flop_f32, flop_f64 } as never });
        expect(elementAtFirst(CEILINGS, [work(5, 4)])).toBe("f32");
        expect(elementAtFirst(CEILINGS, [])).toBe("f64");
    });
});
