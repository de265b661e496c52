import { expect, test } from "vitest";
import { flopCeilings, peaks, reads } from "./ceilings";
import type { Ceilings } from "./contract";

const CEILINGS = {
    flops: [
        { level: "SSE", element: "f64", fma: false, cores: 1, gflops: 20 },
        { level: "AVX2", element: "f64", fma: true, cores: 1, gflops: 60 },
        { level: "AVX2", element: "f64", fma: false, cores: 1, gflops: 50 },
        { level: "AVX2", element: "f64", fma: true, cores: 2, gflops: 110 },
    ],
    bandwidths: [
        { level: "L1", kernel: "store", cores: 1, gbytes: 100 },
        { level: "L1", kernel: "load", cores: 1, gbytes: 200 },
        { level: "DRAM", kernel: "load", cores: 2, gbytes: 30 },
    ],
} as unknown as Ceilings;

test("the highest peak of an element names what reached it and its place in the document", () => {
    expect(peaks(CEILINGS)).toEqual({
        cores: [1, 2],
        rows: [{ name: "f64", cells: [{ value: 60, index: 1, by: "AVX2 FMA" }, { value: 110, index: 3, by: "AVX2 FMA" }] }],
    });
    expect(flopCeilings(CEILINGS).rows).toHaveLength(3);
});

test("only reading counts as a level's bandwidth for readers", () => {
    expect(reads(CEILINGS)).toEqual({
        cores: [1, 2],
        rows: [
            { name: "L1", cells: [{ value: 200, index: 1 }, undefined] },
            { name: "DRAM", cells: [undefined, { value: 30, index: 2 }] },
        ],
    });
});
