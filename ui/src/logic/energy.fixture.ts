/** Energies with an entry of each kind, by counters and by a model; for the tests of the page. */

import type { EnergyFacts, ThreadsEnergy } from "./contract";

const withThreads = (threads: number, seconds: number, joules: number): ThreadsEnergy => ({
    threads,
    runs: 3,
    seconds,
    cpu_seconds: seconds * threads * 0.9,
    joules,
    joules_interval: [joules * 0.95, joules * 1.04],
    watts: joules / seconds,
    delay_product: joules * seconds,
});

/** Read through powercap, with counters that cannot be believed; 4 threads take the least energy, 8 the smallest product. */
export const energyFixture: EnergyFacts = {
    source: { kind: "counters", interface: "powercap" },
    run: {
        seconds: 4,
        cpu_seconds: 7,
        joules: 312,
        watts: 78,
        delay_product: 1248,
        domains: [
            { domain: { part: "package", socket: 0 }, joules: 300 },
            { domain: { part: "memory", socket: 0 }, joules: 12 },
            { domain: { part: "cores", socket: 0 }, joules: 200 },
            { domain: { part: "graphics", socket: 0 }, fault: "frozen" },
            { domain: { part: "platform" }, fault: "lost" },
        ],
        share_of_busy: 0.7,
    },
    loops: [
        { id: 1, joules: 200 },
        { id: 2, joules: 50 },
        { id: 3, joules: 0.5 },
    ],
    threads: [withThreads(1, 8, 500), withThreads(2, 4.2, 330), withThreads(4, 2.4, 250), withThreads(8, 2.1, 270), withThreads(16, 2.3, 390)],
    least_energy: 2,
    least_delay_product: 3,
};

/** By a model; the program takes its number of threads from elsewhere. */
export const modelledFixture: EnergyFacts = {
    source: { kind: "model", idle_watts: 60, core_watts: 4.5, calibrated: true, worst: 0.03 },
    run: { seconds: 10, cpu_seconds: 10, joules: 645, watts: 64.5, delay_product: 6450, share_of_busy: 0.4 },
    threads: [withThreads(1, 10, 645), withThreads(2, 10.1, 651)],
    least_energy: 0,
    least_delay_product: 0,
    same_threads: true,
};
