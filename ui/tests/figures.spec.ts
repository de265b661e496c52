/** The tests' own formatting agrees with the text output: `vectors/quantities.json` is written by its code. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as figures from "./support/figures";
import { expect, test } from "./support/test";

type Pairs<T> = [T, string][];
interface Vectors {
    time: Pairs<number>;
    time_column: { unit: "s" | "ms"; seconds: number[]; texts: string[] }[];
    percent: Pairs<number>;
    share: Pairs<number>;
    ratio: Pairs<number>;
    ratio_range: Pairs<[number, number]>;
    count: Pairs<number>;
    amount: Pairs<number>;
    mean: Pairs<number>;
    span: Pairs<[number, number]>;
    bytes: Pairs<number>;
    rate: Pairs<number>;
    energy: Pairs<number>;
}

test("the figures of the tests are those of the text output", () => {
    const vectors = JSON.parse(readFileSync(join(import.meta.dirname, "../vectors/quantities.json"), "utf8")) as Vectors;
    const single = ["time", "percent", "share", "ratio", "mean", "rate", "energy"] as const;
    // Nothing that the tests look at is negative.
    for (const name of single) {
        const cases = vectors[name].filter(([value]) => value >= 0);
        expect(cases.length).toBeGreaterThan(20);
        expect(cases.map(([value]) => [value, figures[name](value)]), name).toEqual(cases);
    }
    // Above 2^53 the vectors themselves are no longer exact in JSON.
    for (const name of ["count", "amount", "bytes"] as const) {
        const cases = vectors[name].filter(([value]) => value <= Number.MAX_SAFE_INTEGER);
        expect(cases.length).toBeGreaterThan(10);
        expect(cases.map(([value]) => [value, figures[name](value)]), name).toEqual(cases);
    }
    for (const name of ["ratio_range", "span"] as const) {
        const format = name === "span" ? figures.span : figures.ratioRange;
        const cases = vectors[name].filter(([[, high]]) => high <= Number.MAX_SAFE_INTEGER);
        expect(cases.map(([pair]) => [pair, format(...pair)]), name).toEqual(cases);
    }
    for (const { unit, seconds, texts } of vectors.time_column) {
        seconds.forEach((value, at) => {
            if (value > 0) expect(figures.inUnit(value, unit)).toBe(texts[at]);
        });
    }
});
