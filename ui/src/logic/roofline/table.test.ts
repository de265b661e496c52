import { describe, expect, it } from "vitest";
import { flop, loopOf } from "./example";
import { COLUMNS, tableRows } from "./table";
import { NO_ZOOM, readZoom, writeZoom } from "./transform";

const loops = [
    loopOf(1, flop(0.5, 2, { headroom: 3 }), { self_share: 0.2 }),
    loopOf(2, flop(0.1, 9, { headroom: 1.2 }), { self_share: 0.3 }),
    loopOf(3, { kind: "bytes", how: "no time" }, { self_share: 0 }),
    loopOf(4, undefined, { self_share: 0.5 }),
];
const ids = (by: (typeof COLUMNS)[number], descending: boolean, least = 0) => tableRows(loops, least, { by, descending }).map((loop) => loop.id);

describe("the roofline as a table", () => {
    it("has every counted loop, and none else", () => {
        for (const by of COLUMNS) expect(ids(by, false).sort()).toEqual([1, 2, 3]);
        expect(ids("self", true, 0.1)).toEqual([2, 1]);
    });
    it("sorts both ways, what is unknown last", () => {
        expect(ids("headroom", true)).toEqual([1, 2, 3]);
        expect(ids("headroom", false)).toEqual([2, 1, 3]);
        expect(ids("achieved", true)).toEqual([2, 1, 3]);
        expect(ids("name", true)).toEqual([3, 2, 1]);
    });
    it("sorts 20,000 loops by any column without looking at each pair", () => {
        const many = Array.from({ length: 20_000 }, (_, id) => loopOf(id, flop((id * 7919) % 20_011, 1)));
        const sorted = tableRows(many, 0, { by: "intensity", descending: false });
        expect(sorted).toHaveLength(20_000);
        expect(sorted.every((loop, at) => at === 0 || (sorted[at - 1]?.roofline?.intensity ?? 0) <= (loop.roofline?.intensity ?? 0))).toBe(true);
    });
});

describe("the zoom in addresses", () => {
    it("reads what it writes", () => {
        const zoom = { k: 2.5, x: -0.75, y: -0.125 };
        expect(readZoom(writeZoom(zoom) ?? null)).toEqual(zoom);
        expect(writeZoom(NO_ZOOM)).toBeUndefined();
        expect(readZoom(null)).toEqual(NO_ZOOM);
    });
    it("shows everything when it makes no sense, and never what is beyond the picture", () => {
        for (const text of ["", "2", "2_0", "NaN_0_0", "0.5_0_0", "1e9_0_0", "2_0_0_0", "2__0"]) expect(readZoom(text)).toEqual(NO_ZOOM);
        expect(readZoom("2_5_-9")).toEqual({ k: 2, x: 0, y: -1 });
    });
});
