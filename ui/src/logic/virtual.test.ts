import { describe, expect, it } from "vitest";
import { firstRows, range, scrollFor, virtualRows } from "./virtual";

const window = { count: 20_000, rowHeight: 40, offset: 4000, height: 400, overscan: 2 };

describe("rows to draw", () => {
    it("are those in sight and a few around them", () => {
        expect(range(window)).toEqual([98, 112]);
        expect(range({ ...window, offset: -300 })).toEqual([0, 5]);
        expect(range({ ...window, offset: 1e9 })).toEqual([20_000, 20_000]);
        expect(range({ ...window, count: 0 })).toEqual([0, 0]);
    });
    it("leave room for those that are not drawn", () => {
        const { rows, after } = virtualRows(window);
        expect(rows[0]).toEqual({ index: 98, skipped: 98 });
        expect(rows.slice(1).every((row) => row.skipped === 0)).toBe(true);
        expect(after).toBe(20_000 - 112);
    });
    it("hold the kept row on either side, once", () => {
        const total = (keep: number) => {
            const { rows, after } = virtualRows({ ...window, keep });
            expect(rows.filter((row) => row.index === keep)).toHaveLength(1);
            return rows.length + rows.reduce((sum, row) => sum + row.skipped, 0) + after;
        };
        for (const keep of [0, 97, 98, 111, 112, 19_999]) expect(total(keep)).toBe(20_000);
        expect(virtualRows({ ...window, keep: 20_000 })).toEqual(virtualRows(window));
    });
    it("are the first ones on paper", () => {
        expect(firstRows(3, 500).rows.map((row) => row.index)).toEqual([0, 1, 2]);
        expect(firstRows(900, 500)).toMatchObject({ after: 0 });
        expect(firstRows(900, 500).rows).toHaveLength(500);
    });
});

describe("scrolling to a row", () => {
    it("moves as little as possible", () => {
        expect(scrollFor(105, 40, 4000, 400)).toBe(4000);
        expect(scrollFor(99, 40, 4000, 400)).toBe(3960);
        expect(scrollFor(110, 40, 4000, 400)).toBe(4040);
        expect(scrollFor(100, 40, 4000, 400, 50)).toBe(3950);
        expect(scrollFor(0, 40, 30, 400, 50)).toBe(-50);
    });
});
