/** A comparison with every verdict, outcome and severity, for tests. */

import type { ComparisonDocument, LoopFacts, LoopChange, Verdict } from "./contract";

function loop(id: number, self: number, vectorized: boolean): LoopFacts {
    return {
        id,
        group: id,
        module: "/home/ada/lbm",
        main_module: true,
        function: "collide",
        address: `0x${(0x1000 + id * 16).toString(16)}`,
        parent: null,
        children: [],
        depth: 1,
        innermost: true,
        role: "whole",
        self_seconds: self,
        self_share: self / 20,
        total_seconds: self,
        total_share: self / 20,
        samples: Math.round(self * 1000),
        group_share: 1,
        threads: 1,
        callee_share: 0,
        vectorized,
        ...(vectorized ? { vector: { isa: "AVX2", bits: 256, length: 4, unroll: 1, types: ["f64"], packed_share: 1, provenance: "binary" as const } } : { types: ["f64"] }),
        instruction_mix: {},
        instructions: 12,
        exits: 1,
        bytes_loaded_per_iteration: 16,
        bytes_stored_per_iteration: 8,
    };
}

function change(place: string, verdict: Verdict, [before, after]: [LoopFacts | undefined, LoopFacts | undefined], more: Partial<LoopChange> = {}): LoopChange {
    const name = place.startsWith("lbm.c:1") ? "stream" : place.startsWith("lbm.c") ? "collide" : "main";
    return {
        function: name,
        place,
        verdict,
        ...(before === undefined ? {} : { before: { ...before, function: name } }),
        ...(after === undefined ? {} : { after: { ...after, function: name } }),
        ...more,
    };
}

export const comparison: ComparisonDocument = {
    before: "naive",
    after: "latest",
    elapsed: [6.43, 4.1],
    cpu: [24.1, 15.05],
    before_counts: { instructions: 90_000_000_000, flop: 24_000_000_000, int_ops: 1_000_000, bytes: 120_000_000_000, iterations: 0, packed_share: 0 },
    after_counts: { instructions: 50_000_000_000, flop: 24_000_000_000, int_ops: 0, bytes: 120_000_000_000, iterations: 0, packed_share: 0.45 },
    counted: [
        { what: "instructions", before: 90_000_000_000, after: 50_000_000_000 },
        { what: "flop", before: 24_000_000_000, after: 24_000_000_000 },
    ],
    partial: true,
    other_command: true,
    loops: [
        change("lbm.c:52", "now-vectorized", [loop(1, 10.39, false), loop(1, 2.5, true)], {
            speedup: 4.15,
            interval: [4.03, 4.27],
            counted: [
                { what: "instructions", before: 30_000_000_000, after: 9_000_000_000 },
                { what: "flop", before: 12_000_000_000, after: 12_000_000_000 },
                { what: "entries", before: 0, after: 200 },
            ],
        }),
        change("lbm.c:90", "no-longer-vectorized", [loop(2, 0.43, true), loop(2, 1.3, false)], { speedup: 0.33, interval: [0.31, 0.36] }),
        change("lbm.c:130", "faster", [loop(3, 4.89, true), loop(3, 3.9, true)], { speedup: 1.25, interval: [1.2, 1.31] }),
        change("lbm.c:160", "slower", [loop(4, 0.5, true), loop(4, 0.7, true)], { speedup: 0.71, interval: [0.66, 0.77] }),
        change("main.c:33", "same", [loop(5, 0.77, false), loop(5, 0.77, false)], { speedup: 1, interval: [0.9, 1.11] }),
        change("main.c:132", "same", [loop(6, 0.001, false), loop(6, 0.001, false)]),
        change("new.c:7", "appeared", [undefined, loop(7, 0.2, false)]),
        change("old.c:9", "vanished", [loop(8, 0.3, false), undefined], { note: "the loop at old.c:9 is gone with its function (inlined, renamed or removed)" }),
    ],
    findings: [
        { severity: "failure", kind: "no-longer-vectorized", index: 1, function: "collide", place: "lbm.c:90", text: "the loop at lbm.c:90 (collide) is no longer vectorised" },
        { severity: "warning", kind: "slower", index: 3, function: "stream", place: "lbm.c:160", text: "the loop at lbm.c:160 (stream) is 1.40x slower" },
        { severity: "note", kind: "less-work", text: "the program executes 44 % fewer instructions", change: { what: "instructions", before: 90_000_000_000, after: 50_000_000_000 } },
    ],
    judged: { by: "elapsed" },
    predictions: [
        { recommendation: "restrict-pointers:1", rule: "restrict-pointers", title: "Tell the compiler that the arrays do not overlap", function: "collide", place: "lbm.c:52", scope: "loop", predicted: [2, 5], measured: 4.15, interval: [4.03, 4.27], outcome: "came-true", together: ["wider-vectors:1"] },
        { recommendation: "wider-vectors:3", rule: "wider-vectors", title: "Use wider vectors", function: "stream", place: "lbm.c:130", scope: "loop", predicted: [1.05, 1.15], measured: 1.25, interval: [1.2, 1.31], outcome: "more" },
        { recommendation: "threads", rule: "threads", title: "Run the sweeps in parallel", scope: "elapsed", predicted: [2, 3.5], measured: 1.57, outcome: "less" },
        { recommendation: "pad-rows:4", rule: "pad-rows", title: "Pad the rows", function: "stream", place: "lbm.c:160", scope: "loop", predicted: [1.1, 1.6], outcome: "not-followed" },
        { recommendation: "align:5", rule: "align", title: "Align the arrays", function: "main", place: "main.c:33", scope: "loop", predicted: [1.01, 1.05], measured: 1, interval: [0.9, 1.11], outcome: "unknown", note: "the interval holds both the prediction and no change" },
    ],
};
