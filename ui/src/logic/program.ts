/** The run as a whole: what was run, and how its processors were used. */

import type { ProgramFacts, WaitFacts } from "./contract";
import { counted } from "./quantity";

export { commandLine } from "./shell";

/** `2026-11-22 08:26:42 UTC`; unchanged when it is no time. */
export function moment(iso: string): string {
    const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(iso);
    return match === null ? iso : `${match[1] ?? ""} ${match[2] ?? ""} UTC`;
}

/** CPU time: sampled, else what the operating system says. */
export function cpuSeconds(program: ProgramFacts): number {
    return program.samples > 0 ? program.cpu_seconds : program.user_seconds + program.system_seconds;
}

export interface CpuUsage {
    /** For each number of busy CPUs the seconds and their share. */
    levels: { busy: number; seconds: number; share: number }[];
    average: number;
}

/** How many CPUs were busy for how long, up to those allowed and beyond where more were seen; nothing where that was not observed. */
export function cpuUsage(program: ProgramFacts): CpuUsage | undefined {
    const observed = program.cpu_usage.reduce((sum, seconds) => sum + seconds, 0);
    if (observed <= 0) return undefined;
    const length = Math.max(program.cpu_usage.length, program.cpus_allowed + 1);
    const levels = Array.from({ length }, (_, busy) => {
        const seconds = program.cpu_usage[busy] ?? 0;
        return { busy, seconds, share: seconds / observed };
    });
    return { levels, average: levels.reduce((sum, { busy, share }) => sum + busy * share, 0) };
}

/** Levels in a limited number of bins of equal width, for machines with more CPUs than a chart has room. */
export function binned(usage: CpuUsage, most: number): { from: number; to: number; seconds: number; share: number }[] {
    // Idle keeps a bin of its own: it is no number of busy CPUs among others.
    const busy = usage.levels.length - 1;
    const width = Math.max(Math.ceil(busy / Math.max(most - 1, 1)), 1);
    const bins = new Map<number, { from: number; to: number; seconds: number; share: number }>();
    for (const level of usage.levels) {
        const at = level.busy === 0 ? 0 : 1 + Math.floor((level.busy - 1) / width);
        const bin = bins.get(at) ?? { from: level.busy, to: level.busy, seconds: 0, share: 0 };
        bins.set(at, { from: bin.from, to: level.busy, seconds: bin.seconds + level.seconds, share: bin.share + level.share });
    }
    return [...bins.values()];
}

/** `4 threads in 1 process`. */
export function threadsAndProcesses(program: ProgramFacts): string | undefined {
    if (program.threads === 0) return undefined;
    return `${counted(program.threads, "thread", "threads")} in ${counted(program.processes, "process", "processes")}`;
}

/** `fsync in main`: the call that blocks, and who made it. */
export function waitName(wait: WaitFacts): string {
    const call = wait.through ?? wait.call ?? "memory";
    return wait.function === undefined ? call : `${call} in ${wait.function}`;
}
