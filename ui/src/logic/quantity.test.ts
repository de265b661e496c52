import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as quantity from "./quantity";

// Written by the text output's own code.
const vectors = JSON.parse(readFileSync(new URL("../../vectors/quantities.json", import.meta.url), "utf8")) as Record<string, unknown[]>;

/** JavaScript has no integers beyond these; a page shows such counts in four digits. */
const exact = (value: unknown): boolean => [value].flat().every((each) => typeof each === "number" && Math.abs(each) <= Number.MAX_SAFE_INTEGER);

const FORMATS: Record<string, (value: never) => string> = {
    time: quantity.time,
    percent: quantity.percent,
    share: quantity.share,
    whole_percent: quantity.wholePercent,
    change_in_percent: quantity.changeInPercent,
    tenths: quantity.tenths,
    ratio: quantity.ratio,
    ratio_range: quantity.ratioRange,
    count: quantity.count,
    amount: quantity.amount,
    mean: quantity.mean,
    span: quantity.span,
    bytes: quantity.bytes,
    rate: quantity.rate,
    energy: quantity.energy,
};

describe("numbers are written as the text output writes them", () => {
    for (const [name, format] of Object.entries(FORMATS)) {
        it(name, () => {
            const cases = (vectors[name] as [never, string][]).filter(([value]) => exact(value));
            expect(cases.length).toBeGreaterThan(3);
            expect(cases.map(([value]) => [value, format(value)])).toEqual(cases);
        });
    }
    it("times of a column", () => {
        for (const { largest, unit, seconds, texts } of vectors.time_column as { largest: number; unit: "s" | "ms"; seconds: number[]; texts: string[] }[]) {
            expect(quantity.timeUnit(largest)).toBe(unit);
            // Zero with a sign, which JavaScript writes without, is no time.
            const times = seconds.map((value, at) => [value, texts[at]] as const).filter(([value]) => !Object.is(value, -0));
            expect(times.map(([value]) => [value, quantity.timeNumber(value, unit)])).toEqual(times);
        }
    });
});
