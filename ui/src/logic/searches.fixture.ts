/** A search for the best build and a comparison of two builds, with an entry of each kind; for the tests of the page. */

import type { ReproductionFacts, TriedFacts, TuneFacts, TunedFacts } from "./contract";

const measuredAs = (median: number, pairs = 7): Partial<TriedFacts> => ({ measured_median: median, measured: pairs === 1 ? [median, median] : [median * 0.97, median * 1.04], pairs, clock: "cpu", answer: "same" });

const tuned = (change: string, outcome: TriedFacts["outcome"], tried: Partial<TriedFacts> = {}, more: Partial<TunedFacts> = {}): TunedFacts => ({
    axis: "flags",
    semantics: "exact",
    build_seconds: 0.5,
    ...more,
    tried: { change, way: "options", outcome, parts: [{ kind: "options", options: ["-O3", "-march=native"] }], ...tried },
});

const first_difference = { output: "standard output", line: 3, expected: "sum 1.000 at <b>7</b>", found: "sum 1.001 at <b>7</b>" };

export const tuningFixture: TuneFacts = {
    claimed_from: 1.05,
    semantics: "exact",
    metric: { kind: "self-reported", pattern: "^<b>MLUPS</b> ([0-9.]+)", rate: true },
    disturbed: { preempted_per_second: 41, pressure: 0.12 },
    processors: ["AMD EPYC 9554", "<i>Xeon</i> 8480"],
    loops_changed: [
        { file: "/p/grid.c", line: 7, function: "relax", share: 0.4, before: { bits: 0, elements: 0, unroll: 0, instructions: 5 }, after: { isa: "AVX2", bits: 256, elements: 4, unroll: 2, instructions: 9 } },
        { file: "/p/<img src=x>.c", line: 9, function: "norm<double>(double const*)", share: 0.05, before: { isa: "AVX512F", bits: 512, elements: 8, unroll: 1, instructions: 9 }, after: { bits: 0, elements: 0, unroll: 0, instructions: 5 } },
    ],
    runs: 99,
    unsteady: [{ output: "standard output", lines: [9] }],
    candidates: [
        tuned("O2", "same-code", { note: "the compiler makes the same code" }),
        tuned("O3-native", "faster", measuredAs(1.6, 12), { build_seconds: 2 }),
        tuned("O3-native-fma", "wrong-answer", { answer: "different", largest_difference: 3.1e-9, first_difference }, { semantics: "contract" }),
        tuned("clang-19", "slower", { ...measuredAs(0.8, 1), way: "compiler", parts: [{ kind: "compiler", files: ["/p/site.c"], compiler: "/usr/bin/clang-19", without: ["-fipa-pta"] }, { kind: "options", options: ["-O3"] }] }, { axis: "compiler", given_up: true }),
        tuned("O3-native + huge-pages", "faster", { ...measuredAs(1.7), way: "environment", parts: [{ kind: "options", options: ["-O3"] }, { kind: "variable", name: "GLIBC_TUNABLES", value: "glibc.malloc.hugetlb=1" }] }, { axis: "env" }),
        tuned("clang-19-fma", "wrong-answer", { answer: "different", largest_difference: 3.1e-9, first_difference }, { axis: "compiler", semantics: "contract" }),
        tuned("lto", "not-built", { note: "site.c:14: error: <script>alert(1)</script> expected" }, { axis: "lto" }),
        tuned("pgo", "failed", { note: "it ended by signal 11", parts: [{ kind: "profile", files: ["/p/site.c"] }] }, { axis: "pgo" }),
        tuned("no-vectors", "hung", { note: "it did not end within 12 s" }),
        tuned("site.c:O2", "left-alone", { note: "the time was used up; allow more with --budget" }, { axis: "files" }),
    ],
    best: { change: "O3-native", way: "options", outcome: "faster", parts: [{ kind: "options", options: ["-O3", "-march=native"] }], ...measuredAs(1.5, 11) },
};

const repair = (change: string, outcome: TriedFacts["outcome"], options: string[], tried: Partial<TriedFacts>): TriedFacts => ({ change, way: "options", outcome, parts: [{ kind: "options", options }], ...tried });

export const reproductionFixture: ReproductionFacts = {
    good: { options: ["-O2"] },
    bad: { compiler: "clang-19", options: ["-Ofast"] },
    outcome: "sources",
    answer: { verdict: "different", largest_difference: 9e-10, significant_bits: 30.2, first_difference: { output: "standard output", line: 3, expected: "sum 1.2345678901234e+03 after 12 steps", found: "sum 1.2345678905678e+03 after 12 steps" } },
    unsteady_bad: [{ output: "standard output", lines: [4] }],
    conditions: [
        { condition: { kind: "again" }, answer: { verdict: "different", largest_difference: 0.5, first_difference: { output: "standard output", line: 9, expected: "time 1.2 s", found: "time 1.3 s" } } },
        { condition: { kind: "threads", threads: 3 }, answer: { verdict: "different", largest_difference: 1e-16, significant_bits: 53.2 } },
        { condition: { kind: "older-library" }, answer: { verdict: "same" } },
        { condition: { kind: "threads", threads: 1 }, answer: { note: "it ended by signal 11" } },
    ],
    culprits: [[{ kind: "file", file: "/p/sum.c" }], [{ kind: "link" }, { kind: "file", file: "/p/<img src=x>.c" }]],
    files: [
        {
            file: "/p/sum.c",
            inlining: "as-built",
            functions: [
                [
                    { name: "sum", changes: [{ what: { kind: "fused" }, line: 7, in_loop: true }, { what: { kind: "vectors" }, line: 7, in_loop: true }, { what: { kind: "vectors" }, line: 9 }, { what: { kind: "calls", function: "_ZGVdN4v_exp" }, line: 12 }] },
                    { name: "norm" },
                ],
                [{ name: "scale", changes: [{ what: { kind: "no-division" } }, { what: { kind: "approximation" }, line: 20 }] }],
            ],
        },
        { file: "/p/<img src=x>.c", inlining: "none", halted: { because: "not-exchanged", reason: "<b>asm</b>" } },
    ],
    options: [["-O3", "-fassociative-math"], ["-ffast-math"]],
    halted: { because: "time" },
    claimed_from: 1.02,
    repairs: [
        repair("as-it-is", "wrong-answer", ["-Ofast"], { ...measuredAs(1.8, 9), answer: "different", largest_difference: 9e-10 }),
        repair("options-off", "faster", ["-Ofast", "-fno-associative-math"], measuredAs(1.4, 9)),
        { ...repair("files-as-first", "no-difference", [], measuredAs(1.01, 9)), parts: [{ kind: "options", options: ["-Ofast"] }, { kind: "options", files: ["/p/sum.c"], options: ["-O2"] }] },
        repair("options-off-in-files", "not-built", ["-Ofast"], { note: "sum.c:1: error" }),
    ],
    cheapest: 1,
    builds: 17,
    runs: 99,
};
