import { expect, test } from "vitest";
import { gainScale, gainWords, pictureWords } from "./gains";
import { copiedOptions, notCopied } from "./copied";
import { tuningFixture as tuning } from "./searches.fixture";
import { TUNE_COLUMNS, bestWords, builtWords, compilerWords, disturbedWords, drawn, intervalWords, isConfirmed, knownTuneColumns, metricWords, optionWords, rebuiltPlace, rejected, settingWords, tuneOrder, tuneRows, tuningNotes } from "./tuning";

const names = (sort: string, desc?: string): string[] => tuneRows(tuning, tuneOrder(new URLSearchParams(desc === undefined ? { sort } : { sort, desc }))).map(({ facts }) => facts.tried.change);

test("the picture has the best on fresh runs first, then the search by gain", () => {
    const rows = drawn(tuning);
    expect(rows.map(({ name }) => name)).toEqual(["O3-native", "O3-native + huge-pages", "O3-native", "clang-19"]);
    expect(rows.map(({ at }) => at)).toEqual(["tuning.best", "tuning.candidates.4.tried", "tuning.candidates.1.tried", "tuning.candidates.3.tried"]);
    expect(rows.map(({ rough }) => rough)).toEqual([false, false, false, true]);
    expect(rows[0]?.mark).toBe("best, confirmed on fresh runs");
    expect(rows.slice(1).every(({ mark }) => mark === undefined)).toBe(true);
});

test("a best one that fresh runs do not confirm is not called so", () => {
    const { best } = tuning;
    if (best === undefined) throw new Error("the fixture has one");
    const doubtful = { ...tuning, best: { ...best, outcome: "no-difference" as const } };
    expect(isConfirmed(doubtful)).toBe(false);
    expect(drawn(doubtful)[0]?.mark).toBe("not confirmed on fresh runs");
    expect(bestWords(doubtful)).toMatch(/^not confirmed: no difference, 1\.50×/);
    const none = structuredClone(tuning);
    delete none.best;
    expect(drawn(none)).toHaveLength(3);
    expect(bestWords(none)).toBe("No build and no setting is faster for certain.");
});

test("a row and the picture are put in words", () => {
    const [best, , , rough] = drawn(tuning);
    if (best === undefined || rough === undefined) throw new Error("the fixture has four");
    expect(gainWords(best)).toBe("1.50×, 1.46–1.56×, faster (best, confirmed on fresh runs)");
    expect(gainWords(rough)).toBe("0.80×, given up");
    expect(pictureWords(drawn(tuning), 1.05)).toBe("4 builds from 0.80× to 1.70×; a gain is claimed from 1.05×; O3-native: 1.50×, 1.46–1.56×, faster (best, confirmed on fresh runs)");
    expect(pictureWords([], 1.05)).toBe("nothing was measured");
});

test("the axis holds all intervals and the band, and a narrow one has fewer labels", () => {
    const rows = drawn(tuning);
    const scale = gainScale(rows, 3);
    for (const each of [1 / 3, 0.8, 1, 1.7 * 1.04, 3]) expect(scale.at(each)).toBeGreaterThanOrEqual(0);
    expect(scale.at(1 / 3)).toBeLessThan(scale.at(0.8));
    expect(scale.at(3)).toBeGreaterThan(scale.at(1.8));
    expect(gainScale(rows, 3, true).ticks.length).toBeLessThan(scale.ticks.length);
    expect(gainScale(rows, 3, true).ticks).toContain(1);
});

test("rejected builds are grouped by their reason, the worst first", () => {
    const groups = rejected(tuning);
    expect(groups.map(({ outcome }) => outcome)).toEqual(["wrong-answer", "failed", "hung", "not-built", "same-code", "left-alone"]);
    expect(groups[0]).toEqual({ outcome: "wrong-answer", why: "different by 3e-9; standard output, line 3: sum 1.001 at <b>7</b> instead of sum 1.000 at <b>7</b>", builds: ["O3-native-fma", "clang-19-fma"] });
    expect(groups[3]?.why).toContain("expected");
    expect(groups.flatMap(({ builds }) => builds).length + drawn(tuning).length - 1).toBe(tuning.candidates.length);
});

test("a build is its compiler, its options and its settings", () => {
    const [, , , clang, pages] = tuning.candidates.map(({ tried }) => tried.parts);
    expect([compilerWords(clang), optionWords(clang), settingWords(clang)]).toEqual(["clang-19", "-O3; without -fipa-pta", ""]);
    expect([compilerWords(pages), optionWords(pages), settingWords(pages)]).toEqual(["", "-O3", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"]);
    expect(optionWords([{ kind: "options", files: ["/p/a.c"], options: ["-O1"] }])).toBe("-O1 (a.c)");
});

test("only options that a shell leaves alone are copied", () => {
    expect(copiedOptions([{ kind: "options", options: ["-O3"] }, { kind: "options", files: ["/p/a.c", "/p/b.c"], options: ["-O1"] }, { kind: "options", options: ["-funroll-loops"] }])).toEqual([
        { files: [], text: "-O3 -funroll-loops" },
        { files: ["a.c", "b.c"], text: "-O1" },
    ]);
    for (const evil of ["-O3;reboot", "$(reboot)", "`reboot`", "-O3 -x", "a\nb", "-fplugin=/tmp/a.so", ""]) {
        const part = { kind: "options" as const, options: ["-O3", evil] };
        expect(copiedOptions([part]), evil).toEqual([]);
        expect(notCopied([part])).toEqual([part]);
    }
    expect(notCopied([{ kind: "variable", name: "A", value: "1" }, { kind: "options", options: ["-O3"] }])).toEqual([{ kind: "variable", name: "A", value: "1" }]);
});

test("the table is as the search went, or by a column with what is not known last", () => {
    expect(names("")).toEqual(tuning.candidates.map(({ tried }) => tried.change));
    expect(names("toString")).toEqual(names(""));
    expect(names("measured").slice(0, 3)).toEqual(["O3-native + huge-pages", "O3-native", "clang-19"]);
    expect(names("measured", "0").slice(0, 3)).toEqual(["clang-19", "O3-native", "O3-native + huge-pages"]);
    expect(names("rounds")[0]).toBe("O3-native");
    expect(names("compiler")[0]).toBe("clang-19");
    expect(names("build")[0]).toBe("clang-19");
    expect(names("seconds")[0]).toBe("O3-native");
});

test("columns of which nothing is known are left out", () => {
    expect(knownTuneColumns(tuning)).toEqual(TUNE_COLUMNS);
    const few = { ...tuning, candidates: tuning.candidates.slice(0, 2) };
    expect(knownTuneColumns(few).map(({ id }) => id)).toEqual(["build", "measured", "rounds", "outcome", "answer", "options", "axis", "float", "seconds"]);
});

test("one round has no interval", () => {
    expect(tuning.candidates.map(intervalWords)).toEqual([undefined, "1.55–1.66×", undefined, undefined, "1.65–1.77×", undefined, undefined, undefined, undefined, undefined]);
});

test("notes say what is not claimed, how much was run, and how to find what changed an answer", () => {
    const [noise, runs, , , , line, who] = tuningNotes(tuning);
    expect(noise).toContain("up to 5.0 %");
    expect(runs).toMatch(/^99 runs/);
    expect(line).toContain("line 9");
    expect(who).toBe('which function changes the answer is found by: loopwright reproduce --bad "-O3 -march=native" -- PROGRAM');
    const files = tuning.candidates.map((each) => ({ ...each, tried: { ...each.tried, parts: [{ kind: "options" as const, files: ["/p/a.c"], options: ["-O3"] }] } }));
    expect(tuningNotes({ ...tuning, candidates: files })).toHaveLength(6);
});

test("what was compared, what disturbed and several processors are mentioned", () => {
    const [, , metric, disturbed, processors] = tuningNotes(tuning);
    expect(metric).toBe("compared by what the program prints, more is better (--metric self-reported-rate:^<b>MLUPS</b> ([0-9.]+))");
    expect(disturbed).toBe("other work disturbed the runs: one lost its CPU 41.0 times a second, and work waited for a CPU in 12 % of the time (medians)");
    expect(processors).toMatch(/^jobs ran on several kinds of processors \(AMD EPYC 9554, <i>Xeon<\/i> 8480\)/);
    const quiet = tuningNotes({ claimed_from: 1.02, semantics: "exact", runs: 9, candidates: [], metric: { kind: "wall" }, disturbed: { preempted_per_second: 2 }, processors: ["A"] });
    expect(quiet.slice(2)).toEqual(["compared by elapsed time, as you asked (--metric wall)"]);
    expect(metricWords({ kind: "cpu" })).toContain("--metric cpu");
    expect(metricWords({ kind: "self-reported", pattern: "t", rate: false })).toContain("less is better (--metric self-reported:t)");
    expect([{}, { preempted_per_second: 19.9, pressure: 0.049 }].map(disturbedWords)).toEqual([undefined, undefined]);
    expect(disturbedWords({ pressure: 0.05 })).toContain("5.0 %");
});

test("loops that changed are named with what they were and what they are", () => {
    const [one, other] = tuning.loops_changed ?? [];
    if (one === undefined || other === undefined) throw new Error("the fixture has two");
    expect([rebuiltPlace(one), builtWords(one.before), builtWords(one.after)]).toEqual(["grid.c:7", "scalar", "AVX2 256b ×4, 2 at a time"]);
    expect([rebuiltPlace(other), builtWords(other.before), builtWords(other.after)]).toEqual(["<img src=x>.c:9", "AVX-512 512b ×8", "scalar"]);
});
