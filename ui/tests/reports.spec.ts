/** The reports hold what the other tests look for; without it those would pass by looking at nothing. */

import { recommendations } from "./support/facts";
import { documentOf, expect, test } from "./support/test";

test("the demo's report has everything that can be known", () => {
    const report = documentOf("lbm");
    const { analysis } = report;
    // A second of it or so; timers may have no more than 250 ticks in it, and a fast machine needs less than a second.
    expect(analysis.program.samples).toBeGreaterThan(100);
    expect(analysis.counts).toBeDefined();
    expect(analysis.tracing?.strides).toBe(true);
    expect(analysis.tracing?.dependences).toBe(true);
    expect(analysis.machine?.ceilings?.flops.length).toBeGreaterThan(4);
    expect(recommendations(report).filter((each) => each.program_gain !== undefined).length).toBeGreaterThan(3);
    expect(analysis.tree?.length).toBeGreaterThan(10);
    expect(report.sources.some((each) => each.text?.includes("get_equilibrium") === true && each.marks.length > 0)).toBe(true);
    expect(report.listings.some((each) => each.function === "get_equilibrium" && each.instructions.length > 20)).toBe(true);
    expect(Object.keys(report.reasons).length).toBeGreaterThan(0);
});

test("the Fortran report is of Fortran, counted and traced", () => {
    const { analysis, sources } = documentOf("heat");
    expect(analysis.loops.some((each) => each.file?.endsWith("heat.f90") === true && each.self_share > 0.5 && each.trip_count !== undefined)).toBe(true);
    expect(sources.some((each) => each.file.endsWith("heat.f90") && each.text !== undefined)).toBe(true);
});

test("NumPy's report is of a library without sources", () => {
    const { analysis, missing } = documentOf("numpy");
    expect(analysis.program.command.join(" ")).toContain("\n");
    expect(analysis.program.time.libraries).toBeGreaterThan(0.3);
    expect(missing.length).toBeGreaterThan(0);
});

test("the report of MPI ranks has two", () => {
    const { analysis, threads } = documentOf("mpi");
    expect(analysis.program.ranks).toBe(2);
    expect(analysis.counts).toBeDefined();
    expect(new Set(threads?.map((each) => each.rank)).size).toBe(2);
});

test("the report of OpenMP threads has four", () => {
    const { analysis } = documentOf("threads");
    expect(analysis.program.threads).toBe(4);
    expect(analysis.loops.some((each) => (each.by_thread?.sampled?.length ?? 0) > 2)).toBe(true);
});

test("the comparison has loops that became faster and vectorised", () => {
    const { comparison } = documentOf("compare");
    const verdicts = new Set(comparison?.loops.map((each) => each.verdict));
    expect(verdicts).toContain("now-vectorized");
    expect(comparison?.before_counts).toBeDefined();
    expect(comparison?.findings?.length).toBeGreaterThan(0);
});
