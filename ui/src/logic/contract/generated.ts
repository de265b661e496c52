/**
 * The JSON contract, version 1. An absent fact is an absent key.
 *
 * Derived from the Rust types, from the doc comments of their fields too:
 * `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-report contract` writes this file.
 */

/** One source access: an operand, with its copies in an unrolled loop. */
export interface AccessFacts {
    /** Source file. */
    file?: string;
    /** Source line. */
    line?: number;
    /** The expression as written (`lbv[i*3+1]`), else the variable in which it is (`b[…]`), where source or debug information show it. */
    operand?: string;
    /** Function, when it is not the loop's own. */
    function?: string;
    /** Its instructions: hexadecimal addresses in order. */
    addresses: string[];
    /** What it does. */
    kind: AccessKind;
    /** Bytes of one element as written. */
    element_bytes: number;
    /** Bytes of the machine's operand; 0 where it varies. */
    operand_bytes: number;
    /** Lanes with an address each (gather, scatter); 1 otherwise. */
    lanes: number;
    /** Pattern in the loop as written. */
    pattern: StridePattern;
    /** Stride of the loop as written in bytes; absent for a variable one. */
    stride_bytes?: number;
    /** The same in elements, where it is a whole number of them. */
    stride_elements?: number;
    /** Stride of the machine's loop in bytes. */
    machine_stride_bytes?: number;
    /** The same in elements. */
    machine_stride_elements?: number;
    /** Source iterations that one machine iteration does, for this access. */
    source_factor: number;
    /** Strides of the machine's loop: pairs of bytes and share of all steps, the most frequent first. */
    distribution: [number, number][];
    /** Share of steps whose stride is not in `distribution`. */
    other_share: number;
    /** Share of steps to a higher address. */
    ascending_share: number;
    /** Share of steps that stay on the cache line. */
    same_line_share: number;
    /** Share of steps that stay on the page of 4 KiB. */
    same_page_share: number;
    /** Strides over the enclosing loops, innermost first. */
    outer?: OuterStride[];
    /** Executions of the machine's operands while traced. */
    executions: number;
    /** Share of executions whose address is no multiple of the operand's size. */
    unaligned_share: number;
    /** Share that touches two cache lines. */
    line_split_share: number;
    /** Share that touches two pages. */
    page_split_share: number;
    /** Bytes used of bytes in the cache lines touched; of the array, all its accesses together. */
    utilisation?: number;
    /** Distinct bytes of the array that were touched. */
    footprint_bytes?: number;
    /** Accesses with the same number share an array. */
    array?: number;
    /** Bytes from the first access of the same array with the same stride, in the same iteration. */
    offset_bytes?: number;
    /** Lanes of a gather or scatter. */
    gather?: GatherFacts;
    /** It bypasses the caches. */
    streaming?: boolean;
    /** It is atomic. */
    atomic?: boolean;
    /** It is a variable in the function's frame. */
    frame?: boolean;
}

/** The kind of access of an operand. */
export type AccessKind =
    /** It reads. */
    | "load"
    /** It writes. */
    | "store"
    /** It reads, then writes the same bytes. */
    | "update";

/** A loop that a change touches. */
export interface AdvisedPlace {
    /** The change there: the recommendation's `id`, or one of its `changes`. */
    change: string;
    /** The loop. */
    loop_id?: number;
    /** The loop's group. */
    group?: number;
    /** The function in whose source the loop is written. */
    function?: string;
    /** `file:line` or an address. */
    place?: string;
    /** The share of the time that is concerned. */
    share?: number;
    /** Its predicted speed-up, `[low, high]`; absent where waiting is what could be saved. Below 1 it may become slower. */
    loop_gain?: Gain;
    /** The likely value in that range. */
    loop_gain_likely?: number;
    /** The program's predicted speed-up, `[low, high]`. Below 1 it may become slower. */
    program_gain?: Gain;
    /** The likely value in that range. */
    program_gain_likely?: number;
    /** How sure. */
    confidence: Confidence;
}

/** Whether two methods say the same. */
export type Agreement =
    /** Causes of at least half of the measured time are at or above their thresholds, and the largest loss, if it is more than what retires, has one. */
    | "agrees"
    /** They are not, or it has none. */
    | "differs"
    /** Loops with a verdict take less than half of the program's time. */
    | "too-little";

/** A store and a load shortly after it whose addresses agree in the lowest 12 bits, at different places. */
export interface Aliasing {
    /** Index of the store in `access`. */
    store: number;
    /** Index of the load in `access`. */
    load: number;
    /** Load's address minus store's, modulo 4096; the most frequent. */
    offset: number;
    /** Share of the load's executions that met the store so. */
    share: number;
}

/** Everything known of one run of a program. */
export interface Analysis {
    /** Version of this contract (1). */
    schema: number;
    /** The program and the run. */
    program: ProgramFacts;
    /** The machine it ran on. */
    machine?: MachineFacts;
    /** The counting run as a whole, when there is one (`loopwright tripcounts`, `roofline`, `advise`). */
    counts?: CountingFacts;
    /** The tracing run as a whole, when there is one (`loopwright map`, `dependencies`, `advise --deep`). */
    tracing?: TracingFacts;
    /** Where the slots of the processor's pipelines went, where its counters work (`loopwright bottlenecks`). */
    top_down?: TopDownFacts;
    /** The newest trials of advice, when there are any (`loopwright try`). */
    trials?: TrialFacts;
    /** The newest search for the best build, when there is one (`loopwright tune`). */
    tuning?: TuneFacts;
    /** The newest comparison of the answers of two builds, when there is one (`loopwright reproduce`). */
    reproduction?: ReproductionFacts;
    /** Energy of the sampled run, and of runs with other numbers of threads, where it is known (`loopwright energy`). */
    energy?: EnergyFacts;
    /** Calls of MPI by all ranks, when they were counted (`loopwright comm`). */
    comm?: CommFacts;
    /** Input and output of all ranks, when it was counted (`loopwright io`). */
    io?: IoFacts;
    /** Allocations of all ranks, when they were counted (`loopwright heap`). */
    heap?: HeapFacts;
    /** The ranks' time by what they do, and which of them are alike, when communication or input and output was counted (`loopwright job`). */
    job?: JobFacts;
    /** Machine loops with samples, counts or traces, and their group's other pieces; by descending self time, those without by descending instructions. */
    loops: LoopFacts[];
    /** Functions with at least one sample or counts, in the same order. */
    functions: FunctionFacts[];
    /** Time by the purpose of library code (containers, sorting, allocation, ..), the largest first. */
    purposes?: PurposeFacts[];
    /** Modules that were sampled. */
    modules: ModuleSummary[];
    /** Threads, by descending time. */
    threads: ThreadFacts[];
    /** Top-down tree; the root is the program. Written as a list of nodes, each after its parent. */
    tree?: FlatNode[];
    /** What limits these results, one sentence each with the way out. */
    warnings: string[];
    /** What the tool itself took to collect them, by phase. */
    costs?: Cost[];
    /** What to change that is not about one of `loops`. */
    recommendations?: Recommendation[];
    /** What to do, the most valuable first: of all recommendations here and in `loops` one for each change, with its loops as `places`; those that are likely to gain less than 2 % come last. */
    advice?: Recommendation[];
}

/** Whether two answers are the same. */
export type AnswerVerdict =
    /** Equal to the last byte. */
    | "same"
    /** Within the tolerance. */
    | "within"
    /** Another answer. */
    | "different";

/** A bandwidth. */
export interface BandwidthCeiling {
    /** `L1`, `L2`, `L3`, `DRAM`. */
    level: string;
    /** `load`, `store`, `copy`, `triad`, with `-nt` for non-temporal stores. */
    kernel: string;
    /** Cores used. */
    cores: number;
    /** GB/s (10^9 bytes read plus written by the program; no write-allocate counted). */
    gbytes: number;
}

/** What binds a loop. */
export interface Bottleneck {
    /** Time of an iteration of the machine's loop while it was measured, without operations. */
    iteration_ns: number;
    /** Cycles of it, at the clock of the core. */
    iteration_cycles?: number;
    /** The sampled time of an iteration, where it calls other code and leaving versions for calls takes much of it: then no verdict is given. */
    sampled_ns?: number;
    /** Another hardware thread used the core during most windows, so that these had to be used: how long instructions that wait for nothing took then, as a multiple of what they take alone. What it uses looks busy in the loop. */
    core_shared?: number;
    /** Share of an iteration in which operations of all kinds come on top, whatever they need: beside mispredicted branches or late loads. */
    serial_share?: number;
    /** What binds it: the first is the answer, those after it bind nearly as much. Empty where nothing does for certain. */
    verdict: Cause[];
    /** All causes that were weighed, by share. */
    causes: Cause[];
    /** The resources that operations were injected for. */
    resources: ResourceFacts[];
    /** Loop at whose iterations versions changed, where it is one around this. */
    changed_at?: number;
    /** The countdown was kept in memory: where an iteration takes few cycles, it lengthens it. */
    counted_in_memory?: boolean;
    /** Windows of time that were measured. */
    windows: number;
    /** Windows that were disturbed and not used. */
    disturbed: number;
}

/** Shares of an iteration that causes of its time take, and what they leave of a gain. */
export type BottleneckEvidence =
    /** What a change relieves, what it leaves, and the gain that is possible with that. */
    | { kind: "leaves"; relieved?: [CauseKind, number]; left?: [CauseKind, number]; most: number };

/** A conditional branch that ran while the loop was traced. */
export interface BranchFacts {
    /** Source file. */
    file?: string;
    /** Source line. */
    line?: number;
    /** Source column, 1-based. */
    column?: number;
    /** Function, when it is not the loop's own. */
    function?: string;
    /** Instruction, hexadecimal. */
    address: string;
    /** Executions whose outcome was traced. */
    executed: number;
    /** The same per machine iteration of the loop. */
    executed_per_iteration: number;
    /** Share of them that jumped. */
    taken_share: number;
    /** The part of `executed` by which the simulated predictor was judged: in bursts, without those from which it had to learn. */
    predicted: number;
    /** Modelled: share of `predicted` that the simulated predictor (`tracing.predictor`) got wrong. Absent when too few were judged. */
    miss_rate?: number;
    /** Modelled: mispredictions per machine iteration of the loop. */
    misses_per_iteration?: number;
    /** Estimated: cycles per machine iteration that these cost, at `tracing.mispredict_cycles` each. */
    cycles_per_iteration?: number;
}

/** What a build made of a loop. */
export interface BuiltLoop {
    /** The instruction set of its vectors; absent for a scalar loop. */
    isa?: Isa;
    /** Bits of a vector; 0 for a scalar loop. */
    bits: number;
    /** Elements of a vector; 0 for a scalar loop. */
    elements: number;
    /** Vectors that an iteration handles of each operation; 0 for a scalar loop. */
    unroll: number;
    /** Instructions of an iteration. */
    instructions: number;
}

/** What each thread did; absent where one thread did it all. */
export interface ByThread {
    /** From the survey: self time, by descending time. */
    sampled?: ThreadSeconds[];
    /** From the counting run (another run: other process and thread ids): by descending instructions. */
    counted?: ThreadCounts[];
    /** Imbalance of the self time. */
    time_imbalance?: Imbalance;
    /** Imbalance of the instructions. */
    instruction_imbalance?: Imbalance;
}

/** One cache. */
export interface Cache {
    /** 1 is nearest to the core. */
    level: number;
    /** Its content. */
    kind: CacheKind;
    /** Capacity in bytes. */
    size_bytes: number;
    /** Line in bytes. */
    line_bytes: number;
    /** Lines per set (0: not known, or fully associative). */
    ways: number;
    /** Number of sets (0: not known). */
    sets: number;
    /** Logical CPUs that share it. */
    cpus: number[];
}

/** One simulated cache. */
export interface CacheFacts {
    /** `L1`, `L2`, `L3`, `DTLB`, `STLB`. */
    name: string;
    /** Lines asked for while traced. */
    accesses: number;
    /** Lines that were surely not there. */
    misses: number;
    /** Lines whose state the trace does not show. */
    unknown?: number;
    /** Modelled: misses when what earlier bursts left in the cache stayed there; between `misses` and `misses` + `unknown`. See docs/patterns.md. */
    estimated_misses: number;
    /** Misses per 1000 accesses of the first level: without `unknown`, and with `unknown` counted as misses. */
    misses_per_1000: [number, number];
    /** Modelled: the same for `estimated_misses`. */
    estimated_misses_per_1000: number;
    /** Bytes fetched from the next level per machine iteration: without and with `unknown`. */
    bytes_in_per_iteration: [number, number];
    /** Bytes written back to the next level per machine iteration. */
    bytes_out_per_iteration: number;
    /** Modelled: bytes fetched for `estimated_misses` per machine iteration. */
    estimated_bytes_in_per_iteration: number;
    /** Modelled: bytes written back, when as many of the lines that leave are changed as do from the first level. */
    estimated_bytes_out_per_iteration: number;
    /** Operations per byte between this level and the next (FLOP; integer operations where there are none), from counts: lowest and highest. Absent without counts, and for a TLB. */
    intensity?: [number, number];
    /** Modelled: the same for the estimated bytes; absent when these are none. */
    estimated_intensity?: number;
}

/** One simulated cache. */
export interface CacheGeometry {
    /** `L1`, `L2`, `L3`, `DTLB`, `STLB`. */
    name: string;
    /** Lines in all. */
    lines: number;
    /** Bytes of a line (of a page, for a TLB). */
    line_bytes: number;
    /** Lines of a set; equal to `lines` when fully associative. */
    ways: number;
    /** Which line is evicted. */
    policy: Replacement;
    /** Holds only lines that the level before it has evicted (a victim cache). */
    victim: boolean;
    /** Translates pages; data does not pass through it. */
    translation: boolean;
}

/** The content of a cache. */
export type CacheKind =
    /** Data only. */
    | "data"
    /** Instructions only. */
    | "instruction"
    /** Data and instructions. */
    | "unified";

/** What a call is for. */
export type CallClass =
    /** Between two ranks. */
    | "point-to-point"
    /** Among all ranks of a communicator. */
    | "collective"
    /** Waits for what began before, or looks whether it ended. */
    | "completion"
    /** One-sided communication. */
    | "one-sided"
    /** Files. */
    | "files"
    /** Everything else: communicators, types, environment. */
    | "other";

/** Functions that are called. */
export type CallEvidence =
    /** Functions that the loop calls. */
    | { kind: "called-functions"; functions: string[]; one_at_a_time: boolean }
    /** The loop calls through a pointer. */
    | { kind: "calls-through-pointer" }
    /** What vector versions of the functions compute. */
    | { kind: "vector-versions"; results: number }
    /** Calls of a small function. */
    | { kind: "small-function"; calls: number; at_most: boolean; function: string; instructions: number }
    /** Instructions that inlining removes. */
    | { kind: "call-overhead"; instructions: [number, number]; as_vector_loop?: number }
    /** What an iteration with its call takes. */
    | { kind: "iteration-with-calls"; calls: number; cycles: number; instructions: number }
    /** How often routines of a library were called. */
    | { kind: "library-calls"; calls: number }
    /** How often the function of a parallel region was called. */
    | { kind: "region-calls"; function: string; calls: number }
    /** How often a small function is called, wherever from. */
    | { kind: "counted-calls"; calls: number; function: string; instructions: number }
    /** A function that calls itself. */
    | { kind: "recursive"; function: string; share: number }
    /** What a call takes. */
    | { kind: "call-time"; seconds: number }
    /** What a call executes itself. */
    | { kind: "call-instructions"; instructions: number };

/** A call made inside a loop. */
export interface CallSite {
    /** Address of the call instruction. */
    address: number;
    /** Callee name (PLT names resolved, `@plt` removed), or absent for an indirect call. */
    target?: string;
}

/** A loop-carried dependence chain through a register or a place in memory. */
export interface CarriedChain {
    /** Register, in assembler spelling, or place in memory. */
    register: Carrier;
    /** Instructions of the chain within one iteration, by address. */
    instructions: number[];
    /** Shortest latency of the chain per machine iteration, in cycles: of a typical current core as the binary is read; joined with a machine whose core is known, of that core. */
    latency_cycles: number;
    /** The kind of chain. */
    kind: ChainKind;
    /** Each step takes the smaller or larger of two values, instead of a sum or product of them. */
    chooses?: boolean;
}

/** A scalar that iterations carry or reuse. */
export interface CarriedScalar {
    /** Register, or the variable's name or expression. */
    name: string;
    /** Source line. */
    line?: number;
    /** For reductions: `+`, `*`, `min`, `max`, `&`, `|`, `^` where the code shows it. */
    operation?: string;
    /** Floating-point: reordering changes rounding. */
    floating?: boolean;
}

/** What carries a value from one iteration to the next. Written as its name alone. */
export type Carrier = string;

/** A case with everything that was measured and advised. */
export interface CaseRecord {
    /** Version of the record (1). */
    schema: number;
    /** The case's name. */
    case: string;
    /** Place in the book. */
    order: number;
    /** Title. */
    title: string;
    /** Where the case comes from. */
    source: string;
    /** What the program does and what is slow. */
    problem: string;
    /** `full` or `smoke`. */
    input: string;
    /** The processor's name. */
    processor: string;
    /** CPUs that may be used. */
    cpus: number;
    /** How results are held, by their names: against the first stage's, or against `value`. */
    compare: Record<string, Expectation>;
    /** One ladder for each language and compiler. */
    ladders: Ladder[];
    /** What could not be done, one sentence each. */
    notes?: string[];
}

/** A case of the casebook, in short: what `loopwright case list --json` prints of each. */
export interface CaseSummary {
    /** Its name, as other commands take it. */
    name: string;
    /** What it is about. */
    title: string;
    /** Where the code is from. */
    source: string;
    /** Names of its stages, in their order. */
    stages: string[];
}

/** All cases. */
export interface CasebookContents {
    /** How often the advice was right, over all cases. */
    hit_rate: HitRate;
    /** By their order. */
    cases: CaseRecord[];
    /** What the stages are written as, for each case and language. */
    sources?: TrackSources[];
}

/** What `loopwright case report --json FILE` writes. */
export interface CasebookDocument {
    /** Version of the contract (1). */
    schema: number;
    /** Version of the program that wrote it. */
    version: string;
    /** When (RFC 3339, UTC). */
    generated: string;
    /** The cases, and how the advice did on them. */
    casebook: CasebookContents;
}

/** A possible cause of the time of an iteration. */
export interface Cause {
    /** What it is. */
    kind: CauseKind;
    /** Share of an iteration's time that it takes by itself: 1 where the loop could not be faster because of it. Shares overlap, so they do not add up to 1. */
    share: number;
    /** How the share was obtained. */
    provenance: Provenance;
}

/** What can bind a loop. */
export type CauseKind =
    /** The latency of a chain of operations through the iterations. */
    | "chain-latency"
    /** The latency of loads that miss a cache. */
    | "memory-latency"
    /** The bandwidth of the second-level cache. */
    | "bandwidth-l2"
    /** The bandwidth of the third-level cache. */
    | "bandwidth-l3"
    /** The bandwidth of main memory. */
    | "bandwidth-memory"
    /** The ports of floating-point operations. */
    | "float-ports"
    /** The ports of integer operations. */
    | "integer-ports"
    /** The load ports. */
    | "load-ports"
    /** The store ports. */
    | "store-ports"
    /** The integer multiplier. */
    | "multiplier"
    /** The divider. */
    | "divider"
    /** Decoding, renaming and retiring. */
    | "front-end"
    /** Mispredicted branches. */
    | "branch-misses";

/** Element types that a peak is measured for. */
export type CeilingElement =
    /** Single precision. */
    | "f32"
    /** Double precision. */
    | "f64";

/** Widths of arithmetic that a ceiling is measured for. */
export type CeilingLevel =
    /** One element per instruction. */
    | "scalar"
    /** 128 bits. */
    | "SSE"
    /** 256 bits (without FMA these are AVX instructions). */
    | "AVX2"
    /** 512 bits. */
    | "AVX-512";

/** A share of a ceiling. */
export interface CeilingShare {
    /** Its name: arithmetic (`AVX-512 f64 FMA`), or a level of memory. */
    name: string;
    /** The ceiling, in GFLOP/s or GB/s. */
    rate: number;
    /** `GFLOP/s` or `GB/s`. */
    unit: string;
    /** The stage's rate over it. */
    share: number;
}

/** Measured ceilings of one core and of all. */
export interface Ceilings {
    /** Peak arithmetic. */
    flops: FlopCeiling[];
    /** Bandwidths. */
    bandwidths: BandwidthCeiling[];
    /** What disturbed the measurement so much that the ceilings may be too low; absent where nothing did. */
    disturbed?: string;
}

/** The kind of a carried register chain. */
export type ChainKind =
    /** A counter or pointer advanced by a constant. */
    | "induction"
    /** Floating-point sum/product/min/max accumulated one element after another in one scalar register. */
    | "in-order-sum"
    /** Packed floating-point reduction (one partial result per lane). */
    | "vector-reduction"
    /** Integer reduction. */
    | "integer-reduction"
    /** The address of the next load comes from this load: a pointer chase. */
    | "pointer-chase"
    /** Any other recurrence. */
    | "recurrence";

/** What a chain carries from iteration to iteration. */
export type ChainRole =
    /** A floating-point sum, whose additions cannot overlap. */
    | "sum"
    /** A floating-point sum that has to stay in order. */
    | "ordered-sum"
    /** A value that the next iteration waits for. */
    | "awaited"
    /** A value of any kind. */
    | "value"
    /** An address that is loaded from itself. */
    | "chase"
    /** The address of the next access. */
    | "next-address";

/** A piece of code before and after the change. */
export interface Change {
    /** The code at present. */
    before: string;
    /** The code after the change. */
    after: string;
}

/** How much a check of dependences saw. */
export interface CheckedExtent {
    /** All iterations of the run. */
    exhaustive: boolean;
    /** Iterations. */
    iterations: number;
    /** Entries that they belong to. */
    entries: number;
}

/** Large messages in chunks. */
export interface Chunks {
    /** Bytes of a chunk. */
    chunk_bytes: number;
    /** Connections that take them in turn. */
    connections: number;
    /** Seconds of a message beside those of its bytes. */
    latency_seconds: number;
    /** Seconds of each byte on one connection. */
    byte_seconds: number;
}

/** What code around a loop belongs to. */
export type CodeAround =
    /** The loops of the nest around. */
    | "nest"
    /** The loop around, at `name`. */
    | "loop"
    /** The enclosing loop at `name`, which is estimated from. */
    | "enclosing-loop"
    /** The rest of the function `name`. */
    | "function"
    /** The rest of the function `name`, with remainder iterations that are no loop in the code. */
    | "straight-code";

/** A difference of the code of a function in both builds. */
export interface CodeChange {
    /** What differs. */
    what: CodeChangeKind;
    /** Line of the source. */
    line?: number;
    /** The line is in a loop. */
    in_loop?: boolean;
}

/** What differs in the code. */
export type CodeChangeKind =
    /** A multiplication and an addition are one operation, which is rounded once. */
    | { kind: "fused" }
    /** Operations on several elements at a time in place of one: sums are of partial sums. */
    | { kind: "vectors" }
    /** An approximation of a reciprocal, or of one of a square root. */
    | { kind: "approximation" }
    /** A division is none any more. */
    | { kind: "no-division" }
    /** Another function is called. */
    | { kind: "calls"; function: string };

/** A change of the program's communication, with the most that it can save. */
export interface CommAdvice {
    /** What to change, with the figures that the gain follows from. */
    change: CommChange;
    /** The function of MPI. */
    function: string;
    /** Source file and line of the call, or its address. */
    place: string;
    /** Mean seconds of a rank that were measured at this place and at those that belong to it: no gain is larger. */
    measured_seconds: number;
    /** Least and most seconds that a rank saves. */
    gain_seconds: [number, number];
    /** The same as parts of the job's elapsed time. */
    gain_share: [number, number];
}

/** What to change. */
export type CommChange =
    /** Send one message instead of many small ones to the same rank. */
    | { kind: "join-messages"; messages: number; bytes: number; together: number; message_seconds: number; waits_at?: string }
    /** Give all ranks as much to do: they wait for the slowest one. */
    | { kind: "balance-work"; slowest_rank: number; busy_seconds: number; mean_busy_seconds: number; places: number }
    /** Remove a barrier that is needed neither for files nor for timing. */
    | { kind: "remove-barrier"; calls: number; beside?: string }
    /** Ask less often whether something has arrived. */
    | { kind: "poll-less"; calls: number; messages: number }
    /** Make one collective call with several values instead of several calls. */
    | { kind: "join-collectives"; calls: number; bytes: number; together: number; call_seconds: number };

/** Messages from one rank to another. */
export interface CommEdge {
    /** Sender. */
    from: number;
    /** Receiver. */
    to: number;
    /** Messages. */
    messages: number;
    /** Their bytes. */
    bytes: number;
}

/** Calls of MPI by all ranks of a job whose calls are known. */
export interface CommFacts {
    /** How calls, bytes and messages are known: counted. Times are read from the processor's clock at each call. */
    how: Provenance;
    /** Ranks of `MPI_COMM_WORLD`; absent where no call showed it. */
    size?: number;
    /** Seconds of the longest rank. */
    elapsed_seconds: number;
    /** Mean seconds that a rank is in MPI. */
    seconds: number;
    /** There was a barrier before each collective call, so that waiting is known apart. */
    barriers: boolean;
    /** Ranks whose calls are known, by rank. */
    ranks: CommRank[];
    /** Calls by place and function, by descending time. */
    sites: CommSite[];
    /** Messages between ranks of `MPI_COMM_WORLD`: collective and one-sided calls are not in it. By sender, then receiver. */
    matrix?: CommEdge[];
    /** What is missing in these tables, summed over ranks; absent where nothing is. */
    lost?: LostCalls;
    /** Functions of MPI that are not counted, with the reason. */
    left?: CommLeft[];
    /** What may make communication quicker, by descending gain. */
    advice?: CommAdvice[];
    /** There would be more advice if it were known what messages take: `loopwright machine --measure --network`. */
    network_wanted?: boolean;
    /** What else limits the numbers, each with its way out. */
    warnings?: string[];
}

/** A function of MPI that is not counted. */
export interface CommLeft {
    /** Its name. */
    function: string;
    /** Why. */
    reason: string;
}

/** A rank. */
export interface CommRank {
    /** Its number in `MPI_COMM_WORLD`. */
    rank: number;
    /** The machine that it ran on. */
    host: string;
    /** Seconds that it ran. */
    elapsed_seconds: number;
    /** Seconds in MPI, barriers of the tool left out. */
    seconds: number;
    /** The part of `seconds` in calls for files. */
    file_seconds?: number;
    /** Calls. */
    calls: number;
    /** Messages to other ranks, or to itself. */
    messages: number;
    /** Their bytes. */
    bytes: number;
}

/** Calls of one function of MPI from one place, by all ranks. */
export interface CommSite {
    /** The function as the standard writes it. */
    function: string;
    /** What it is for. */
    class: CallClass;
    /** The function that calls it. */
    caller: string;
    /** Base name of the file that holds the caller. */
    module: string;
    /** Source file and line of the call, or its address. */
    place: string;
    /** The innermost loop around it, where that is among the loops of this analysis. */
    loop?: number;
    /** Source file and line of that loop. */
    loop_place?: string;
    /** Calls of all ranks. */
    calls: number;
    /** Bytes that they handed over. */
    bytes: number;
    /** Calls whose bytes are not known. */
    without_bytes?: number;
    /** Calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more. */
    bins: [number, number, number, number, number, number];
    /** Mean seconds of a rank in these calls. */
    seconds: number;
    /** The longest call of any rank. */
    longest_seconds: number;
    /** Mean seconds of a rank in the barriers before these calls: what it waited for others. */
    sync_seconds?: number;
    /** Without barriers, the least mean seconds that a rank waited for others, where all ranks wait for all: the mean less the shortest rank's time, since the call itself takes no rank longer than that. */
    sync_at_least?: number;
    /** How time differs between ranks; absent for one rank. */
    imbalance?: Imbalance;
    /** The rank with most time in these calls. */
    worst_rank: number;
    /** The one with least. */
    best_rank: number;
    /** Ranks that called. */
    callers: number;
}

/** An answer beside that of the first build. */
export interface ComparedAnswer {
    /** Whether it is the same; absent where there is none. */
    verdict?: AnswerVerdict;
    /** Largest difference of a number, as a share of the largest magnitude in its column. */
    largest_difference?: number;
    /** Bits in which the numbers agree: `-log2` of that. */
    significant_bits?: number;
    /** The first line that is not accepted. */
    first_difference?: FirstDifference;
    /** What a compiler said, or how the program ended, where there is no answer. */
    note?: string;
}

/** The document. */
export interface ComparisonDocument {
    /** Name of the first state. */
    before: string;
    /** Name of the second state. */
    after: string;
    /** Wall-clock seconds of the two runs. */
    elapsed: [number, number];
    /** CPU seconds of the two runs. */
    cpu: [number, number];
    /** Everything counted in the first state, runtimes that wait for other threads left out. */
    before_counts?: CountSums;
    /** The same in the second. */
    after_counts?: CountSums;
    /** The program's counts side by side; empty unless both states have counts. */
    counted?: CountChange[];
    /** The two states ran different commands. */
    other_command?: boolean;
    /** A counting run was cut short, or one of them counted other modules: totals are not comparable. */
    partial?: boolean;
    /** Source loops by the larger of their two self times, then of their instructions. */
    loops: LoopChange[];
    /** Counted functions that have other loops than before, or exist in one state only. */
    functions?: FunctionChange[];
    /** The time by which the program is judged faster or slower, and why. */
    judged: Judged;
    /** What `loopwright check` finds; in a report only. */
    findings?: Finding[];
    /** The earlier state's recommendations, compared with what changed. */
    predictions: Prediction[];
}

/** A compiler's claim about the source loop. */
export interface CompilerClaim {
    /** Compiler and version. */
    compiler: string;
    /** It claims that the loop is vectorised. */
    vectorized: boolean;
    /** Claimed vector width in bytes, when said. */
    vector_bytes?: number;
}

/** Compilers and their options. */
export type CompilerEvidence =
    /** Why the loop is scalar. */
    | { kind: "why-not"; compiler?: string; reason: string; meaning?: string; message: string }
    /** A remark of a compiler about the loop. */
    | { kind: "remark"; message: string; quoted: boolean }
    /** The compiler calls the loop vectorised, its sum is not. */
    | { kind: "sum-left-scalar" }
    /** Compilers that vectorise the loop, and that do not. */
    | { kind: "others-vectorise"; able: string; unable: string[] }
    /** Vectors that the other compiler uses. */
    | { kind: "vector-bytes"; bytes: number }
    /** The processor that the code was compiled for. */
    | { kind: "architecture"; march?: string }
    /** The level of optimisation is too low for vectors. */
    | { kind: "optimisation-level"; level: string }
    /** A change that options of the compiler make. */
    | { kind: "by-options"; change: string; loops: number; share?: number }
    /** The code is not optimised. */
    | { kind: "unoptimised"; recorded: boolean }
    /** The module has no line tables. */
    | { kind: "no-line-tables" }
    /** The module has no symbols. */
    | { kind: "no-symbols" };

/** A compiler family. */
export type CompilerFamily =
    /** GNU (gcc, g++, gfortran). */
    | "gcc"
    /** LLVM (clang, flang, rustc). */
    | "clang"
    /** Intel (classic icc/ifort and their reports). */
    | "intel";

/** One condition of the machine. */
export interface Condition {
    /** Stable name ("transparent-huge-pages"). */
    id: string;
    /** Title in a few words. */
    title: string;
    /** The value found. */
    value: string;
    /** The verdict on the value. */
    verdict: ConditionVerdict;
    /** Why it matters to a measurement. */
    explain: string;
    /** The remedy, where there is one. */
    remedy?: string;
}

/** A run of the first build under another condition. */
export interface ConditionFacts {
    /** The condition. */
    condition: RunCondition;
    /** Its answer. */
    answer: ComparedAnswer;
}

/** The effect of a condition on a measurement. */
export type ConditionVerdict =
    /** As it should be. */
    | "good"
    /** Worth knowing. */
    | "neutral"
    /** Disturbs measurements or hides what they could show. */
    | "bad"
    /** Cannot be read. */
    | "unknown";

/** How sure a recommendation is that its change helps. */
export type Confidence =
    /** A hint: the facts fit, but so do harmless explanations; look before acting. */
    | "low"
    /** The cause is likely; the size of the gain is not known well. */
    | "medium"
    /** The cause is seen in the code or said by a compiler. */
    | "high";

/** A phase with its cost. */
export interface Cost {
    /** What. */
    phase: Phase;
    /** Elapsed time. Phases follow each other without gaps. */
    seconds: number;
    /** CPU time of the tool meanwhile, without that of the program and of compilers; in steps of 10 ms. */
    cpu_seconds: number;
    /** Part of `seconds` in which a thread of the program waited for the tool. */
    waiting_seconds?: number;
}

/** A count in both states. */
export interface CountChange {
    /** What was counted. */
    what: Counted;
    /** In the first state. */
    before: number;
    /** In the second. */
    after: number;
}

/** Counts of a source loop: its pieces and inlined copies added up (own work). */
export interface CountSums {
    /** Executed instructions. */
    instructions: number;
    /** Floating-point operations. */
    flop: number;
    /** Integer operations. */
    int_ops: number;
    /** Bytes loaded and stored. */
    bytes: number;
    /** Source iterations. */
    iterations: number;
    /** Entries of the source loop, where they are exact. */
    entries?: number;
    /** Executed packed share of the FLOP, of the integer operations where there are no FLOP. */
    packed_share?: number;
}

/** What was counted. */
export type Counted =
    /** Executed instructions. */
    | "instructions"
    /** Floating-point operations. */
    | "flop"
    /** Integer operations. */
    | "integer-operations"
    /** Bytes loaded and stored. */
    | "bytes"
    /** Source iterations. */
    | "iterations"
    /** Entries of the source loop. */
    | "entries";

/** How often a loop was entered, and how many machine iterations an entry had. */
export interface CountedEntries {
    /** Entries. */
    entries: number;
    /** Median of the machine iterations of an entry. */
    median?: number;
    /** Bounds of the median, where it is not known exactly. */
    median_bounds?: [number, number];
    /** Mean of the machine iterations of an entry. */
    mean?: number;
    /** The distribution is not exact. */
    approximate: boolean;
}

/** The counting run as a whole. */
export interface CountingFacts {
    /** Counting runs joined here: one, one for each rank, more when later ones counted other loops. */
    runs: number;
    /** Everything that was counted, added up. */
    work: WorkRow;
    /** Base names of modules of which no run counted all functions. */
    modules_in_part?: string[];
    /** Loops with counts. */
    loops: number;
    /** Functions with counts. */
    functions: number;
    /** Threads that ran counted code. */
    threads: number;
    /** Processes that ran counted code. */
    processes: number;
    /** Share of the survey's time that is in counted code; absent without a survey. */
    counted_share?: number;
    /** Seconds spent reading and rewriting code before the program's first instruction. */
    setup_seconds: number;
    /** Seconds of `elapsed_seconds` in which a thread waited for code to be rewritten, at first calls. */
    waiting_seconds: number;
    /** Wall-clock seconds of the counted program. */
    elapsed_seconds: number;
    /** Elapsed time of the counted run / elapsed time of the survey: an indication only, each ran once. */
    overhead?: number;
    /** The run was cut short: counts so far. */
    interrupted?: boolean;
    /** How it ended, in words. */
    outcome: string;
    /** Code that ran uncounted, that with most time first. */
    left_alone?: LeftAloneFacts[];
}

/** A function that changes the answer. */
export interface CulpritFunction {
    /** Its name, as the source has it where that can be read from the symbol. */
    name: string;
    /** How its code differs in the second build. */
    changes?: CodeChange[];
}

/** A point of a curve. */
export interface CurvePoint {
    /** Operations in each iteration. */
    operations: number;
    /** Time of an iteration, as a multiple of that without operations. */
    ratio: number;
    /** Interval of the ratio (95 %): lower end. */
    low: number;
    /** Upper end. */
    high: number;
}

/** Bytes that leave the caches before anything can come back to them. */
export interface DataPass {
    /** Bytes of one pass, of all cores that share the last-level cache. */
    bytes: number;
    /** What one pass is. */
    per: PassUnit;
    /** Place of the loop around that it is a pass of. */
    around?: string;
}

/** One end of a dependence. */
export interface DependenceEnd {
    /** Source file. */
    file?: string;
    /** Source line. */
    line?: number;
    /** Expression or variable. */
    operand?: string;
    /** Instruction, hexadecimal. */
    address: string;
    /** Function, when it is not the loop's own. */
    function?: string;
}

/** What iterations hand to each other. */
export type DependenceEvidence =
    /** A chain through a register or a place in memory. */
    | { kind: "chain"; carrier: Carrier; role: ChainRole; cycles: number }
    /** The time that a chain explains. */
    | { kind: "chain-time"; iterations: number; cycles: number; share: number }
    /** What the instructions would need without the chain. */
    | { kind: "without-chain"; instructions: number; cycles: number }
    /** Each iteration waits for what the one before it stored. */
    | { kind: "waits"; now: number; without: number }
    /** What a pointer chase takes at least. */
    | { kind: "chase-cycles"; cycles: number }
    /** Registers that a reduction accumulates in. */
    | { kind: "accumulators"; registers: number }
    /** A carried value may keep the loop scalar as well. */
    | { kind: "also-carries-value" }
    /** A dependence that occurred. */
    | { kind: "occurred"; dependence: DependenceKind; source: DependenceEnd; sink: DependenceEnd; distance: number; times: number; address?: string }
    /** A dependence that did not occur: what was seen, no proof. */
    | { kind: "not-seen"; which: UnseenDependence; checked: CheckedExtent }
    /** What was checked. */
    | { kind: "were-checked"; checked: CheckedExtent }
    /** Each iteration writes the place first. */
    | { kind: "written-first" }
    /** What a check could not see. */
    | { kind: "beyond-horizon"; iterations: number }
    /** Scalars that a directive's clauses name. */
    | { kind: "clause-scalars"; private: boolean; scalars: CarriedScalar[] }
    /** No dependence through memory was seen at a loop around. */
    | { kind: "none-through-memory"; place: string }
    /** No iteration of a loop around was seen to read what an earlier one wrote. */
    | { kind: "no-flow"; place: string; reused: boolean; checked: CheckedExtent }
    /** Arrays that each iteration writes anew. */
    | { kind: "work-arrays"; lines: number[] }
    /** Along another loop around the arrays are consecutive. */
    | { kind: "consecutive-along"; place: string }
    /** Iterations of a loop around meet at the same element in the same iteration of this loop. */
    | { kind: "same-element"; place: string }
    /** Why a loop above cannot be shared out. */
    | { kind: "serial-loop-above"; above: LoopName; why: SerialReason }
    /** The loop makes atomic operations. */
    | { kind: "atomic-operation" }
    /** The loop has several exits. */
    | { kind: "exits"; exits: number }
    /** The code shows nothing that forbids vectors. */
    | { kind: "no-obstacle" };

/** What is known of the dependences that a loop carries. */
export interface DependenceFacts {
    /** Whether the loop may be vectorised. */
    vector: VectorVerdict;
    /** For `safe-up-to`: most source iterations at once. The code shows the distance: it holds for all data. */
    max_length?: number;
    /** Whether its iterations may run on several threads. */
    parallel: ParallelVerdict;
    /** The verdict in one sentence, with what was checked. */
    verdict: string;
    /** Source iterations that were checked: inferred, as far as the code and its strides show how many a machine iteration does. */
    checked_iterations: number;
    /** Machine iterations that were checked: counted. */
    checked_machine_iterations: number;
    /** Entries that were checked: counted. */
    checked_entries: number;
    /** Longest distance in source iterations that could have been seen. */
    horizon: number;
    /** Everything that the loop executed was checked. */
    exhaustive: boolean;
    /** Carried dependences, those that forbid something first. */
    found: FoundDependence[];
    /** Exits that the data decides about: each iteration depends on the ones before it. */
    early_exits?: DependenceEnd[];
    /** Reductions: registers or variables, with their lines. */
    reductions?: CarriedScalar[];
    /** Counters and pointers that advance by a constant. */
    inductions?: CarriedScalar[];
    /** Scalars that every iteration writes before it reads them: a private copy each would do. */
    private?: CarriedScalar[];
    /** Why the verdict is not surer, a sentence each (calls of unknown code, parts that ran untraced). */
    unknown?: string[];
}

/** Which access depends on which. */
export type DependenceKind =
    /** Read after write: a true (flow) dependence. */
    | "RAW"
    /** Write after read: an anti-dependence. */
    | "WAR"
    /** Write after write: an output dependence. */
    | "WAW";

/** What disturbed runs: medians. */
export interface DisturbanceFacts {
    /** How often a run lost its CPU to other work, for each second of it. */
    preempted_per_second?: number;
    /** Part of a run in which some task of the machine waited for a CPU. */
    pressure?: number;
}

/** The energy of a domain during a run. */
export interface DomainEnergy {
    /** What the counter covers. */
    domain: EnergyDomain;
    /** Joules; absent where the counter cannot be believed. */
    joules?: number;
    /** Why it cannot be believed. */
    fault?: EnergyFault;
}

/** Where the elapsed time of the run went, as far as it is known. */
export interface ElapsedFacts {
    /** A CPU ran the program. */
    running_seconds: number;
    /** None did, although a thread was ready: other programs had the CPUs. */
    ready_seconds: number;
    /** Every thread of the program was blocked. */
    blocked_seconds: number;
    /** Waits that held the program up meanwhile, by descending time. */
    held_up?: WaitFacts[];
    /** How often the threads were looked at to know that. */
    looks: number;
}

/** The order of elements that are accessed through indices. */
export type ElementOrder =
    /** One after another. */
    | "consecutive"
    /** One after another, backwards. */
    | "reversed"
    /** The same element. */
    | "same"
    /** Ascending, on one or two cache lines. */
    | "sorted";

/** Element types that arithmetic works on. */
export type ElementType =
    | "f16"
    | "bf16"
    | "f32"
    | "f64"
    | "f80"
    | "i8"
    | "i16"
    | "i32"
    | "i64";

/** What a counter covers. */
export type EnergyDomain = { part: "package"; socket: number } | { part: "memory"; socket: number } | { part: "cores"; socket: number } | { part: "graphics"; socket: number } | { part: "platform" };

/** The energy of the sampled run, and of runs with other numbers of threads. */
export interface EnergyFacts {
    /** How it is known: by counters of the processor, which cover all that runs on its sockets, or by a model. */
    source: EnergySource;
    /** The sampled run. */
    run?: RunEnergy;
    /** Loops by their share of the run's energy, which is that of their self time; the largest first. */
    loops?: LoopEnergy[];
    /** Functions by theirs. */
    functions?: FunctionEnergy[];
    /** Runs with other numbers of threads, by their number. */
    threads?: ThreadsEnergy[];
    /** The position in `threads` that takes the least energy. */
    least_energy?: number;
    /** The one with the smallest product of energy and time. */
    least_delay_product?: number;
    /** The program had the same number of threads whatever number it was given. */
    same_threads?: boolean;
}

/** Why a counter cannot be believed. */
export type EnergyFault =
    /** It did not move. */
    | "frozen"
    /** It moved by more than any processor can use: it was reset, or the machine slept. */
    | "jumped"
    /** It could not be read any more. */
    | "lost"
    /** The run was shorter than the time between two updates of the counter allows. */
    | "brief";

/** An interface of the kernel to the counters. */
export type EnergyInterface =
    /** Events of perf's driver `power`. */
    | "perf"
    /** `/sys/class/powercap`. */
    | "powercap"
    /** Registers of the processor, `/dev/cpu/*\/msr`. */
    | "msr";

/** How energy is known. */
export type EnergySource =
    /** Counters of the processor. */
    | { kind: "counters"; interface: EnergyInterface }
    /** A model: power without work, and of each busy core more. */
    | { kind: "model"; idle_watts: number; core_watts: number; calibrated: boolean; worst?: number };

/** A median with its 95 % bootstrap interval. */
export interface Estimate {
    /** Median. */
    median: number;
    /** Lower end. */
    low: number;
    /** Upper end. */
    high: number;
}

/** A fact and how it was obtained. */
export type Evidence = { provenance: Provenance } & (TimeEvidence | TripEvidence | VectorEvidence | WorkEvidence | MemoryEvidence | DependenceEvidence | ShapeEvidence | CallEvidence | ThreadEvidence | CompilerEvidence | MachineEvidence | ExpectedEvidence | BottleneckEvidence);

/** An example of a reason. */
export interface Example {
    /** Language of the code. */
    language: string;
    /** The code as it is. */
    before: string;
    /** The code as it should be; absent when flags alone mend it. */
    after?: string;
    /** Compiler options that mend it. */
    flags?: string;
}

/** The expectation of a result: relative to the first stage's, a bound or an analytic answer. */
export interface Expectation {
    /** Difference relative to the larger of the two. */
    relative?: number;
    /** Difference. */
    absolute?: number;
    /** Equal to the last bit. */
    exact?: boolean;
    /** No more than this, whatever the first stage had. */
    at_most?: number;
    /** Not compared. */
    ignore?: boolean;
    /** An analytic answer instead of the first stage's. */
    value?: number;
}

/** A change that makes a loop faster. */
export type ExpectedChange =
    /** Plain loads instead of a gather, at half a cycle per lane. */
    | "no-gather"
    /** No gathers or scatters. */
    | "no-indexed-accesses"
    /** Plain subscripts, with which the loop can be vectorised. */
    | "plain-subscripts"
    /** Multiplications instead of divisions. */
    | "multiplications"
    /** Nothing but the arithmetic and the data, in vectors. */
    | "vector-arithmetic"
    /** A nest without the short loop's control, then in vectors. */
    | "no-short-loop"
    /** One more vector iteration instead of remainder iterations. */
    | "one-more-pass"
    /** Remainder iterations as one vector iteration. */
    | "vector-remainder"
    /** No tests, and a vector loop. */
    | "no-tests"
    /** Vectors, which nothing else is in the way of. */
    | "vectors-too"
    /** The usual path alone. */
    | "usual-path"
    /** From the next wider kernels of a library to the widest. */
    | "wider-kernels"
    /** A quarter to all of the smaller loop's data shared. */
    | "shared-data";

/** What a change is expected to bring. */
export type ExpectedEvidence =
    /** How many times faster the loop is after a change. */
    | { kind: "faster"; with: ExpectedChange; low?: number; high: number }
    /** What such a change usually brings. */
    | { kind: "usual"; low: number; high: number }
    /** The part of the time that such a change usually saves. */
    | { kind: "saved"; least: number; most: number }
    /** What the model gives for this change alone, and what the whole changes of experts gained against that. */
    | { kind: "whole-change"; model: [number, number, number]; programs: number; likely: number; most: number }
    /** What is known from experience. */
    | { kind: "from-experience"; of: Experience };

/** What is known from experience, for every program. */
export type Experience =
    /** Compiled code against interpreted loops. */
    | "compiled-loops"
    /** Optimised against unoptimised scalar loops. */
    | "optimised-loops"
    /** Another memory allocator, or none. */
    | "other-allocator"
    /** A vector version against a scalar one. */
    | "vector-version"
    /** Other programs built with options for the machine. */
    | "options-elsewhere";

/** A reason in words. */
export interface Explanation {
    /** In a few words. */
    title: string;
    /** Nothing needs to be done. */
    benign: boolean;
    /** What it means. */
    meaning: string;
    /** What it costs. */
    cost?: string;
    /** What can be done. */
    remedies: Remedy[];
    /** What to mind. */
    caveats?: string;
    /** Code before and after. */
    examples?: Example[];
}

/** One feature of the processor. */
export interface Feature {
    /** Stable name, lower case ("avx512_vnni"). */
    id: string;
    /** Name as manuals print it. */
    name: string;
    /** Its group ("vector", "bit manipulation", ...). */
    group: string;
    /** Its purpose, in one line. */
    purpose: string;
    /** The processor has it. */
    present: boolean;
    /** The operating system lets programs use it; a feature for the system only (the note says so) is used by the system. Only meaningful when present. */
    enabled: boolean;
    /** Why it is not enabled and the remedy, or another note. */
    note?: string;
}

/** The functions of a source that change the answer. */
export interface FileCulprits {
    /** The source. */
    file: string;
    /** Sets of functions: those of a set change the answer together. */
    functions?: CulpritFunction[][];
    /** Which functions were inlined while these were found. */
    inlining: Inlining;
    /** Why the search ended before all of them were found. */
    halted?: SearchHalted;
}

/** A sentence with a weight. */
export interface Finding {
    /** How grave. */
    severity: Severity;
    /** About what. */
    kind: FindingKind;
    /** Place in the comparison's `loops`; absent when it is a function or the program. */
    index?: number;
    /** Function, alone when a function is judged instead of its loops; absent for the program. */
    function?: string;
    /** `file:line`; absent for a function and the program. */
    place?: string;
    /** The count, when it is about one. */
    change?: CountChange;
    /** What happened, in one sentence. */
    text: string;
}

/** What a finding is about. */
export type FindingKind =
    /** A count grew. */
    | "more-work"
    /** A count shrank. */
    | "less-work"
    /** Vectorised before, not any more. */
    | "no-longer-vectorized"
    /** Scalar before, vectorised now. */
    | "now-vectorized"
    /** Still vectorised, but more of its work runs in scalar code. */
    | "less-packed"
    /** Slower, beyond what sampling scatters. */
    | "slower"
    /** Faster, beyond what sampling scatters. */
    | "faster"
    /** Only in the second state. */
    | "appeared"
    /** Only in the first state. */
    | "vanished"
    /** The states cannot be compared in this respect. */
    | "not-comparable";

/** A recommendation that fired, for all places that it names. */
export interface Fired {
    /** What to do, as in the advice. */
    id: string;
    /** One line. */
    title: string;
    /** How sure, where it is inferred; absent of what was counted, whose gain is a bound. */
    confidence?: "low" | "medium" | "high";
    /** The places that it names. */
    places: string[];
    /** Predicted gain of the program when all places follow it. */
    program_gain?: [number, number];
    /** What the model gives for the change alone: least, likely, most. */
    modelled?: [number, number, number];
    /** Ids of the changes in it, where it is a package of several. */
    changes?: string[];
}

/** A line in which two answers differ. */
export interface FirstDifference {
    /** `standard output`, or a file as the user named it. */
    output: string;
    /** Its line, from 1. */
    line: number;
    /** The line of the unchanged program. */
    expected: string;
    /** The line of the changed one. */
    found: string;
}

/** Options for one compiler. */
export interface Flags {
    /** Compiler: `gcc`, `clang`, `gfortran`, `ifx`, ... */
    compiler: string;
    /** The options, as typed. */
    flags: string;
}

/** A node of a top-down tree, written as a list in which each node follows its parent. */
export interface FlatNode {
    /** Index of the parent in the list; `null` for the root, which comes first. */
    parent: number | null;
    /** `program`, `function` or `loop`. */
    kind: "program" | "function" | "loop";
    /** Function name, or `loop at file:line`. */
    name: string;
    /** Loop id. */
    loop_id?: number;
    /** Module base name. */
    module: string;
    /** Self time. */
    self_seconds: number;
    /** Total time. */
    total_seconds: number;
}

/** What a compiler may do to the results of floating-point operations, each more than those before it. */
export type FloatSemantics =
    /** Each operation is rounded as the source has it. */
    | "exact"
    /** A multiplication and an addition may become one operation, which is rounded once. */
    | "contract"
    /** Operations may be reordered, and divisions become multiplications. */
    | "reassoc"
    /** NaN, infinities and signed zeros may be ignored, too. */
    | "fast";

/** A peak arithmetic rate. */
export interface FlopCeiling {
    /** `scalar`, `SSE`, `AVX2`, `AVX-512`. */
    level: string;
    /** Element type. */
    element: ElementType;
    /** By fused multiply-adds. */
    fma: boolean;
    /** Cores used. */
    cores: number;
    /** GFLOP/s. */
    gflops: number;
}

/** A carried dependence. */
export interface FoundDependence {
    /** Which of the two ends writes. */
    kind: DependenceKind;
    /** Through memory, else through a register. */
    memory: boolean;
    /** Nearest distance in source iterations. */
    distance: number;
    /** All distances that were seen: pairs of source iterations and occurrences, ascending. */
    distances?: [number, number][];
    /** The operation that comes first in time. */
    source: DependenceEnd;
    /** The one that comes later. */
    sink: DependenceEnd;
    /** An address at which it occurred, hexadecimal. */
    example?: string;
    /** The source precedes the sink in an iteration: vectors keep the order. */
    forward: boolean;
    /** A private copy for each iteration removes it. */
    privatisable: boolean;
    /** It limits vectorisation. */
    limits_vectors: boolean;
    /** The code shows that the distance is the same whatever the data: constant offsets from one base, or registers. */
    constant_distance?: boolean;
}

/** Points at one moment. */
export interface Frame {
    /** The step of the simulation. */
    step: number;
    /** Lists of three: x, y (0 to 1, upwards), and the number of the point's kind. */
    points: [number, number, number][];
}

/** The counts of a function whose loops cannot be compared one by one. */
export interface FunctionChange {
    /** Name, without what compilers add for clones. */
    function: string;
    /** Base name of its module. */
    module: string;
    /** Counts in the first state. */
    before_counts?: CountSums;
    /** The same in the second. */
    after_counts?: CountSums;
}

/** The energy of a function. */
export interface FunctionEnergy {
    /** Its name. */
    function: string;
    /** The module that has it. */
    module: string;
    /** Joules. */
    joules: number;
}

/** A function with time. */
export interface FunctionFacts {
    /** Name. */
    function: string;
    /** Base name of its module. */
    module: string;
    /** The module is the main program's executable. */
    main_module: boolean;
    /** File of its definition. */
    file?: string;
    /** Line of its definition. */
    line?: number;
    /** Time in its own instructions. */
    self_seconds: number;
    /** Its share of the CPU time. */
    self_share: number;
    /** Time with all that it calls. */
    total_seconds: number;
    /** Its share of the CPU time. */
    total_share: number;
    /** Samples of its own instructions. */
    samples: number;
    /** The compiler's own description of itself and its flags. */
    producer?: string;
    /** Self time in cycles with several entries, which are not loops, outside the loops within; absent when there is none. */
    irreducible_seconds?: number;
    /** Call instructions in its code that call itself; absent when there is none. */
    calls_itself?: number;
    /** Integer divisions in its code outside loops; absent when there is none. */
    integer_divisions?: number;
    /** Indirect jumps whose targets were not found: the loops of this function may be incomplete. */
    unresolved_jumps?: number;
    /** Counted calls. */
    calls?: number;
    /** Counted work of its own code (called functions excluded). */
    work?: WorkRow;
    /** All of its code was counted (else only parts, such as its loops); absent without counts. */
    complete?: boolean;
    /** What of it ran uncounted and why, one sentence each. */
    left_alone?: string[];
    /** What each thread did, and how uneven that is. */
    by_thread?: ByThread;
    /** The functions that the compiler inlined into it and that take time, by total time, so that one comes before those that it holds. Their time is part of its own. */
    inlined?: InlinedFunction[];
}

/** A speed-up: `low <= likely <= high`, all finite. Below 1 the change makes the code slower; only `Gain::around` and `Gain::down_to` make such a range. Serialised as `[low, high]`. */
export type Gain = [number, number];

/** Lanes of a gather or scatter. */
export interface GatherFacts {
    /** Bytes between neighbouring lanes, when nearly always the same. */
    lane_stride_bytes?: number;
    /** Share of executions whose lanes all have the same distance. */
    affine_share: number;
    /** Share whose lanes ascend. */
    ascending_share: number;
    /** Mean number of distinct lines of one execution. */
    lines_per_execution: number;
    /** Mean number of active lanes. */
    active_lanes: number;
}

/** A lattice of ranks. */
export interface GridFacts {
    /** Points along each dimension; the last one changes fastest with the rank. */
    dimensions: number[];
    /** Whether the first and the last point along each dimension are neighbours. */
    periodic: boolean[];
    /** Part of the bytes that is between neighbours, diagonal ones included. */
    share: number;
}

/** What to change. */
export interface HeapAdvice {
    /** Which change. */
    change: HeapChange;
    /** Most seconds of a rank that the change can save. */
    at_most_seconds: number;
    /** These seconds as a share of the run. */
    at_most_share: number;
}

/** A change of the heap's use or settings. */
export type HeapChange =
    /** Have the C library keep large blocks, in place of giving them back to the system and having them cleared again. */
    | { kind: "keep-blocks"; faults: number; resident_bytes: number; large_calls: number };

/** Allocations by all ranks of a job, or by one process. */
export interface HeapFacts {
    /** How calls and bytes are known: counted. */
    how: Provenance;
    /** How live and peak bytes are known: by samples, one for each 512 KiB that are allocated. */
    live_how: Provenance;
    /** Seconds of the longest rank. */
    elapsed_seconds: number;
    /** Ranks whose allocations are known, by rank; one where there is no job. */
    ranks: HeapRank[];
    /** Allocations by place and function, by descending bytes. */
    places: HeapPlace[];
    /** What to change, the largest possible gain first. */
    advice?: HeapAdvice[];
    /** What is missing in these tables, summed over ranks; absent where nothing is. */
    lost?: LostAllocations;
    /** Functions that are not counted, with the reason. */
    left?: CommLeft[];
    /** What else limits the numbers, each with its way out. */
    warnings?: string[];
}

/** Allocations by one function from one place, by all ranks. */
export interface HeapPlace {
    /** The outermost function: of C++ or a library around the allocator, else of the allocator. */
    function: string;
    /** The function that calls it. */
    caller: string;
    /** Base name of the file that holds the caller. */
    module: string;
    /** Source file and line of the call, or its address. */
    place: string;
    /** The innermost loop around it, where that is among the loops of this analysis. */
    loop?: number;
    /** Source file and line of that loop. */
    loop_place?: string;
    /** Allocations of all ranks; moving one counts as one. */
    calls: number;
    /** Bytes that they asked for. */
    bytes: number;
    /** Allocations by bytes: below 16, 256, 4096, 65536, 1 MiB, and more. */
    bins: [number, number, number, number, number, number];
    /** Bytes that were not freed at the end, by samples. */
    live_bytes: number;
    /** Most bytes of a rank at a time, by samples. */
    peak_bytes: number;
    /** Ranks that called. */
    callers: number;
}

/** A rank's heap. */
export interface HeapRank {
    /** Its number; 0 where there is no job. */
    rank: number;
    /** The machine that it ran on. */
    host: string;
    /** Seconds that it ran. */
    elapsed_seconds: number;
    /** Allocations. */
    calls: number;
    /** Bytes that they asked for. */
    bytes: number;
    /** Highest live bytes, by samples. */
    peak_bytes: number;
    /** Most memory in use: the highest resident set. */
    resident_bytes: number;
    /** Pages that were touched for the first time, or again after they were given back (minor faults). */
    faults: number;
    /** Processor seconds in the system. */
    system_seconds: number;
}

/** A simulated cache hierarchy. */
export interface Hierarchy {
    /** `this machine`, or as given with `--cache`. */
    name: string;
    /** Levels, nearest first. */
    levels: CacheGeometry[];
}

/** How often the advice was right. */
export interface HitRate {
    /** Rungs with a comparison of advice. */
    rungs: number;
    /** The expected recommendation was among the first three. */
    recommended: number;
    /** Rungs with a measured gain and a predicted one. */
    predicted: number;
    /** The measured gain was in the predicted range. */
    came_true: number;
}

/** Seconds of a message: latency, and a time for each byte (Hockney). */
export interface HockneyLine {
    /** Seconds of an empty message. */
    latency_seconds: number;
    /** Seconds of each byte: the reciprocal of the bandwidth; 0 where larger messages took no longer. */
    byte_seconds: number;
}

/** A function with its share of the CPU time. */
export interface HotFunction {
    /** Function. */
    function: string;
    /** Share of the CPU time. */
    share: number;
}

/** A loop that a library call could replace. */
export type Idiom =
    | "memset"
    | "memcpy";

/** CrayPAT's measures of load imbalance. */
export interface Imbalance {
    /** Threads that ran the function which holds the code. */
    threads: number;
    /** The busiest thread's seconds or instructions. */
    max: number;
    /** Mean over `threads`. */
    mean: number;
    /** `Imb. Time`: max - mean, what perfect balance would save. */
    excess: number;
    /** `Imb. Time%` as a share 0..=1: (max - mean) / max x N / (N - 1); 1 when one thread does everything. */
    share: number;
}

/** Calls of a function that alternated between its unchanged and its changed version, in the same runs. */
export interface InRunFacts {
    /** The function. */
    function: string;
    /** Timed calls of both versions together. */
    calls: number;
    /** The function's share of the program's time, with what it calls. */
    share: number;
    /** The 95 % interval of the measured speed-up of the function, `[low, high]`. */
    measured: [number, number];
    /** The median of these speed-ups. */
    measured_median: number;
}

/** One level of inlining: the code belongs to `function`, which was called at `call_site`. */
export interface InlineFrame {
    /** The function that was inlined (demangled). */
    function: string;
    /** Where its caller called it. */
    call_site?: SourceLocation;
}

/** A function that was inlined into another one. */
export interface InlinedFunction {
    /** Name. */
    function: string;
    /** Time in its own instructions: those that it has there, without what was inlined into them in turn. */
    self_seconds: number;
    /** Its share of the CPU time. */
    self_share: number;
    /** Time with all that was inlined into it and that it calls. */
    total_seconds: number;
    /** Its share of the CPU time. */
    total_share: number;
    /** Samples of its own instructions. */
    samples: number;
}

/** Which functions a compiler inlines: where one is, the function that calls it has its code. */
export type Inlining =
    /** None, so that what is called is told from what calls it. */
    | "none"
    /** Those that the source declares as such. */
    | "declared"
    /** Those that both builds inline. */
    | "as-built";

/** What to change. */
export interface IoAdvice {
    /** Which change. */
    change: IoChange;
    /** Where: the path of a file, or the place of the calls. */
    place: string;
    /** Calls that it is about. */
    calls: number;
    /** Mean bytes of such a call; absent where it moves none. */
    mean_bytes?: number;
    /** Most seconds of a rank that the change can save: those in the calls that it removes. */
    at_most_seconds: number;
    /** These seconds as a share of the run. */
    at_most_share: number;
}

/** A change of input or output. */
export type IoChange =
    /** Collect many small writes of the system in a buffer. */
    | "buffer-writes"
    /** Read larger pieces. */
    | "buffer-reads"
    /** Do not flush after each line or element. */
    | "flush-less"
    /** Do not wait for the device so often. */
    | "sync-less"
    /** Keep the file open. */
    | "keep-open";

/** What a call is for. */
export type IoClass =
    /** Reads. */
    | "read"
    /** Writes, or hands over to be written. */
    | "write"
    /** Opens, closes, and looks for files. */
    | "open"
    /** Moves the position. */
    | "seek"
    /** Waits until bytes are on the device. */
    | "sync"
    /** Everything else. */
    | "other";

/** Input and output by all ranks of a job, or by one process. */
export interface IoFacts {
    /** How calls and bytes are known: counted. Times are read from the processor's clock at each call. */
    how: Provenance;
    /** Seconds of the longest rank. */
    elapsed_seconds: number;
    /** Mean seconds that a rank is in calls of input and output, summed over its threads. */
    seconds: number;
    /** Ranks whose calls are known, by rank; one where there is no job. */
    ranks: IoRank[];
    /** Files by descending time. Transfers are system calls of the program and its libraries: what is read through a mapping and by code without the C library is not seen. */
    files: IoFile[];
    /** Calls by place and function, by descending time. */
    places: IoPlace[];
    /** What to change, the largest possible gain first. */
    advice?: IoAdvice[];
    /** What is missing in these tables, summed over ranks; absent where nothing is. */
    lost?: LostTransfers;
    /** Functions that are not counted, with the reason. */
    left?: CommLeft[];
    /** What else limits the numbers, each with its way out. */
    warnings?: string[];
}

/** Transfers of the system to and from one file, by all ranks. */
export interface IoFile {
    /** What it is. */
    target: IoTarget;
    /** Its path as the program wrote it; absent for other targets. `..` before it: a folder that the program had opened, or the beginning of a long path. */
    path?: string;
    /** Ranks that used it. */
    ranks: number;
    /** Times that it was opened. */
    opens: number;
    /** Reading system calls. */
    reads: number;
    /** Writing system calls. */
    writes: number;
    /** Bytes read. */
    read_bytes: number;
    /** Bytes written. */
    written_bytes: number;
    /** Bytes that were mapped: what is moved through mappings is not seen. */
    mapped_bytes?: number;
    /** Mean seconds of a rank in reading calls. */
    read_seconds: number;
    /** Mean seconds of a rank in writing calls. */
    write_seconds: number;
    /** Mean seconds of a rank in calls that open, close, seek and sync. */
    other_seconds: number;
    /** The longest reading or writing call of any rank. */
    longest_seconds: number;
    /** Moves of the position. */
    seeks: number;
    /** Calls that waited for the device. */
    syncs: number;
    /** Share of the transfers that began where the one before had ended; absent where none is known. */
    consecutive_share?: number;
    /** Share of the transfers that began before the end of the one before. */
    backward_share?: number;
    /** Transfers that began or ended inside of a page of 4096 bytes. */
    unaligned: number;
    /** Changes between reading and writing. */
    switches: number;
    /** Reading calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more. */
    read_bins: [number, number, number, number, number, number];
    /** Writing calls by bytes. */
    write_bins: [number, number, number, number, number, number];
    /** How the seconds differ between ranks; absent for one rank. */
    imbalance?: Imbalance;
}

/** Calls of one function from one place, by all ranks: the outermost call of those that a transfer goes through. */
export interface IoPlace {
    /** The function, without the marks of its versions. */
    function: string;
    /** What it is for. */
    class: IoClass;
    /** The function that calls it. */
    caller: string;
    /** Base name of the file that holds the caller. */
    module: string;
    /** Source file and line of the call, or its address. */
    place: string;
    /** The innermost loop around it, where that is among the loops of this analysis. */
    loop?: number;
    /** Source file and line of that loop. */
    loop_place?: string;
    /** Calls of all ranks. */
    calls: number;
    /** Calls that returned an error. */
    failed?: number;
    /** Bytes that they moved between the program and the file or its buffer, as far as the calls show them. */
    bytes: number;
    /** Calls whose bytes are not known. */
    without_bytes?: number;
    /** Calls by bytes: below 16, 256, 4096, 65536, 1 MiB, and more. */
    bins: [number, number, number, number, number, number];
    /** Transfers of the system that they made. */
    transfers: number;
    /** Bytes of these transfers. */
    moved: number;
    /** Mean seconds of a rank in these calls. */
    seconds: number;
    /** The longest call of any rank. */
    longest_seconds: number;
    /** How time differs between ranks; absent for one rank. */
    imbalance?: Imbalance;
    /** The rank with most time in these calls. */
    worst_rank: number;
    /** Ranks that called. */
    callers: number;
}

/** A rank's input and output. */
export interface IoRank {
    /** Its number; 0 where there is no job. */
    rank: number;
    /** The machine that it ran on. */
    host: string;
    /** Seconds that it ran. */
    elapsed_seconds: number;
    /** Seconds in calls of input and output, summed over threads. */
    seconds: number;
    /** Bytes that it read from files, pipes and sockets. */
    read_bytes: number;
    /** Bytes that it wrote. */
    written_bytes: number;
}

/** What is read or written. */
export type IoTarget =
    /** A file that the program opened by its path. */
    | "file"
    /** Standard input. */
    | "input"
    /** Standard output. */
    | "output"
    /** Standard error. */
    | "error"
    /** Pipes, sockets, and what the process inherited. */
    | "unopened"
    /** Files for which a thread's table had no room. */
    | "others"
    /** Files whose path was not seen. */
    | "unknown";

/** Instruction-set level of an instruction or a loop, in ascending order of capability. */
export type Isa =
    /** General-purpose registers only. */
    | "x86-64"
    /** The x87 stack. */
    | "x87"
    /** MMX. */
    | "MMX"
    /** SSE. */
    | "SSE"
    /** SSE2. */
    | "SSE2"
    /** SSE3. */
    | "SSE3"
    /** SSSE3. */
    | "SSSE3"
    /** SSE4.1. */
    | "SSE4.1"
    /** SSE4.2. */
    | "SSE4.2"
    /** AVX. */
    | "AVX"
    /** F16C. */
    | "F16C"
    /** FMA3 (`vfmadd*`), with or without AVX2. */
    | "FMA"
    /** AVX2. */
    | "AVX2"
    /** AVX-512 foundation (and VL forms). */
    | "AVX512F"
    /** AVX-512 CD. */
    | "AVX512CD"
    /** AVX-512 DQ. */
    | "AVX512DQ"
    /** AVX-512 BW. */
    | "AVX512BW"
    /** Any later AVX-512 family (VBMI, VNNI, BF16, FP16, ...). */
    | "AVX512X"
    /** Matrix tiles. */
    | "AMX";

/** A collection. */
export type JobCollection =
    /** Samples: `survey`. */
    | "survey"
    /** Exact counts of loops: `tripcounts`. */
    | "tripcounts"
    /** Calls of MPI: `comm`. */
    | "comm"
    /** Input and output: `io`. */
    | "io"
    /** Allocations: `heap`. */
    | "heap";

/** The time of a job's ranks by what they do, from the runs that counted it. */
export interface JobFacts {
    /** How times are known: from the processor's clock, at each call. */
    how: Provenance;
    /** Seconds of the longest rank. */
    elapsed_seconds: number;
    /** Ranks whose times are known; 1 without a job. */
    ranks: number;
    /** Machines that they ran on. */
    hosts: number;
    /** What ranks do, in the order in which it is looked at: balance of the computation, communication, input and output. */
    parts: JobPart[];
    /** Ranks whose times are alike, the largest cluster first; absent for one rank. */
    clusters?: RankCluster[];
    /** Collections that a job can have, in the order in which `loopwright job` makes them. */
    steps: JobStep[];
}

/** One of these. */
export interface JobPart {
    /** Which one. */
    kind: JobPartKind;
    /** Mean seconds of a rank. */
    seconds: number;
    /** The same as a share of the ranks' mean elapsed time. */
    share: number;
    /** How it differs between ranks; absent for one rank. */
    imbalance?: Imbalance;
    /** The rank with most of it. */
    worst_rank: number;
    /** For communication, mean seconds of a rank in which it waited for others in calls in which all wait for all: known by barriers (`comm --barriers`), else the least that it can have been. */
    waiting_seconds?: number;
}

/** What ranks spend time on. */
export type JobPartKind =
    /** Neither communication nor input and output, as far as these were counted. */
    | "computation"
    /** Calls of MPI, those for files left out where input and output was counted. */
    | "communication"
    /** Calls of input and output. */
    | "input-output";

/** Whether a collection is worth a run. */
export interface JobStep {
    /** Which one. */
    collection: JobCollection;
    /** The share of the sampled time that is about it: of the CPU time, or of the threads' time where they were blocked in it. Absent without samples, and where it is about all of the time. */
    seen?: number;
    /** The samples show enough of it. */
    worth: boolean;
    /** The state has it. */
    collected: boolean;
}

/** The one of the program's times by which it is judged faster or slower. */
export interface Judged {
    /** The time. */
    by: JudgedBy;
    /** Why, where it is not the elapsed time. */
    because?: string;
}

/** A time of the program. */
export type JudgedBy =
    /** Elapsed time: what a user waits for. */
    | "elapsed"
    /** CPU time: other programs used the machine, which made the elapsed time longer. */
    | "cpu";

/** Who asked the kernel. */
export interface KernelCaller {
    /** The system call, where it is known. */
    call?: string;
    /** The user function that entered the kernel (the C library's `write`). */
    function: string;
    /** The function that called it, where it is the C library's. */
    caller?: string;
    /** Share: of the kernel's time where that was sampled, else of the entries seen. */
    share: number;
    /** What the share is of. */
    by: KernelEvidence;
}

/** How it is known who asked the kernel. */
export type KernelEvidence =
    /** Samples of kernel time. */
    | "time"
    /** Samples of the instruction behind a system call: they follow the number of calls, not their time. */
    | "calls";

/** Time in the kernel. */
export interface KernelFacts {
    /** CPU time in the kernel. */
    seconds: number;
    /** Share of the program's CPU time. */
    share: number;
    /** Kernel code was sampled; else the time is the operating system's account. */
    sampled: boolean;
    /** Functions of the kernel by descending samples, where it shows their names. */
    functions?: KernelFunction[];
    /** User functions that asked the kernel, by descending share. */
    callers?: KernelCaller[];
}

/** A kernel function. */
export interface KernelFunction {
    /** Name. */
    function: string;
    /** Share of the kernel's samples. */
    share: number;
}

/** The stages of one language, built by one family of compilers. */
export interface Ladder {
    /** The language's track, where the case has several. */
    track?: string;
    /** `gcc` or `clang`. */
    family: string;
    /** The compilers' own words about their versions. */
    versions: string[];
    /** Rounds of interleaved runs that were timed; 0 where nothing was. */
    rounds: number;
    /** In order. */
    stages: StageRecord[];
}

/** What starts the ranks. */
export type Launcher =
    /** Slurm's `srun` with `--distribution=arbitrary`. */
    | "slurm"
    /** Open MPI's `mpirun`. */
    | "openmpi"
    /** Cray MPICH. */
    | "cray"
    /** SimGrid's `smpirun`: the simulator. */
    | "smpi";

/** A file in which a launcher reads where ranks are to run. */
export interface LauncherFile {
    /** What reads it. */
    launcher: Launcher;
    /** Its path. */
    file: string;
    /** The command that starts the program so. */
    command: string;
}

/** Code that ran uncounted. */
export interface LeftAloneFacts {
    /** Module base name. */
    module: string;
    /** Function. */
    function: string;
    /** Address of the loop's header, or of the function (`0x...`). */
    address: string;
    /** The loop, when it is one and is known. */
    loop_id?: number;
    /** `file:line` of the loop, when known. */
    place?: string;
    /** Why, in one sentence. */
    reason: string;
    /** Self time of it in the survey. */
    self_seconds?: number;
}

/** A remark under its line. */
export interface LineRemark {
    /** Line. */
    line: number;
    /** Column. */
    column?: number;
    /** Compiler and version. */
    compiler: string;
    /** What it is about. */
    outcome: RemarkOutcome;
    /** Message, verbatim. */
    message: string;
    /** Reason id as in `loopwright explain`. */
    reason?: string;
}

/** The listing of a function. */
export interface Listing {
    /** Its name. */
    function: string;
    /** Base name of its module. */
    module: string;
    /** Entry address, hexadecimal. */
    address: string;
    /** Source files that the instructions refer to. */
    files: string[];
    /** Ids of its loops that are in `analysis`. */
    loops: number[];
    /** Lists of six: address, text, index into `files`, line, self seconds, id of the innermost loop that is in `analysis`; what is not known is `null`. */
    instructions: [string, string, number | null, number | null, number, number | null][];
}

/** What other programs did to the run. */
export interface LoadFacts {
    /** CPUs that other programs used on average; the collector's own time is not among them. */
    other_cpus: number;
    /** Share of the CPUs' time that the hypervisor gave to other virtual machines. */
    stolen_share: number;
    /** Time that the program's threads waited for a CPU, over their time on one and waiting for one. */
    ready_share: number;
    /** The elapsed time says little of the program: other programs took CPU time that it waited for. */
    busy: boolean;
}

/** One logical CPU. */
export interface LogicalCpu {
    /** The kernel's number. */
    id: number;
    /** Socket (physical package). */
    socket: number;
    /** Core within its socket; numbers may have gaps. */
    core: number;
    /** Logical CPUs of the same core, itself included. */
    siblings: number[];
}

/** One source loop in both. */
export interface LoopChange {
    /** Function that holds the code; `before` and `after` say in which function the loop is written. */
    function: string;
    /** `file:line` in the newer of the two that has it. */
    place: string;
    /** The piece with most self time before; `self_seconds`, `self_share` and `samples` are those of all pieces. */
    before?: LoopFacts;
    /** The same after. */
    after?: LoopFacts;
    /** Self time before / after (above 1 is faster); absent unless both were sampled. */
    speedup?: number;
    /** Its 95 % interval from the numbers of samples. */
    interval?: [number, number];
    /** What became of it. */
    verdict: Verdict;
    /** Counts of all its pieces before. */
    before_counts?: CountSums;
    /** The same after. */
    after_counts?: CountSums;
    /** Its counts side by side; empty unless it was counted in both. */
    counted?: CountChange[];
    /** Where the time of a loop that vanished may have gone. */
    note?: string;
}

/** The energy of a loop. */
export interface LoopEnergy {
    /** The loop's ID. */
    id: number;
    /** Joules. */
    joules: number;
}

/** A machine loop and what is known of it. */
export interface LoopFacts {
    /** Number in the experiment. */
    id: number;
    /** Base name of the module. */
    module: string;
    /** The module is the main program's executable. */
    main_module: boolean;
    /** Function that holds the code (after inlining, the outer one). */
    function: string;
    /** Function in whose source the loop is written, where it was inlined into `function`. */
    written_in?: string;
    /** Source file in which the loop is written. */
    file?: string;
    /** Line at which the loop is written. */
    line?: number;
    /** Column at which the loop is written. */
    column?: number;
    /** First and last source line of its own instructions. */
    lines?: [number, number];
    /** Header, an ELF virtual address in hexadecimal. */
    address: string;
    /** Id of the enclosing loop in the same function; `null` for an outermost loop. */
    parent: number | null;
    /** Ids of the directly enclosed loops. */
    children: number[];
    /** Depth in the nest of the function: 1 for an outermost loop. */
    depth: number;
    /** It encloses no loop. */
    innermost: boolean;
    /** The functions that were inlined here, innermost first. */
    inlined_from?: InlineFrame[];
    /** What it is of the loop as written. */
    role: LoopRole;
    /** Pieces of one source loop share a group (unique in the experiment). */
    group: number;
    /** Time in its own instructions. */
    self_seconds: number;
    /** Its share of `program.cpu_seconds`. */
    self_share: number;
    /** Time with all inside it and called from it. */
    total_seconds: number;
    /** Its share of `program.cpu_seconds`. */
    total_share: number;
    /** Samples of its own instructions. */
    samples: number;
    /** Self share of all loops of the group, added up. */
    group_share: number;
    /** Most of the arithmetic that it executes is packed: what the instructions do, not what a compiler claims. */
    vectorized: boolean;
    /** How its arithmetic uses vectors; absent when none is packed. */
    vector?: VectorFacts;
    /** Element types of the arithmetic, dominant first. */
    types?: ElementType[];
    /** Properties of the code that matter to its speed. */
    traits?: Trait[];
    /** Own instructions by class; classes that do not occur are left out, and an instruction counts in each class it belongs to: `fp_scalar`, `fp_vector`, `int_vector`, `integer`, `load`, `store`, `branch`, `call`, `shuffle`, `conversion`, `divide`, `square_root`, `fma`, `moves`, `other`, and `fp_multiply` (those of `fp_scalar` and `fp_vector` that multiply and do not add). */
    instruction_mix: Record<string, number>;
    /** Own instructions in the code. */
    instructions: number;
    /** Calls in its own code. */
    calls?: CallSite[];
    /** Edges that leave the loop. */
    exits: number;
    /** What an iteration hands to the next in registers, with the latencies of the machine's core where that is known. */
    chains?: CarriedChain[];
    /** Counted: the address of an instruction of `chains` or `calls`, and how often it was executed. */
    executions?: [number, number][];
    /** Conversions from f32 to f64, and from f64 to f32, in its own code. */
    width_conversions?: [number, number];
    /** Memory operands whose stride the code shows. */
    strides?: StaticStride[];
    /** Where some of its operands come from. */
    operands?: OperandUse;
    /** Machine iterations of an entry, when the code shows a constant. */
    constant_trips?: number;
    /** Bytes that one machine iteration loads, as the code shows. */
    bytes_loaded_per_iteration: number;
    /** Bytes that one machine iteration stores, as the code shows. */
    bytes_stored_per_iteration: number;
    /** Floating-point operations of one machine iteration by element type, as the code shows. */
    flop_per_iteration?: Record<string, number>;
    /** The library function that it is in open code. */
    idiom?: Idiom;
    /** Why it is not vectorised, the most specific reason first. */
    why_not?: WhyNot[];
    /** What compilers claim about the source loop. */
    compilers?: CompilerClaim[];
    /** The compiler's own description of itself and its flags, for this function. */
    producer?: string;
    /** Number of threads that spent time here. */
    threads: number;
    /** Share of the samples below this loop that are in what it calls. */
    callee_share: number;
    /** Share of the elapsed time in which only one CPU was busy while it (or what it calls) ran. */
    serial_share?: number;
    /** Counted iterations. */
    trip_count?: TripCount;
    /** Counted work of its own blocks. */
    work?: WorkRow;
    /** Counted work with inner loops; called functions are excluded. */
    total_work?: WorkRow;
    /** Position under the machine's ceilings, by its own work and self time. */
    roofline?: RooflinePoint;
    /** What each thread did, and how uneven that is. */
    by_thread?: ByThread;
    /** Why there are no counts although a counting run was made. */
    not_counted?: string;
    /** Traced: an entry for each memory operand as written (copies that unrolling made are one). */
    access?: AccessFacts[];
    /** Traced: the dependences that it carries. */
    dependence?: DependenceFacts;
    /** Traced: the memory that it touches, and what caches make of it. */
    memory?: MemoryFacts;
    /** Traced: cache lines that several threads used at the same time; absent when one thread ran it. */
    sharing?: SharingFacts;
    /** Traced: its conditional branches, those of inner loops and called functions, too; the ones that cost most first. A branch whose outcome the trace does not show is left out, and so are indirect jumps. */
    branches?: BranchFacts[];
    /** Why there are no traces although the loop was asked for. */
    not_traced?: string;
    /** What binds it, measured by injected operations. */
    bottleneck?: Bottleneck;
    /** Why nothing was injected although the loop was asked for. */
    not_injected?: string;
    /** What to change here. */
    recommendations?: Recommendation[];
}

/** A loop that is named in a sentence about others. */
export interface LoopName {
    /** Its id. */
    loop_id: number;
    /** Its place. */
    place: string;
    /** The function in which it is written. */
    function: string;
}

/** The role of a machine loop within its source loop. */
export type LoopRole =
    /** The only machine loop of its source loop. */
    | "whole"
    /** The vector (or unrolled) main body. */
    | "body"
    /** Runs before the body until the data is aligned. */
    | "peel"
    /** Runs the iterations that do not fill the body (scalar, or a narrower vector epilogue). */
    | "remainder"
    /** A version kept for when run-time checks (aliasing, stride, alignment) fail. */
    | "version";

/** What was seen and could not be counted where it belongs. */
export interface LostAllocations {
    /** Calls from more places than a thread's table holds. */
    calls: number;
    /** Samples of the live heap that found no room. */
    samples: number;
}

/** What was seen and could not be counted where it belongs. */
export interface LostCalls {
    /** Calls from more places than a thread's table holds. */
    calls: number;
    /** Messages to more ranks than a thread's table holds. */
    messages: number;
    /** Starts of persistent requests that another thread made, or that were made otherwise. */
    starts: number;
    /** Calls that did not return: left by longjmp or an exception. */
    torn: number;
    /** Messages to processes outside of `MPI_COMM_WORLD`, or whose receiver a library that is linked in cannot be asked for. */
    foreign: number;
}

/** What was seen and could not be counted where it belongs. */
export interface LostTransfers {
    /** Calls from more places than a thread's table holds. */
    calls: number;
    /** Transfers to more files than a thread's table holds: they are counted in one row. */
    files: number;
    /** Calls that did not return: left by longjmp or an exception. */
    torn: number;
    /** Calls that a signal's handler made while the hooks were at work. */
    nested: number;
}

/** The machine: plain data, read once. */
export interface Machine {
    /** Processor. */
    processor: Processor;
    /** Sockets, cores, CPUs, NUMA nodes, caches. */
    topology: Topology;
    /** Every feature known to this program, present or not. */
    features: Feature[];
    /** Conditions that disturb or explain a measurement. */
    conditions: Condition[];
    /** Hypervisor, when this is a virtual machine. */
    hypervisor?: string;
    /** Operating-system kernel release. */
    kernel?: string;
    /** Memory in bytes. */
    memory_bytes?: number;
    /** Memory that is still available to programs, in bytes. */
    memory_available_bytes?: number;
}

/** The machine and the operating system. */
export type MachineEvidence =
    /** Nothing is known about the machine. */
    | { kind: "machine-unknown" }
    /** Vector registers of the machine. */
    | { kind: "machine-registers"; bits: number; fused: boolean }
    /** The machine has fused multiply-adds. */
    | { kind: "machine-has-fma"; processor: string }
    /** Registers and instructions of a library's hottest loop. */
    | { kind: "library-kernel"; function: string; bits: number; fused: boolean }
    /** Bandwidth of memory from one core to all. */
    | { kind: "memory-scaling"; factor: number }
    /** Loops that share the bandwidth of main memory. */
    | { kind: "shared-bandwidth"; share: number }
    /** A benchmark with non-temporal stores. */
    | { kind: "streaming-stores"; times: number }
    /** Time in the kernel. */
    | { kind: "system-time"; seconds: number; cpu_seconds: number }
    /** Page faults that need no disk. */
    | { kind: "minor-faults"; faults: number; cpu_seconds: number }
    /** Faults against the pages that were ever resident. */
    | { kind: "faults-per-page"; pages: number; times: number; again: boolean }
    /** What a fault costs. */
    | { kind: "fault-time"; seconds: [number, number] };

/** The machine, as far as the joined results need it. */
export interface MachineFacts {
    /** Name of the processor. */
    name: string;
    /** Logical CPUs online. */
    cpus: number;
    /** Best vector instruction set the operating system lets programs use (absent off x86). */
    isa?: Isa;
    /** Microarchitecture whose figures predictions use; absent where it is unknown, and they use careful ones. */
    core?: Microarchitecture;
    /** Fused multiply-adds can be used. */
    fma: boolean;
    /** Widest usable vector, in bits. */
    vector_bits: number;
    /** Cache sizes in bytes, L1d first. */
    cache_bytes: number[];
    /** Cache line in bytes. */
    line_bytes: number;
    /** Ceilings, when measured. */
    ceilings?: Ceilings;
}

/** The machine as stored with a run: described always, the rest when it was known. */
export interface MachineRecord {
    /** Topology, features and conditions. */
    machine: Machine;
    /** Measured ceilings. */
    ceilings?: MeasuredCeilings;
    /** What communication between ranks takes, where it was measured. */
    network?: Network;
}

/** A source loop in the margin, as in loopmark listings. */
export interface Mark {
    /** First line. */
    from: number;
    /** Last line. */
    to: number;
    /** `V` vectorised, `s` scalar, `r` unrolled, `p` with peel or remainder loops, `c` calls functions, `I` inlined here. */
    letters: string;
    /** Place beside others that nest with it, from the left: 0 for the outermost. */
    slot: number;
    /** Ids of the machine loops that were made of it, in `analysis`. */
    loops: number[];
}

/** Times and rates of a stage. */
export interface Measured {
    /** Seconds of the compared part. */
    seconds: Estimate;
    /** Seconds from the program's start to its end. */
    elapsed: Estimate;
    /** How many times faster the compared part is than that of `from`. */
    gain?: Estimate;
    /** How many times faster than the first stage's. */
    gain_first?: Estimate;
    /** How many times faster the whole program is than `from`: what is predicted. */
    program_gain?: Estimate;
    /** Useful GFLOP/s. */
    gflops?: number;
    /** Useful GB/s. */
    gbytes?: number;
    /** The ceiling that applies, and how near it is. */
    ceiling?: CeilingShare;
}

/** A bandwidth. */
export interface MeasuredBandwidth {
    /** `L1`, `L2`, `L3` or `DRAM`. */
    level: string;
    /** `load`, `store`, `copy`, `triad` (a = b x s + c); with `-nt` for non-temporal stores and `-rep` for the processor's string instructions. */
    kernel: string;
    /** CPUs used. */
    cores: number;
    /** GB/s (10^9 bytes that the program reads and writes; no write-allocate counted): the best sample. */
    gbytes: number;
    /** Bytes of all streams of one CPU. */
    working_set_bytes: number;
    /** The fastest vector width and unrolling. */
    variant: string;
    /** Median of the samples over the best one (1 = no spread). */
    spread: number;
}

/** Every ceiling that was measured. */
export interface MeasuredCeilings {
    /** Peak arithmetic. */
    flops: MeasuredFlop[];
    /** Bandwidths. */
    bandwidths: MeasuredBandwidth[];
    /** Load latencies by working set, one CPU. */
    latencies: MeasuredLatency[];
    /** Time of the measurement, in seconds since 1970. */
    measured_unix: number;
    /** Duration of the measurement, in seconds. */
    seconds: number;
    /** Conditions that limit the figures or make them wrong; one sentence each. */
    warnings: string[];
    /** Other load during the measurement; absent in files of earlier versions. */
    conditions?: MeasuringConditions;
}

/** A peak arithmetic rate. */
export interface MeasuredFlop {
    /** Width of the arithmetic. */
    level: CeilingLevel;
    /** Element type. */
    element: CeilingElement;
    /** FMA is used. */
    fma: boolean;
    /** CPUs used. */
    cores: number;
    /** GFLOP/s (10^9; an FMA counts two): the best sample. */
    gflops: number;
    /** Median of the samples over the best one (1 = no spread). */
    spread: number;
}

/** The latency of one load at one working-set size. */
export interface MeasuredLatency {
    /** Working set in bytes. */
    bytes: number;
    /** Nanoseconds per load (the best sample). */
    ns: number;
    /** The same in TSC cycles, which are not core cycles when the clock varies. */
    cycles: number;
    /** Median of the samples over the best one (1 = no spread). */
    spread: number;
}

/** Other load while ceilings were measured. */
export interface MeasuringConditions {
    /** Time that the measuring threads waited for a CPU, over their time on one and waiting for one. */
    delayed_share: number;
    /** CPUs that other programs used on average. */
    other_cpus: number;
    /** Share of the CPUs' time that the hypervisor gave to other virtual machines. */
    stolen_share: number;
    /** Points whose samples varied by more than a quarter. */
    varied_points: number;
    /** Points of arithmetic and bandwidth. */
    points: number;
    /** Number of measurements of the machine. */
    attempts: number;
    /** The load was too high for reliable ceilings: they may be too low. */
    disturbed: boolean;
}

/** Accesses, caches and their traffic. */
export type MemoryEvidence =
    /** How near the loop is to what a level of memory delivers. */
    | { kind: "of-memory-roof"; share: number; level: string; gbytes_per_second?: [number, number]; beyond_caches: boolean }
    /** Arithmetic and bytes of the loop. */
    | { kind: "intensity"; flop_per_byte?: number; bytes: number }
    /** Bytes of a pass over the data that a cache does not hold. */
    | { kind: "pass-beyond"; pass: DataPass; level: string }
    /** The same bytes are moved again and again. */
    | { kind: "moved-again"; by_library?: number; resident: number; times: number }
    /** The ceiling once the data is in a nearer cache. */
    | { kind: "next-ceiling"; level: string; arithmetic: boolean; times: number }
    /** Bytes that go through the caches, and stores among them. */
    | { kind: "through-caches"; pass: DataPass; cache: number; stored: number }
    /** Bytes without the reads that stores cause. */
    | { kind: "without-reads"; times: number }
    /** Stores to elements that the loop does not read. */
    | { kind: "stored-only"; operands: Operand[]; extent: TracedExtent }
    /** The stored arrays may be those that are read. */
    | { kind: "may-update-in-place" }
    /** Bytes of two loops. */
    | { kind: "two-move"; bytes: number; other: number }
    /** Loops that pass over arrays of one length. */
    | { kind: "passes"; loops: number; elements: number; share: number; bytes: number; largest: number }
    /** Operands that move by a constant stride, as traced. */
    | { kind: "strided"; operands: Operand[]; stride: OperandStride; used?: number; outer?: OuterMove; extent: TracedExtent }
    /** Operands that move by no constant stride. */
    | { kind: "scattered"; operands: Operand[]; same_line: number; same_page: number; bytes: number; extent: TracedExtent }
    /** Indirect accesses whose order follows a rule. */
    | { kind: "ordered"; operands: Operand[]; of_lanes: boolean; order: ElementOrder; share: number; extent: TracedExtent }
    /** A load and a store with the same lowest 12 bits of their addresses. */
    | { kind: "aliases"; load: Operand; store: Operand; offset: number; share: number; extent: TracedExtent }
    /** What such loads cost. */
    | { kind: "alias-cycles"; cycles: number; per_iteration: number }
    /** Vector accesses that touch two cache lines. */
    | { kind: "splits"; share: number; operands: Operand[]; worst: number; extent: TracedExtent }
    /** What such accesses cost. */
    | { kind: "split-cycles"; each: [number, number]; per_iteration: [number, number]; of?: number }
    /** Pages that the loop touches. */
    | { kind: "pages"; pages: number; at_least: boolean; entries: number; extent: TracedExtent }
    /** Simulated misses of the TLBs in an iteration. */
    | { kind: "tlb-misses"; first: number; second: number }
    /** Operands that leave their page often. */
    | { kind: "leave-pages"; operands: Operand[]; share: number }
    /** Cache lines that are fetched by some accesses, and the time that goes to traffic. */
    | { kind: "traffic-share"; lines: number; saved: boolean; time: [number, number] }
    /** Cache lines of an iteration in two orders of the loops. */
    | { kind: "lines-per-iteration"; now: number; then: number; tiles: boolean }
    /** Misses of an iteration. */
    | { kind: "misses-each"; first: number; second: number }
    /** Operands that advance by more than their size, in the code. */
    | { kind: "advances-by"; operands: number; size: number; bytes: number; lines: number }
    /** Operands that advance by a page or more. */
    | { kind: "advances-by-pages"; operands: number; of: number; longest: number }
    /** Iterations that update an element of a table which one shortly before has updated. */
    | { kind: "repeated-updates"; operand: Operand; share: number; within: number; bytes: number; extent: TracedExtent }
    /** Loads that fetch addresses. */
    | { kind: "address-loads"; addresses: number; loads: number }
    /** Loads from addresses that do not move, beside a store that moves. */
    | { kind: "fixed-loads"; loads: number; lines: number[] }
    /** The part of the loads in the code that an iteration executes. */
    | { kind: "loads-executed"; share: number; tests?: number }
    /** Cache lines that come back after too many others. */
    | { kind: "reused"; share: number; place: string; apart: number; level: string; holds: number; extent: TracedExtent }
    /** Cache lines that must come back, because the process holds fewer. */
    | { kind: "reused-unseen"; first_met: number; place: string; resident: number; apart: number; level: string; holds: number }
    /** The part of a cache's misses that such uses are. */
    | { kind: "of-misses"; share: number; at_least: boolean; level: string }
    /** A block of iterations that stays in a cache. */
    | { kind: "block"; iterations: number; cut: string; level: string; place: string };

/** Memory that a loop touches, and what caches make of it. */
export interface MemoryFacts {
    /** Machine iterations that were traced. */
    traced_iterations: number;
    /** Entries whose beginning was traced. */
    traced_entries: number;
    /** Distinct bytes of the entry that touched most. */
    footprint_bytes: number;
    /** Distinct cache lines of it, in bytes. */
    footprint_line_bytes: number;
    /** Distinct 4 KiB pages of it. */
    footprint_pages: number;
    /** They are lower bounds: a burst saw part of an entry, or counting stopped at a limit. */
    footprint_is_bound?: boolean;
    /** Bytes used of the bytes in the touched lines. */
    utilisation?: number;
    /** Simulated caches: for each of `tracing.hierarchies` a list of its levels. */
    caches?: CacheFacts[][];
    /** Reuse distances: triples of lowest and highest number of other lines between two uses of a line, and the share of the line uses. */
    reuse?: [number, number, number][];
    /** Share of first uses among line uses. */
    first_use_share?: number;
    /** Which loop carries reuse, and at what distance. */
    reuse_carriers?: ReuseCarrier[];
    /** Accesses by NUMA node: triples of the page's node, the thread's node, and the share of the accesses. */
    nodes?: [number, number, number][];
    /** Pairs of operands that meet at 4 KiB distance: a load that falsely depends on a store before it. */
    aliasing_4k?: Aliasing[];
}

/** A microarchitecture with a table of its own. */
export type Microarchitecture =
    /** Intel, 2013. */
    | "haswell"
    /** Intel, 2014. */
    | "broadwell"
    /** Intel, 2015, with Skylake-X, Cascade Lake and the client cores up to Comet Lake. */
    | "skylake"
    /** Intel, 2019, with Tiger Lake and Rocket Lake. */
    | "ice-lake"
    /** Intel, 2021: Alder Lake, Raptor Lake, Sapphire Rapids, Emerald Rapids. */
    | "golden-cove"
    /** AMD, 2017, with Zen+. */
    | "zen"
    /** AMD, 2019. */
    | "zen2"
    /** AMD, 2020. */
    | "zen3"
    /** AMD, 2022. */
    | "zen4";

/** A fact that is missing. */
export interface Missing {
    /** What: a few words. */
    what: string;
    /** Why it is missing and what it would show, in a sentence. */
    why: string;
    /** The command that provides it; absent where no command of loopwright does. */
    command?: string;
}

/** A module with time. */
export interface ModuleSummary {
    /** Path. */
    path: string;
    /** It is the main program's executable. */
    main_module: boolean;
    /** Time in its code. */
    self_seconds: number;
    /** Its share of the CPU time. */
    self_share: number;
    /** Function symbols exist. */
    has_symbols: boolean;
    /** Line tables exist. */
    has_lines: boolean;
    /** Build id. */
    build_id?: string;
    /** Compilers and their flags. */
    producers?: string[];
}

/** What communication takes, of the pairs of ranks and of all ranks that were measured. */
export interface Network {
    /** The MPI that was measured, as it calls itself. */
    library: string;
    /** Ranks of the measurement. */
    ranks: number;
    /** Nodes that they ran on. */
    nodes: number;
    /** Between two ranks of one node. */
    within_node?: NetworkPath;
    /** Between ranks of two nodes. */
    between_nodes?: NetworkPath;
    /** Seconds of a barrier of all ranks; absent where its samples differ too much. */
    barrier_seconds?: number;
    /** Seconds of an allreduce of 8 bytes among all ranks. */
    allreduce_seconds?: number;
    /** When it was measured: seconds since 1970. */
    measured_unix: number;
}

/** Messages between two ranks. */
export interface NetworkPath {
    /** The time of a message by its bytes: of small ones where there are two lines. */
    small: HockneyLine;
    /** The largest measured size on the first line, in bytes; absent where one line is enough. */
    eager_limit_bytes?: number;
    /** The line of larger messages, for which sender and receiver agree first (rendezvous). */
    large?: HockneyLine;
    /** Large messages go in chunks over several connections. */
    chunks?: Chunks;
    /** Seconds from one message of 8 bytes to the next where many are sent at once; absent where samples differ too much. */
    gap_seconds?: number;
    /** How far measured times are from the lines: root mean square of relative differences. */
    error: number;
    /** What was measured, by ascending size. */
    points?: NetworkPoint[];
}

/** Messages of a size. */
export interface NetworkPoint {
    /** Bytes of a message. */
    bytes: number;
    /** Seconds of one in one direction: half of the round trip that 10 % are below. */
    seconds: number;
    /** The round trip that a quarter is below, as a multiple of the one that 10 % are below. */
    spread: number;
}

/** Memory and the CPUs next to it. */
export interface NumaNode {
    /** The kernel's number. */
    id: number;
    /** Its CPUs (none for memory-only nodes). */
    cpus: number[];
    /** Its memory in bytes (absent where the kernel does not state it). */
    memory_bytes?: number;
    /** Its free memory in bytes at the time of reading. */
    free_bytes?: number;
    /** Distance to each node in the order of nodes (ACPI SLIT: 10 = local). */
    distances: number[];
}

/** A memory operand. */
export interface Operand {
    /** As the source has it. */
    operand?: string;
    /** Its line, or the address of its instruction, where the source is not known. */
    place?: string;
}

/** How an operand moves from iteration to iteration. */
export interface OperandStride {
    /** Bytes per iteration as the source has it; between lanes where `between_lanes`. */
    bytes: number;
    /** Elements per iteration. */
    elements?: number;
    /** Bytes of an element. */
    element_bytes: number;
    /** Elements per machine iteration, where that is another number. */
    machine_elements?: number;
    /** It is the distance between the lanes of a gather. */
    between_lanes: boolean;
    /** It is that of most iterations, and not of all. */
    mostly?: boolean;
}

/** Counts of operands that come from loaded addresses, invariant divisors or single bits, and of branches by what their conditions are made of (own instructions, static). */
export interface OperandUse {
    /** Loads whose value is the address of a later access of the same iteration: rows of a pointer array. */
    address_loads: number;
    /** Floating-point divisions by a value that is the same in every iteration. */
    invariant_divisors: number;
    /** Shifts by one bit of a value that the loop changes. */
    bit_shifts: number;
    /** Tests and masks of a single bit of a value that the loop changes. */
    bit_tests: number;
    /** Bits that are put behind those of before in a value that the loop changes: `v = 2 * v + bit`. */
    appended_bits: number;
    /** Branches inside an iteration whose condition consists of counters and of values that the loop does not change: tests of the position. */
    position_tests: number;
    /** Branches inside an iteration on anything else: loaded or computed data. */
    data_tests: number;
    /** Stores of vector registers to the stack that the loop loads again. */
    spilled_vectors: number;
}

/** What became of a prediction. */
export type Outcome =
    /** The measured interval, widened by the 3 % that two runs of one program differ by, overlaps the predicted range and excludes no change. */
    | "came-true"
    /** The gain is larger than predicted. */
    | "more"
    /** The gain is smaller than predicted. */
    | "less"
    /** The recommendation was not followed: the same is still recommended for the same place, or the loop's code and time are the same. */
    | "not-followed"
    /** The two states do not show it; the note says why. */
    | "unknown";

/** How an operand moves over a loop around. */
export interface OuterMove {
    /** Place of the loop around. */
    place: string;
    /** Bytes per iteration of it; absent where they are not regular. */
    bytes?: number;
    /** They are one element. */
    one_element: boolean;
}

/** A stride over a loop around. */
export interface OuterStride {
    /** The loop, where it is listed. */
    loop_id?: number;
    /** Its place (`file:line`, or its address). */
    place: string;
    /** Pattern. */
    pattern: StridePattern;
    /** Bytes from one iteration to the next, when constant. */
    stride_bytes?: number;
    /** Bytes of at least three quarters of the steps, when these are not constant. */
    usual_bytes?: number;
}

/** What may be done with its iterations on several threads. */
export type ParallelVerdict =
    /** No carried dependence occurred. */
    | "independent"
    /** Only reductions and scalars that can be private. */
    | "with-clauses"
    /** A carried dependence occurred. */
    | "dependent"
    /** Something ran that could not be checked. */
    | "unknown";

/** A part of a change. */
export type Part =
    /** Options that were added to the commands that compile these files. */
    | { kind: "options"; files?: string[]; options: string[] }
    /** Lines of a source that were replaced in a copy. */
    | { kind: "edit"; file: string; line: number; before: string; after: string }
    /** Another compiler for the commands that compile these files. */
    | { kind: "compiler"; files: string[]; compiler: string; without?: string[] }
    /** Files that were compiled with the profile of a run of the program. */
    | { kind: "profile"; files: string[] }
    /** Words of the commands that link. */
    | { kind: "link"; options?: string[]; without?: string[] }
    /** A variable of the program's environment. */
    | { kind: "variable"; name: string; value: string };

/** What a pass over data is one run of. */
export type PassUnit =
    /** An entry of the loop itself. */
    | "entry"
    /** An iteration of the loop around. */
    | "iteration-around"
    /** An entry of a loop around. */
    | "entry-around";

/** What the tool did meanwhile. */
export type Phase =
    /** Describing the machine, and measuring its ceilings where they were not known. */
    | "machine"
    /** The program ran and was sampled, with its start and the unwinding of its stacks. */
    | "sampled"
    /** Code was read and rewritten before the program's first instruction, to count it. */
    | "prepare-counting"
    /** The program ran and was counted; `waiting_seconds` of it for code to be rewritten at first calls. */
    | "counted"
    /** Counters were read and turned into executions. */
    | "collect-counts"
    /** Code was read and rewritten before the program's first instruction, to trace it. */
    | "prepare-tracing"
    /** The program ran and was traced. */
    | "traced"
    /** The last bursts were analysed. */
    | "collect-traces"
    /** The program ran under the processor's counters, after perf was looked for and tried. */
    | "top-down"
    /** Operations were calibrated, and code was read and rewritten before the program's first instruction, to inject them. */
    | "prepare-injection"
    /** The program ran with injected operations. */
    | "injected"
    /** The recorded windows were turned into times. */
    | "collect-injection"
    /** Code was read and rewritten before the program's first instruction, to hook functions. */
    | "prepare-listening"
    /** The program ran with hooks. */
    | "listened"
    /** What the hooks counted was read. */
    | "collect-calls"
    /** Functions and loops were read from the binaries. */
    | "read-binaries"
    /** The experiment was written. */
    | "store"
    /** The experiment was read and joined, to choose what to count, to trace and to ask. */
    | "choose"
    /** Everything else was done, and compilers had not answered yet. */
    | "compilers"
    /** The experiment was read and joined for the answer. */
    | "join"
    /** Rules were applied and the answer printed. */
    | "answer";

/** Pictures that a program draws of what it computes. */
export interface Pictures {
    /** What they show. */
    title: string;
    /** One after the other. */
    frames: Frame[];
}

/** One placement with its costs. */
export interface PlacedFacts {
    /** How it was made. */
    order: PlacementOrder;
    /** Points of a tile along each dimension of `grid`, for tiles. */
    tile?: number[];
    /** Bytes between ranks on different nodes. */
    off_node_bytes: number;
    /** Messages between ranks on different nodes. */
    off_node_messages: number;
    /** Bytes that leave the node which sends most. */
    largest_egress: number;
    /** Bytes that arrive at the node which receives most. */
    largest_ingress: number;
    /** Bytes that leave each node. */
    egress: number[];
    /** Bytes that arrive at each node. */
    ingress: number[];
    /** Seconds of communication by the model, where the bandwidth is known: the larger of `largest_egress` and `largest_ingress` over it. */
    seconds?: number;
    /** How many times faster than the present placement communication is by the model (2.0: in half the time); absent where no message leaves a node. */
    gain?: number;
}

/** Where the ranks of a job are, and where they would be better. */
export interface PlacementFacts {
    /** How costs and gains are known: `modelled`, from what ranks send each other and which of them share a node. */
    how: Provenance;
    /** Ranks of the job. */
    ranks: number;
    /** Ranks on each node; the same in every candidate. */
    ranks_on_node: number[];
    /** Bytes of all messages. */
    bytes: number;
    /** Bytes a second of a node's link in one direction, where the user gave it. */
    bandwidth?: number;
    /** The lattice that the ranks are points of, where the matrix is that of one. */
    grid?: GridFacts;
    /** The present placement, then others. */
    candidates: PlacedFacts[];
    /** The position in `candidates` of the one that is proposed; absent where none is better than the present one by the model. */
    proposed?: number;
    /** The node of each rank as proposed, by positions in `ranks_on_node`. */
    node_of_rank?: number[];
    /** What was written for launchers. */
    files?: LauncherFile[];
}

/** How ranks are ordered on nodes. */
export type PlacementOrder =
    /** As the user's file says. */
    | "given"
    /** Node after node. */
    | "block"
    /** In turn on all nodes. */
    | "round-robin"
    /** In tiles of the lattice. */
    | "tiles"
    /** By recursive bisection, then swaps. */
    | "bisection"
    /** By the partitioner Scotch. */
    | "scotch"
    /** By swaps from the best of the others. */
    | "swaps";

/** A recommendation of the earlier state, compared with the later one. */
export interface Prediction {
    /** The recommendation's id, as in the first state. */
    recommendation: string;
    /** The rule that said so. */
    rule: string;
    /** One line. */
    title: string;
    /** The loop in the earlier state. */
    loop_id?: number;
    /** The function in which the loop is written. */
    function?: string;
    /** Place in the earlier state. */
    place?: string;
    /** Whose time is compared. */
    scope: Scope;
    /** Predicted speed-up of that, `[low, high]`; where a part of the loop is concerned, that of the whole loop. */
    predicted: Gain;
    /** The likely value in that range. */
    predicted_likely?: number;
    /** Measured speed-up of that. */
    measured?: number;
    /** Its 95 % interval by the numbers of samples; absent for elapsed times, which were measured once each. */
    interval?: [number, number];
    /** What became of it. */
    outcome: Outcome;
    /** Other recommendations that were followed at the same time and cannot be distinguished from this one; those of one loop are held together against the best of their ranges. */
    together?: string[];
    /** Why the outcome is what it is, where the numbers do not say it. */
    note?: string;
}

/** The simulated predictor of branches. */
export interface Predictor {
    /** Its kind. */
    kind: PredictorKind;
    /** Bits of all its tables. */
    bits: number;
    /** Tables with a history. */
    tables: number;
    /** Outcomes in the longest history. */
    longest_history: number;
}

/** How a predictor works. */
export type PredictorKind =
    /** Tagged tables with histories of geometrically growing lengths. */
    | "tage";

/** The processor. */
export interface Processor {
    /** Marketing name ("unknown" where it is not available). */
    name: string;
    /** CPUID vendor ("GenuineIntel", "AuthenticAMD"), or the implementer elsewhere. */
    vendor: string;
    /** Family, with the extended family added. */
    family?: number;
    /** Model, with the extended model added. */
    model?: number;
    /** Stepping. */
    stepping?: number;
    /** Microcode revision as the kernel prints it. */
    microcode?: string;
    /** Frequency of the time-stamp counter in Hz, where CPUID states it. */
    tsc_hz?: number;
}

/** The program and its run. */
export interface ProgramFacts {
    /** Command line. */
    command: string[];
    /** When the run began (RFC 3339, UTC). */
    started: string;
    /** Host name. */
    host: string;
    /** `exited 0`, `killed by signal 11 (SIGSEGV)`, ... */
    outcome: string;
    /** Wall-clock time. */
    elapsed_seconds: number;
    /** CPU time: user code as sampled; the kernel as sampled or, where that is forbidden, as the operating system counts it. */
    cpu_seconds: number;
    /** User time of the whole process tree, from the operating system. */
    user_seconds: number;
    /** System time of the whole process tree, from the operating system. */
    system_seconds: number;
    /** Minor page faults. */
    minor_faults: number;
    /** Major page faults. */
    major_faults: number;
    /** Peak resident set of the largest process. */
    peak_resident_bytes: number;
    /** Processes seen. */
    processes: number;
    /** Threads seen. */
    threads: number;
    /** Ranks merged into this result (1 without MPI). */
    ranks: number;
    /** Ranks that the MPI launcher started; absent without MPI. */
    ranks_started?: number;
    /** Samples taken. */
    samples: number;
    /** Samples the kernel or the tool lost. */
    lost_samples: number;
    /** Share of sampled time whose address belongs to no known function. */
    unresolved_share: number;
    /** The tool's own CPU time as a share of the program's. */
    overhead_share: number;
    /** How samples were taken, e.g. `perf_event cpu-clock, 997 Hz, DWARF call stacks`. */
    sampler: string;
    /** The samples have no call stacks: total times equal self times. */
    no_call_stacks?: boolean;
    /** Where the sampled time went; the shares but `libraries` add up to 1. */
    time: TimeShares;
    /** Element k: seconds of elapsed time in which k CPUs were busy. */
    cpu_usage: number[];
    /** CPUs the program was allowed to use. */
    cpus_allowed: number;
    /** The elapsed time of a single process tree, as far as it is known. */
    elapsed?: ElapsedFacts;
    /** Time in the kernel. */
    kernel?: KernelFacts;
    /** What other programs did meanwhile. */
    load?: LoadFacts;
}

/** A part of the program. */
export type ProgramUnit =
    /** Options of the commands that link: they may set how the processor treats small numbers when the program starts. */
    | { kind: "link" }
    /** A source. */
    | { kind: "file"; file: string };

/** How a number was obtained. */
export type Provenance =
    /** Measured by a clock or by sampling. */
    | "measured"
    /** Counted exactly. */
    | "counted"
    /** Computed from a model. */
    | "modelled"
    /** Follows from counted numbers and from what code and debug information say, where all evidence agrees. */
    | "inferred"
    /** Read from the binary. */
    | "binary"
    /** Reported by a compiler. */
    | "compiler";

/** What code of a library, or code that a library's templates and generics became, is for. */
export type Purpose =
    /** Ordered maps and sets: trees. */
    | "ordered-container"
    /** Hash tables. */
    | "hash-table"
    /** Linked lists. */
    | "linked-list"
    /** Inserting into and removing from the middle of sequences and strings. */
    | "shifting"
    /** Sorting. */
    | "sorting"
    /** Hash functions of tables. */
    | "hashing"
    /** Comparisons of strings and other sequences. */
    | "comparing"
    /** Memory allocation. */
    | "allocation"
    /** Sequences that grow and move. */
    | "growing"
    /** Copies of data. */
    | "copying"
    /** Fortran's run time packs, shifts and transposes arrays. */
    | "array-temporaries"
    /** Writing numbers and text. */
    | "formatting"
    /** Reading numbers and text. */
    | "parsing"
    /** Random numbers. */
    | "random-numbers"
    /** Regular expressions. */
    | "regular-expressions"
    /** Searching text for text. */
    | "text-search"
    /** Input and output. */
    | "input-output"
    /** Exceptions that are thrown. */
    | "exceptions"
    /** Casts that are checked at run time. */
    | "dynamic-casts"
    /** Counts of references to shared objects. */
    | "reference-counts"
    /** Integers of any size. */
    | "big-integers"
    /** A garbage collector. */
    | "garbage-collection";

/** A place of the program from which a library was called. */
export interface PurposeCaller {
    /** The function of the program. */
    function: string;
    /** `file:line` of the call, when known. */
    place?: string;
    /** Share of `program.cpu_seconds`, with all that was called. */
    share: number;
}

/** Time for one purpose: of the outermost library code on the stack that has one, with all that it called. */
export interface PurposeFacts {
    /** The purpose. */
    purpose: Purpose;
    /** Seconds, the kernel's included. */
    seconds: number;
    /** Share of `program.cpu_seconds`. */
    share: number;
    /** Samples. */
    samples: number;
    /** The part of `share` that the kernel took. */
    kernel_share: number;
    /** The part of `share` in functions of the program that the library called back, with what they called. */
    callback_share: number;
    /** The parts of `share` whose innermost library code has another purpose, the largest first. */
    inside?: PurposePart[];
    /** The library functions that the program called, the largest first. */
    functions?: PurposeFunction[];
    /** Where the program called them, the largest first. */
    callers?: PurposeCaller[];
    /** The functions of the program whose code holds these calls, what was inlined into them included; the largest first. */
    holders?: PurposeFunction[];
    /** Loops whose own code has this purpose (ids). */
    loops?: number[];
}

/** A function. */
export interface PurposeFunction {
    /** Name; of a library without template arguments and parameters. */
    function: string;
    /** Share of `program.cpu_seconds`, with all that it called. */
    share: number;
}

/** A part of the time for one purpose. */
export interface PurposePart {
    /** Purpose of the innermost library code. */
    purpose: Purpose;
    /** Share of `program.cpu_seconds`. */
    share: number;
}

/** Ranks that spend their time alike. */
export interface RankCluster {
    /** Their numbers: pairs of first and last rank, ends included. */
    ranges: [number, number][];
    /** How many. */
    ranks: number;
    /** The rank that is nearest to their mean. */
    medoid: number;
    /** The share of its time in computation. */
    computation: number;
    /** In communication. */
    communication: number;
    /** In input and output. */
    input_output: number;
    /** Its seconds. */
    elapsed_seconds: number;
    /** They are few: at most a hundredth of the ranks, or one of at least four. */
    outlier: boolean;
}

/** A loop in two builds. */
export interface RebuiltLoop {
    /** The source that has it. */
    file: string;
    /** Its line. */
    line: number;
    /** The function in which it is written. */
    function: string;
    /** Its share of the time of the unchanged program. */
    share: number;
    /** In the unchanged program. */
    before: BuiltLoop;
    /** In the best one. */
    after: BuiltLoop;
}

/** One recommendation. */
export interface Recommendation {
    /** What to do: the id that cases and `compare` refer to. */
    id: string;
    /** The rule that says so ([rules.md](rules.md)); equal to `id` but for the rules that choose among several remedies. */
    rule: string;
    /** One line for a table. */
    title: string;
    /** The loop, when it is about one. */
    loop_id?: number;
    /** The loop's group. */
    group?: number;
    /** The function that holds the code. */
    function?: string;
    /** Function in whose source the loop is written, where it was inlined into `function`. */
    written_in?: string;
    /** `file:line`, an address, or a module. */
    place?: string;
    /** The share of the time that is concerned. */
    share?: number;
    /** Its predicted speed-up, `[low, high]`; absent where waiting is what could be saved. Below 1 it may become slower. */
    loop_gain?: Gain;
    /** The likely value in that range. */
    loop_gain_likely?: number;
    /** The program's predicted speed-up, `[low, high]`. Below 1 it may become slower. */
    program_gain?: Gain;
    /** The likely value in that range. */
    program_gain_likely?: number;
    /** What the model gives for this change alone, `[low, high]`; `program_gain` counts what programs gained from whole changes. */
    modelled_gain?: Gain;
    /** The likely value in that range. */
    modelled_gain_likely?: number;
    /** How sure. */
    confidence: Confidence;
    /** What a trial of it measured (`loopwright try`). */
    tried?: Tried;
    /** The facts in words, each with how it was obtained. */
    evidence: string[];
    /** The same facts as values, in the same order. */
    facts: Evidence[];
    /** The command that would provide missing facts. */
    next?: string;
    /** The worked example in the casebook. */
    case?: string;
    /** Where the knowledge comes from. */
    sources?: string[];
    /** The change in words, one paragraph. */
    how: string;
    /** In C. */
    c?: Change;
    /** In Fortran. */
    fortran?: Change;
    /** Compiler options. */
    flags?: Flags[];
    /** Environment settings. */
    environment?: Setting[];
    /** Where there are `places`: ids of the changes there. Those of a package are several, or another than its `id`. */
    changes?: string[];
    /** All loops that it is about, where there are several or it is a package, the most valuable first. `share` and the gains beside are those of all of them together, `loop_id`, `function`, `place` and the evidence those of the first. */
    places?: AdvisedPlace[];
    /** Ids of other changes that its text offers for the same place: which one fits depends on what no fact shows. */
    also?: string[];
    /** The program is likely to gain less than two runs of it differ by: not shown unless all is asked for. */
    minor?: boolean;
}

/** A remark. */
export interface Remark {
    /** Compiler family. */
    family: CompilerFamily;
    /** Compiler and version, e.g. `gcc 12.2.0`. */
    compiler: string;
    /** Pass (`vect`, `loop-vectorize`, `slp`, `unroll`, ...). */
    pass: string;
    /** The result. */
    outcome: RemarkOutcome;
    /** Source file of the loop, as the compiler wrote it, made absolute with the compilation directory where known. */
    file: string;
    /** Line of the loop, 1-based. */
    line: number;
    /** Column of the loop, 1-based; 0 when unknown. */
    column: number;
    /** The statement that the message blames, when the report distinguishes it from the loop. */
    statement?: SourcePosition;
    /** Function that holds the code, where the report names it. */
    function?: string;
    /** Call sites `(function, file, line)` from the innermost outwards, where the report lists them. */
    inlined_at: [string, string, number][];
    /** The message, verbatim. */
    message: string;
    /** Reason id of the table (see `reasons`); absent when the message is not known. */
    reason?: string;
    /** Vector width in bytes, when reported. */
    vector_bytes?: number;
    /** Estimated speed-up, when reported (Intel). */
    estimated_gain?: string;
}

/** The result that a message reports. */
export type RemarkOutcome =
    /** The loop was vectorised. */
    | "vectorized"
    /** The loop was not vectorised (with or without a reason). */
    | "missed"
    /** Another transformation or a note (unrolled, interchanged, versioned, basic block vectorised, ...). */
    | "note";

/** A remedy of a reason. */
export interface Remedy {
    /** Whom it is for. */
    by: string;
    /** What to do. */
    what: string;
}

/** Which line of a full set is evicted. */
export type Replacement =
    /** The line least recently used. */
    | "lru"
    /** The line filled first. */
    | "fifo"
    /** Tree pseudo-LRU. */
    | "plru"
    /** Not most recently used (bit pseudo-LRU). */
    | "nru"
    /** Static re-reference interval prediction with two bits. */
    | "srrip"
    /** A random line, from a fixed seed. */
    | "random";

/** What `loopwright report --json FILE` writes, and what its page shows. */
export interface Report {
    /** Version of `analysis`. */
    schema: number;
    /** Version of the document around it (1). */
    report: number;
    /** The program that wrote it. */
    tool: Tool;
    /** When (RFC 3339, UTC). */
    generated: string;
    /** The state that was asked for. */
    state: string;
    /** What `loopwright show --json` prints of this state. */
    analysis: Analysis;
    /** Source files with time or with loops of the analysis, the hottest first. */
    sources: SourceFile[];
    /** Functions with time or with loops of the analysis whose instructions were kept, the hottest first. */
    listings: Listing[];
    /** Functions left out to keep the report small; absent where there are none. */
    listings_left_out?: number;
    /** When there are several threads, the 64 with most time. */
    threads?: ThreadTree[];
    /** Threads with time beyond those; absent where there are none. */
    threads_left_out?: number;
    /** The reasons that `why_not` and `remarks` name, by their ids, as `loopwright explain` prints them. */
    reasons: Record<string, Explanation>;
    /** Sentences for names of the contract that occur: `trait:gather`, `role:body`, `chain:in-order-sum`, `idiom:memset`. */
    words: Record<string, string>;
    /** What a fuller picture needs, most valuable first. */
    missing: Missing[];
    /** The comparison with another state, where one was named. */
    comparison?: ComparisonDocument;
    /** In a page that would become too large: how many loops, the hottest, have all their facts; the others lack `total_work`, `by_thread`, `serial_share`, `chains`, `strides` and `compilers`, and their `instruction_mix`, `mix`, `histogram` and `roofs` are empty; `energy` has only loops and functions with 0.5 % of the run's or more. What `--json` writes has them all. */
    detailed_loops?: number;
}

/** How one of both builds differs from that of the project. */
export interface ReproduceSide {
    /** Another compiler of C and C++. */
    compiler?: string;
    /** Options behind those of the project. */
    options?: string[];
}

/** The newest comparison of the answers of two builds. */
export interface ReproductionFacts {
    /** The build whose answer counts. */
    good: ReproduceSide;
    /** The build that is compared with it. */
    bad: ReproduceSide;
    /** What the comparison showed. */
    outcome: ReproductionOutcome;
    /** The answer of the second build. */
    answer: ComparedAnswer;
    /** Files that were compared beside standard output. */
    outputs?: string[];
    /** What runs of the first build wrote differently, so that it was not compared. */
    unsteady?: Unsteady[];
    /** What only runs of the second build wrote differently. */
    unsteady_bad?: Unsteady[];
    /** Runs of the first build under other conditions. */
    conditions: ConditionFacts[];
    /** Sets of parts of the program: those of a set change the answer together, with the options of the second build. */
    culprits?: ProgramUnit[][];
    /** The functions of these sources. */
    files?: FileCulprits[];
    /** Sets of options, each of which changes the answer where these sources have it; the words of the link line where that does. */
    options?: string[][];
    /** Why the search ended before all was found. */
    halted?: SearchHalted;
    /** The smallest speed-up that is called one: what the first build against itself showed, at least 1 %. */
    claimed_from: number;
    /** The second build, then what keeps the answer, each measured beside the first build. */
    repairs?: TriedFacts[];
    /** The fastest that keeps the answer: its number among them. */
    cheapest?: number;
    /** Versions of the program that were linked. */
    builds: number;
    /** Runs of the program, all versions together. */
    runs: number;
}

/** What a comparison of two builds showed. */
export type ReproductionOutcome =
    /** Both builds give the same answer. */
    | "same"
    /** The answers differ within the tolerance. */
    | "within"
    /** The second build was not made. */
    | "not-built"
    /** Words of the link line alone change the answer. */
    | "link"
    /** Sources change it. */
    | "sources"
    /** It changes, and the search ended before anything was found. */
    | "not-found";

/** What an instruction occupies for a while, so that others of its kind must wait. */
export type Resource =
    /** Slots in which instructions are decoded, renamed and retired. */
    | "front-end"
    /** Branches that are taken. */
    | "taken-branches"
    /** Ports of integer arithmetic. */
    | "integer"
    /** Ports of integer shifts and rotations. */
    | "shift"
    /** The port of integer multiplications. */
    | "multiply"
    /** Ports that load from the first-level cache. */
    | "loads"
    /** Ports that store into the first-level cache. */
    | "stores"
    /** Ports that store vectors into the first-level cache: they take the value from another part of the core. */
    | "vector-stores"
    /** Ports of floating-point additions. */
    | "float-add"
    /** Ports of floating-point multiplications. */
    | "float-multiply"
    /** The divider of floating-point numbers. */
    | "float-divide"
    /** Lines that come from the second-level cache. */
    | "l2-lines"
    /** Lines that come from the third-level cache. */
    | "l3-lines"
    /** Lines that come from main memory. */
    | "memory-lines"
    /** Lines that come from scattered addresses in main memory, which no prefetcher foresees: how many a core waits for at the same time. */
    | "scattered-lines";

/** How a loop bore operations of one kind. */
export interface ResourceFacts {
    /** The resource. */
    resource: Resource;
    /** Operations that an iteration absorbs before it takes 5 % longer (between measured numbers by interpolation); where all were absorbed, the greatest number that was tried. */
    room: number;
    /** All numbers of operations that were tried were absorbed. */
    room_is_bound?: boolean;
    /** Share of an iteration in which the loop itself occupies the resource; absent where no number of operations made the iteration so long that it can be told. */
    busy?: number;
    /** Time of an iteration by the number of injected operations. */
    curve: CurvePoint[];
}

/** Reuse that a loop carries. */
export interface ReuseCarrier {
    /** The loop, where it is listed. */
    loop_id?: number;
    /** Its place; `before the loop` when the line was last used earlier. */
    place: string;
    /** No loop carries it: the line was last used before this loop was entered. */
    before_loop?: boolean;
    /** Share of the line uses. */
    share: number;
    /** Mean distance in bytes of distinct lines. */
    mean_bytes: number;
}

/** A ceiling at a loop's intensity. */
export interface Roof {
    /** `L1`, `L2`, `L3`, `DRAM`, or the arithmetic (`AVX2 f64 FMA`, `scalar f32`, with ` mix` when it is a mixture). */
    name: string;
    /** Arithmetic or bandwidth. */
    kind: RoofKind;
    /** Value in the unit of the roofline's kind (GFLOP/s, 10^9 integer operations/s, GB/s); of a bandwidth: times the intensity. */
    value: number;
    /** The benchmark whose bandwidth this is (`load`, `triad`, ...). */
    kernel?: string;
    /** Bandwidth in GB/s. */
    gbytes?: number;
    /** Measured on just as many cores and for just this arithmetic, or modelled from such measurements. */
    provenance: Provenance;
}

/** What kind of ceiling. */
export type RoofKind =
    /** Arithmetic. */
    | "compute"
    /** Bandwidth of a memory level. */
    | "memory";

/** What a roofline's axes count. */
export type RooflineKind =
    /** Floating-point operations: GFLOP/s over FLOP per byte. */
    | "flop"
    /** Integer operations: 10^9 operations/s over operations per byte. */
    | "integer"
    /** The loop only moves data: GB/s. */
    | "bytes";

/** What the hierarchical roofline says of one memory level: operations per byte that come from it, by the simulated caches of this machine. */
export interface RooflineLevel {
    /** The level that serves: `L1` (bytes between core and first-level cache), `L2`, `L3`, `DRAM`. */
    name: string;
    /** Operations (bytes of the core for loops that only move data) per byte to and from it, lowest and highest: a simulation that began with unknown contents leaves a range. Absent when it moves no byte. */
    intensity?: [number, number];
    /** The same for the estimated traffic; absent when that is none. */
    estimated_intensity?: number;
    /** Measured bandwidth in GB/s of lines moved (lines that a store fetches included). */
    gbytes?: number;
    /** The benchmark it was measured with. */
    kernel?: string;
    /** Bandwidth x intensity, lowest and highest, in the unit of the roofline's kind. */
    ceiling?: [number, number];
    /** Bandwidth x estimated intensity; it chooses the ceiling that binds. */
    estimated_ceiling?: number;
    /** `modelled`: the traffic is simulated. */
    provenance?: Provenance;
}

/** The place of a loop in the cache-aware roofline (Ilic, Pratas, Sousa, IEEE Computer Architecture Letters 2014), and where its caches were simulated also in the hierarchical one (Yang, Kurth, Williams, *Hierarchical Roofline analysis for GPUs*, CCPE 2020; Koskela et al., *A Novel Multi-Level Integrated Roofline Model Approach*, ISC 2018). */
export interface RooflinePoint {
    /** What the axes count. */
    kind: RooflineKind;
    /** Operations of that kind per byte; absent when no bytes are moved, and for `bytes`. */
    intensity?: number;
    /** Achieved GFLOP/s; absent without time or without FLOP. */
    gflops?: number;
    /** Achieved 10^9 integer operations/s; absent without time or without integer operations. */
    gintops?: number;
    /** Achieved GB/s between core and first-level cache; absent without time. */
    gbytes_per_second?: number;
    /** Achieved 10^9 instructions/s; absent without time. */
    ginstructions?: number;
    /** Cores that the rates and ceilings are for: those that ran the loop at the same time. */
    cores?: number;
    /** Name of the ceiling that binds; `instructions or latency` when no measured ceiling is near. */
    bound?: string;
    /** Its kind. */
    bound_kind?: RoofKind;
    /** Its value in the unit of `kind`. */
    ceiling?: number;
    /** Ceiling / achieved. */
    headroom?: number;
    /** All ceilings at this intensity: the loop's own arithmetic, the machine's peak for its type, memory levels from the fastest to the slowest. */
    roofs?: Roof[];
    /** The same by the traffic that simulated caches of this machine have at each memory level, nearest first, where it is known for the loop; then it chooses the ceiling that binds. */
    levels?: RooflineLevel[];
    /** How the binding ceiling was chosen, or what is missing, in one sentence. */
    how?: string;
    /** `modelled` when counts are joined with time and ceilings, `counted` when there is only an intensity. */
    provenance?: Provenance;
}

/** What differs in a run. */
export type RunCondition =
    /** Nothing. */
    | { kind: "again" }
    /** The number of OpenMP threads. */
    | { kind: "threads"; threads: number }
    /** The functions that the mathematical library has for older processors. */
    | { kind: "older-library" };

/** The energy of a run. */
export interface RunEnergy {
    /** Elapsed seconds. */
    seconds: number;
    /** CPU time of all its processes. */
    cpu_seconds: number;
    /** Joules of all sockets and their memory; absent where a counter cannot be believed. */
    joules?: number;
    /** Joules over seconds. */
    watts?: number;
    /** Joules times seconds. */
    delay_product?: number;
    /** What the counters cover, with the parts of a sum and what has it as a part; empty with a model. */
    domains?: DomainEnergy[];
    /** The program's part of the CPU time that the whole machine used meanwhile; the counters have the energy of the rest, too. */
    share_of_busy?: number;
}

/** The comparison of one stage's advice with the next stage. */
export interface Rung {
    /** The id that was given, of those that were expected; the verb of a search that found what was expected. */
    id?: string;
    /** Its place in the list, from 1. */
    rank?: number;
    /** Its predicted gain of the program. */
    predicted?: [number, number];
    /** The measured interval reaches into the predicted range; absent while one of the two is. */
    came_true?: boolean;
}

/** What a prediction is about. */
export type Scope =
    /** The loop's own time. */
    | "loop"
    /** The time of the loop with everything inside it and called from it. */
    | "loop-total"
    /** The program's CPU time; where the share concerned is not a loop's. */
    | "program"
    /** The program's elapsed time; for rules about threads. */
    | "elapsed";

/** Why a search ended early. */
export type SearchHalted = { because: "time" } | { because: "stopped" } | { because: "not-built"; error: string } | { because: "not-exchanged"; reason: string } | { because: "vanished" } | { because: "not-taken-apart" };

/** Why the iterations of a loop cannot be given to several threads. */
export type SerialReason = "traced" | { carries: Carrier } | "early-exit" | "atomic";

/** An environment variable to set. */
export interface Setting {
    /** Name. */
    name: string;
    /** Value. */
    value: string;
    /** What it does, and its price. */
    meaning: string;
}

/** How grave a finding is. */
export type Severity =
    /** Changed for the better, or by itself neither good nor bad. */
    | "note"
    /** Probably worse, or not comparable. */
    | "warning"
    /** Worse: `loopwright check` fails. */
    | "failure";

/** The shape of an algorithm. */
export type ShapeEvidence =
    /** A loop that compares elements and does nothing else. */
    | { kind: "search"; entries: number; elements: number; leaves: boolean }
    /** Short walks along links. */
    | { kind: "descents"; entries: number; bytes: number }
    /** Its entries read one region. */
    | { kind: "one-region"; bytes: number; entries: number }
    /** What a search takes, beside a query to an index. */
    | { kind: "against-index"; search: number; index: [number, number] }
    /** A chain of look-ups in a small table. */
    | { kind: "table-walk"; bytes: number; extent: TracedExtent; cycles: number }
    /** A loop that takes a number apart bit by bit. */
    | { kind: "bit-by-bit"; entries: number; bits: number; cycles: number }
    /** What the change leaves of it. */
    | { kind: "instead"; now: number; then: [number, number] }
    /** Windows that overlap. */
    | { kind: "window"; place: string; elements: number; step: number; bytes: number; extent: TracedExtent }
    /** A loop that calls through pointers for each of its elements. */
    | { kind: "calls-per-element"; elements: number; calls: number; instructions: number; cycles: number }
    /** A search that halves a range. */
    | { kind: "halving"; searches: number; steps: number; branches: number; cycles: number };

/** False sharing between threads. */
export interface SharingFacts {
    /** Falsely shared lines: threads used them without a byte in common, at least one of them writing. */
    false_lines: number;
    /** Share of the accesses that go to them. */
    false_share: number;
    /** Truly shared lines: threads used them with bytes in common, at least one of them writing. */
    true_lines: number;
    /** Share of the accesses that go to those. */
    true_share: number;
    /** The worst of the falsely shared lines in which each thread that writes kept to bytes of its own during all of the trace: what each thread used, in words. Absent where threads used the same bytes at different times. */
    example?: string[];
}

/** A part of the slots. */
export type SlotPart =
    /** Used by instructions that retired. */
    | "retiring"
    /** Lost to wrong speculation. */
    | "bad-speculation"
    /** Not filled by the front end. */
    | "front-end"
    /** Not accepted by the back end, where it is not known why. */
    | "back-end"
    /** Not accepted by the back end, which waited for memory. */
    | "memory"
    /** Not accepted by the back end, which waited for its own units. */
    | "core";

/** A source file: its text, time by line, loops in the margin, remarks. */
export interface SourceFile {
    /** As the debug information names it. */
    file: string;
    /** Its text as kept with the runs, else as it is on disk. */
    text?: string;
    /** Why there is no text, in a sentence. */
    missing?: string;
    /** Why the text is probably not what the program was built from. */
    outdated?: string;
    /** Pairs of line and self seconds, lines with samples only. */
    lines: [number, number][];
    /** Loops as written. */
    marks: Mark[];
    /** What compilers said, by line. */
    remarks: LineRemark[];
}

/** A place in the source. `line` and `column` are 1-based; 0 means the compiler did not say. */
export interface SourceLocation {
    /** Path as the compiler recorded it, joined with its compilation directory. */
    file: string;
    /** Line, 1-based. */
    line: number;
    /** Column, 1-based; 0 when unknown. */
    column: number;
}

/** A position in a source file. */
export interface SourcePosition {
    /** Source file, as the compiler wrote it. */
    file: string;
    /** Line, 1-based. */
    line: number;
    /** Column, 1-based; 0 when unknown. */
    column: number;
}

/** The workbench's advice for a stage. */
export interface StageAdvice {
    /** As one would type it. */
    command: string;
    /** In the order in which they are shown, each id once. */
    recommendations: Fired[];
}

/** A source file of a stage. */
export interface StageFile {
    /** Its name, from the case's folder. */
    name: string;
    /** Name of the file of `from` that it is compared with; absent where it is new. */
    before?: string;
    /** All lines, each behind a mark: a space where it is the same in `before`, `+` where it is new, `-` where only `before` has it. Without `before` every line has a space. */
    marked: string;
}

/** A stage. */
export interface StageRecord {
    /** Its name. */
    name: string;
    /** Its title. */
    title: string;
    /** What it does differently. */
    change: string;
    /** Place in `stages` of the one that it is compared with; absent for the first. */
    from?: number;
    /** Ids of recommendations any of which, given for `from`, leads here. */
    expected?: string[];
    /** Why no advice can lead here. */
    because?: string;
    /** How it was built, from the folder of results. */
    commands?: string[];
    /** How it was run, from the folder of results. */
    run?: string;
    /** Threads of the compared part. */
    threads: number;
    /** Why it was left out here (a feature, compiler or library that is missing). */
    left_out?: string;
    /** What went wrong: it was not built, failed or computes something else. */
    wrong?: string;
    /** What it printed, by name; times, `flop`, `bytes` and `working_set` left out. */
    results?: Record<string, number>;
    /** What was measured. */
    measured?: Measured;
    /** What is recommended for this stage. */
    advice?: StageAdvice;
    /** The search on `from` that leads here, and what it found. */
    search?: StageSearch;
    /** The comparison of the advice for `from` with this stage. */
    rung?: Rung;
    /** Why the advice is known to miss it with this compiler. */
    miss?: string;
    /** What the program drew. */
    pictures?: Pictures;
}

/** A search that leads to a stage: `tune` or `reproduce`, run on the stage before. */
export interface StageSearch {
    /** `tune` or `reproduce`. */
    verb: "tune" | "reproduce";
    /** As one would type it. */
    command: string;
    /** Options and settings of the best candidate, or the functions that change the answer with their sources. */
    found?: string[];
    /** The measured gain of the best candidate. */
    gain?: [number, number];
    /** What the stage expects is among what was found. */
    hit: boolean;
}

/** The sources of a stage. */
export interface StageSources {
    /** The stage's name. */
    name: string;
    /** Name of the stage that it is compared with; absent for the first. */
    from?: string;
    /** The files that differ from those of `from`; all files of a stage without `from`. */
    files: StageFile[];
    /** Names of the files that are the same as in `from`. */
    unchanged?: string[];
    /** Names of the files of `from` that are not used any more. */
    gone?: string[];
}

/** An affine memory operand seen in the code. */
export interface StaticStride {
    /** Instruction. */
    address: number;
    /** Bytes between two consecutive machine iterations; 0 = uniform. */
    bytes: number;
    /** Operand size in bytes. */
    size: number;
    /** A store (else a load). */
    store: boolean;
    /** Line in the loop's file: of the instruction, or of the call that was inlined there; 0 when unknown. */
    line: number;
}

/** How an address moves from one iteration to the next. */
export type StridePattern =
    /** The same address in every iteration. */
    | "uniform"
    /** The next element (or the one before). */
    | "unit"
    /** The same distance each time, of another size. */
    | "constant"
    /** Different distances. */
    | "variable";

/** Counts of one thread in a loop or function, from the counting run (another run: other process and thread ids). */
export interface ThreadCounts {
    /** MPI rank, when there is one. */
    rank?: number;
    /** Process. */
    pid: number;
    /** Thread. */
    tid: number;
    /** Instructions of own blocks. */
    instructions: number;
    /** FLOP of own blocks. */
    flop: number;
    /** Machine iterations of the loop; absent for functions. */
    iterations?: number;
    /** Entries of the loop, calls of the function; absent when they are unknown. */
    entries?: number;
}

/** Threads, and what they wait for. */
export type ThreadEvidence =
    /** How many CPUs were busy. */
    | { kind: "cpus-busy"; busy: number; cpus: number }
    /** Threads that spent time in the loop. */
    | { kind: "threads-in-loop"; threads: number }
    /** Threads that share the allocator. */
    | { kind: "threads-share-it"; threads: number }
    /** The loop whose iterations several threads could take. */
    | { kind: "loop-to-share-out"; of: LoopName; share: number; beside?: LoopName[]; share_beside?: number }
    /** A loop above that runs several nests in turn. */
    | { kind: "nests-in-turn"; above: LoopName; nests: number }
    /** The loop around was traced in single iterations only. */
    | { kind: "around-unseen"; around: LoopName }
    /** The uneven loop is inside the loop whose iterations the threads share. */
    | { kind: "uneven-inside"; of: LoopName; share: number }
    /** The next loop inside whose iterations were found independent. */
    | { kind: "next-inside"; of: LoopName; share: number }
    /** How uneven the time of threads is. */
    | { kind: "time-imbalance"; threads: number; ranks: boolean; most: number; mean: number; excess: number; share: number }
    /** What balance would save. */
    | { kind: "balanced-earlier"; seconds: number; elapsed_seconds: number }
    /** How uneven the work of threads is. */
    | { kind: "work-imbalance"; share: number; equal: boolean }
    /** Time that threads spend waiting in the OpenMP run time. */
    | { kind: "open-mp-waiting"; share: number }
    /** What starting and ending parallel regions costs. */
    | { kind: "regions"; regions: number; each: [number, number]; share: [number, number] }
    /** Regions follow each other as fast as they can start and end. */
    | { kind: "region-pace"; regions: number; apart: number; each: [number, number] }
    /** What the program waits for. */
    | { kind: "waits-for"; share: number; wait: WaitCause }
    /** Threads that are blocked in locks. */
    | { kind: "blocked-in-locks"; threads: number; share: number }
    /** The lock that threads wait for most. */
    | { kind: "most-waited-for"; wait: WaitCause; looks: number }
    /** The lock function that asks for most of the kernel's work. */
    | { kind: "most-kernel-work"; function: string; caller?: string; share: number }
    /** Cache lines that threads share falsely. */
    | { kind: "falsely-shared-lines"; lines: number; share: number; extent: TracedExtent }
    /** What threads do with one of these lines. */
    | { kind: "example-of-line"; threads: string[] }
    /** Lines that are truly shared. */
    | { kind: "truly-shared-lines"; share: number }
    /** What a line takes from core to core. */
    | { kind: "line-transfer"; nanoseconds: [number, number] };

/** A thread with time. */
export interface ThreadFacts {
    /** MPI rank, when there is one. */
    rank?: number;
    /** Process id. */
    pid: number;
    /** Thread id. */
    tid: number;
    /** Thread name (`comm`). */
    name: string;
    /** CPU time, as the program's. */
    cpu_seconds: number;
    /** Its share of the CPU time. */
    cpu_share: number;
    /** Time in user code, as the operating system counts it. */
    user_seconds?: number;
    /** Time in the kernel, as the operating system counts it. */
    system_seconds?: number;
    /** Time in which it was ready to run but waited for a CPU. */
    ready_seconds?: number;
    /** Time in which it was neither running nor ready. */
    blocked_seconds?: number;
    /** Where it was blocked, by descending time. */
    waits?: WaitFacts[];
    /** The three loops with most self time in this thread: pairs of loop id and seconds. */
    top_loops: [number, number][];
}

/** Self time of one thread in a loop or function, from the survey. */
export interface ThreadSeconds {
    /** MPI rank, when there is one. */
    rank?: number;
    /** Process. */
    pid: number;
    /** Thread. */
    tid: number;
    /** Self time. */
    seconds: number;
}

/** Where one thread's time goes. */
export interface ThreadTree {
    /** MPI rank, when there is one. */
    rank?: number;
    /** Process. */
    pid: number;
    /** Thread. */
    tid: number;
    /** Its name (`comm`); absent where it has none. */
    name?: string;
    /** Its top-down tree, in the form of the `tree` of the analysis. */
    tree: FlatNode[];
}

/** Runs with one number of threads. */
export interface ThreadsEnergy {
    /** Threads that the program was given. */
    threads: number;
    /** Runs. */
    runs: number;
    /** Elapsed seconds, the median. */
    seconds: number;
    /** CPU time, the median. */
    cpu_seconds: number;
    /** Joules, the median. */
    joules?: number;
    /** Their interval (95 %). */
    joules_interval?: [number, number];
    /** Joules over seconds, the median. */
    watts?: number;
    /** Joules times seconds, the median. */
    delay_product?: number;
}

/** What a split gives. */
export interface Throughput {
    /** Programs that run at a time. */
    instances: number;
    /** Threads of each. */
    threads: number;
    /** Finished runs per second. */
    per_second: Estimate;
    /** Seconds that one run takes from its start to its end. */
    latency: Estimate;
}

/** Where the time went. */
export type TimeEvidence =
    /** The loop's share of the CPU time. */
    | { kind: "loop-share"; share: number; samples: number; pieces: number }
    /** The loop's share of the CPU time, with what it calls. */
    | { kind: "loop-total-share"; share: number }
    /** A module's share of the CPU time. */
    | { kind: "module-share"; share: number; module: string }
    /** The share of a library's loops that use narrow instructions. */
    | { kind: "narrow-loops-share"; share: number; module: string }
    /** The hottest loop of unoptimised code. */
    | { kind: "hottest-unoptimised-loop"; share: number; place: string; function: string }
    /** The functions of a module that take most of its time. */
    | { kind: "hottest-functions"; functions: HotFunction[] }
    /** Time in routines that work on vectors, with what they call. */
    | { kind: "vector-routines"; share: number; functions: HotFunction[] }
    /** Time of the memory allocator. */
    | { kind: "allocator-share"; share: number; functions: HotFunction[] }
    /** A function's own time. */
    | { kind: "function-share"; share: number; function: string }
    /** Time in library code of one purpose, with what it calls. */
    | { kind: "library-purpose"; share: number; purpose: Purpose; functions: HotFunction[] }
    /** Loops of the line that allocates, which only copy. */
    | { kind: "copies-of-the-line"; share: number }
    /** Allocations inside of code of other purposes. */
    | { kind: "allocates-elsewhere"; share: number }
    /** A part of a purpose's time whose innermost library code has another purpose. */
    | { kind: "inside-purpose"; share: number; purpose: Purpose }
    /** Where the program calls such code. */
    | { kind: "called-from"; places: HotFunction[] }
    /** A part of that time in functions of the program that the library calls back. */
    | { kind: "called-back"; share: number }
    /** A part of that time in the kernel. */
    | { kind: "in-kernel"; share: number }
    /** Library code of other purposes that a rewrite of this one changes as well. */
    | { kind: "same-data"; share: number }
    /** Own time of the functions that call library code. */
    | { kind: "around-calls"; share: number; functions: HotFunction[] }
    /** Own time of a function outside its loops. */
    | { kind: "outside-loops"; share: number; function: string }
    /** Time inside the functions that the loop calls. */
    | { kind: "inside-functions"; share: number }
    /** Time of the code around the loop. */
    | { kind: "code-around"; share: number; of: CodeAround; name?: string }
    /** Time in the pieces of the loop that run what does not fill its body. */
    | { kind: "remainder-and-peel"; remainder: number; peel: number }
    /** Time in the scalar version of the loop. */
    | { kind: "scalar-version"; share: number; place: string }
    /** The program was blocked during part of its elapsed time, which no faster code shortens. */
    | { kind: "program-blocked"; share: number }
    /** Every thread was blocked at the same time. */
    | { kind: "all-threads-blocked"; share: number; seconds: number; elapsed_seconds: number; looks: number };

/** Where sampled time went. */
export interface TimeShares {
    /** In vectorised loops. */
    vectorized: number;
    /** In scalar loops. */
    scalar: number;
    /** In user code outside loops. */
    outside_loops: number;
    /** In the kernel. */
    kernel: number;
    /** In shared libraries (overlaps the others). */
    libraries: number;
}

/** One level of translation of data addresses for some sizes of pages. */
export interface Tlb {
    /** 1 is searched first. */
    level: number;
    /** Sizes of the pages that its entries hold, in bytes. */
    page_bytes: number[];
    /** Number of entries. */
    entries: number;
    /** Entries of a set; equal to `entries` when fully associative. */
    ways: number;
}

/** A program. */
export interface Tool {
    /** Its name. */
    name: string;
    /** Its version. */
    version: string;
}

/** Verdicts of injected operations, and what the counters say of the whole program. */
export interface TopDownComparison {
    /** What they say together. */
    agreement: Agreement;
    /** Share of the program's time of the loops that have a verdict. */
    measured_share: number;
    /** Share of that time whose cause is a part of `binds`. */
    confirmed_share: number;
    /** The causes of that time as parts of the slots, as shares of the program's time, the largest first. */
    expected: TopDownPart[];
    /** The largest part of `binds`, where it is a loss that belongs to no cause and is larger than what was not measured. */
    unexplained?: SlotPart;
}

/** Shares of the slots in which the cores could have accepted instructions of the program, over the whole run: used, or lost and why. The four of the first level add up to 1 nearly. */
export interface TopDownFacts {
    /** Used by instructions that retired. */
    retiring: number;
    /** Lost to wrong speculation. */
    bad_speculation: number;
    /** Not filled by the front end. */
    front_end: number;
    /** Not accepted by the back end. */
    back_end: number;
    /** Of the back end's: it waited for memory. Absent where the processor, or perf, counts one level only. */
    memory?: number;
    /** Of the back end's: it waited for its own units. */
    core?: number;
    /** Of wrong speculation's: mispredicted branches. */
    mispredicts?: number;
    /** Taken by the other hardware thread of the core. */
    other_thread?: number;
    /** Parts of the lowest known level that are at or above their thresholds, the largest first: where the program loses most, or that it loses little (`retiring`). */
    binds: TopDownPart[];
    /** The kind of cores, of processors that have several. */
    cores?: string;
    /** Least share of the time in which one of these numbers was counted, where it is not all of it: counters took turns, or the program ran on cores of another kind. */
    counted_share?: number;
    /** Only user code was counted. */
    user_only?: boolean;
    /** The processor. */
    processor?: string;
    /** Version of perf. */
    perf: string;
    /** What it was asked for: groups of metrics, or the kernel's `topdown-*` events. */
    asked: string;
    /** Comparison with what injected operations showed; absent where no loop has a verdict. */
    comparison?: TopDownComparison;
}

/** A part of the slots with its share. */
export interface TopDownPart {
    /** Which. */
    part: SlotPart;
    /** Its share. */
    share: number;
}

/** How the CPUs are arranged. */
export interface Topology {
    /** Sockets with an online CPU. */
    sockets: number;
    /** Physical cores with an online CPU. */
    cores: number;
    /** Online logical CPUs. */
    cpus: LogicalCpu[];
    /** Logical CPUs that this process may use. */
    allowed: number[];
    /** Several logical CPUs share a core. */
    smt: boolean;
    /** NUMA nodes. */
    nodes: NumaNode[];
    /** Caches, each instance once, by level. */
    caches: Cache[];
    /** TLBs for data of one core, by level; empty where the processor (or a hypervisor) does not describe them. */
    tlbs?: Tlb[];
}

/** How much of a loop a trace saw. */
export interface TracedExtent {
    /** All of its iterations. */
    complete: boolean;
    /** Iterations that were traced; 0 where that is not known. */
    iterations: number;
}

/** The tracing run. */
export interface TracingFacts {
    /** Access patterns were looked for (`map`). */
    strides: boolean;
    /** Dependences were looked for (`dependencies`). */
    dependences: boolean;
    /** Everything was traced, not bursts of it. */
    exhaustive: boolean;
    /** Bursts that were traced. */
    bursts: number;
    /** Accesses that were traced. */
    accesses: number;
    /** Most memory that the trace took. */
    trace_bytes: number;
    /** Wall-clock seconds of the run. */
    elapsed_seconds: number;
    /** CPU seconds that the tool spent on the trace. */
    analysis_seconds: number;
    /** Simulated caches; `memory.caches` of a loop has the same order. */
    hierarchies: Hierarchy[];
    /** Simulated predictor of branches; absent when branches were not looked for. */
    predictor?: Predictor;
    /** Cycles that a mispredicted branch costs this machine's core, from tables (docs/patterns.md). */
    mispredict_cycles?: number;
    /** NUMA nodes with memory. */
    nodes: number;
}

/** The sources of a case in one language. */
export interface TrackSources {
    /** The case's name. */
    case: string;
    /** The language's track, where the case has several. */
    track?: string;
    /** In order. */
    stages: StageSources[];
}

/** Traits: properties of a loop's code that matter to its speed. */
export type Trait =
    /** Indexed vector loads. */
    | "gather"
    /** Indexed vector stores. */
    | "scatter"
    /** Masked vector operations (AVX-512 masks other than k0, `vmaskmov`, `vpmaskmov`). */
    | "masked"
    /** Blends by vector mask. */
    | "blend"
    /** Shuffles and permutes of vector elements (not register-zeroing or plain broadcasts). */
    | "shuffle"
    /** Single elements inserted into vectors (strided loads by hand). */
    | "insert"
    /** Single elements extracted from vectors. */
    | "extract"
    /** Conversions between number types. */
    | "conversion"
    /** Conversions between f32 and f64 in particular. */
    | "float-width-conversion"
    /** Floating-point division. */
    | "divide"
    /** Integer division. */
    | "integer-divide"
    /** Square root. */
    | "square-root"
    /** Fused multiply-add. */
    | "fma"
    /** Stores that bypass the caches. */
    | "non-temporal-store"
    /** `vcompress*` / `vpcompress*`. */
    | "compress"
    /** `vexpand*` / `vpexpand*`. */
    | "expand"
    /** Registers spilled to and reloaded from the stack inside the loop. */
    | "spill"
    /** Direct calls. */
    | "call"
    /** Calls through a pointer. */
    | "indirect-call"
    /** Atomic (`lock`) operations. */
    | "atomic"
    /** String instructions (`rep movs`, `rep stos`, ...). */
    | "string-op"
    /** An exit decided by data, in addition to another exit; copies of a counted exit made by the compiler do not count. */
    | "early-exit"
    /** Approximate reciprocal or reciprocal square root. */
    | "reciprocal"
    /** Cryptography or hash instructions (AES, SHA, CLMUL, CRC32). */
    | "crypto"
    /** Software prefetch. */
    | "prefetch";

/** The time that was compared. */
export type TrialClock =
    /** User and system time: other programs disturb it least. */
    | "cpu"
    /** Elapsed time, where more than one thread computes. */
    | "elapsed"
    /** Ticks of the time-stamp counter in calls of one function, in the run. */
    | "calls"
    /** A number that the program prints, as the user asked. */
    | "figure";

/** The newest trials of the program. */
export interface TrialFacts {
    /** The smallest speed-up that is called one: what the program against itself showed, at least 1 %. */
    claimed_from: number;
    /** Files that were compared beside standard output. */
    outputs?: string[];
    /** What two runs of the unchanged program wrote differently, so that it was not compared. */
    unsteady?: Unsteady[];
    /** The changes, in the order in which they were tried. */
    tried: TriedFacts[];
    /** The best changes together, measured on runs of their own. */
    together?: TriedFacts;
}

/** The best trial of a change. */
export interface Tried {
    /** How the change was made. */
    way: Way;
    /** What the trial showed. */
    outcome: TriedOutcome;
    /** The 95 % interval of the measured speed-up of the program, `[low, high]`. */
    measured?: [number, number];
    /** The median of the measured speed-ups. */
    measured_median?: number;
    /** Whether its answer is that of the unchanged program. */
    answer?: AnswerVerdict;
}

/** One tried change. */
export interface TriedFacts {
    /** Id of the recommendation, or the name of a set of options or settings that is tried for every program. */
    change: string;
    /** How it was made. */
    way: Way;
    /** The options, lines and variables that were changed. */
    parts?: Part[];
    /** The predicted speed-up of the program, `[low, high]`. */
    predicted?: [number, number];
    /** The likely value in that range. */
    predicted_likely?: number;
    /** The 95 % interval of the measured speed-up of the program, `[low, high]`. */
    measured?: [number, number];
    /** The median of the measured speed-ups. */
    measured_median?: number;
    /** Which time was compared. */
    clock?: TrialClock;
    /** Pairs of runs, one with and one without the change. */
    pairs?: number;
    /** The function whose calls were compared inside runs of the unchanged program, where that was done in place of pairs of runs. */
    in_run?: InRunFacts;
    /** Why that was not done, where a change of single sources was built. */
    not_in_run?: string;
    /** What the trial showed. */
    outcome: TriedOutcome;
    /** Whether the answer is that of the unchanged program; absent where there is none. */
    answer?: AnswerVerdict;
    /** Largest difference of a number in the answers, as a share of the largest magnitude in its column. */
    largest_difference?: number;
    /** The first line that is not accepted. */
    first_difference?: FirstDifference;
    /** Why it was not tried, what a compiler said, or how it ended. */
    note?: string;
}

/** What a trial showed. */
export type TriedOutcome =
    /** Faster by more than the program differs from itself, with an accepted answer. */
    | "faster"
    /** No difference was seen that is larger than that. */
    | "no-difference"
    /** Slower. */
    | "slower"
    /** The answer is not accepted. */
    | "wrong-answer"
    /** A compiler or linker refused it. */
    | "not-built"
    /** The code is that of the unchanged program, or of an earlier trial. */
    | "same-code"
    /** It ended with another status, or by a signal. */
    | "failed"
    /** It did not end in time. */
    | "hung"
    /** It was not tried. */
    | "left-alone";

/** How often a machine loop iterated, and what that means for the loop as written. */
export interface TripCount {
    /** Times the machine loop was entered from outside. */
    entries?: number;
    /** Machine iterations over all entries. */
    iterations: number;
    /** Fewest machine iterations of an entry. */
    min?: number;
    /** Median machine iterations of an entry, when it is known exactly; else `median_bounds`. */
    median?: number;
    /** Bounds of the median, when the histogram's bucket holds several values. */
    median_bounds?: [number, number];
    /** Mean machine iterations of an entry. */
    mean?: number;
    /** Most machine iterations of an entry. */
    max?: number;
    /** Entries by their machine iterations: triples of lowest and highest number of iterations, and entries; ascending. */
    histogram?: [number, number, number][];
    /** Entries were nested (recursion, signal handlers, exceptions): minimum, median, maximum and histogram are approximate; entries, iterations and mean stay exact. */
    approximate?: boolean;
    /** Source iterations that one machine iteration does (1 for a plain scalar loop); absent when that is not certain, see `source_unknown`. */
    source_factor?: number;
    /** Source iterations that this machine loop did. */
    source_iterations?: number;
    /** Its share of the source iterations of all pieces of its group (a remainder with 0.43 does 43 % of the iterations of the loop as written). */
    source_share?: number;
    /** Source iterations of the loop as written: those of all pieces of the group and `straight_iterations`, where pieces do different statements of each iteration those of one. */
    group_iterations?: number;
    /** Those of them that the compiler wrote as straight code beside the pieces. */
    straight_iterations?: number;
    /** Times the loop as written was entered, when the pieces show it exactly; else `source_entries_bounds`. */
    source_entries?: number;
    /** Bounds of the entries of the loop as written. */
    source_entries_bounds?: [number, number];
    /** Mean source iterations per entry of the loop as written, when its entries are exact; else `source_mean_bounds`. */
    source_mean?: number;
    /** Bounds of that mean. */
    source_mean_bounds?: [number, number];
    /** All pieces of the loop as written were counted. */
    group_complete: boolean;
    /** `counted` where each machine iteration is one of the source, else `inferred`; absent without iterations of the loop as written. */
    source_provenance?: Provenance;
    /** Why there are no iterations of the loop as written. */
    source_unknown?: string;
}

/** How often loops ran, and for how long. */
export type TripEvidence =
    /** How often the loop was entered. */
    | { kind: "entered"; counted: CountedEntries; body: boolean; elements?: number }
    /** What vectors save in entries of the counted lengths. */
    | { kind: "lanes-in-entries"; counted: CountedEntries; lanes: number; factor: number }
    /** Iterations of an entry as the source has them. */
    | { kind: "source-mean"; iterations: number }
    /** Iterations of an entry, estimated from the time of the code around. */
    | { kind: "estimated-iterations"; low: number; high: number }
    /** What vectors of this length leave over. */
    | { kind: "may-be-left-over"; lanes: number }
    /** Vector iterations of short entries, with a remainder and padded. */
    | { kind: "padded-passes"; lanes: number; with_remainder: number; padded: number; constant?: [number, number] }
    /** The trip count is a constant of the code. */
    | { kind: "constant-trips"; iterations: number }
    /** The share of the iterations that the vector body does not run. */
    | { kind: "remainder-share"; remainder: number; peel: number; mean?: number; vector_length: number; left: number }
    /** Iterations that the body leaves over in each entry, by the code. */
    | { kind: "left-each-time"; iterations: number }
    /** A short loop in a nest. */
    | { kind: "runs-per-entry"; iterations: number; entries: number; around?: [string, number] }
    /** Another loop runs over the same range. */
    | { kind: "same-range"; place: string; share: number; entries: number; iterations: number }
    /** What one entry of the loop is. */
    | { kind: "entry"; iterations: number; machine?: boolean; seconds: number }
    /** What the vector body does of the source iterations. */
    | { kind: "body-share"; share: number }
    /** The loop has several exits and never took an early one. */
    | { kind: "ran-to-its-end"; exits: number }
    /** A nest tries pairs of elements. */
    | { kind: "pairs"; place: string; pairs: number; against: number; stored: number }
    /** What trying all pairs takes, beside an index. */
    | { kind: "against-index"; all: number; index: [number, number] }
    /** The loop reads the same range again in each iteration of the loop around, or one that begins little later. */
    | { kind: "begins-again"; place: string; extent: TracedExtent }
    /** The loop reads more than the process holds while the loop around runs once. */
    | { kind: "walks-again"; bytes: number; place: string; times: number };

/** What a candidate varies. */
export type TuneAxis =
    /** Options of the compiler. */
    | "flags"
    /** Another compiler. */
    | "compiler"
    /** Link-time optimisation. */
    | "lto"
    /** The profile of a run. */
    | "pgo"
    /** Options of single sources. */
    | "files"
    /** Settings of memory, and allocators. */
    | "env"
    /** Settings of threads. */
    | "threads"
    /** Several of these that were faster one by one. */
    | "several";

/** The newest search for the best build. */
export interface TuneFacts {
    /** The smallest speed-up that is called one: what the program against itself showed, at least 1 %. */
    claimed_from: number;
    /** Files that were compared beside standard output. */
    outputs?: string[];
    /** What runs of the unchanged program wrote differently, so that it was not compared. */
    unsteady?: Unsteady[];
    /** What the options of the build itself let the compiler do to floating-point results. */
    semantics: FloatSemantics;
    /** What was compared, where the user said it; else CPU time, and elapsed time of programs that keep several CPUs busy. */
    metric?: TuneMetric;
    /** What disturbed the runs, where the system says it. */
    disturbed?: DisturbanceFacts;
    /** Processors of the nodes that jobs of a scheduler ran on. */
    processors?: string[];
    /** Runs of the program, all versions together. */
    runs: number;
    /** Builds and settings, in the order in which they were tried. */
    candidates: TunedFacts[];
    /** The best of them, measured on runs of its own. */
    best?: TriedFacts;
    /** Hot loops that the best build made otherwise, the hottest first; known after a survey, where the build has debug information. */
    loops_changed?: RebuiltLoop[];
}

/** What of runs is compared, as the user asked. */
export type TuneMetric =
    /** CPU time. */
    | { kind: "cpu" }
    /** Elapsed time. */
    | { kind: "wall" }
    /** A number that the program prints. */
    | { kind: "self-reported"; pattern: string; rate: boolean };

/** A build or a setting that was tried. */
export interface TunedFacts {
    /** What it varies. */
    axis: TuneAxis;
    /** What its options let the compiler do to floating-point results. */
    semantics: FloatSemantics;
    /** Seconds of its build. */
    build_seconds?: number;
    /** It was given up after fewer rounds than a claim needs, as others were faster; its speed-up is a rough one. */
    given_up?: boolean;
    /** Its parts, its speed-up in the rounds of the search, its answer. */
    tried: TriedFacts;
}

/** Which dependences were not seen. */
export type UnseenDependence =
    /** One that is nearer than that found. */
    | "nearer"
    /** One that forbids vectors. */
    | "forbids-vectors"
    /** One between iterations that the directive's clauses do not remove. */
    | "between-iterations";

/** What was not compared: what differs from run to run of the unchanged program, or what the user asked to ignore. */
export interface Unsteady {
    /** `standard output`, or a file as the user named it. */
    output: string;
    /** Numbers of its lines, from 1, of which only the words that are the same in each run were compared; empty where nothing was. */
    lines?: number[];
    /** These lines were left out as the user asked, whole. */
    ignored?: boolean;
}

/** What makes instructions vanish. */
export type Vanishing =
    /** All arithmetic is packed. */
    | "packed"
    /** All pairs in the code fuse. */
    | "fused"
    /** All separate operations that were executed fuse. */
    | "fused-as-executed";

/** Scalar and vector code. */
export type VectorEvidence =
    /** The loop's arithmetic is scalar. */
    | { kind: "scalar-arithmetic" }
    /** The remainder iterations are scalar. */
    | { kind: "scalar-left-overs" }
    /** All arithmetic instructions are scalar. */
    | { kind: "scalar-instructions"; instructions: number }
    /** The vector registers that the loop uses. */
    | { kind: "registers"; isa: Isa; bits: number; elements: number }
    /** Elements that vector code works on at a time. */
    | { kind: "elements-at-a-time"; part: VectorPart; elements: number }
    /** What fits into the machine's registers, and what the loop gains by it. */
    | { kind: "fit-in-registers"; elements: number; element: ElementType; bits: number; low: number; high: number }
    /** Partial sums instead of one chain, and what the loop gains by them. */
    | { kind: "partial-sums"; sums: number; bits: number; low: number; high: number }
    /** What wider registers bring. */
    | { kind: "wider-registers"; bits: number; low: number; high: number }
    /** What wider or non-temporal stores bring. */
    | { kind: "wider-stores"; bits: number; high: number }
    /** Lanes that a dependence allows. */
    | { kind: "lanes-at-most"; lanes: number; high: number }
    /** What the layout keeps a scalar loop from. */
    | { kind: "strides-when-vectorised"; unit: number; strided: number; accesses?: number }
    /** Instructions that put vectors together from single elements. */
    | { kind: "assembled"; by: Trait[] }
    /** The part of the instructions that moves single elements. */
    | { kind: "single-elements"; share: number; high: number }
    /** Instructions that only collect elements, as a trace shows them. */
    | { kind: "collected-elements"; collecting: number; instructions: number; gathers: boolean; low: number; high: number }
    /** Indexed vector accesses. */
    | { kind: "gathers"; gathers: boolean; scatters: boolean; elements: number }
    /** Scalar operations beside packed ones. */
    | { kind: "packed-share"; packed: number; lanes: number; scalar: number }
    /** Lanes that masked operations use. */
    | { kind: "lanes-in-use"; share: number }
    /** The code does the work of a library function. */
    | { kind: "idiom-in-code"; idiom: Idiom; bits: number };

/** Vector use with the modelled gain. */
export interface VectorFacts {
    /** Highest instruction-set level of the packed arithmetic. */
    isa: Isa;
    /** Widest register of it, in bits. */
    bits: number;
    /** Elements per vector operation. */
    length: number;
    /** Vectors of one source operation that a machine iteration processes (1: not unrolled). */
    unroll: number;
    /** Element types of the arithmetic, dominant first. */
    types: ElementType[];
    /** Packed share of the arithmetic instructions. */
    packed_share: number;
    /** Modelled speed-up against the scalar loop. */
    gain?: number;
    /** `gain` / `length`. */
    efficiency?: number;
    /** How `gain` and `efficiency` were obtained. */
    provenance: Provenance;
}

/** Vector code that works on several elements at a time. */
export type VectorPart =
    /** The body of the loop. */
    | "body"
    /** Another version of the loop. */
    | "other-version"
    /** Operations under masks. */
    | "masked";

/** What may be done with a loop, as far as its dependences show. */
export type VectorVerdict =
    /** No dependence that forbids it occurred. */
    | "safe"
    /** As `safe`, when its reductions may be reordered (exact for integers). */
    | "safe-with-reductions"
    /** Up to `max_length` lanes. */
    | "safe-up-to"
    /** A dependence occurred that forbids it. */
    | "unsafe"
    /** Something ran that could not be checked. */
    | "unknown";

/** What became of a source loop. */
export type Verdict =
    /** Less self time, beyond what sampling scatters. */
    | "faster"
    /** More self time, beyond what sampling scatters. */
    | "slower"
    /** No difference beyond scatter. */
    | "same"
    /** Only in the second. */
    | "appeared"
    /** Only in the first. */
    | "vanished"
    /** Scalar before, vectorised after. */
    | "now-vectorized"
    /** Vectorised before, scalar after. */
    | "no-longer-vectorized";

/** What threads wait for, and where. */
export interface WaitCause {
    /** The library's function, or the system call. */
    call: string;
    /** The function that called it. */
    caller?: string;
    /** What it waits for. */
    waits_for: WaitKind;
}

/** Blocked time in one system call, asked for by one function. */
export interface WaitFacts {
    /** What is waited for. */
    kind: WaitKind;
    /** The system call; absent for a page of memory. */
    call?: string;
    /** The C library's function that was called (`pthread_mutex_lock`); absent where the code makes the call itself. */
    through?: string;
    /** The function that called it. */
    function?: string;
    /** That function's module, base name. */
    module?: string;
    /** Time: of the elapsed time for `held_up`, of the threads' for `waits`. */
    seconds: number;
    /** Share of the elapsed time for `held_up`, of the thread's blocked time for `waits`. */
    share: number;
    /** Looks at which a thread was seen there. */
    seen: number;
}

/** What a blocked thread waits for, as far as its system call and that call's file show it. */
export type WaitKind =
    /** Another thread: a mutex, a condition, a barrier, the end of a thread (`futex`). */
    | "thread"
    /** A point in time. */
    | "sleep"
    /** A disk or a file on it. */
    | "storage"
    /** A socket. */
    | "network"
    /** A pipe. */
    | "pipe"
    /** A terminal. */
    | "terminal"
    /** The first of several events (`poll`, `epoll_wait`, `select`). */
    | "event"
    /** A child process. */
    | "child"
    /** A signal. */
    | "signal"
    /** Memory: a page that must be read or waited for, outside of any system call. */
    | "page"
    /** Anything else. */
    | "other";

/** How a change is made. */
export type Way =
    /** By options of the compiler. */
    | "options"
    /** By `omp simd` before loops. */
    | "simd"
    /** By a directive that no iterations depend on each other (`ivdep`, `assume_safety`). */
    | "ivdep"
    /** By `restrict` at the parameters of the function. */
    | "restrict"
    /** By `omp parallel for`. */
    | "parallel"
    /** By a copy of loops with the number of their iterations as a constant, beside the loop as it is. */
    | "count"
    /** By a directive or an option that keeps loops scalar. */
    | "no-vector"
    /** By another compiler. */
    | "compiler"
    /** By the profile of a run. */
    | "profile"
    /** By environment variables. */
    | "environment"
    /** By several of these. */
    | "several";

/** A reason why a loop is not vectorised. */
export interface WhyNot {
    /** Reason id as in `loopwright explain`. */
    reason: string;
    /** Compiler and version; absent when it was seen in the binary. */
    compiler?: string;
    /** Message, verbatim; or what was seen in the binary. */
    message: string;
    /** File that the message names. */
    file?: string;
    /** Line that the message names. */
    line?: number;
    /** `compiler` or `binary`. */
    provenance: Provenance;
}

/** Instructions and arithmetic. */
export type WorkEvidence =
    /** Branches of an iteration. */
    | { kind: "branches"; per_iteration: number; with_end: boolean }
    /** Instructions that neither compute nor touch data. */
    | { kind: "overhead"; share: number; branches: number; shuffles: number }
    /** How fast the core takes the instructions. */
    | { kind: "instructions-per-cycle"; per_cycle: number; instructions: number }
    /** How near the loop is to the ceiling of its arithmetic. */
    | { kind: "of-compute-roof"; share: number; roof?: string }
    /** How near a loop of integer arithmetic is to what memory could deliver. */
    | { kind: "of-deliverable-bytes"; share: number }
    /** Divisions and square roots in the code. */
    | { kind: "divisions"; divisions: number; roots: number; instructions: number }
    /** Divisions by a value that stays the same. */
    | { kind: "invariant-divisors"; fixed: number; divisions: number }
    /** How long executed divisions and roots keep the divider busy. */
    | { kind: "divider-share"; executed: number; share: number }
    /** Cycles of the divider beside those of the rest. */
    | { kind: "divider-cycles"; divider: number; rest: number }
    /** The loop divides integers by a variable. */
    | { kind: "integer-division" }
    /** Cycles of an integer division beside those of the rest. */
    | { kind: "integer-division-cycles"; divisions: number; division: number; rest: number }
    /** Conversions between floating-point types. */
    | { kind: "conversions"; wider: number; narrower: number; instructions: number }
    /** The part of the work that is conversion. */
    | { kind: "conversion-share"; share: number }
    /** Floating-point operations that are not fused, in the code. */
    | { kind: "separate-operations"; operations: number }
    /** Operations that only some iterations execute. */
    | { kind: "conditional"; share: number; flop: number }
    /** Operations that do not belong to a carried chain. */
    | { kind: "beside-chain"; operations: number; chain: number }
    /** Floating-point operations that were fused, and that were not. */
    | { kind: "fused-share"; share: number; flop: number; separate: number }
    /** Instructions that a change makes vanish. */
    | { kind: "vanishing"; share: number; when: Vanishing }
    /** Instructions that loads of addresses take. */
    | { kind: "without-address-loads"; times: number }
    /** Instructions that spill registers. */
    | { kind: "spills"; stores: number; instructions: number }
    /** A loop of products that are added. */
    | { kind: "multiply-adds"; sum: boolean; multiply_adds: number; loads: number; stores: number; iterations: number }
    /** The nest around such a loop. */
    | { kind: "nest-around"; outermost?: string }
    /** What the kernels of a library would reach. */
    | { kind: "library-rate"; achieved: number; reached: [number, number]; rate: number; from?: [string, number] }
    /** What products of matrices would reach instead of many calls. */
    | { kind: "matrix-rate"; achieved: number; reached: [number, number]; peak: number };

/** What a stretch of code did in the whole run. */
export interface WorkRow {
    /** Executed instructions. */
    instructions: number;
    /** Floating-point operations of all types; a fused multiply-add counts two. */
    flop: number;
    /** Those on half precision. */
    flop_f16: number;
    /** Those on bfloat16. */
    flop_bf16: number;
    /** Those on single precision. */
    flop_f32: number;
    /** Those on double precision. */
    flop_f64: number;
    /** Those on the x87 stack. */
    flop_f80: number;
    /** FLOP and bytes are upper bounds: masked operations were counted for all their lanes where the mask was not known. */
    flop_is_bound?: boolean;
    /** The FLOP that were counted so. */
    bound_flop?: number;
    /** Share of the FLOP that fused multiply-adds do; absent without FLOP. */
    fma_share?: number;
    /** Share of the FLOP that packed instructions do; absent without FLOP. */
    packed_share?: number;
    /** Integer operations on data, one per element (address and loop control excluded). */
    int_ops: number;
    /** Share of them that packed instructions do; absent without integer operations. */
    packed_int_share?: number;
    /** Bytes loaded, as the core sees them. */
    bytes_loaded: number;
    /** Bytes stored. */
    bytes_stored: number;
    /** The part of the stored bytes that bypasses the caches. */
    bytes_streamed: number;
    /** FLOP per byte loaded or stored; absent without FLOP or without bytes. */
    intensity?: number;
    /** Integer operations per byte; absent without either. */
    int_intensity?: number;
    /** Executed instructions by class; an instruction counts in each class it belongs to: `fp_scalar`, `fp_vector`, `int_vector`, `integer`, `load`, `store`, `branch`, `call`, `shuffle`, `conversion`, `divide`, `square_root`, `fma`, `moves`, `other`. */
    mix: Record<string, number>;
}
