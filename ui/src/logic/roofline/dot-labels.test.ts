import { describe, expect, it } from "vitest";
import { dotName, labelBox, placeDotLabels } from "./dot-labels";
import { overlap } from "./labels";

const FRAME = { x: 0, y: 0, width: 400, height: 300 };
const dot = (x: number, y: number) => ({ x, y, radius: 10, width: 80 });
const around = ({ x, y, radius }: { x: number; y: number; radius: number }) => ({ x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });

describe("names of dots", () => {
    it("are right of the dot where there is room, else on another side", () => {
        expect(placeDotLabels([dot(100, 100)], 10, FRAME, [])[0]?.x).toBe(114);
        expect(placeDotLabels([dot(390, 100)], 10, FRAME, [])[0]?.x).toBe(390 - 14 - 80);
    });
    it("cover neither dots nor each other, and stay within the frame", () => {
        const dots = [dot(100, 100), dot(130, 105), dot(160, 100), dot(130, 130), dot(5, 5)];
        const taken = dots.map(around);
        const boxes = placeDotLabels(dots, 10, FRAME, taken).flatMap((place) => (place === undefined ? [] : [labelBox(place, 80, 10)]));
        expect(boxes.length).toBeGreaterThan(2);
        for (const [at, box] of boxes.entries()) {
            expect([...taken, ...boxes.slice(0, at)].some((other) => overlap(box, other))).toBe(false);
            expect(box.x).toBeGreaterThanOrEqual(0);
            expect(box.y).toBeGreaterThanOrEqual(0);
        }
    });
    it("are left out where there is no room", () => {
        expect(placeDotLabels([dot(100, 100)], 10, FRAME, [FRAME])).toEqual([undefined]);
    });
    it("say function and line", () => {
        expect(dotName("collide_site", 25)).toBe("collide_site:25");
        expect(dotName("f", undefined)).toBe("f");
        expect(dotName("a".repeat(60), 1).length).toBe(24);
    });
});
