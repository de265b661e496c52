import { expect, test } from "vitest";
import type { ComparedAnswer, ReproductionFacts } from "./contract";
import { answerNotes, changeWords, cheapestParts, comparedTone, comparedWords, conditionNotes, conditionWords, culprits, haltedWords, optionSets, repairName, repairRows, sideWords, speedNote, underCondition, verdictTone, verdictWords } from "./reproduction";
import { reproductionFixture as found } from "./searches.fixture";

test("a build is its compiler and options, or the project's own", () => {
    expect(sideWords(found.bad)).toBe("clang-19 -Ofast   (behind the options of the project)");
    expect(sideWords({})).toBe("as the project builds it");
});

test("the verdict names the sources, of many a few", () => {
    expect(verdictWords(found)).toBe("sum.c, <img src=x>.c change the answer");
    const file = (name: string) => [{ kind: "file" as const, file: `/p/${name}` }];
    expect(verdictWords({ ...found, culprits: [file("a.c"), file("a.c")] })).toBe("a.c changes the answer");
    expect(verdictWords({ ...found, culprits: ["a", "b", "c", "d", "e", "f"].map(file) })).toBe("a, b, c, d and 2 more change the answer");
});

test("each outcome has its words and a colour that fits", () => {
    const said = (outcome: ReproductionFacts["outcome"]) => [verdictWords({ ...found, outcome }), verdictTone({ ...found, outcome })];
    expect(said("same")).toEqual(["both builds give the same answer", "good"]);
    expect(said("within")[1]).toBe("good");
    expect(said("not-built")).toEqual(["the second build was not made", "caution"]);
    expect(said("not-found")[1]).toBe("caution");
    expect(said("link")).toEqual(["the link line changes the answer, no source does", "costly"]);
    expect(said("sources")[1]).toBe("costly");
});

test("an answer says by how much it differs, and in how many bits it agrees", () => {
    expect(comparedWords(found.answer)).toBe("different by 9e-10, 30 bits agree");
    expect(comparedWords({ verdict: "same", largest_difference: 0 })).toBe("same");
    expect(comparedWords({ verdict: "different", largest_difference: 0.9, significant_bits: 0.1 })).toBe("different by 9e-1");
    const none: ComparedAnswer = { note: "it ended by signal 11" };
    expect(comparedWords(none)).toBe("none: it ended by signal 11");
    expect(comparedTone(none)).toBe("costly");
});

test("what differs from run to run is no fault, and conditions that matter are explained once", () => {
    expect(found.conditions.map(({ condition }) => conditionWords(condition))).toEqual(["once more", "OMP_NUM_THREADS=3", "libm without FMA and AVX2", "OMP_NUM_THREADS=1"]);
    expect(found.conditions.map(underCondition)).toEqual([
        { text: "varies, not compared", tone: "caution" },
        { text: "different by 1e-16, 53 bits agree", tone: "costly" },
        { text: "same", tone: "good" },
        { text: "it ended by signal 11", tone: "costly" },
    ]);
    const notes = conditionNotes(found);
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain("from run to run");
    expect(notes[1]).toContain("number of threads");
    expect(answerNotes(found)[0]).toMatch(/^of the second build: standard output .* line 4/);
});

test("culprits are sources with their functions, and what they need beside them", () => {
    const [sum, link, odd] = culprits(found);
    expect(sum).toMatchObject({ name: "sum.c", file: "/p/sum.c", with: undefined, note: "with what is inlined into it" });
    expect(sum?.functions.map((each) => [each.name, each.line, each.with])).toEqual([["sum", 7, "only together with norm"], ["norm", undefined, "only together with sum"], ["scale", 20, undefined]]);
    expect(link).toMatchObject({ name: "link line", file: undefined, with: "only together with <img src=x>.c", note: "numbers near zero become zero in the whole program" });
    expect(odd).toMatchObject({ with: "only together with link line", functions: [], note: "functions cannot be exchanged: <b>asm</b>" });
});

test("each kind of change is said once, with its lines", () => {
    const changes = found.files?.[0]?.functions?.[0]?.[0]?.changes;
    expect(changeWords(changes)).toEqual(["fused multiplications and additions, loop at line 7", "vectors in place of single numbers, loop at line 7, 9", "calls _ZGVdN4v_exp, line 12"]);
    expect(changeWords([])).toEqual(["other instructions, or the same in another order"]);
    expect(changeWords([{ what: { kind: "no-division" } }])).toEqual(["multiplications in place of divisions"]);
});

test("reasons of an ended search are those of the text", () => {
    expect(haltedWords({ because: "time" })).toContain("--budget");
    expect(haltedWords({ because: "not-built", error: "a.c:1: error\u0000" })).toBe("a version was not built: a.c:1: error\\u{0}");
});

test("options that act together are one line", () => {
    expect(optionSets(found)).toEqual(["-O3 together with -fassociative-math", "-ffast-math"]);
});

test("repairs are named, and the cheapest is marked", () => {
    const rows = repairRows(found);
    expect(rows.map(({ name }) => name)).toEqual(["second build", "without the options", "sources as in the first build", "without them in the sources"]);
    expect(rows.map(({ mark }) => mark)).toEqual([undefined, "cheapest that keeps the answer", undefined, undefined]);
    expect(repairName("__proto__")).toBe("another build");
    expect(cheapestParts(found)).toEqual([{ kind: "options", options: ["-Ofast", "-fno-associative-math"] }]);
    const none = structuredClone(found);
    delete none.cheapest;
    expect(cheapestParts(none)).toBeUndefined();
    expect(speedNote(found)).toContain("17 versions, 99 runs");
});
