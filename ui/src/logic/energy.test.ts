import { describe, expect, test } from "vitest";
import type { Analysis, EnergyFacts, LoopFacts } from "./contract";
import { bestThreads, domainWatts, domainWords, energyLoops, energyTitle, faultWords, intervalWords, othersWords, performance, runWords, sourceWords } from "./energy";
import { energyFixture as counted, modelledFixture as modelled } from "./energy.fixture";

const { run } = counted;
if (run?.domains === undefined) throw new Error("the fixture has a run");
const { domains } = run;

const analysis = (energy: EnergyFacts, shares: readonly number[]): Analysis =>
    ({ energy, loops: shares.map((share, at) => ({ id: at + 1, self_share: share }) as LoopFacts) }) as Analysis;

describe("the run", () => {
    test("is one line, or says that it is not known", () => {
        expect(runWords(run)).toBe("312 J in 4.00 s: 78.0 W, energy-delay product 1248 J s");
        expect(runWords({ ...run, joules: 2_500_000 })).toMatch(/^2\.50 MJ in/);
        const { seconds, cpu_seconds } = run;
        expect(runWords({ seconds, cpu_seconds })).toBe("not known: a counter of a socket cannot be believed");
    });

    test("has a source, and a model is called one", () => {
        expect(sourceWords(counted.source)).toBe("counters of the processor, read through powercap");
        expect(sourceWords({ kind: "counters", interface: "msr" })).toContain("through registers");
        expect(sourceWords(modelled.source)).toBe("a model, not measured: 60.0 W and 4.50 W more for each busy core, calibrated on this machine (its points are within 3.0 % of it)");
        expect(sourceWords({ kind: "model", idle_watts: 90, core_watts: 3, calibrated: false })).toMatch(/as you gave them$/);
        expect([energyTitle(counted), energyTitle(modelled)]).toEqual(["Energy", "Energy, modelled"]);
    });

    test("other programs are mentioned where counters have their energy, and not with a model", () => {
        expect(othersWords(counted)).toMatch(/^the program had 70 % of the CPU time/);
        expect(othersWords({ ...counted, run: { ...run, share_of_busy: 0.95 } })).toBeUndefined();
        expect(othersWords(modelled)).toBeUndefined();
    });
});

test("counters say what they cover, what is a part of a socket, and why they have no number", () => {
    expect(domains.map(domainWords)).toEqual(["socket 0", "memory of socket 0", "cores of socket 0 (a part of it)", "graphics of socket 0 (a part of it)", "board (with the sockets)"]);
    expect(domains.map(faultWords)).toEqual([undefined, undefined, undefined, "did not move", "could not be read any more"]);
    expect(domains.map((each) => domainWatts(each, run))).toEqual([75, 3, 50, undefined, undefined]);
    expect(domains.map((each) => domainWatts(each, { ...run, seconds: 0 }))).toEqual(domains.map(() => undefined));
});

test("loops below half a percent and loops that are not in the report have no row", () => {
    const rows = energyLoops(analysis(counted, [0.6, 0.005, 0.0049]));
    expect(rows.map(({ at, loop, joules }) => [at, loop.id, joules])).toEqual([[0, 1, 200], [1, 2, 50]]);
    expect(energyLoops(analysis(counted, []))).toEqual([]);
    expect(energyLoops(analysis(modelled, [0.6]))).toEqual([]);
});

test("numbers of threads are compared with the first one", () => {
    const { threads = [] } = counted;
    expect(threads.map((each) => performance(counted, each)?.toFixed(2))).toEqual(["1.00", "1.90", "3.33", "3.81", "3.48"]);
    expect(threads.map(intervalWords)[0]).toBe("475–520 J");
    const [first] = threads;
    if (first === undefined) throw new Error("the fixture has threads");
    expect(performance(counted, { ...first, seconds: 0 })).toBeUndefined();
    expect(intervalWords({ ...first, joules_interval: [5, 5] })).toBeUndefined();
});

test("the best numbers of threads are named where the program obeys them", () => {
    expect(bestThreads(counted)).toBe("least energy with 4 threads, smallest energy-delay product with 8 threads");
    expect(bestThreads({ ...counted, least_energy: 0 })).toMatch(/^least energy with 1 thread,/);
    expect(bestThreads(modelled)).toBeUndefined();
    expect(bestThreads({ ...counted, threads: [] })).toBeUndefined();
});
