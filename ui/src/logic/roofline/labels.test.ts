import { describe, expect, it } from "vitest";
import { type Asked, type Rectangle, clip, overlap, placeLabels } from "./labels";

const frame: Rectangle = { x: 0, y: 0, width: 400, height: 300 };
const level = (y: number, width = 80): Asked => ({ line: { x1: 0, y1: y, x2: 400, y2: y }, width, from: "right" });
const box = (label: { x: number; y: number } | undefined, width = 80): Rectangle => ({ x: label?.x ?? NaN, y: (label?.y ?? NaN) - 9, width, height: 9 });

describe("names of ceilings", () => {
    it("are above the right end of a level line", () => {
        const [label] = placeLabels([level(100)], 9, frame);
        expect(label).toMatchObject({ y: 96, degrees: 0 });
        expect(label?.x).toBeGreaterThan(280);
    });
    it("never cover each other, the dots that are given, or the edge", () => {
        const dot = { x: 330, y: 80, width: 20, height: 20 };
        const asked = [level(100), level(104), level(110), level(5), level(298)];
        const labels = placeLabels(asked, 9, frame, [dot]);
        const boxes = labels.flatMap((label) => (label === undefined ? [] : box(label)));
        expect(boxes.length).toBeGreaterThanOrEqual(4);
        for (const [at, one] of boxes.entries()) {
            expect(overlap(one, dot)).toBe(false);
            expect(one.y >= 0 && one.y + one.height <= 300 && one.x + one.width <= 400).toBe(true);
            for (const other of boxes.slice(at + 1)) expect(overlap(one, other)).toBe(false);
        }
    });
    it("go below their line where another line is close above", () => {
        const [, lower] = placeLabels([level(100), level(106)], 9, frame);
        expect(lower?.y).toBeGreaterThan(106);
    });
    it("are rather left out than struck out by a line beside theirs", () => {
        const asked = [level(100), level(104), level(110)];
        const labels = placeLabels(asked, 9, frame);
        expect(labels[1]).toBeUndefined();
    });
    it("are left out where there is no room", () => {
        expect(placeLabels([{ line: { x1: 0, y1: 9, x2: 30, y2: 9 }, width: 80, from: "left" }], 9, frame)).toEqual([undefined]);
        const crowd = Array.from({ length: 200 }, (_, at) => level(20 + at));
        expect(placeLabels(crowd, 9, frame)).toContain(undefined);
    });
    it("turn with a rising line", () => {
        const [label] = placeLabels([{ line: { x1: 0, y1: 300, x2: 300, y2: 0 }, width: 60, from: "left" }], 9, frame);
        expect(label?.degrees).toBeCloseTo(-45, 9);
    });
});

describe("clipping", () => {
    it("keeps what is within", () => {
        expect(clip({ x1: -100, y1: 50, x2: 500, y2: 50 }, frame)).toEqual({ x1: 0, y1: 50, x2: 400, y2: 50 });
        expect(clip({ x1: -100, y1: -100, x2: 200, y2: 200 }, frame)).toEqual({ x1: 0, y1: 0, x2: 200, y2: 200 });
        expect(clip({ x1: 0, y1: -5, x2: 400, y2: -5 }, frame)).toBeUndefined();
        expect(clip({ x1: -50, y1: 10, x2: 10, y2: -50 }, frame)).toBeUndefined();
    });
});
