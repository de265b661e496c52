import { describe, expect, it } from "vitest";
import { lostVectors, pace, predictionRows, predictionSummary, relative, rows, tally, VERDICTS, type Wanted } from "./compare";
import { comparison } from "./compare.fixture";
import type { Verdict } from "./contract";

const wanted = (more: Partial<Wanted> = {}): Wanted => ({ verdicts: new Set<Verdict>(), text: "", all: false, sort: "time", descending: true, ...more });
const names = (more: Partial<Wanted> = {}): string[] => rows(comparison, wanted(more)).shown.map(({ change }) => change.place);

describe("a comparison", () => {
    it("says what became of the program in the text output's words", () => {
        expect(pace([6.43, 4.1])).toBe("1.57× faster");
        expect(pace([4.1, 6.43])).toBe("1.57× slower");
        expect(pace([4.1, 4.11])).toBe("the same");
        expect(pace([0, 4])).toBe("not known");
        expect(relative({ before: 100, after: 112 })).toBe("+12.0 %");
        expect(relative({ before: 100, after: 99 })).toBe("-1.0 %");
        expect(relative({ before: 7, after: 7 })).toBe("the same");
        expect(relative({ before: 0, after: 7 })).toBe("new");
    });
    it("counts verdicts, the alarming first", () => {
        expect(tally(comparison.loops.map((each) => each.verdict), VERDICTS)).toEqual([
            ["no-longer-vectorized", 1],
            ["slower", 1],
            ["now-vectorized", 1],
            ["faster", 1],
            ["same", 2],
            ["appeared", 1],
            ["vanished", 1],
        ]);
        expect(lostVectors(comparison).map(({ index, change }) => [index, change.place])).toEqual([[1, "lbm.c:90"]]);
    });
    it("leaves out where little happened, and says how much that is", () => {
        expect(names()).not.toContain("main.c:132");
        expect(rows(comparison, wanted()).quiet).toBe(1);
        expect(names({ all: true })).toContain("main.c:132");
        const loops = comparison.loops.map(({ function: name, place, verdict, counted }) => ({ function: name, place, verdict, ...(counted && { counted }) }));
        expect(rows({ ...comparison, cpu: [0, 0], loops }, wanted()).shown.map(({ change }) => change.place)).toEqual(["lbm.c:52"]);
    });
    it("filters and sorts; what has no number is last", () => {
        expect(names({ verdicts: new Set<Verdict>(["faster", "slower"]) })).toEqual(["lbm.c:130", "lbm.c:160"]);
        expect(names({ text: "COLLIDE" })).toEqual(["lbm.c:52", "lbm.c:90"]);
        expect(names({ sort: "speedup", descending: true }).slice(0, 2)).toEqual(["lbm.c:52", "lbm.c:130"]);
        expect(names({ sort: "speedup", descending: false })[0]).toBe("lbm.c:90");
        expect(names({ sort: "speedup", descending: false }).slice(-2)).toEqual(["new.c:7", "old.c:9"]);
        expect(names({ sort: "verdict", descending: true })[0]).toBe("lbm.c:90");
        expect(names({ sort: "function", descending: false })[0]).toBe("lbm.c:52");
    });
    it("sums up the predictions", () => {
        expect(predictionSummary(comparison.predictions)).toBe(
            "1 of 3 predictions came true; 1 gained more; 1 gained less; 1 recommendation was not followed; of 1 the outcome is not known",
        );
        expect(predictionSummary([])).toBe("No prediction could be compared with a measurement");
    });
    it("has judged predictions first, and all of them however few rows are wanted", () => {
        const all = comparison.predictions;
        const outcomes = (most: number) => predictionRows(all, most).map(({ prediction }) => prediction.outcome);
        expect(outcomes(0).toSorted()).toEqual(["came-true", "less", "more"]);
        expect(outcomes(4).slice(3)).toHaveLength(1);
        expect(predictionRows(all, all.length).map(({ index }) => index).toSorted()).toEqual(all.map((_, index) => index));
    });
});
