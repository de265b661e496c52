import { expect, test } from "vitest";
import { type Piece, agreeingBits, differingDigits } from "./digits";

/** Pieces as text with what differs in brackets. */
const said = (pieces: readonly Piece[]): string => pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join("");
const both = (expected: string, found: string): string[] => {
    const pair = differingDigits(expected, found);
    return [said(pair.expected), said(pair.found)];
};

test("digits are marked from the first that differs to the end of the mantissa", () => {
    expect(both("total 1.099706476936154e+06", "total 1.099706476936155e+06")).toEqual(["total 1.09970647693615[4]e+06", "total 1.09970647693615[5]e+06"]);
    expect(both("x 566.64396012339864 y 2", "x 566.6439601233991 y 2")).toEqual(["x 566.64396012339[864] y 2", "x 566.64396012339[91] y 2"]);
});

test("a number of another size or sign is another number", () => {
    expect(both("9.99e+05", "1.00e+06")).toEqual(["[9.99e+05]", "[1.00e+06]"]);
    expect(both("a 99.5", "a 100.5")).toEqual(["a [99.5]", "a [100.5]"]);
    expect(both("-1.5", "1.5")).toEqual(["[-1.5]", "[1.5]"]);
    expect(both("1.5", "nan")).toEqual(["[1.5]", "[nan]"]);
});

test("several numbers of a line are compared each with its own", () => {
    expect(both("1.25 2.5 3.75", "1.26 2.5 3.95")).toEqual(["1.2[5] 2.5 3.[75]", "1.2[6] 2.5 3.[95]"]);
    expect(both("x=1.5,y=2.5", "x=1.5,y=2.6")).toEqual(["x=1.5,y=2.[5]", "x=1.5,y=2.[6]"]);
});

test("lines of other words differ between what they have in common", () => {
    expect(both("done in 3 steps", "done after all in 3 steps")).toEqual(["done in 3 steps", "done [after all ]in 3 steps"]);
    expect(both("", "more")).toEqual(["", "[more]"]);
});

test("a long line is cut around its first difference, and what cannot be seen is escaped", () => {
    const long = "7".repeat(5000);
    const [one = "", other = ""] = both(`${long} 1.5 end`, `${long} 1.6 end`);
    expect(one.startsWith("…")).toBe(true);
    expect(one.length).toBeLessThan(450);
    expect(one).toContain("1.[5] end");
    expect(other).toContain("1.[6] end");
    expect(both("a\u0000 1.5", "a\u0000 1.6")[0]).toBe("a\\u{0} 1.[5]");
});

test("what was put together again is the line", () => {
    const line = "step 12: e=-1.25E-3, .5 +7. (1.2.3) µ <b>";
    expect(differingDigits(line, line).expected).toEqual([{ text: line, differs: false }]);
});

test("bits that agree are whole ones, and none where no number agrees in one", () => {
    expect(agreeingBits(49.9)).toBe(49);
    expect(agreeingBits(0.4)).toBeUndefined();
    expect(agreeingBits(Number.NaN)).toBeUndefined();
    expect(agreeingBits(undefined)).toBeUndefined();
});
