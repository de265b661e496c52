import { describe, expect, it } from "vitest";
import type { AccessFacts, CacheGeometry, DependenceFacts, FoundDependence, LoopFacts, MemoryFacts, TripCount } from "../contract";
import { around, distance as stride, distribution, kind, lineOf, meaning, operand, ordered } from "./access-words";
import { heights, summary } from "./columns";
import { arrowWords, consequences, distance, occurrences, parallelWords, scalarWords, tone, vectorWords } from "./dependence-words";
import { span } from "./gain-scale";
import { arrows } from "./iteration-arrows";
import { carrierWords, geometry, missesWithin, remoteNodes, reuseColumns, reuseSizes, sharingWords, within } from "./memory-words";
import { achieved, estimate } from "./roofline-words";
import { grouped, pattern } from "./static-strides";
import { cautions, histogram, median, sourceEntries, sourceMean } from "./trip-words";
import { claim, classes } from "./words";

const found: FoundDependence = {
    kind: "RAW",
    memory: true,
    distance: 3,
    source: { address: "0x1" },
    sink: { address: "0x2" },
    forward: false,
    privatisable: false,
    limits_vectors: true,
};

describe("dependences", () => {
    it("have distances and scalars in the words of the text output", () => {
        expect(distance({ ...found, distances: [[3, 9]] })).toBe("3");
        expect(distance({ ...found, distances: [[3, 9], [5, 1], [19, 2]] })).toBe("3, 2 others up to 19");
        expect(occurrences({ ...found, distances: [[3, 9], [5, 1]] })).toBe(10);
        expect(scalarWords({ name: "s", line: 54, operation: "+", floating: true })).toBe(" (+, floating-point: another order rounds differently) in line 54");
        expect(scalarWords({ name: "rax" })).toBe("");
    });
    it("have a verdict in words and in tone", () => {
        expect(vectorWords({ vector: "safe-up-to", max_length: 4 })).toBe("safe up to 4 iterations at once");
        expect(vectorWords({ vector: "unsafe" })).toBe("not safe to vectorise");
        expect((["safe", "safe-with-reductions", "safe-up-to", "unsafe", "unknown"] as DependenceFacts["vector"][]).map(tone)).toEqual(["good", "good", "caution", "costly", "caution"]);
        expect(parallelWords("with-clauses")).toContain("reduction or private");
    });
    it("say what they forbid and what removes them", () => {
        expect(consequences(found)).toHaveLength(1);
        expect(consequences({ ...found, limits_vectors: false, forward: true, privatisable: true })).toHaveLength(2);
        expect(arrowWords("WAR", 1000)).toBe("Iteration 1,000 writes what iteration 0 read, and so on for the iterations after them.");
    });
    it("are drawn from iteration to iteration, far ones with a gap", () => {
        expect(arrows(1)).toEqual({ boxes: [0, 1, 2, 3].map((at) => ({ iteration: at, slot: at })), arrows: [[0, 1], [1, 2], [2, 3]], slots: 4 });
        const far = arrows(100);
        expect(far?.boxes.map((box) => box.iteration)).toEqual([0, 1, 2, 100, 101, 102]);
        expect(far?.arrows).toEqual([[0, 4], [1, 5], [2, 6]]);
        expect(far?.gap).toBe(3);
        expect(arrows(0)).toBeUndefined();
        expect(arrows(1.5)).toBeUndefined();
    });
});

const access: AccessFacts = {
    addresses: ["0x10"],
    kind: "load",
    element_bytes: 8,
    operand_bytes: 8,
    lanes: 1,
    pattern: "constant",
    stride_bytes: 24,
    source_factor: 1,
    distribution: [],
    other_share: 0,
    ascending_share: 1,
    same_line_share: 0,
    same_page_share: 1,
    executions: 30,
    unaligned_share: 0,
    line_split_share: 0,
    page_split_share: 0,
};

describe("accesses", () => {
    it("are distinguished by kind, operand and line", () => {
        expect(kind({ ...access, streaming: true, atomic: true, kind: "update" })).toBe("streaming atomic update");
        expect(kind({ ...access, lanes: 4 })).toBe("gather");
        expect(kind({ ...access, lanes: 4, kind: "store" })).toBe("scatter");
        expect(operand(access)).toBe("at 0x10");
        expect(operand({ ...access, operand: "b[k[i]]", function: "f" })).toBe("b[k[i]] in f");
        const loop = { file: "/a/b.c" } as LoopFacts;
        expect(lineOf(loop, "/a/b.c", 7)).toBe("7");
        expect(lineOf(loop, "/a/mesh.h", 7)).toBe("mesh.h:7");
        expect(lineOf(loop, "/a/mesh.h", undefined)).toBeUndefined();
    });
    it("have strides in elements where they are whole", () => {
        expect(stride(-1, -8)).toBe("-1 element");
        expect(stride(undefined, 12)).toBe("12 B");
        expect(stride(undefined, undefined)).toBeUndefined();
    });
    it("say how much of the bytes is used", () => {
        expect(meaning(access, 64)).toContain("8 of every 24 bytes are used (33 %)");
        expect(meaning({ ...access, stride_bytes: -1024 }, 64)).toContain("uses 8 of its 64 bytes");
        expect(meaning({ ...access, pattern: "unit", stride_bytes: -8 }, 64)).toContain("backwards");
    });
    it("are distributed by executions, frame variables apart and last", () => {
        const all: AccessFacts[] = [{ ...access, frame: true, executions: 10 }, access, { ...access, pattern: "unit", executions: 60 }, { ...access, executions: 0 }];
        expect(distribution(all).map(({ key, share }) => [key, share])).toEqual([["unit", 0.6], ["constant", 0.3], ["frame", 0.1]]);
        expect(distribution([])).toEqual([]);
        expect(ordered({ access: all } as LoopFacts).map(({ at }) => at)).toEqual([1, 2, 0]);
        const uniform: AccessFacts = { ...access, pattern: "uniform" };
        expect(ordered({ access: [uniform, ...all] } as LoopFacts).map(({ at }) => at)).toEqual([2, 3, 0, 1]);
    });
    it("put loops around together that are walked alike", () => {
        const outer: NonNullable<AccessFacts["outer"]> = [
            { place: "a:1", pattern: "uniform" },
            { place: "a:2", pattern: "uniform" },
            { place: "a:3", pattern: "constant", stride_bytes: 800 },
        ];
        expect(around({ ...access, outer }).map(({ what, loops }) => [what, loops.length])).toEqual([["uniform", 2], ["100 elements", 1]]);
    });
    it("of the binary are grouped as the text output does", () => {
        const each = { address: 1, bytes: 16, size: 8, store: false, line: 4 };
        const rows = grouped([each, { ...each, address: 2 }, { ...each, bytes: 32, line: 3 }]);
        expect(rows.map((row) => [row.line, row.operands, pattern(row)])).toEqual([[3, 1, "8 of each 32 bytes used (25 %)"], [4, 2, "contiguous"]]);
        expect(pattern({ ...each, bytes: -8, operands: 1, at: 0 })).toBe("contiguous, backwards");
        expect(pattern({ ...each, bytes: 0, operands: 1, at: 0 })).toBe("the same place in every pass");
    });
});

describe("memory", () => {
    const reuse: [number, number, number][] = [[0, 0, 0.4], [1, 1, 0.1], [16, 19, 0.3], [1024, 1279, 0.1]];
    it("turns the reuse histogram into cache sizes", () => {
        expect([within(reuse, 0.5), within(reuse, 0.9), within(reuse, 0.95)]).toEqual([1, 1279, undefined]);
        expect(reuseSizes({ reuse } as MemoryFacts, 64)).toEqual(["half of the line uses would hit in a cache of 128 B", "90 % of the line uses would hit in a cache of 80 KiB"]);
        expect(reuseColumns({ reuse } as MemoryFacts, 64).map((column) => column.label)).toEqual(["64 B", "128 B", "1.06 KiB–1.25 KiB", "64.1 KiB–80 KiB"]);
    });
    it("describes caches by size, ways and policy", () => {
        const cache: CacheGeometry = { name: "L1", lines: 512, line_bytes: 64, ways: 8, policy: "plru", victim: false, translation: false };
        expect(geometry(cache)).toBe("32 KiB 8-way PLRU");
        expect(geometry({ ...cache, lines: 12, ways: 12, policy: "lru", victim: true })).toBe("768 B fully associative LRU for victims");
        expect(geometry({ ...cache, lines: 64, line_bytes: 4096, translation: true })).toBe("64 pages of 4 KiB 8-way PLRU");
        expect(missesWithin({ misses: 5, unknown: 7 })).toBe("5–12");
    });
    it("says what is remote, shared and carried", () => {
        expect(remoteNodes({ nodes: [[0, 0, 0.5], [0, 1, 0.2], [1, 0, 0.3]] as [number, number, number][] } as MemoryFacts)).toEqual({ share: 0.5, pairs: [[1, 0, 0.3], [0, 1, 0.2]] });
        expect(sharingWords({ false_lines: 0, false_share: 0, true_lines: 0, true_share: 0 })).toHaveLength(1);
        expect(sharingWords({ false_lines: 1, false_share: 0.2, true_lines: 2, true_share: 0.1 }).map(({ costly }) => costly)).toEqual([true, false]);
        expect(carrierWords({ before_loop: true, mean_bytes: 0 })).toEqual({ what: "come back from", distance: "" });
    });
});

describe("trip counts", () => {
    const trips: TripCount = { iterations: 10, source_factor: 4, source_iterations: 40, group_iterations: 43, group_complete: true };
    it("are exact or between bounds", () => {
        expect(median({ ...trips, median: 7 })).toBe("7");
        expect(median({ ...trips, median_bounds: [16, 31], approximate: true })).toBe("about between 16 and 31");
        expect(median(trips)).toBeUndefined();
        expect(sourceMean({ ...trips, source_mean: 19 })).toBe("19");
        expect(sourceMean({ ...trips, source_mean_bounds: [17, 24.5] })).toBe("between 17 and 24.50");
        expect(sourceEntries({ ...trips, source_entries_bounds: [1000, 2000] })).toBe("between 1,000 and 2,000");
    });
    it("say what they are not", () => {
        expect(cautions(trips)).toEqual([]);
        expect(cautions({ ...trips, approximate: true, group_complete: false, source_unknown: "masks", median_bounds: [1, 2] })).toHaveLength(4);
    });
    it("have a histogram without empty bins", () => {
        expect(histogram({ ...trips, histogram: [[1, 1, 1], [2, 3, 0], [4, 7, 3]] })).toEqual([
            { label: "1", value: 1, text: "1 entry (25 %)" },
            { label: "4–7", value: 3, text: "3 entries (75 %)" },
        ]);
    });
});

describe("charts", () => {
    it("show what is not zero", () => {
        const columns = [0, 1, 1e6].map((value) => ({ label: String(value), value, text: `${value} times` }));
        expect(heights(columns)).toEqual([0, 0.01, 1]);
        expect(summary(columns, "Uses")).toBe("Uses: most at 1000000, 1000000 times.");
        expect(heights([])).toEqual([]);
    });
    it("place gains on a logarithmic scale from no change", () => {
        expect(span([1, 4])).toEqual({ from: 0, to: 1, one: 0, most: 4 });
        expect(span([2, 16])?.from).toBeCloseTo(0.25, 12);
        expect(span([0.5, 2])?.one).toBeCloseTo(1 / 3, 12);
        expect(span([0, 2])).toBeUndefined();
        expect(span([2, Number.POSITIVE_INFINITY])).toBeUndefined();
    });
});

describe("roofline and vectors", () => {
    it("read what was achieved in the unit of the axes", () => {
        expect(achieved({ kind: "bytes", gbytes_per_second: 3, gflops: 9 })).toEqual({ key: "gbytes_per_second", value: 3 });
        expect(achieved({ kind: "flop" })).toBeUndefined();
    });
    it("show bounds only where they say something beside an estimate", () => {
        expect(estimate(1.38, [1.31, 1.45])).toBe("1.38 (1.31–1.45)");
        expect(estimate(22.4, [20.2, 10462])).toBe("22.4");
        expect(estimate(0.25, [0.25, 0.25])).toBe("0.250");
    });
    it("hold compilers' claims against the instructions", () => {
        expect(claim({ vectorized: true, vector_bytes: 32 }, false)).toBe("says that it vectorised this loop with 32-byte vectors; the instructions say otherwise, and they are what runs");
        expect(claim({ vectorized: false }, false)).toBe("says that it did not vectorise this loop");
    });
    it("order classes by frequency", () => {
        expect(classes({ load: 1, store: 0, branch: 3 }, 4)).toEqual([{ name: "branch", count: 3, share: 0.75 }, { name: "load", count: 1, share: 0.25 }]);
    });
});
