import { expect, test } from "vitest";
import { fitted } from "./column-fit";

const TEXT = { width: 200 };
const NUMBER = { width: 100, number: true };
const sum = (widths: number[]): number => widths.reduce((all, each) => all + each, 0);

test("columns that have room fill it, numbers keep their width", () => {
    expect(fitted([NUMBER, TEXT, TEXT], 600)).toEqual([100, 250, 250]);
    expect(fitted([NUMBER, TEXT, TEXT], 500)).toEqual([100, 200, 200]);
});

test("a column that would be cut shrinks with the others until it fits", () => {
    const widths = fitted([NUMBER, TEXT, TEXT], 450);
    expect(sum(widths)).toBeLessThanOrEqual(450);
    expect(sum(widths)).toBeGreaterThan(445);
    expect(widths[0]).toBe(100);
});

test("what has no room is reached by scrolling, and what comes before fills the room", () => {
    expect(fitted([TEXT, TEXT, TEXT], 420)).toEqual([210, 210, 200]);
    expect(fitted([NUMBER, NUMBER, TEXT], 210)).toEqual([100, 100, 200]);
});

test("a narrow column keeps the room that its heading needs", () => {
    expect(fitted([{ width: 120 }, TEXT], 300)).toEqual([120, 180]);
});

test("where not even one column fits, all are as wide as they want to be", () => {
    expect(fitted([TEXT, NUMBER], 90)).toEqual([200, 100]);
    expect(fitted([], 90)).toEqual([]);
});
