/**
 * Words of the text views: for the names of the contract, phrases whose gaps (`{}`) are filled in, columns of tables.
 *
 * Derived from `vocabulary.rs`, `phrases.rs` and the lists of fields in `crates/report/src`:
 * `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-report contract` writes this file.
 */

import type { AnswerVerdict, CauseKind, Counted, EnergyDomain, EnergyFault, EnergyInterface, FloatSemantics, Isa, LoopRole, ParallelVerdict, Provenance, Resource, RooflineKind, SearchHalted, SlotPart, TrialClock, TriedOutcome, TuneAxis, VectorVerdict, Verdict, Way } from "./generated";

export const PROVENANCES: Record<Provenance, string> = {
    measured: "measured",
    counted: "counted",
    modelled: "modelled",
    inferred: "inferred",
    binary: "read from the binary",
    compiler: "reported by the compiler",
};

export const ROLES: Record<LoopRole, string> = {
    whole: "whole",
    body: "body",
    peel: "peel",
    remainder: "remainder",
    version: "version",
};

export const ISA_NAMES: Record<Isa, string> = {
    "x86-64": "x86-64",
    x87: "x87",
    MMX: "MMX",
    SSE: "SSE",
    SSE2: "SSE2",
    SSE3: "SSE3",
    SSSE3: "SSSE3",
    "SSE4.1": "SSE4.1",
    "SSE4.2": "SSE4.2",
    AVX: "AVX",
    F16C: "F16C",
    FMA: "FMA",
    AVX2: "AVX2",
    AVX512F: "AVX-512",
    AVX512CD: "AVX-512",
    AVX512DQ: "AVX-512",
    AVX512BW: "AVX-512",
    AVX512X: "AVX-512",
    AMX: "AMX",
};

export const OPERATIONS: Record<RooflineKind, string> = {
    flop: "FLOP",
    integer: "integer operations",
    bytes: "operations",
};

export const RATE_UNITS: Record<RooflineKind, string> = {
    flop: "GFLOP/s",
    integer: "10^9 integer operations/s",
    bytes: "GB/s",
};

export const VECTOR_VERDICTS: Record<VectorVerdict, string> = {
    safe: "safe to vectorise",
    "safe-with-reductions": "safe to vectorise with reductions",
    "safe-up-to": "safe up to {} iterations at once",
    unsafe: "not safe to vectorise",
    unknown: "vectors: unknown",
};

export const VECTOR_VERDICTS_IN_SHORT: Record<VectorVerdict, string> = {
    safe: "safe",
    "safe-with-reductions": "reduction",
    "safe-up-to": "up to {}",
    unsafe: "unsafe",
    unknown: "unknown",
};

export const VECTOR_TONES: Record<VectorVerdict, "good" | "caution" | "costly"> = {
    safe: "good",
    "safe-with-reductions": "good",
    "safe-up-to": "caution",
    unsafe: "costly",
    unknown: "caution",
};

export const PARALLEL_VERDICTS: Record<ParallelVerdict, string> = {
    independent: "iterations are independent: safe to run in parallel",
    "with-clauses": "safe to run in parallel with reduction or private clauses",
    dependent: "not safe to run in parallel",
    unknown: "parallel: unknown",
};

export const VERDICTS: Record<Verdict, string> = {
    faster: "faster",
    slower: "slower",
    same: "same",
    appeared: "new",
    vanished: "gone",
    "now-vectorized": "now vectorised",
    "no-longer-vectorized": "no longer vectorised",
};

export const COUNTED: Record<Counted, string> = {
    instructions: "instructions",
    flop: "floating-point operations",
    "integer-operations": "integer operations",
    bytes: "bytes loaded and stored",
    iterations: "iterations",
    entries: "entries",
};

export const RESOURCES: Record<Resource, string> = {
    "front-end": "front end",
    "taken-branches": "taken branches",
    integer: "integer ports",
    shift: "ports of shifts",
    multiply: "integer multiplier",
    loads: "load ports",
    stores: "store ports",
    "vector-stores": "store ports, vectors",
    "float-add": "floating-point additions",
    "float-multiply": "floating-point multiplications",
    "float-divide": "divider",
    "l2-lines": "lines from L2",
    "l3-lines": "lines from L3",
    "memory-lines": "lines from main memory",
    "scattered-lines": "scattered lines from memory",
};

export const CAUSES: Record<CauseKind, string> = {
    "chain-latency": "latency of a chain through the iterations",
    "memory-latency": "latency of loads that miss a cache",
    "bandwidth-l2": "bandwidth of L2",
    "bandwidth-l3": "bandwidth of L3",
    "bandwidth-memory": "bandwidth of main memory",
    "float-ports": "vector and floating-point ports",
    "integer-ports": "integer ports",
    "load-ports": "load ports",
    "store-ports": "store ports",
    multiplier: "integer multiplier",
    divider: "divider",
    "front-end": "front end",
    "branch-misses": "mispredicted branches",
};

export const CAUSES_IN_SHORT: Record<CauseKind, string> = {
    "chain-latency": "chain latency",
    "memory-latency": "memory latency",
    "bandwidth-l2": "L2 bandwidth",
    "bandwidth-l3": "L3 bandwidth",
    "bandwidth-memory": "memory bandwidth",
    "float-ports": "FP ports",
    "integer-ports": "integer ports",
    "load-ports": "load ports",
    "store-ports": "store ports",
    multiplier: "multiplier",
    divider: "divider",
    "front-end": "front end",
    "branch-misses": "mispredictions",
};

export const CAUSE_FAMILIES: Record<CauseKind, "units" | "front-end" | "latency" | "bandwidth" | "mispredictions"> = {
    "chain-latency": "latency",
    "memory-latency": "latency",
    "bandwidth-l2": "bandwidth",
    "bandwidth-l3": "bandwidth",
    "bandwidth-memory": "bandwidth",
    "float-ports": "units",
    "integer-ports": "units",
    "load-ports": "units",
    "store-ports": "units",
    multiplier: "units",
    divider: "units",
    "front-end": "front-end",
    "branch-misses": "mispredictions",
};

export const SLOT_PARTS: Record<SlotPart, string> = {
    retiring: "retiring",
    "bad-speculation": "bad speculation",
    "front-end": "front end",
    "back-end": "back end",
    memory: "back end, memory",
    core: "back end, core",
};

export const WAYS_OF_CHANGE: Record<Way, string> = {
    options: "options",
    simd: "omp simd",
    ivdep: "ivdep",
    restrict: "restrict",
    parallel: "omp parallel",
    count: "constant count",
    "no-vector": "no vectors",
    compiler: "compiler",
    profile: "profile",
    environment: "environment",
    several: "several",
};

export const CLOCKS: Record<TrialClock, string> = {
    cpu: "CPU time",
    elapsed: "elapsed time",
    calls: "calls in the run",
    figure: "what the program reports",
};

export const TRIED_OUTCOMES: Record<TriedOutcome, string> = {
    faster: "faster",
    "no-difference": "no difference",
    slower: "slower",
    "wrong-answer": "wrong answer",
    "not-built": "not built",
    "same-code": "same code",
    failed: "failed",
    hung: "hung",
    "left-alone": "left alone",
};

export const TRIED_TONES: Record<TriedOutcome, "good" | "caution" | "costly" | ""> = {
    faster: "good",
    "no-difference": "",
    slower: "costly",
    "wrong-answer": "costly",
    "not-built": "caution",
    "same-code": "",
    failed: "costly",
    hung: "costly",
    "left-alone": "",
};

export const ANSWERS: Record<AnswerVerdict, string> = {
    same: "same",
    within: "within",
    different: "different",
};

export const ENERGY_INTERFACES: Record<EnergyInterface, string> = {
    perf: "perf",
    powercap: "powercap",
    msr: "registers",
};

export const ENERGY_FAULTS: Record<EnergyFault, string> = {
    frozen: "did not move",
    jumped: "jumped",
    lost: "could not be read any more",
    brief: "run too brief",
};

export const ENERGY_DOMAINS: Record<EnergyDomain["part"], string> = {
    package: "socket {}",
    memory: "memory of socket {}",
    cores: "cores of socket {} (a part of it)",
    graphics: "graphics of socket {} (a part of it)",
    platform: "board (with the sockets)",
};

export const TUNE_AXES: Record<TuneAxis, string> = {
    flags: "options",
    compiler: "compiler",
    lto: "link time",
    pgo: "profile",
    files: "one file",
    env: "memory",
    threads: "threads",
    several: "several",
};

export const FLOAT_SEMANTICS: Record<FloatSemantics, string> = {
    exact: "exact",
    contract: "contract",
    reassoc: "reassoc",
    fast: "fast",
};

export const ANSWER_TONES: Record<AnswerVerdict, "good" | "caution" | "costly" | ""> = {
    same: "good",
    within: "good",
    different: "costly",
};

export const REPAIRS: Record<string, string> = {
    "as-it-is": "second build",
    "options-off": "without the options",
    "options-off-in-files": "without them in the sources",
    "files-as-first": "sources as in the first build",
    "link-as-first": "linked as the first build",
};

export const SEARCH_HALTED: Record<SearchHalted["because"], string> = {
    time: "the time was used up; allow more with --budget",
    stopped: "it was stopped",
    "not-built": "a version was not built: {}",
    "not-exchanged": "functions cannot be exchanged: {}",
    vanished: "the answer is that of the first build as soon as functions are compiled so that they can be exchanged",
    "not-taken-apart": "the options taken apart give the answer of the first build",
};

export const INSTRUCTION_CLASSES: Record<string, string> = {
    fp_scalar: "floating-point scalar",
    fp_vector: "floating-point vector",
    int_vector: "integer vector",
    integer: "integer",
    load: "load",
    store: "store",
    branch: "branch",
    call: "call",
    shuffle: "shuffle",
    conversion: "conversion",
    divide: "divide",
    square_root: "square root",
    fma: "FMA",
    moves: "move",
    other: "other",
};

export const BURST = ["burst", "bursts"] as const;
export const CACHE_LINE = ["cache line", "cache lines"] as const;
export const ENTRY = ["entry", "entries"] as const;
export const HOST = ["host", "hosts"] as const;
export const MACHINE_ITERATION = ["machine iteration", "machine iterations"] as const;
export const OTHER = ["other", "others"] as const;
export const PAGE = ["page", "pages"] as const;
export const PAIR = ["pair", "pairs"] as const;
export const PROCESS = ["process", "processes"] as const;
export const RANK = ["rank", "ranks"] as const;
export const SMALL_PAGE = ["page of 4 KiB", "pages of 4 KiB"] as const;
export const SOURCE_ITERATION = ["source iteration", "source iterations"] as const;
export const THREAD = ["thread", "threads"] as const;
export const WINDOW = ["window", "windows"] as const;

export const NO_SAMPLES = "No samples were taken: the program used too little CPU time to tell. Give it more work, or a higher `--rate`.";
export const FALLBACK_VERSION = "fallback version";
export const OPEN_CODED = "open-coded {}";
export const SAYS_VECTORISED = "says that it vectorised this loop";
export const SAYS_NOT_VECTORISED = "says that it did not vectorise this loop";
export const WITH_VECTORS = " with {}-byte vectors";
export const INSTRUCTIONS_SAY_OTHERWISE = "; the instructions say otherwise, and they are what runs";
export const LIMITED_LENGTH = "safe up to a limited vector length";
export const LIMITED_IN_SHORT = "limited";
export const DISTANCES_UP_TO = "distances up to {}";
export const CHECKED_EVERYTHING = "everything that it executed";
export const CHECKED_BURSTS = "in bursts";
export const ROUNDS_DIFFERENTLY = "floating-point: another order rounds differently";
export const IN_LINE = " in line {}";
export const SEVERAL_DISTANCES = "{}, {} up to {}";
export const SAME_PLACE = "the same place in every pass";
export const CONTIGUOUS = "contiguous";
export const CONTIGUOUS_BACKWARDS = "contiguous, backwards";
export const PARTLY_USED = "{} of each {} bytes used ({})";
export const FULLY_ASSOCIATIVE = "fully associative";
export const WAYS = "{}-way";
export const FOR_VICTIMS = " for victims";
export const HALF = "half";
export const NINE_TENTHS = "90 %";
export const WOULD_HIT = "{} of the line uses would hit in a cache of {}";
export const CARRIED_BY = "are carried by";
export const COME_BACK_FROM = "come back from";
export const APART_ON_AVERAGE = ", {} apart on average";
export const LINES_WITH_ACCESSES = "{} with {} of the accesses";
export const FALSELY_SHARED = "threads use different bytes of them at the same time, and at least one writes";
export const MISSES_OF_BRANCHES = "{} mispredicted per machine iteration";
export const MISSES_COST = "about {} of its cycles (estimated, {} each)";
export const TOO_FEW_OUTCOMES = "too few outcomes were traced to judge a predictor";
export const PREDICTOR = "by a simulated {} predictor of {}";
export const UNCLEAR = "not clear: no resource is busy enough, and nothing that is known explains the time";
export const UNCLEAR_LENGTHENED = "not clear: leaving versions for calls takes too much of an iteration, which takes {} ns otherwise";
export const UNCLEAR_ON_TOP = "not clear: operations of all kinds come on top of {} of an iteration, as beside mispredicted branches, late loads or another thread on the core, and what was traced does not explain it";
export const UNCLEAR_IN_SHORT = "not clear";
export const SEVERAL_CAUSES = "several at once: {}";
export const MEASURED_SHARE = "{} ({})";
export const MODELLED_SHARE = "{} ({}, modelled)";
export const DISTURBED = "{} of them disturbed and not used";
export const CHANGED_AT = "versions changed at the iterations of loop {}, and times hold all that it does";
export const CORE_SHARED = "another hardware thread used the core: instructions that wait for nothing took {} times as long, and what it uses looks busy here";
export const COUNTED_IN_MEMORY = "no register was free to count the iterations: the count in memory can lengthen one of so few cycles";
export const HOW_RESOURCES_BEAR = "Busy: share of an iteration in which the loop itself occupies the resource. Absorbs: operations of this kind that an iteration takes in before it is 5 % longer. Percentages of causes overlap.";
export const SLOTS_COUNTED_BY = "perf {}, {}";
export const SLOTS_COUNTED_IN = "in {} of the time";
export const SLOTS_OF_CORES = "of the cores {} alone";
export const SLOTS_OF_USER_CODE = "of user code";
export const TOP_DOWN_AGREES = "agrees with the verdicts of the loops: what binds {} of the measured time is at or above its threshold here, too ({})";
export const TOP_DOWN_DIFFERS = "differs from the verdicts of the loops: only what binds {} of the measured time is at or above its threshold here ({})";
export const TOP_DOWN_UNEXPLAINED = "differs from the verdicts of the loops: the largest loss here, {}, is the cause of no measured loop";
export const TOP_DOWN_TOO_LITTLE = "not compared: loops with a verdict take {} of the program's time, and counters count all of it";
export const TOP_DOWN_ALONE = "not compared: no loop has a verdict";
export const NOTHING_BINDS = "nothing";
export const TRIED_BY = "{} by {}";
export const TRIED_MEASURED = ", program {} ({}) measured";
export const TRIED_SAME = ", same answer";
export const TRIED_WITHIN = ", answer within the tolerance";
export const DIFFERS_BY = "{} by {}";
export const NO_CHANGE_TRIED = "No change was tried.";
export const NONE_FASTER = "No change is faster for certain.";
export const NOT_TOGETHER = "The faster changes were not measured together.";
export const IN_FRESH_RUNS = "{} ({}) in {} of fresh runs, by {}";
export const CONFIRMED = "confirmed {}";
export const NOT_CONFIRMED = "not confirmed: {}";
export const AGAINST_ITSELF = "the program differs from itself by up to {} %: smaller gains are not claimed";
export const UNSTEADY = "{} differs from run to run of the unchanged program and was not compared";
export const UNSTEADY_IN_LINES = "{} differs from run to run of the unchanged program in line {}, where the same words alone were compared";
export const IGNORED_LINES = "{}: line {} not compared, as you asked (--ignore)";
export const LINE_INSTEAD = "{}, line {}: {} instead of {}";
export const WHO_CHANGED_IT = "which function changes the answer is found by: loopwright reproduce --bad \"{}\" -- PROGRAM";
export const NOT_TUNED = "No build was searched for. Search with: loopwright tune -- PROGRAM (after loopwright build -- make)";
export const NOTHING_TO_TUNE = "No build was tried.";
export const NO_BETTER_BUILD = "No build and no setting is faster for certain.";
export const GIVEN_UP = "given up";
export const SCALAR_LOOP = "scalar";
export const SEVERAL_PROCESSORS = "jobs ran on several kinds of processors ({}): what is best on one need not be on another; choose one (--sbatch \"--constraint=..\")";
export const VECTORS_AT_A_TIME = ", {} at a time";
export const COMPARED_CPU = "compared by CPU time, as you asked (--metric cpu)";
export const COMPARED_WALL = "compared by elapsed time, as you asked (--metric wall)";
export const COMPARED_PRINTED = "compared by what the program prints, less is better (--metric self-reported:{})";
export const COMPARED_RATE = "compared by what the program prints, more is better (--metric self-reported-rate:{})";
export const DISTURBED_RUNS = "other work disturbed the runs: one lost its CPU {} times a second, and work waited for a CPU in {} of the time (medians)";
export const TUNE_RUNS = "{} runs of the program; what was given up after a few rounds has a rough figure";
export const NO_COMM = "No calls of MPI are known. Count them with: mpirun -n 4 loopwright comm -- PROGRAM";
export const COMM_NO_CALL = "The program made no call of MPI that can be seen. A library that hides its names (stripped, and linked in) cannot be hooked.";
export const COMM_IN_MPI = "{} on {}; one is in MPI for {} of {} ({})";
export const COMM_PART_OF_RANKS = "MPI_COMM_WORLD has {} ranks; the calls of {} are known, and all that follows is of these";
export const COMM_LOST_CALLS = "{} calls from more places than a thread's table holds are missing below";
export const COMM_LOST_MESSAGES = "{} messages to more ranks than a thread's table holds are missing in the matrix";
export const COMM_LOST_STARTS = "{} starts of persistent requests that were not made by the same thread: their bytes are missing";
export const COMM_TORN = "{} calls did not return (longjmp, or the end of the program): they are counted, their time is not";
export const COMM_FOREIGN = "{} messages went to processes outside of MPI_COMM_WORLD, or to ranks that the library cannot be asked for: they are missing in the matrix";
export const COMM_WITHOUT_BYTES = "the bytes of {} calls are not known: their arguments do not show them, or a library that is linked in cannot be asked for the size of a type";
export const COMM_NOT_COUNTED = "{} is not counted: {}";
export const COMM_WAITING = "Waiting is at least this: `loopwright comm --barriers` times it";
export const COMM_BY_SIZE = "Calls by bytes handed over";
export const COMM_BETWEEN_RANKS = "Messages between ranks";
export const COMM_MESSAGES = "{} messages with {} between {} pairs of ranks; `loopwright show matrix --csv` has all of them";
export const COMM_ADVICE = "What may make it quicker";
export const COMM_NETWORK_WANTED = "What joining small messages or collective calls saves is not known: measure the network once, in the same job, with: mpirun -n 2 loopwright machine --measure --network";
export const NO_IO = "No input and output is known. Count it with: loopwright io -- PROGRAM";
export const IO_NO_CALL = "The program made no call of input or output that can be seen. One without the C library (Go), or that has it linked in and is stripped, cannot be hooked.";
export const IO_OF_RUN = "{} on {}; one is in input and output for {} of {} ({}); {} read, {} written";
export const IO_LOST_FILES = "{} transfers to more files than a thread's table holds are in one row";
export const IO_TORN = "{} calls did not return (longjmp, or the end of the program): they are missing below";
export const IO_NESTED = "{} calls that a signal's handler made are missing below";
export const IO_MAPPED = "{} of files were mapped: what the program reads and writes there is not seen";
export const IO_FILES = "Files";
export const IO_PLACES = "Calls";
export const IO_FAILED = "{} calls returned an error";
export const IO_BUFFER_WRITES = "{}: {} writes of {} each; collect them in a buffer of 64 KiB or more: at most {} of {} ({})";
export const IO_BUFFER_READS = "{}: {} reads of {} each; read 64 KiB or more at once: at most {} of {} ({})";
export const IO_FLUSH_LESS = "{}: {} flushes of {} each; leave out the flush ('\\n' in place of std::endl): at most {} of {} ({})";
export const IO_SYNC_LESS = "{}: {} waits for the device; wait once at the end, where a crash may lose what was written since: at most {} of {} ({})";
export const IO_KEEP_OPEN = "{}: opened {} times; keep it open: at most {} of {} ({})";
export const NO_JOB = "Neither communication nor input and output was counted. Collect both with: loopwright job -- mpirun -n 4 {} PROGRAM";
export const JOB_OF = "{} on {}; the longest took {}";
export const JOB_WAITING = "waits for other ranks for {} or more of it";
export const JOB_WAITED = "waits for other ranks for {} of it";
export const JOB_ALIKE = "Ranks that are alike";
export const JOB_ADVICE = "What to change, in this order";
export const JOB_COLLECTED = "What was collected";
export const JOB_NO_ADVICE = "What was collected shows nothing that is worth a change.";
export const NO_HEAP = "No allocations are known. Count them with: loopwright heap -- PROGRAM";
export const HEAP_NO_CALL = "The program made no allocation that can be seen. One whose allocator is linked in and stripped cannot be hooked.";
export const HEAP_OF_RUN = "{} on {}; {} allocations of {} together, at most {} live in one (by samples), {} resident";
export const HEAP_LIVE = "{} are live at the end (by samples)";
export const HEAP_LOST_SAMPLES = "{} samples of the live heap found no room: live bytes are too few";
export const HEAP_KEEP_BLOCKS = "{} pages were touched anew, but only {} were in use at a time: blocks of 64 KiB and more ({} of them) go back to the system and are cleared again. Set MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=536870912 in the environment: at most {} of {} ({})";
export const NO_ENERGY = "No energy is known. Measure it with: loopwright energy -- PROGRAM";
export const ENERGY_OF_RUN = "{} in {}: {} W, energy-delay product {} J s";
export const ENERGY_UNKNOWN = "not known: a counter of a socket cannot be believed";
export const ENERGY_BY_COUNTERS = "counters of the processor, read through {}";
export const ENERGY_BY_MODEL = "a model, not measured: {} W and {} W more for each busy core, {}";
export const MODEL_GIVEN = "as you gave them";
export const MODEL_CALIBRATED = "calibrated on this machine (its points are within {} of it)";
export const ENERGY_NOT_MINE = "the program had {} of the CPU time that this machine used meanwhile; the counters hold the energy of all of it, and of idle cores";
export const ENERGY_BY_TIME = "the energy of a loop is its share of the self time: counters cover whole sockets, so that no finer split is measured";
export const LEAST_ENERGY = "least energy with {}, smallest energy-delay product with {}";
export const SAME_THREADS = "the program had the same number of threads each time: it takes it from elsewhere than OMP_NUM_THREADS";
export const OF_SOCKET = "socket {}";
export const OF_MEMORY = "memory of socket {}";
export const OF_CORES = "cores of socket {} (a part of it)";
export const OF_GRAPHICS = "graphics of socket {} (a part of it)";
export const OF_BOARD = "board (with the sockets)";
export const COUNTER_FROZEN = "did not move";
export const COUNTER_JUMPED = "jumped";
export const COUNTER_LOST = "could not be read any more";
export const COUNTER_BRIEF = "run too brief";
export const NOT_REPRODUCED = "No builds were compared. Compare with: loopwright reproduce --bad \"-Ofast\" -- PROGRAM (after loopwright build -- make)";
export const AS_THE_PROJECT = "as the project builds it";
export const BEHIND_THE_PROJECT = "{}   (behind the options of the project)";
export const RUN_AGAIN = "once more";
export const WITH_THREADS = "OMP_NUM_THREADS={}";
export const OLDER_LIBRARY = "libm without FMA and AVX2";
export const VARIES = "varies, not compared";
export const DIFFERS_AGAIN = "some of what the program writes differs from run to run, as times or sums of threads do: no build is to blame for it";
export const DIFFERS_BY_THREADS = "the answer depends on the number of threads: each number adds up partial sums in another order";
export const DIFFERS_BY_LIBRARY = "the answer depends on the processor: the mathematical library has other functions for older ones";
export const UNSTEADY_SECOND = "of the second build: {}";
export const BITS_AGREE = ", {} bits agree";
export const NO_ANSWER = "none: {}";
export const ONLY_WITH = "only together with {}";
export const WITH_OPTIONS = " together with ";
export const THE_LINK_LINE = "link line";
export const LINK_REMARK = "numbers near zero become zero in the whole program";
export const INLINED = "with what is inlined into it";
export const OTHER_ORDER = "other instructions, or the same in another order";
export const IN_LOOP_LINES = ", loop at line {}";
export const IN_LINES = ", line {}";
export const FUSED = "fused multiplications and additions";
export const IN_VECTORS = "vectors in place of single numbers";
export const APPROXIMATION = "approximate reciprocals";
export const NO_DIVISION = "multiplications in place of divisions";
export const CALLS = "calls {}";
export const SECOND_BUILD = "second build";
export const OPTIONS_OFF = "without the options";
export const OPTIONS_OFF_IN_FILES = "without them in the sources";
export const FILES_AS_FIRST = "sources as in the first build";
export const LINK_AS_FIRST = "linked as the first build";
export const ANOTHER_BUILD = "another build";
export const SPEED_OF_FIRST = "speed is that of the first build divided by the version's time; {} versions, {} runs of the program";
export const SAME_ANSWER = "both builds give the same answer";
export const WITHIN_ANSWER = "both builds give the same answer within the tolerance";
export const SECOND_NOT_BUILT = "the second build was not made";
export const CAUSE_NOT_FOUND = "the answers differ, and the search ended before the cause was found";
export const LINK_IS_CAUSE = "the link line changes the answer, no source does";
export const SOURCE_IS_CAUSE = "{} changes the answer";
export const SOURCES_ARE_CAUSE = "{} change the answer";
export const REPRODUCED = "reproduce: ";
export const TRACED_BOTH = "access patterns and dependences";
export const TRACED_PATTERNS = "access patterns";
export const TRACED_DEPENDENCES = "dependences";
export const TRACED_NOTHING = "nothing";
export const TRACED_EVERYTHING = "everything that the loops executed";
export const FASTER = "{} faster";
export const SLOWER = "{} slower";
export const NO_CHANGE = "the same";
export const NOT_KNOWN = "not known";
export const NO_SAMPLED_LOOPS = "Neither state has loops with samples.";
export const LONGEST_CHAIN = "A pass cannot take fewer cycles than its longest chain (modelled with the latencies of a current core).";
export const NOTHING_TO_DO = "Nothing needs to be done about it.";
export const BY_LEVEL = "Operations per byte to and from each level by the simulated caches, and what its bandwidth allows then; where bursts were traced, what earlier ones left in the caches is taken to have stayed there.";
export const CUT_SHORT = "The run was cut short: these are the counts until then.";
export const TWO_RUNS = "Time and counts come from two runs, so that their threads have different numbers.";
export const NO_SOURCE_POSITION = "no source position: the module has no line information (build with -g)";
export const NOT_TIMED = "verified, not timed";
export const ROUNDS = "{} interleaved rounds";
export const NONE_EXPECTED = "none expected";
export const TOO_LATE = "{}, too late";
export const NOT_GIVEN_FOR = "{} not given for {}";
export const COMM_SIZES = ["<16 B","<256 B","<4 KiB","<64 KiB","<1 MiB","larger"] as const;

export const LOOP_COLUMNS = [
    { id: "self_share", title: "Self %", help: "Share of the program's CPU time in the code itself, without inner loops (which have rows of their own) and without called functions. Sampled.", from: "survey", width: 104, number: true, usual: true },
    { id: "self_seconds", title: "Self", help: "The same in seconds or milliseconds of CPU time.", from: "survey", width: 80, number: true, usual: true },
    { id: "total_share", title: "Total %", help: "Share of the CPU time in the code, its inner loops and everything that it calls. Sampled, from call stacks.", from: "survey", width: 76, number: true, usual: true },
    { id: "total_seconds", title: "Total", help: "The same in seconds or milliseconds of CPU time.", from: "survey", width: 80, number: true, usual: false },
    { id: "type", title: "Type", help: "The widest vectors that the loop's arithmetic uses, their width in bits, and the number of elements in one vector (AVX2 256b x4); `scalar` with the element type otherwise. Read from the instructions.", width: 176, number: false, usual: true },
    { id: "why_not", title: "Why not vectorised", help: "The first reason why the loop is scalar: `loopwright explain REASON`.", width: 196, number: false, usual: true },
    { id: "bound_by", title: "Bound by", help: "What takes the loop's time, with the share of an iteration that it takes by itself; shares overlap. Ports and front end are measured by injected operations, latencies modelled: `loopwright show bottlenecks`.", from: "bottlenecks", width: 184, number: false, usual: true },
    { id: "recommendation", title: "Recommendation", help: "How many recommendations there are for the loop: `loopwright show loop N`.", width: 272, number: false, usual: true },
    { id: "roofline", title: "Headroom", help: "How many times as fast the loop would run at the ceiling that limits it, and which ceiling that is. Measured ceilings, counted work, sampled time.", from: "tripcounts", width: 132, number: true, usual: true },
    { id: "trips", title: "Trips", help: "Trip count: mean number of iterations for each time that the loop is entered; of the loop as it is written, and of its pieces those of the machine's loop. Counted, or a constant of the code.", from: "tripcounts", width: 88, number: true, usual: true },
    { id: "trips_median", title: "Median trips", help: "Median number of the machine loop's iterations for each time that it is entered. Counted.", from: "tripcounts", width: 100, number: true, usual: true },
    { id: "entries", title: "Entries", help: "How often the loop was entered from outside. Counted.", from: "tripcounts", width: 92, number: true, usual: true },
    { id: "isa", title: "Instruction set", help: "The newest instruction set that the loop's vectors need. Read from the instructions.", width: 118, number: false, usual: true },
    { id: "width", title: "Vector", help: "Width of the loop's vectors in bits, and the number of elements in one. Read from the instructions.", width: 92, number: false, usual: true },
    { id: "efficiency", title: "Efficiency", help: "Vector efficiency: the gain of the vectors over their length. 100 % means that a vector of four elements is four times as fast as scalar code. Modelled.", width: 92, number: true, usual: true },
    { id: "gain", title: "Gain", help: "Of a recommendation: how many times as fast the program (or the loop) would be, a range from careful to hopeful. Of a loop: how many times as fast its vectors are as scalar code would be (modelled).", width: 72, number: true, usual: true },
    { id: "strides", title: "Strides %", help: "Shares of the accesses that move by one element or stay (unit or uniform) / by a constant distance / by a variable one. Traced.", from: "map", width: 104, number: false, usual: true },
    { id: "dependence", title: "Dependences", help: "Whether dependences between iterations allow vectors, in what was traced.", from: "dependencies", width: 120, number: false, usual: true },
    { id: "traits", title: "Traits", help: "Properties of the loop's code that cost time: `loopwright explain TRAIT`.", width: 176, number: false, usual: true },
    { id: "calls", title: "Calls", help: "Of a loop: what it calls. Of a function: how often it was called (counted).", width: 160, number: false, usual: true },
    { id: "module", title: "Module", help: "The executable or library that the code is in; empty where it is the program itself.", width: 140, number: false, usual: false },
    { id: "data", title: "Data", help: "Types of the elements that the loop's arithmetic computes with. Read from the instructions.", width: 90, number: false, usual: false },
    { id: "unroll", title: "Unroll", help: "How many iterations, beyond those of one vector, the compiler put into one machine iteration. Read from the instructions.", width: 72, number: true, usual: false },
    { id: "instructions", title: "Instructions", help: "Executed machine instructions.", from: "tripcounts", width: 108, number: true, usual: false },
    { id: "flop", title: "FLOP", help: "Floating-point operations: an addition is one, a fused multiply-add two, each for every element of a vector.", from: "tripcounts", width: 96, number: true, usual: false },
    { id: "intensity", title: "FLOP/byte", help: "Arithmetic intensity: floating-point operations for each byte loaded or stored by the instructions.", from: "tripcounts", width: 92, number: true, usual: false },
    { id: "threads", title: "Threads", help: "How many threads ran the loop. Sampled.", from: "survey", width: 80, number: true, usual: false },
] as const;
