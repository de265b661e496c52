/** A machine loop and what is known of it. */

import type { ByThread, Roofline, TripCount, Work } from "./counted";
import type { Recommendation } from "./recommendation";
import type { Access, Dependence, Memory, Sharing } from "./traced";

/** How a number was obtained. */
export type Provenance = "measured" | "counted" | "modelled" | "inferred" | "binary" | "compiler";

export type Role = "whole" | "body" | "peel" | "remainder" | "version";

export interface Location {
    file: string;
    line: number;
    column: number;
}

export interface Loop {
    id: number;
    group: number;
    module: string;
    main_module: boolean;
    function: string;
    file?: string;
    line?: number;
    column?: number;
    /** First and last line of its own instructions. */
    lines?: [number, number];
    address: string;
    parent: number | null;
    children: number[];
    depth: number;
    innermost: boolean;
    inlined_from?: { function: string; call_site?: Location }[];
    role: Role;
    self_seconds: number;
    self_share: number;
    total_seconds: number;
    total_share: number;
    samples: number;
    group_share: number;
    threads: number;
    callee_share: number;
    serial_share?: number;
    vectorized: boolean;
    vector?: Vector;
    types?: string[];
    traits?: string[];
    idiom?: string;
    instruction_mix: Record<string, number>;
    instructions: number;
    calls?: { address: number; target?: string }[];
    exits: number;
    constant_trips?: number;
    chains?: Chain[];
    strides?: StaticStride[];
    bytes_loaded_per_iteration: number;
    bytes_stored_per_iteration: number;
    flop_per_iteration?: Record<string, number>;
    why_not?: WhyNot[];
    compilers?: { compiler: string; vectorized: boolean; vector_bytes?: number }[];
    producer?: string;
    trip_count?: TripCount;
    work?: Work;
    total_work?: Work;
    roofline?: Roofline;
    by_thread?: ByThread;
    not_counted?: string;
    access?: Access[];
    memory?: Memory;
    sharing?: Sharing;
    dependence?: Dependence;
    not_traced?: string;
    recommendations?: Recommendation[];
}

export interface Vector {
    isa: string;
    bits: number;
    length: number;
    unroll: number;
    types: string[];
    packed_share: number;
    gain?: number;
    efficiency?: number;
    provenance: Provenance;
}

export interface Chain {
    register: string;
    instructions: number[];
    latency_cycles: number;
    kind: string;
}

export interface StaticStride {
    address: number;
    bytes: number;
    size: number;
    store: boolean;
    /** 0 when unknown. */
    line: number;
}

export interface WhyNot {
    reason: string;
    compiler?: string;
    message: string;
    file?: string;
    line?: number;
    provenance: Provenance;
}
