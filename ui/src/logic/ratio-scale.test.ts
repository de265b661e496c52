import { describe, expect, it } from "vitest";
import { ratiosOf } from "./compare";
import { comparison } from "./compare.fixture";
import { ratioScale } from "./ratio-scale";

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
