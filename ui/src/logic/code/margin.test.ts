import { describe, expect, it } from "vitest";
import type { Mark } from "../contract";
import { brackets, legend, Margin, wordsOf } from "./margin";

const mark = (from: number, to: number, slot: number, letters = "s"): Mark => ({ from, to, slot, letters, loops: [from] });

describe("loops in the margin of a source", () => {
    const margin = new Margin([mark(3, 8, 0), mark(5, 7, 1, "Vr"), mark(11, 11, 0, "V"), mark(20, 90, 2)]);
    const drawn = (line: number) => margin.at(line).map((here) => `${here.mark.slot}${here.mark.letters} ${here.edge}`);
    it("begin, go on and end", () => {
        expect(margin.slots).toBe(3);
        expect(drawn(2)).toEqual([]);
        expect(drawn(3)).toEqual(["0s start"]);
        expect(drawn(5)).toEqual(["0s through", "1Vr start"]);
        expect(drawn(7)).toEqual(["0s through", "1Vr end"]);
        expect(drawn(8)).toEqual(["0s end"]);
        expect(drawn(9)).toEqual([]);
        expect(drawn(11)).toEqual(["0V single"]);
        expect(drawn(50)).toEqual(["2s through"]);
        expect(drawn(91)).toEqual([]);
    });
    it("are explained where they occur", () => {
        expect(legend([mark(1, 2, 0, "Vp"), mark(3, 4, 0, "s")]).map(([letter]) => letter)).toEqual(["V", "s", "p"]);
        expect(legend([mark(1, 2, 0, "?")])).toEqual([["?", "see the manual"]]);
        expect(legend([])).toEqual([]);
        expect(wordsOf("Vrp")).toBe("vectorised, unrolled, with peel or remainder loops");
    });
});

describe("brackets of loops around instructions", () => {
    it("open and close with each run of a loop's code", () => {
        const drawn = brackets([[], [1], [1, 2], [1, 2], [1], [], [1], [3]]).map((here) => here.map((each) => `${each.loop} ${each.edge}`));
        expect(drawn).toEqual([[], ["1 start"], ["1 through", "2 start"], ["1 through", "2 end"], ["1 end"], [], ["1 single"], ["3 single"]]);
    });
});
