/** Loops and ceilings for tests, near those of a small machine. */

import type { Ceilings, LoopFacts, RooflinePoint } from "../contract";

export const CEILINGS: Ceilings = {
    flops: [
        { level: "scalar", element: "f64", fma: false, cores: 1, gflops: 8 },
        { level: "AVX2", element: "f64", fma: false, cores: 1, gflops: 32 },
        { level: "AVX2", element: "f64", fma: true, cores: 1, gflops: 64 },
        { level: "AVX2", element: "f32", fma: true, cores: 1, gflops: 128 },
        { level: "AVX2", element: "f64", fma: true, cores: 4, gflops: 256 },
    ],
    bandwidths: [
        { level: "DRAM", kernel: "load", cores: 1, gbytes: 10 },
        { level: "L1", kernel: "load", cores: 1, gbytes: 320 },
        { level: "L1", kernel: "triad", cores: 1, gbytes: 300 },
        { level: "DRAM", kernel: "load", cores: 4, gbytes: 30 },
    ],
};

/** A loop of this number with a tenth of the time, or what `more` says. */
export function loopOf(id: number, roofline: RooflinePoint | undefined, more: Partial<LoopFacts> = {}): LoopFacts {
    const loop = { id, function: `f${id}`, address: "0x10", self_seconds: 1, self_share: 0.1, vectorized: false, ...more };
    return (roofline === undefined ? loop : { ...loop, roofline }) as LoopFacts;
}

export function flop(intensity: number, gflops: number, more: Partial<RooflinePoint> = {}): RooflinePoint {
    return { kind: "flop", intensity, gflops, cores: 1, ...more };
}
