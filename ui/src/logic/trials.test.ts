import { expect, test } from "vitest";
import type { Analysis, Recommendation, TrialFacts, TriedFacts } from "./contract";
import { answerWords, changeTitle, differenceWords, leftAlone, notes, partWords, rows, togetherWords, trialScale, triedOf, triedWords } from "./trials";

const tried = (change: string, outcome: TriedFacts["outcome"], median?: number, more: Partial<TriedFacts> = {}): TriedFacts => ({
    change,
    way: "ivdep",
    outcome,
    ...(median === undefined ? {} : { measured_median: median, measured: [median * 0.99, median * 1.01], answer: "same", clock: "cpu", pairs: 7 }),
    ...more,
});

const trials: TrialFacts = {
    claimed_from: 1.012,
    unsteady: [{ output: "standard output", lines: [9] }, { output: "log.txt" }],
    tried: [
        tried("unroll", "no-difference", 1.01),
        tried("pad", "left-alone", undefined, { note: "only a person can" }),
        tried("promise-no-alias", "faster", 1.1, { predicted: [1, 1.8] }),
        tried("sum", "wrong-answer", 1.3, {
            answer: "different",
            largest_difference: 3.1e-9,
            first_difference: { output: "standard output", line: 3, expected: "sum 1.0000", found: "sum 1.0001" },
        }),
        tried("tile", "left-alone", undefined, { note: "only a person can" }),
        tried("rebuild", "faster", 1.4),
    ],
    together: tried("together", "faster", 1.42, { way: "several", pairs: 11 }),
};

test("a trial is told as in the text", () => {
    expect(triedWords(tried("a", "faster", 1.32))).toBe("faster by ivdep, program 1.32× (1.31–1.33×) measured, same answer");
    expect(triedWords({ way: "options", outcome: "not-built" })).toBe("not built by options");
    expect(triedWords(tried("a", "faster", 1.32, { answer: "within" }))).toContain("answer within the tolerance");
});

test("answers say by how much they differ", () => {
    expect(answerWords(tried("a", "faster", 1.1))).toBe("same");
    expect(answerWords(trials.tried[3] as TriedFacts)).toBe("different by 3e-9");
    expect(answerWords(tried("a", "not-built"))).toBeUndefined();
    expect(differenceWords(trials.tried[3] as TriedFacts)).toBe("sum: standard output, line 3: sum 1.0001 instead of sum 1.0000");
});

test("what was changed is named briefly", () => {
    expect(partWords({ kind: "options", files: ["/p/site.c"], options: ["-O3", "-flto"] })).toBe("-O3 -flto (site.c)");
    expect(partWords({ kind: "options", options: ["-O3"] })).toBe("-O3");
    expect(partWords({ kind: "edit", file: "/p/site.c", line: 14, before: "", after: "" })).toBe("site.c:14");
    expect(partWords({ kind: "compiler", files: ["/p/a.c"], compiler: "/usr/bin/clang-19", without: ["-fipa-pta"] })).toBe("clang-19 (a.c) without -fipa-pta");
    expect(partWords({ kind: "profile", files: ["/p/a.c", "/p/b.c"] })).toBe("profile of a run (a.c, b.c)");
    expect(partWords({ kind: "variable", name: "OMP_PROC_BIND", value: "close" })).toBe("OMP_PROC_BIND=close");
});

test("the largest gain is first, what gained nothing after it, what was left alone apart", () => {
    expect(rows(trials).map((row) => row.tried.change)).toEqual(["rebuild", "promise-no-alias", "unroll", "sum"]);
    expect(rows(trials).map(({ at }) => at)).toEqual([5, 2, 0, 3]);
    expect(leftAlone(trials)).toEqual([{ why: "only a person can", changes: ["pad", "tile"] }]);
});

test("the best together are confirmed, or why not", () => {
    expect(togetherWords(trials)).toBe("confirmed 1.42× (1.41–1.43×) in 11 pairs of fresh runs, by CPU time");
    expect(togetherWords({ ...trials, together: tried("together", "no-difference", 1.01, { pairs: 1 }) })).toMatch(/^not confirmed: no difference, 1\.01×.* in 1 pair of/);
    const without: TrialFacts = { claimed_from: trials.claimed_from, tried: trials.tried };
    expect(togetherWords(without)).toContain("not measured together");
    expect(togetherWords({ ...without, tried: [] })).toBe("No change is faster for certain.");
});

test("notes say what is not claimed and not compared", () => {
    const [noise, line, whole] = notes(trials);
    expect(noise).toContain("up to 1.2 %");
    expect(line).toContain("in line 9, where the same words alone were compared");
    expect(whole).toMatch(/^log\.txt differs .* was not compared$/);
});

test("the axis holds everything that is drawn", () => {
    const scale = trialScale(trials);
    for (const each of [0.99, 1, 1.42, 1.8]) {
        expect(scale.at(each)).toBeGreaterThanOrEqual(0);
        expect(scale.at(each)).toBeLessThan(1);
    }
});

test("a card's trial holds for all loops of its change", () => {
    const advice = { id: "rebuild", title: "Rebuild" } as Recommendation;
    const analysis = { advice: [{ ...advice, tried: { way: "options", outcome: "faster" } }], loops: [] } as unknown as Analysis;
    expect(triedOf(analysis, advice)?.outcome).toBe("faster");
    expect(triedOf(analysis, { ...advice, id: "other" })).toBeUndefined();
    expect(changeTitle(analysis, "rebuild")).toBe("Rebuild");
    expect(changeTitle(analysis, "level-3")).toBeUndefined();
});
