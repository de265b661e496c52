/** Records of two cases with everything that can happen: misses, wrong and left-out stages, pictures, names that attack. */

import type { CaseRecord, Frame, StageRecord } from "../contract";

/** The same points every time, of three kinds that part with time. */
function frame(step: number, points: number): Frame {
    const part = 0.35 * (step / 200);
    const at = (k: number): [number, number, number] => {
        const kind = k % 3;
        const [x, y] = [(k * 0.618_034) % 1, (k * 0.754_878) % 1];
        return [0.5 + (x - 0.5) * 0.4 + (kind - 1) * part, 0.5 + (y - 0.5) * 0.4 + (kind === 1 ? part : -part / 2), kind];
    };
    return { step, points: Array.from({ length: points }, (_, k) => at(k)) };
}

const HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}\"'&";

const estimate = (median: number, part = 0.02) => ({ median, low: median * (1 - part), high: median * (1 + part) });

/** Stages of the first case, slower by a factor for one compiler than for the other. */
function cells(factor: number, family: string): StageRecord[] {
    const commands = (name: string) => [`${family} -g -O2 -c driver.c -o ${family}/${name}/0.o`, `${family} ${family}/${name}/0.o -o ${family}/${name}/${name} -lm`];
    const results = { energy: 1.254_321_987_654, moved: 4096, seed: 7 };
    return [
        {
            name: "pointers",
            title: "A list of pointers for each cell",
            change: "Every neighbour is a pointer,\nfollowed in `order`.\n\nThe second paragraph.",
            commands: commands("pointers"),
            run: `${family}/pointers/pointers --n 96`,
            threads: 1,
            results,
            measured: { seconds: estimate(1.614_553 * factor), elapsed: estimate(1.870_933 * factor), gflops: 0.438_38, gbytes: 0.0548, ceiling: { name: "AVX-512 f64 FMA", rate: 120.557, unit: "GFLOP/s", share: 0.003_636 } },
            advice: {
                command: "loopwright advise -- ./pointers --n 96",
                recommendations: [
                    { id: "flatten-pointers", title: "Store `neighbours` side by side", confidence: "high", places: ["step, pointers.c:6", "step, pointers.c:12", "move, pointers.c:30", "move, pointers.c:31"], program_gain: [1.4, 2.9] },
                    { id: "promise-no-alias", title: "Tell the compiler that these arrays do not overlap", confidence: "medium", places: ["step, pointers.c:6"], program_gain: [1, 1.2] },
                    { id: "block-for-cache", title: "Work on blocks that stay in L1: cache blocking", confidence: "low", places: [] },
                    { id: "use-threads", title: "Share the loop among threads", confidence: "medium", places: ["step, pointers.c:6"], program_gain: [1.2, 1.9] },
                ],
            },
            pictures: { title: "Cells of three kinds part", frames: [frame(0, 240), frame(100, 240), frame(200, 240)] },
        },
        {
            name: "flat",
            title: "Neighbours side by side",
            change: "One array instead of lists.",
            from: 0,
            expected: ["flatten-pointers"],
            commands: commands("flat"),
            run: `${family}/flat/flat --n 96`,
            threads: 1,
            results,
            measured: {
                seconds: estimate(0.7 * factor),
                elapsed: estimate(0.95 * factor),
                gain: estimate(2.3065),
                gain_first: estimate(2.3065),
                program_gain: estimate(1.9694),
                gflops: 1.011,
                gbytes: 0.1264,
                ceiling: { name: "L2", rate: 61.25, unit: "GB/s", share: 0.4812 },
            },
            advice: { command: "loopwright advise -- ./flat --n 96", recommendations: [] },
            rung: { id: "flatten-pointers", rank: 1, predicted: [1.4, 2.9], came_true: true },
        },
        {
            name: "detour",
            title: "A wrong turn",
            change: "Sorting first.",
            from: 1,
            because: "sorting sorted data is no advice",
            commands: commands("detour"),
            run: `${family}/detour/detour --n 96`,
            threads: 1,
            results,
            measured: { seconds: estimate(0.77 * factor), elapsed: estimate(1.02 * factor), gain: estimate(0.909), gain_first: estimate(2.0968), program_gain: estimate(0.9314), gflops: 0.919 },
        },
        {
            name: "threads",
            title: "All cores",
            change: "A parallel loop.",
            from: 1,
            expected: ["use-threads", "use-tasks"],
            commands: commands("threads"),
            run: `OMP_NUM_THREADS=4 ${family}/threads/threads --n 96`,
            threads: 4,
            ...(family === "gcc"
                ? { results, measured: { seconds: estimate(0.2), elapsed: estimate(0.45), gain: estimate(3.5), gain_first: estimate(8.07), program_gain: estimate(2.111), gflops: 3.54, gbytes: 0.442 }, rung: {} }
                : { left_out: "needs `libomp`, which is not installed" }),
        },
    ];
}

export const casebookFixture: CaseRecord[] = [
    {
        schema: 1,
        case: "cells",
        order: 10,
        title: "Cells that pull at each other",
        source: "A course about parallel programs, `chapter` 3",
        problem: "Each cell looks at its neighbours through pointers,\nwhich are anywhere in memory.",
        input: "full",
        processor: "Example(R) Processor 9000",
        cpus: 4,
        compare: { energy: { value: 1.25, relative: 0.01 }, moved: { exact: true }, seed: { ignore: true } },
        ladders: [
            { family: "gcc", versions: ["gcc (Debian 12.2.0-14) 12.2.0"], rounds: 7, stages: cells(1, "gcc") },
            { family: "clang", versions: ["Debian clang version 14.0.6"], rounds: 5, stages: cells(1.25, "clang") },
        ],
        notes: ["no `flang` was found"],
    },
    {
        schema: 1,
        case: "hostile",
        order: 20,
        title: HOSTILE,
        source: HOSTILE,
        problem: HOSTILE,
        input: "full",
        processor: "Example(R) Processor 9000",
        cpus: 4,
        compare: { sum: { relative: 1e-12 }, [HOSTILE]: { at_most: 2 } },
        ladders: [
            {
                track: "fortran",
                family: "gcc",
                versions: ["GNU Fortran (Debian 12.2.0-14) 12.2.0", HOSTILE],
                rounds: 30,
                stages: [
                    {
                        name: "plain",
                        title: HOSTILE,
                        change: HOSTILE,
                        commands: [`gfortran '${HOSTILE}'`],
                        run: "./plain",
                        threads: 1,
                        results: { sum: 88_951_968.197, [HOSTILE]: 1 },
                        measured: { seconds: estimate(0.0123, 0.2), elapsed: estimate(0.0201) },
                        advice: {
                            command: `loopwright advise -- ./plain '${HOSTILE}'`,
                            recommendations: ["one", "two", "three", "four", "late", HOSTILE].map((id) => ({ id, title: HOSTILE, confidence: "low" as const, places: [HOSTILE], program_gain: [1.05, 1.2] as [number, number] })),
                        },
                        pictures: { title: HOSTILE, frames: [{ step: 0, points: [] }, { step: 1000, points: [[0.5, 0.5, -1]] }] },
                    },
                    {
                        name: "late",
                        title: "Late advice that promised too little",
                        change: "c",
                        from: 0,
                        expected: ["late"],
                        run: "./late",
                        threads: 1,
                        results: { sum: 88_951_968.197 },
                        measured: { seconds: estimate(0.004), elapsed: estimate(0.009), gain: estimate(3.075), gain_first: estimate(3.075), program_gain: estimate(2.2333) },
                        rung: { id: "late", rank: 5, predicted: [1.05, 1.2], came_true: false },
                    },
                    { name: HOSTILE, title: "Computes something else", change: "c", from: 1, expected: [HOSTILE], threads: 1, commands: ["gfortran x.f90"], wrong: `computes something else: sum is 3, not ${HOSTILE}` },
                    { name: "unasked", title: "Built and held, no more", change: "c", from: 1, expected: ["one"], threads: 1, results: { sum: 88_951_968.197 } },
                ],
            },
        ],
    },
];
