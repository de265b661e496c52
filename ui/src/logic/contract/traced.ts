/** What a tracing run knows: access patterns, cache behaviour, sharing, dependences. */

export interface Tracing {
    strides: boolean;
    dependences: boolean;
    exhaustive: boolean;
    bursts: number;
    accesses: number;
    trace_bytes: number;
    elapsed_seconds: number;
    analysis_seconds: number;
    hierarchies: Hierarchy[];
    nodes: number;
}

export interface Hierarchy {
    name: string;
    levels: CacheLevel[];
}

export interface CacheLevel {
    name: string;
    lines: number;
    line_bytes: number;
    ways: number;
    policy: string;
    victim?: boolean;
    translation?: boolean;
}

export type Pattern = "uniform" | "unit" | "constant" | "variable";

export interface Access {
    file?: string;
    line?: number;
    operand?: string;
    function?: string;
    addresses: string[];
    kind: "load" | "store" | "update";
    element_bytes: number;
    operand_bytes: number;
    lanes: number;
    pattern: Pattern;
    stride_bytes?: number;
    stride_elements?: number;
    machine_stride_bytes?: number;
    machine_stride_elements?: number;
    source_factor: number;
    /** Pairs of the machine's stride in bytes and its share. */
    distribution: [number, number][];
    other_share: number;
    ascending_share: number;
    same_line_share: number;
    same_page_share: number;
    outer?: OuterStride[];
    executions: number;
    unaligned_share: number;
    line_split_share: number;
    page_split_share: number;
    utilisation?: number;
    footprint_bytes?: number;
    array?: number;
    offset_bytes?: number;
    gather?: Gather;
    streaming?: boolean;
    atomic?: boolean;
    frame?: boolean;
}

export interface OuterStride {
    loop_id?: number;
    place: string;
    pattern: Pattern;
    stride_bytes?: number;
}

export interface Gather {
    lane_stride_bytes?: number;
    affine_share: number;
    ascending_share: number;
    lines_per_execution: number;
    active_lanes: number;
}

export interface Memory {
    traced_iterations: number;
    traced_entries: number;
    footprint_bytes: number;
    footprint_line_bytes: number;
    footprint_pages: number;
    footprint_is_bound?: boolean;
    utilisation?: number;
    /** For each hierarchy its levels. */
    caches?: CacheTraffic[][];
    /** Triples: lowest and highest number of other lines between two uses of a line, and their share. */
    reuse?: [number, number, number][];
    first_use_share?: number;
    reuse_carriers?: { loop_id?: number; place: string; share: number; mean_bytes: number }[];
    /** Triples: NUMA node of the page, of the thread, share. */
    nodes?: [number, number, number][];
    aliasing_4k?: { store: number; load: number; offset: number; share: number }[];
}

export interface CacheTraffic {
    name: string;
    accesses: number;
    misses: number;
    unknown?: number;
    estimated_misses: number;
    misses_per_1000: [number, number];
    estimated_misses_per_1000: number;
    bytes_in_per_iteration: [number, number];
    bytes_out_per_iteration: number;
    estimated_bytes_in_per_iteration: number;
    estimated_bytes_out_per_iteration: number;
    intensity?: [number, number];
    estimated_intensity?: number;
}

export interface Sharing {
    false_lines: number;
    false_share: number;
    true_lines: number;
    true_share: number;
    example?: string[];
}

export type VectorVerdict = "safe" | "safe-with-reductions" | "safe-up-to" | "unsafe" | "unknown";
export type ParallelVerdict = "independent" | "with-clauses" | "dependent" | "unknown";

export interface Dependence {
    vector: VectorVerdict;
    max_length?: number;
    parallel: ParallelVerdict;
    verdict: string;
    checked_iterations: number;
    /** Counted; the source iterations are inferred from them. */
    checked_machine_iterations: number;
    checked_entries: number;
    horizon: number;
    exhaustive: boolean;
    found: FoundDependence[];
    /** Exits that the data decides about. */
    early_exits?: DependenceEnd[];
    reductions?: CarriedScalar[];
    inductions?: CarriedScalar[];
    private?: CarriedScalar[];
    unknown?: string[];
}

export interface FoundDependence {
    kind: "RAW" | "WAR" | "WAW";
    memory: boolean;
    distance: number;
    /** Pairs of distance and occurrences. */
    distances?: [number, number][];
    source: DependenceEnd;
    sink: DependenceEnd;
    example?: string;
    forward: boolean;
    privatisable: boolean;
    limits_vectors: boolean;
    /** The code shows that the distance is the same for all data. */
    constant_distance?: boolean;
}

export interface DependenceEnd {
    file?: string;
    line?: number;
    operand?: string;
    address: string;
    function?: string;
}

export interface CarriedScalar {
    name: string;
    line?: number;
    operation?: string;
    floating?: boolean;
}
