import { describe, expect, it } from "vitest";
import { flop, loopOf } from "./example";
import { MOST_DOTS, axesOf, drawn, placedOn, radius } from "./placed";

describe("loops on the axes", () => {
    const loops = [
        loopOf(1, flop(0.5, 2), { self_seconds: 1 }),
        loopOf(2, flop(0.25, 4), { self_seconds: 5 }),
        loopOf(3, { kind: "integer", intensity: 0.1, gintops: 3 }),
        loopOf(4, { kind: "bytes", gbytes_per_second: 9 }),
        loopOf(5, { kind: "flop", intensity: 0.5, how: "no time" }),
        loopOf(6, flop(0, 1)),
        loopOf(7, undefined),
    ];
    it("have an intensity and a rate; the others have no place", () => {
        expect(placedOn(loops, "flop").map((each) => [each.loop.id, each.intensity, each.rate])).toEqual([[2, 0.25, 4], [1, 0.5, 2]]);
        expect(placedOn(loops, "integer").map((each) => [each.loop.id, each.rate])).toEqual([[3, 3]]);
    });
    it("decide which axes there are", () => {
        expect(axesOf(loops)).toEqual(["flop", "integer"]);
        expect(axesOf(loops.slice(3))).toEqual([]);
    });
    it("are drawn with an area of their share of the time, as long as they can be seen", () => {
        expect(radius(0.5) ** 2 / radius(0.25) ** 2).toBeCloseTo(2, 9);
        expect(radius(0)).toBe(radius(0.0001));
        expect(radius(7)).toBe(radius(1));
    });
});

describe("very many loops", () => {
    const all = placedOn(
        Array.from({ length: 20_000 }, (_, id) => loopOf(id, flop(1, 1), { self_seconds: 20_000 - id, self_share: id < 10_000 ? 0.01 : 0.001 })),
        "flop",
    );
    it("are drawn down to a number, that with most time first, and the rest is counted", () => {
        const { dots, more, small } = drawn(all, 0, undefined);
        expect([dots.length, more, small]).toEqual([MOST_DOTS, 20_000 - MOST_DOTS, 0]);
        expect(dots.at(-1)?.loop.id).toBe(MOST_DOTS - 1);
    });
    it("can be limited by their share; the marked one is always drawn", () => {
        expect(drawn(all, 0.005, undefined)).toMatchObject({ more: 10_000 - MOST_DOTS, small: 10_000 });
        const marked = drawn(all, 0.005, 19_999);
        expect(marked.dots.at(-1)?.loop.id).toBe(19_999);
        expect([marked.dots.length, marked.more, marked.small]).toEqual([MOST_DOTS + 1, 10_000 - MOST_DOTS, 9_999]);
    });
});
