/** What a counting run knows of a loop, a function or the program. */

import type { Provenance } from "./loop";

export interface Counting {
    runs: number;
    work: Work;
    loops: number;
    functions: number;
    threads: number;
    processes: number;
    counted_share?: number;
    setup_seconds: number;
    waiting_seconds: number;
    elapsed_seconds: number;
    overhead?: number;
    interrupted?: boolean;
    outcome: string;
    left_alone?: LeftAlone[];
}

export interface LeftAlone {
    module: string;
    function: string;
    address: string;
    loop_id?: number;
    place?: string;
    reason: string;
    self_seconds?: number;
}

export interface TripCount {
    entries?: number;
    iterations: number;
    min?: number;
    median?: number;
    median_bounds?: [number, number];
    mean?: number;
    max?: number;
    /** Triples: lowest and highest number of iterations, entries. */
    histogram?: [number, number, number][];
    approximate?: boolean;
    source_factor?: number;
    source_iterations?: number;
    source_share?: number;
    group_iterations?: number;
    straight_iterations?: number;
    source_entries?: number;
    source_entries_bounds?: [number, number];
    source_mean?: number;
    source_mean_bounds?: [number, number];
    group_complete: boolean;
    source_provenance?: Provenance;
    source_unknown?: string;
}

export interface Work {
    instructions: number;
    flop: number;
    flop_f16: number;
    flop_bf16: number;
    flop_f32: number;
    flop_f64: number;
    flop_f80: number;
    flop_is_bound?: boolean;
    bound_flop?: number;
    fma_share?: number;
    packed_share?: number;
    int_ops: number;
    packed_int_share?: number;
    bytes_loaded: number;
    bytes_stored: number;
    bytes_streamed: number;
    intensity?: number;
    int_intensity?: number;
    mix: Record<string, number>;
}

export interface Roofline {
    kind: "flop" | "integer" | "bytes";
    intensity?: number;
    gflops?: number;
    gintops?: number;
    gbytes_per_second?: number;
    ginstructions?: number;
    cores?: number;
    bound?: string;
    bound_kind?: "compute" | "memory";
    ceiling?: number;
    headroom?: number;
    roofs?: Roof[];
    levels?: RooflineLevel[];
    how?: string;
    provenance?: Provenance;
}

export interface Roof {
    name: string;
    kind: "compute" | "memory";
    value: number;
    kernel?: string;
    gbytes?: number;
    provenance: Provenance;
}

export interface RooflineLevel {
    name: string;
    intensity?: [number, number];
    estimated_intensity?: number;
    gbytes?: number;
    kernel?: string;
    ceiling?: [number, number];
    estimated_ceiling?: number;
    provenance?: Provenance;
}

export interface ByThread {
    sampled?: { rank?: number; pid: number; tid: number; seconds: number }[];
    counted?: ThreadCounts[];
    time_imbalance?: Imbalance;
    instruction_imbalance?: Imbalance;
}

export interface ThreadCounts {
    rank?: number;
    pid: number;
    tid: number;
    instructions: number;
    flop: number;
    iterations?: number;
    entries?: number;
}

export interface Imbalance {
    threads: number;
    max: number;
    mean: number;
    excess: number;
    share: number;
}
