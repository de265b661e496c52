import { expect, test } from "vitest";
import type { Analysis } from "./contract";
import { spread, threadTimes, unevenLoops } from "./threads";

const THREADS = [
    { tid: 1, cpu_seconds: 3, ready_seconds: 1 },
    { tid: 2, cpu_seconds: 1, blocked_seconds: 1 },
];
const loop = (id: number, excess?: number) => ({ id, ...(excess !== undefined && { by_thread: { time_imbalance: { excess, share: 0.5 } } }) });
const ANALYSIS = { threads: THREADS, program: { cpu_seconds: 4 }, loops: [loop(1), loop(2, 0.1), loop(3, 0.5), loop(4, 0.001)] } as unknown as Analysis;

test("threads are drawn on one scale, that of the longest", () => {
    const [first, second] = threadTimes(ANALYSIS);
    expect(first?.parts).toEqual([{ kind: "cpu", part: 0.75 }, { kind: "ready", part: 0.25 }, { kind: "blocked", part: 0 }]);
    expect(second?.parts.map(({ part }) => part)).toEqual([0.25, 0, 0.25]);
});

test("one thread has nothing to be compared with", () => {
    expect(spread(ANALYSIS.threads)).toEqual({ max: 3, mean: 2 });
    expect(spread(ANALYSIS.threads.slice(0, 1))).toBeUndefined();
});

test("uneven loops come by what balance would save", () => {
    expect(unevenLoops(ANALYSIS).map(({ loop: { id } }) => id)).toEqual([3, 2]);
});
