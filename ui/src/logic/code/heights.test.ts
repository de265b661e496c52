import { describe, expect, it } from "vitest";
import { Heights } from "./heights";

/** The same, added up anew each time. */
function plainly(own: readonly number[]) {
    const offset = (row: number) => own.slice(0, row).reduce((all, height) => all + height, 0);
    const rowAt = (distance: number) => {
        let row = 0;
        while (row + 1 < own.length && offset(row + 1) <= distance) row += 1;
        return row;
    };
    return { offset, rowAt };
}

describe("heights", () => {
    it("add up as rows are measured, for every number of rows", () => {
        for (const count of [1, 2, 3, 7, 8, 9, 31, 64, 65]) {
            const own = Array.from({ length: count }, (_, row) => 20 + (row % 3));
            const heights = new Heights(count, (row) => 20 + (row % 3));
            for (let change = 0; change < 10; change++) {
                const row = (change * 7919) % count;
                own[row] = 20 + ((change * 31) % 90);
                heights.set(row, own[row] ?? 0);
            }
            const { offset, rowAt } = plainly(own);
            const rows = Array.from({ length: count + 1 }, (_, row) => row);
            expect(rows.map((row) => heights.offset(row))).toEqual(rows.map(offset));
            expect(heights.total).toBe(offset(count));
            const distances = Array.from({ length: Math.ceil(heights.total / 3.5) + 5 }, (_, at) => at * 3.5 - 5);
            expect(distances.map((distance) => heights.rowAt(distance))).toEqual(distances.map(rowAt));
        }
    });
    it("report whether a measure changed anything", () => {
        const heights = new Heights(3, () => 20);
        expect(heights.set(1, 20.02)).toBe(false);
        expect(heights.set(1, 41)).toBe(true);
        expect(heights.set(1, 41)).toBe(false);
        expect(heights.set(7, 41)).toBe(false);
        expect(heights.set(-1, 41)).toBe(false);
        expect(heights.total).toBe(81);
    });
    it("show a window with some more rows", () => {
        const heights = new Heights(40_000, () => 20);
        expect(heights.window(0, 400, 5)).toEqual([0, 26]);
        expect(heights.window(4000, 400, 5)).toEqual([195, 226]);
        expect(heights.window(40_000 * 20, 400, 5)).toEqual([39_994, 40_000]);
        heights.set(0, 4000);
        expect(heights.window(3990, 29, 0)).toEqual([0, 2]);
    });
    it("know an empty list", () => {
        const heights = new Heights(0, () => 20);
        expect([heights.total, heights.rowAt(10), heights.window(0, 100, 3)]).toEqual([0, 0, [0, 0]]);
    });
});
