import { describe, expect, it } from "vitest";
import type { StageRecord } from "../contract";
import { casebookFixture } from "./casebook.fixture";
import { best, fromStage, hitRate, ladderName, missed, missesOf, stageNames, steps, wrongSteps } from "./cases";
import { byKind, frameWords, kindsOf, marks, markSize } from "./pictures";
import { caseAddress, parseCasebook, shownCase } from "./route";
import { caseGains, caseTimes, gainScale, timeAxis } from "./scales";
import { adviceTold, casebookHeading, casebookTitle, heldAgainst, ladderNote, measuredOn, ofAll, predictionTold, resultText, spread, stateOf } from "./words";

const [cells, hostile] = casebookFixture;
if (cells === undefined || hostile === undefined) throw new Error("the fixture has two cases");
const book = { schema: 1, version: "1.0", generated: "2026", casebook: { hit_rate: hitRate(casebookFixture), cases: casebookFixture } } as const;
const stage = (path: string) => {
    const found = steps(casebookFixture).find((each) => each.path === path);
    if (found === undefined) throw new Error(`no ${path}`);
    return found;
};
const rung = (more: Partial<StageRecord>): StageRecord => ({ name: "n", title: "t", change: "c", threads: 1, ...more });

describe("the list of cases", () => {
    it("counts as the harness does", () => {
        expect(hitRate(casebookFixture)).toEqual({ rungs: 4, recommended: 2, predicted: 3, came_true: 2 });
        expect(hitRate([])).toEqual({ rungs: 0, recommended: 0, predicted: 0, came_true: 0 });
    });
    it("finds the best gain and where it was reached", () => {
        expect(best([cells])?.gain.median).toBe(8.07);
        expect(best([cells])?.step.path).toBe("0/0/3");
        expect(best([{ ...cells, ladders: [] }])).toBeUndefined();
    });
    it("shows where the advice was wrong, and why", () => {
        expect(missed(casebookFixture).map(({ path, misses }) => [path, misses])).toEqual([
            ["0/0/3", ["not-given"]],
            ["1/0/1", ["too-late", "gained-more"]],
        ]);
        const measured = { seconds: { median: 1, low: 1, high: 1 }, elapsed: { median: 1, low: 1, high: 1 }, program_gain: { median: 1.1, low: 1, high: 1.2 } };
        expect(missesOf(rung({ measured, rung: { id: "a", rank: 3, predicted: [2, 3], came_true: false } }))).toEqual(["gained-less"]);
        expect(missesOf(rung({}))).toEqual([]);
        expect(wrongSteps(casebookFixture).map(({ path }) => path)).toEqual(["1/0/2"]);
    });
    it("knows stages of all ladders and their predecessors", () => {
        expect(stageNames(cells)).toEqual(["pointers", "flat", "detour", "threads"]);
        const { ladder, stage: threads } = stage("0/0/3");
        expect(fromStage(ladder, threads)?.name).toBe("flat");
        expect(cells.ladders.map(ladderName)).toEqual(["gcc", "clang"]);
        expect(hostile.ladders.map(ladderName)).toEqual(["fortran, gcc"]);
    });
});

describe("the address of a case", () => {
    it("names any case and comes back", () => {
        for (const name of ["lbm", "a/b c?d#e&f", "%ff", "</script>"]) expect(parseCasebook(caseAddress(name, name))).toEqual({ name, at: name });
        expect(parseCasebook(caseAddress())).toEqual({});
        for (const hash of ["", "#", "#/summary", "#/case", "#/case/%ff", "#/loop/12"]) expect(parseCasebook(hash)).toEqual({});
    });
    it("leads to the only case there is", () => {
        expect(shownCase(book, {})).toBeUndefined();
        expect(shownCase(book, { name: "cells" })).toBe(cells);
        const single = { ...book, casebook: { ...book.casebook, cases: [hostile] } };
        expect(shownCase(single, {})).toBe(hostile);
        expect(shownCase(single, { name: "cells" })).toBeUndefined();
        expect(casebookHeading(book, { name: "cells" })).toBe("Cells that pull at each other");
        expect(casebookTitle(book, {})).toBe("Casebook · loopwright");
        expect(casebookTitle(book, { name: "x" })).toBe("No case is called x · Casebook · loopwright");
        expect(casebookHeading(book, { name: "hostile" })).not.toContain("\u{202e}");
    });
});

describe("the words of a ladder", () => {
    it("say whether advice led here", () => {
        const told = (path: string) => adviceTold(stage(path).ladder, stage(path).stage);
        expect(told("0/0/0")).toBeUndefined();
        expect(told("0/0/1")).toEqual({ word: "place 1: flatten-pointers", sign: "✓", tone: "good" });
        expect(told("0/0/2")?.word).toBe("none expected");
        expect(told("0/0/3")?.word).toBe("use-threads or use-tasks not given for flat");
        expect(told("1/0/1")).toEqual({ word: "place 5: late, too late", sign: "!", tone: "caution" });
        expect(predictionTold(stage("0/0/1").stage)?.tone).toBe("good");
        expect(predictionTold(stage("1/0/1").stage)?.word).toBe("did not come true");
        expect(predictionTold(stage("0/0/3").stage)).toBeUndefined();
    });
    it("say what is known of a stage without a time", () => {
        expect(["0/0/0", "0/1/3", "1/0/2", "1/0/3"].map((path) => stateOf(stage(path).stage))).toEqual(["measured", "left out", "wrong", "verified"]);
    });
    it("say how results are held", () => {
        expect(heldAgainst({ relative: 1e-12 })).toBe("the first stage's, within 1e-12 of it");
        expect(heldAgainst({ value: 1.25, relative: 0.01 })).toBe("1.25, within 0.01 of it");
        expect(heldAgainst({ exact: true })).toBe("exactly the first stage's");
        expect(heldAgainst({ absolute: 0.5 })).toBe("the first stage's, within 0.5");
        expect(heldAgainst({ at_most: 2 })).toBe("at most 2");
        expect(heldAgainst({ ignore: true })).toBe("not compared");
    });
    it("keep as many digits of results as the page", () => {
        expect([1.254_321_987_654, 123_456_789, 1e-12, 0].map(resultText)).toEqual(["1.254322", "123456789", "1e-12", "0"]);
    });
    it("say how and where it was measured", () => {
        expect(ladderNote({ family: "gcc", versions: ["a", "b"], rounds: 0, stages: [] })).toBe("a; b; verified, not timed");
        expect(measuredOn(cells)).toBe("full input, 4 CPUs of Example(R) Processor 9000");
        expect(spread({ median: 2, low: 1.9, high: 2.1 })).toBe("±5.0 %");
        expect([ofAll(0, 0), ofAll(1, 3)]).toEqual(["none to hold", "1 of 3 (33 %)"]);
    });
});

describe("the axes of a case", () => {
    it("have room for all times, from zero, at round steps", () => {
        expect(timeAxis(caseTimes(cells))).toMatchObject({ most: 3, ticks: [0, 1, 2, 3] });
        expect(timeAxis([0.0149]).ticks.map((tick) => Math.round(tick * 1e4))).toEqual([0, 50, 100, 150]);
        expect(timeAxis([4]).ticks).toEqual([0, 1, 2, 3, 4]);
        expect(timeAxis([]).at(3)).toBe(0);
        for (const most of [1e-9, 0.3, 7, 99, 12_345]) {
            const axis = timeAxis([most]);
            expect(axis.at(most)).toBeGreaterThan(0.5);
            expect(axis.at(most)).toBeLessThanOrEqual(1);
            expect(axis.ticks.length).toBeLessThan(7);
        }
    });
    it("have room for all gains, and 1 among them", () => {
        for (const gains of [caseGains(cells), [], [0.1, 30], [1e9], [0, Number.NaN, 1.1], [0.3]]) {
            const scale = gainScale(gains);
            expect(scale.ticks).toContain(1);
            expect(scale.ticks.length).toBeLessThan(9);
            for (const each of [...scale.ticks, ...gains.filter((gain) => gain > 0)]) expect(scale.at(each) >= 0 && scale.at(each) <= 1).toBe(true);
        }
        expect(gainScale([1.5]).at(1)).toBe(0);
        expect(gainScale([0.6, 1.5]).at(1)).toBe(0.5);
    });
});

describe("pictures", () => {
    it("keep a kind's look in all frames", () => {
        const frames = cells.ladders[0]?.stages[0]?.pictures?.frames ?? [];
        expect(kindsOf(frames)).toEqual([0, 1, 2]);
        const [, middle] = frames;
        if (middle === undefined) throw new Error("three frames");
        const grouped = byKind(middle, kindsOf(frames));
        expect(grouped.map(({ points }) => points.length)).toEqual([80, 80, 80]);
        expect(frameWords(middle, grouped)).toMatch(/^Step 100, 240 points; kind 0: 80 points around \(0\.\d\d, 0\.\d\d\), 0\.\d\d away on average; kind 1: /);
        expect(frameWords({ step: 0, points: [] }, byKind({ step: 0, points: [] }, [0]))).toBe("Step 0, 0 points");
    });
    it("draw each kind with a mark of its own", () => {
        const drawn = Array.from({ length: 6 }, (_, slot) => marks([[0, 1]], slot, 100, 2));
        expect(new Set(drawn).size).toBe(6);
        for (const path of drawn) expect(path).toMatch(/^M0\.0 0\.0m[-\d. a-z]+$/);
        const many = byKind({ step: 0, points: Array.from({ length: 9 }, (_, kind) => [Number.NaN, 0, kind]) }, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        expect(many.map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4, 5, 5, 5, 5]);
        expect(many.every(({ points }) => points.length === 0)).toBe(true);
        expect(markSize(1, 220)).toBe(4);
        expect(markSize(1e6, 220)).toBe(0.8);
    });
});
