import { expect, test } from "vitest";
import type { BranchFacts, TracingFacts } from "../contract";
import { branchName, judged, mispredicted } from "./branch-words";

const branch = (misses: number | undefined): BranchFacts => ({
    address: "0x1318",
    executed: 5700,
    executed_per_iteration: 1,
    taken_share: 0.41,
    predicted: 2600,
    ...(misses === undefined ? {} : { misses_per_iteration: misses }),
});

const tracing = { predictor: { kind: "tage", bits: 128 * 1024, tables: 7, longest_history: 130 }, mispredict_cycles: 18 } as TracingFacts;

test("branches add up, those that were not judged apart", () => {
    expect(mispredicted([branch(0.25), branch(undefined), branch(0.14)])).toBeCloseTo(0.39);
    expect(mispredicted([branch(undefined)])).toBeUndefined();
});

test("a loop's branches are told with their cost and the predictor", () => {
    expect(judged([branch(0.39)], tracing)).toEqual([
        "0.390 mispredicted per machine iteration",
        "about 7.02 of its cycles (estimated, 18 each)",
        "by a simulated TAGE predictor of 16 KiB",
    ]);
    expect(judged([branch(undefined)], undefined)).toEqual(["too few outcomes were traced to judge a predictor"]);
});

test("a branch of a called function names it", () => {
    expect(branchName(branch(0))).toBe("at 0x1318");
    expect(branchName({ ...branch(0), function: "relax" })).toBe("at 0x1318 in relax");
});
