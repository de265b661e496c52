/** An analysed run: the program, the machine, and everything that was found in it. */

import type { ByThread, Counting, Work } from "./counted";
import type { Loop } from "./loop";
import type { Recommendation } from "./recommendation";
import type { Tracing } from "./traced";
import type { FlatNode } from "./tree";

export interface Analysis {
    schema: 1;
    program: Program;
    machine?: Machine;
    counts?: Counting;
    tracing?: Tracing;
    loops: Loop[];
    functions: FunctionFacts[];
    modules: Module[];
    threads: Thread[];
    tree?: FlatNode[];
    warnings: string[];
    /** What the tool itself took. */
    costs?: Cost[];
    /** Those that are not about one loop. */
    recommendations?: Recommendation[];
}

export interface Cost {
    phase: string;
    seconds: number;
    cpu_seconds: number;
    waiting_seconds?: number;
}

export interface Program {
    command: string[];
    started: string;
    host: string;
    outcome: string;
    elapsed_seconds: number;
    cpu_seconds: number;
    user_seconds: number;
    system_seconds: number;
    minor_faults: number;
    major_faults: number;
    peak_resident_bytes: number;
    processes: number;
    threads: number;
    ranks: number;
    /** By an MPI launcher. */
    ranks_started?: number;
    samples: number;
    lost_samples: number;
    unresolved_share: number;
    overhead_share: number;
    sampler: string;
    time: TimeShares;
    /** Element k: seconds in which k CPUs were busy. */
    cpu_usage: number[];
    cpus_allowed: number;
    elapsed?: ElapsedParts;
    kernel?: KernelTime;
    load?: Load;
}

/** Where the elapsed time went. */
export interface ElapsedParts {
    running_seconds: number;
    ready_seconds: number;
    blocked_seconds: number;
    held_up?: Wait[];
    looks: number;
}

export interface Wait {
    kind: "thread" | "sleep" | "storage" | "network" | "pipe" | "terminal" | "event" | "child" | "signal" | "page" | "other";
    call?: string;
    through?: string;
    function?: string;
    module?: string;
    seconds: number;
    share: number;
    seen: number;
}

export interface KernelTime {
    seconds: number;
    share: number;
    sampled: boolean;
    functions?: { function: string; share: number }[];
    callers?: { call?: string; function: string; caller?: string; share: number; by: "time" | "calls" }[];
}

/** What other programs did meanwhile. */
export interface Load {
    other_cpus: number;
    stolen_share: number;
    ready_share: number;
    busy: boolean;
}

export interface TimeShares {
    vectorized: number;
    scalar: number;
    outside_loops: number;
    kernel: number;
    /** Overlaps the others. */
    libraries: number;
}

export interface Machine {
    name: string;
    cpus: number;
    isa?: string;
    fma: boolean;
    vector_bits: number;
    cache_bytes: number[];
    line_bytes: number;
    ceilings?: Ceilings;
}

export interface Ceilings {
    flops: FlopCeiling[];
    bandwidths: BandwidthCeiling[];
    /** What disturbed the measurement. */
    disturbed?: string;
}

export interface FlopCeiling {
    level: string;
    element: string;
    fma: boolean;
    cores: number;
    gflops: number;
}

export interface BandwidthCeiling {
    level: string;
    kernel: string;
    cores: number;
    gbytes: number;
}

export interface FunctionFacts {
    function: string;
    module: string;
    main_module: boolean;
    file?: string;
    line?: number;
    self_seconds: number;
    self_share: number;
    total_seconds: number;
    total_share: number;
    samples: number;
    producer?: string;
    irreducible_seconds?: number;
    unresolved_jumps?: number;
    calls?: number;
    work?: Work;
    complete?: boolean;
    left_alone?: string[];
    by_thread?: ByThread;
}

export interface Module {
    path: string;
    main_module: boolean;
    self_seconds: number;
    self_share: number;
    has_symbols: boolean;
    has_lines: boolean;
    build_id?: string;
    producers?: string[];
}

export interface Thread {
    rank?: number;
    pid: number;
    tid: number;
    name: string;
    cpu_seconds: number;
    cpu_share: number;
    user_seconds?: number;
    system_seconds?: number;
    ready_seconds?: number;
    blocked_seconds?: number;
    waits?: Wait[];
    /** Pairs of loop id and seconds. */
    top_loops: [number, number][];
}
