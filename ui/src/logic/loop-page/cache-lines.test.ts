import { describe, expect, it } from "vitest";
import { type TouchedLine, type Walk, brackets, steadyUse, touchedLines } from "./cache-lines";

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
const used = (lines: TouchedLine[]): number => sum(lines.map((line) => line.used));
const iterations = (lines: TouchedLine[]): number => new Set(lines.flatMap((line) => line.touches.map((touch) => touch.iteration))).size;

/** The same by setting single bytes. */
function bytes(walk: Walk, base: number, count: number): Map<number, Set<number>> {
    const lines = new Map<number, Set<number>>();
    for (let i = 0; i < count; i++) {
        for (let b = 0; b < walk.element; b++) {
            const at = base + i * walk.stride + b;
            const line = Math.floor(at / walk.line);
            const set = lines.get(line) ?? new Set<number>();
            lines.set(line, set.add(at - line * walk.line));
        }
    }
    return lines;
}

describe("cache lines of a walk", () => {
    it("are full with unit stride", () => {
        for (const element of [1, 2, 4, 8, 16]) {
            const lines = touchedLines({ stride: element, element, line: 64 }, 3, 1000);
            expect(lines.map((line) => line.used)).toEqual([64, 64, 64]);
            expect(iterations(lines)).toBe((3 * 64) / element);
            expect(lines.every((line) => line.skipped === 0)).toBe(true);
        }
    });
    it("mirror when the stride turns round", () => {
        const up = touchedLines({ stride: 12, element: 4, line: 64 }, 3, 1000);
        const down = touchedLines({ stride: -12, element: 4, line: 64 }, 3, 1000);
        const turned = [...down].reverse().map((line) =>
            line.touches.map(({ iteration, from, to }) => ({ iteration, from: 64 - to, to: 64 - from })),
        );
        expect(turned).toEqual(up.map((line) => line.touches));
        expect(down.map((line) => line.number)).toEqual([0, 1, 2]);
    });
    it("hold one element each when the stride is longer than a line, with the lines between skipped", () => {
        const lines = touchedLines({ stride: 1024, element: 8, line: 64 }, 4, 1000);
        expect(lines.map((line) => line.number)).toEqual([0, 16, 32, 48]);
        expect(lines.map((line) => line.skipped)).toEqual([0, 15, 15, 15]);
        expect(lines.map((line) => line.used)).toEqual([8, 8, 8, 8]);
        const down = touchedLines({ stride: -1024, element: 8, line: 64 }, 4, 1000);
        expect(down.map((line) => line.touches[0]?.iteration)).toEqual([3, 2, 1, 0]);
    });
    it("are one line when the address never changes", () => {
        const lines = touchedLines({ stride: 0, element: 8, line: 64, offset: 16 }, 3, 10);
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatchObject({ used: 8, number: 0 });
        expect(lines[0]?.touches).toHaveLength(10);
        expect(lines[0]?.touches[0]).toMatchObject({ from: 16, to: 24 });
    });
    it("split an element that crosses a line", () => {
        const lines = touchedLines({ stride: 24, element: 16, line: 64 }, 2, 3);
        expect(lines.map((line) => line.touches.filter((touch) => touch.iteration === 2))).toEqual([[{ iteration: 2, from: 48, to: 64 }]]);
        const shifted = touchedLines({ stride: 24, element: 16, line: 64, offset: 8 }, 2, 3);
        expect(shifted.flatMap((line) => line.touches.filter((touch) => touch.iteration === 2))).toEqual([
            { iteration: 2, from: 56, to: 64 },
            { iteration: 2, from: 0, to: 8 },
        ]);
    });
    it("agree with the closed form of bytes used, overlapping elements counted once", () => {
        for (const element of [1, 2, 4, 8, 16, 32, 64]) {
            for (const stride of [-200, -64, -24, -8, -3, 1, 3, 4, 8, 12, 24, 63, 64, 65, 152, 4096]) {
                const lines = touchedLines({ stride, element, line: 64 }, 5, 1000);
                const n = iterations(lines);
                const expected = Math.abs(stride) >= element ? n * element : (n - 1) * Math.abs(stride) + element;
                expect(used(lines), `${stride} ${element}`).toBe(expected);
            }
        }
    });
    it("agree with single bytes for offsets before and behind", () => {
        for (const offset of [-12, -4, 4, 60, 62, 130]) {
            const walk = { stride: 20, element: 8, line: 64, offset };
            const lines = touchedLines(walk, 4, 9);
            const single = bytes(walk, ((offset % 64) + 64) % 64, 9);
            expect(lines.map((line) => line.used)).toEqual([...single.values()].map((set) => set.size));
        }
    });
    it("are none for what cannot be drawn", () => {
        expect(touchedLines({ stride: 8, element: 0, line: 64 }, 3, 9)).toEqual([]);
        expect(touchedLines({ stride: 8, element: 8, line: 0 }, 3, 9)).toEqual([]);
        expect(touchedLines({ stride: 8, element: 2 ** 40, line: 64 }, 3, 9)).toEqual([]);
        expect(touchedLines({ stride: 2 ** 60, element: 8, line: 64 }, 3, 9)).toEqual([]);
    });
});

describe("steady use", () => {
    it("is element over stride while strides stay within a line", () => {
        for (const [stride, element] of [[12, 4], [24, 8], [16, 4], [-40, 8], [8, 8], [64, 8]] as const) {
            const use = steadyUse({ stride, element, line: 64 });
            expect((use?.used ?? 0) / (use?.fetched ?? 1)).toBeCloseTo(element / Math.abs(stride), 12);
        }
    });
    it("is element over line for aligned strides beyond a line", () => {
        expect(steadyUse({ stride: 1024, element: 8, line: 64 })).toEqual({ used: 8, fetched: 64, iterations: 1, splits: 0 });
        // 152 = 2 * 64 + 24: eight positions within a line, none of them split.
        expect(steadyUse({ stride: 152, element: 8, line: 64 })).toEqual({ used: 64, fetched: 512, iterations: 8, splits: 0 });
    });
    it("fetches two lines for each element that is split", () => {
        const use = steadyUse({ stride: 68, element: 8, line: 64 });
        expect(use).toMatchObject({ iterations: 16, used: 128, splits: 1 });
        expect(use?.fetched).toBe(64 * 17);
    });
    it("counts a line once that two elements share", () => {
        // 66: an element that ends in a line and the next that begins in it.
        const use = steadyUse({ stride: 66, element: 8, line: 64 });
        const single = bytes({ stride: 66, element: 8, line: 64 }, 0, 32 * 64);
        expect((use?.used ?? 0) / (use?.fetched ?? 1)).toBeCloseTo(sum([...single.values()].map((set) => set.size)) / (single.size * 64), 3);
    });
    it("means nothing for one address", () => {
        expect(steadyUse({ stride: 0, element: 8, line: 64 })).toBeUndefined();
    });
});

describe("brackets", () => {
    it("hold the lanes of each vector", () => {
        const [line] = touchedLines({ stride: 8, element: 8, line: 64 }, 1, 100);
        expect(line && brackets(line, 4)).toEqual([
            { vector: 0, from: 0, to: 32 },
            { vector: 1, from: 32, to: 64 },
        ]);
        expect(line && brackets(line, 1)).toEqual([]);
    });
    it("go on in the next line", () => {
        const lines = touchedLines({ stride: 24, element: 8, line: 64 }, 2, 100);
        expect(lines.map((line) => brackets(line, 4))).toEqual([
            [{ vector: 0, from: 0, to: 56 }],
            [
                { vector: 0, from: 8, to: 16 },
                { vector: 1, from: 32, to: 64 },
            ],
        ]);
    });
});
