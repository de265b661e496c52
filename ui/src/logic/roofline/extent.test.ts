import { scaleLog } from "d3-scale";
import { describe, expect, it } from "vitest";
import { ceilingLines } from "./ceilings";
import { CEILINGS } from "./example";
import { extent, tickText, ticks } from "./extent";

const lines = ceilingLines(CEILINGS, { axis: "flop", cores: [1], kernel: "load", element: "f64" });

describe("how far the axes reach", () => {
    it("takes in every loop and the corners of the roof", () => {
        const found = extent([{ intensity: 0.05, rate: 0.3 }], lines);
        // Corners: 64 GFLOP/s / 320 GB/s and 64 / 10.
        expect(found?.x[0]).toBeLessThan(0.05);
        expect(found?.x[1]).toBeGreaterThan(6.4);
        expect(found?.y[0]).toBeLessThan(0.3);
        expect(found?.y[1]).toBeGreaterThan(64);
    });
    it("takes in what the bandwidths allow where no peak is measured", () => {
        const memory = lines.filter((line) => line.kind === "memory");
        expect(extent([{ intensity: 1, rate: 1 }], memory)?.y[1]).toBeGreaterThan(320);
    });
    it("is that of the loops without ceilings, and none without anything", () => {
        expect(extent([{ intensity: 1, rate: 2 }], [])?.x[1]).toBeGreaterThan(1);
        expect(extent([], [])).toBeUndefined();
        expect(extent([{ intensity: 0, rate: NaN }], [])).toBeUndefined();
    });
    it("is one power of ten at least", () => {
        const [low, high] = extent([{ intensity: 1, rate: 2 }], [])?.x ?? [1, 1];
        expect(high / low).toBeGreaterThanOrEqual(10);
        expect([low < 0.4, high > 3]).toEqual([true, true]);
    });
    it("does not let one odd loop press all others into a corner", () => {
        const found = extent([{ intensity: 1e-12, rate: 1 }], lines);
        expect((found?.x[1] ?? 0) / (found?.x[0] ?? 1)).toBeCloseTo(1e6, 3);
    });
});

describe("marks of an axis", () => {
    it("are powers of ten, then 2 and 5, then all, as there is room", () => {
        expect(ticks([0.1, 100], 150, 40)).toEqual([0.1, 1, 10, 100]);
        expect(ticks([0.1, 10], 300, 40)).toEqual([0.1, 0.2, 0.5, 1, 2, 5, 10]);
        expect(ticks([1, 9], 1000, 40)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(ticks([1e-6, 1e6], 120, 20)).toEqual([1e-6, 1e-4, 1e-2, 1, 100, 1e4, 1e6]);
    });
    it("are written without digits that say nothing", () => {
        expect([0.07, 0.2, 1, 50, 1e6, 1e-7].map(tickText)).toEqual(["0.07", "0.2", "1", "50", "1e6", "1e-7"]);
    });
    it("are never closer than the room they need", () => {
        for (const [to, pixels] of [[3, 80], [40, 333], [1e5, 700], [2e9, 91]] as const) {
            const scale = scaleLog([0.7, to], [0, pixels]);
            const places = ticks([0.7, to], pixels, 40).map((value) => scale(value));
            for (const [at, place] of places.slice(1).entries()) expect(place - (places[at] ?? 0)).toBeGreaterThanOrEqual(40 - 1e-6);
        }
    });
});
