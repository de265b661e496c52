import { describe, expect, it } from "vitest";
import type { Recommendation, Roof } from "../contract";
import { flop, loopOf } from "./example";
import { placedOn } from "./placed";
import { choices, prediction, predictions, utmost } from "./prediction";

const advice = (id: string, loop_gain: [number, number] | undefined, most = 1.1): Recommendation =>
    ({ id, title: `${id} by ${most}`, program_gain: [1, most], ...(loop_gain === undefined ? {} : { loop_gain }) }) as Recommendation;
const roof = (kind: Roof["kind"], value: number): Roof => ({ name: kind, kind, value, provenance: "measured" });
const point = flop(0.5, 2, { bound: "scalar f64", ceiling: 8, roofs: [roof("compute", 8), roof("compute", 64), roof("memory", 5), roof("memory", 30)] });

describe("a predicted effect", () => {
    it("leads from what was achieved to the lowest and the highest gain", () => {
        expect(prediction(loopOf(1, point), advice("a", [1.5, 3]))).toMatchObject({ low: 3, high: 6, tip: 6, note: undefined });
    });
    it("says when it is above the ceiling that binds", () => {
        const made = prediction(loopOf(1, point), advice("a", [2, 10]));
        expect([made?.high, made?.tip]).toEqual([20, 20]);
        expect(made?.note).toContain("scalar f64");
    });
    it("is drawn no higher than the machine can do", () => {
        expect(utmost(point)).toBe(30);
        const made = prediction(loopOf(1, point), advice("a", [2, 100]));
        expect([made?.high, made?.tip]).toEqual([200, 30]);
        expect(made?.note).toContain("what the machine can do");
        expect(utmost(flop(1, 1))).toBe(Infinity);
    });
    it("needs a gain and a place", () => {
        expect(prediction(loopOf(1, point), advice("a", undefined))).toBeUndefined();
        expect(prediction(loopOf(1, { kind: "bytes", gbytes_per_second: 2 }), advice("a", [1, 2]))).toBeUndefined();
    });
});

describe("choosing recommendations", () => {
    const places = placedOn(
        [
            loopOf(1, point, { self_seconds: 2, recommendations: [advice("a", [1, 2], 1.2), advice("b", [1, 3], 1.5)] }),
            loopOf(2, point, { recommendations: [advice("a", [1, 2], 1.3), advice("c", undefined)] }),
        ],
        "flop",
    );
    it("offers each once, with the largest gain first and its number of loops", () => {
        expect(choices(places)).toEqual([
            { id: "b", title: "b by 1.5", loops: 1 },
            { id: "a", title: "a by 1.3", loops: 2 },
        ]);
    });
    it("shows one for all loops, or all of one loop", () => {
        expect(predictions(places, { id: "a" }).map((each) => each.place.loop.id)).toEqual([1, 2]);
        expect(predictions(places, { loop: 1 }).map((each) => each.recommendation.id)).toEqual(["a", "b"]);
        expect(predictions(places, { loop: 9 })).toEqual([]);
    });
});
