import { expect, test } from "vitest";
import type { ResourceFacts } from "../contract";
import { byBusy, costOf, drawing, highest } from "./curves";

const resource = (points: [number, number][], more: Partial<ResourceFacts> = {}): ResourceFacts => ({
    resource: "loads",
    room: 5,
    curve: points.map(([operations, ratio]) => ({ operations, ratio, low: ratio - 0.01, high: ratio + 0.02 })),
    ...more,
});

test("the line of the loop's own share touches the curve and is below it everywhere", () => {
    // 0.3 + k * 0.1: from 12 operations on the resource is full.
    const loads = resource([[2, 1], [6, 1.02], [12, 1.5], [24, 2.7]], { busy: 0.3 });
    const cost = costOf(loads) ?? NaN;
    expect(cost).toBeCloseTo(0.1);
    const above = loads.curve.map(({ operations, ratio }) => ratio - 0.3 - cost * operations);
    expect(Math.min(...above)).toBeCloseTo(0);
    expect(above.every((each) => each > -1e-9)).toBe(true);
    expect(costOf(resource([[2, 1]]))).toBeUndefined();
});

test("a drawing has the flat part, the points with their intervals, and the line from the share", () => {
    const drawn = drawing(resource([[2, 1], [6, 1.02], [12, 1.5], [24, 2.7]], { busy: 0.3, room: 6 }), 3);
    expect(drawn.most).toBe(24);
    expect(drawn.room).toBeCloseTo(0.25);
    expect(drawn.marks).toHaveLength(4);
    expect(drawn.marks[3]).toMatchObject({ x: 1, y: 0.9 });
    expect(drawn.marks[0]?.low).toBeCloseTo(0.33);
    expect(drawn.curve[0]?.from).toEqual({ x: 0, y: 1 / 3 });
    expect(drawn.own?.from.x).toBe(0);
    expect(drawn.own?.from.y).toBeCloseTo(0.1);
    expect(drawn.own?.to.y).toBeCloseTo(0.9);
    expect(drawn.beyond).toBeUndefined();
});

test("what leaves a drawing is cut at its edge and said", () => {
    const drawn = drawing(resource([[1, 1.5], [3, 5.5], [4, 2]], { busy: 1, room: 0.1 }), 3.5);
    expect(drawn.beyond).toEqual({ x: 0.5, operations: 3, ratio: 5.5 });
    expect(drawn.curve).toHaveLength(2);
    expect(drawn.curve[1]?.to).toEqual({ x: 0.5, y: 1 });
    expect(drawn.marks).toHaveLength(2);
    expect(drawn.own?.to.y).toBeLessThanOrEqual(1);
});

test("all drawings of a loop share their height, which is bounded", () => {
    expect(highest([resource([[2, 1.1]])])).toBe(2);
    expect(highest([resource([[2, 1.1]]), resource([[2, 2.6]])])).toBe(3);
    expect(highest([resource([[1, 8.4]])])).toBe(3.25);
    expect(highest([])).toBe(2);
});

test("busy resources come first, those of unknown share last", () => {
    const order = byBusy([resource([[1, 1]]), resource([[1, 1]], { busy: 0.2 }), resource([[1, 1]], { busy: 0.9 })]);
    expect(order.map(({ busy }) => busy)).toEqual([0.9, 0.2, undefined]);
});
