import { describe, expect, it } from "vitest";
import { ratiosOf } from "./compare";
import { comparison } from "./compare.fixture";
import { ratioScale, spreadScale, tickLabel } from "./ratio-scale";

describe("the scale of speed-ups", () => {
    it("has 1 in its middle and room for all", () => {
        const scale = ratioScale(ratiosOf(comparison.loops));
        expect(scale.at(1)).toBe(0.5);
        expect(scale.at(2) - 0.5).toBeCloseTo(0.5 - scale.at(0.5));
        for (const each of ratiosOf(comparison.loops)) expect(each <= scale.most && each >= 1 / scale.most).toBe(true);
        expect(scale.ticks).toContain(1);
        expect(scale.ticks.every((tick) => scale.at(tick) >= 0 && scale.at(tick) <= 1)).toBe(true);
    });
    it("ends somewhere", () => {
        const scale = ratioScale([1000]);
        expect(scale.most).toBe(32);
        expect([scale.at(1000), scale.at(0.0001), scale.at(0), scale.at(Number.NaN)]).toEqual([1, 0, 0, 0]);
        expect(ratioScale([]).ticks).toEqual([2 ** -0.5, 1, 2 ** 0.5]);
    });
});

it("a scale of what was tried spans what there is, with 1 on it and labels apart", () => {
    for (const ratios of [[], [1.02], [0.94, 1.82], [1.2, 40], [0.01, 3], [NaN, -1, 1.3]]) {
        const scale = spreadScale(ratios);
        expect(scale.ticks).toContain(1);
        expect(scale.ticks.length).toBeGreaterThan(1);
        const places = scale.ticks.map((tick) => scale.at(tick));
        for (const [at, place] of places.slice(1).entries()) expect(place - (places[at] ?? 0)).toBeGreaterThan(0.089);
        expect(places.every((place) => place >= 0 && place <= 1)).toBe(true);
    }
    const scale = spreadScale([0.94, 1.82]);
    expect(scale.at(0.94)).toBeGreaterThan(0);
    expect(scale.at(1.82)).toBeLessThan(1);
    expect(scale.at(2)).toBe(1);
});

it("ticks below 1 are fractions where they are whole", () => {
    expect([0.5, 1, 1.5, 1 / 1.5, 0.25].map(tickLabel)).toEqual(["1/2", "1", "1.5", "0.67", "1/4"]);
});
