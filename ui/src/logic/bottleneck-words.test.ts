import { expect, test } from "vitest";
import { answer, bottleneckOf, causeInShort, cautions, inShort, iterationWords, listed, namesInShort, segmentWords, segments } from "./bottleneck-words";
import type { Bottleneck, Cause, LoopFacts } from "./contract";
import type { Group } from "./groups";
import { COLUMNS } from "./loop-columns";

const loads: Cause = { kind: "load-ports", share: 0.96, provenance: "measured" };
const front: Cause = { kind: "front-end", share: 0.72, provenance: "measured" };
const chain: Cause = { kind: "chain-latency", share: 0.27, provenance: "modelled" };
const little: Cause = { kind: "divider", share: 0.04, provenance: "modelled" };

const known = (verdict: Cause[], more: Partial<Bottleneck> = {}): Bottleneck => ({
    iteration_ns: 1.43,
    iteration_cycles: 5.3,
    verdict,
    causes: [loads, front, chain, little],
    resources: [],
    windows: 1480,
    disturbed: 12,
    ...more,
});

test("the verdict is told as in the text", () => {
    expect(answer(known([loads]))).toBe("load ports (96 %)");
    expect(answer(known([chain]))).toBe("latency of a chain through the iterations (27 %, modelled)");
    expect(answer(known([loads, front]))).toBe("several at once: load ports (96 %); front end (72 %)");
    expect(answer(known([]))).toMatch(/^not clear: /);
    expect(answer(known([], { sampled_ns: 12 }))).toContain("which takes 12 ns otherwise");
    expect(answer(known([], { serial_share: 0.4 }))).toContain("on top of 40 % of an iteration");
    expect(inShort(known([loads, chain]))).toBe("load ports 96 %, chain latency 27 %");
    expect(inShort(known([]))).toBe("not clear");
    expect(namesInShort(known([loads, chain]))).toBe("load ports, chain latency");
    expect(causeInShort({ ...loads, kind: "bandwidth-memory" })).toBe("memory bandwidth 96 %");
});

test("causes that take hardly any time are left out, but not those that bind", () => {
    expect(listed(known([loads])).map(({ kind }) => kind)).toEqual(["load-ports", "front-end", "chain-latency"]);
    expect(listed(known([little]))).toContain(little);
});

test("what was measured and what to keep in mind are told", () => {
    expect(iterationWords(known([loads]))).toEqual(["1.430 ns", "5.300 cycles", "1,480 windows", "12 of them disturbed and not used"]);
    expect(iterationWords({ ...known([loads]), disturbed: 0, windows: 1 })).toEqual(["1.430 ns", "5.300 cycles", "1 window"]);
    expect(cautions(known([loads]))).toEqual([]);
    const notes = cautions(known([loads], { changed_at: 11, counted_in_memory: true }));
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain("loop 11");
    expect(cautions(known([loads], { core_shared: 1.93 }))[0]).toContain("took 1.930 times as long");
    // In long iterations the count does not show.
    expect(cautions(known([loads], { counted_in_memory: true, iteration_cycles: 20 }))).toEqual([]);
});

test("a bar is as long as an iteration, and overlapping shares are shortened alike", () => {
    const bar = segments(known([loads]));
    expect(bar.reduce((sum, { part }) => sum + part, 0)).toBeCloseTo(1);
    expect(bar[0]?.part).toBeCloseTo(0.96 / 1.95);
    const alone = segments(known([chain], { causes: [chain] }));
    expect(alone.map(({ part }) => part)).toEqual([0.27]);
    expect(segmentWords(known([loads]))).toBe("load ports 96 %, front end 72 %, chain latency 27 %");
    expect(segmentWords(known([]))).toBe("not clear, load ports 96 %, front end 72 %, chain latency 27 %");
});

test("the table shows the lead's, sorts by the first cause and its share, and has nothing where nothing was measured", () => {
    const column = COLUMNS.find(({ id }) => id === "bound_by");
    const loop = (bottleneck: Bottleneck | undefined): LoopFacts => ({ id: 1, ...(bottleneck === undefined ? {} : { bottleneck }) }) as LoopFacts;
    const row = (...all: (Bottleneck | undefined)[]) => {
        const pieces = all.map(loop);
        const group = { lead: pieces[0], pieces } as unknown as Group;
        return { group, loop: group.lead, piece: false };
    };
    const most = known([loads]);
    const less = known([{ ...loads, share: 0.9 }]);
    expect(column?.fact(row(undefined))).toBeUndefined();
    expect(bottleneckOf(row(undefined, less).group)).toBe(less);
    expect(column?.fact(row(most, less))?.text).toBe("load ports 96 %");
    const keys = [known([]), less, most, known([chain])].map((each) => column?.fact(row(each))?.value as string);
    const sorted = [...keys].sort();
    expect(sorted).toEqual([keys[3], keys[2], keys[1], keys[0]]);
});
