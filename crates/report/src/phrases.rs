//! Phrases with numbers and names in them that the page says, too: each is written here once.
//!
//! `{}` marks what is filled in. The page has them as constants of `ui/src/logic/contract/words.ts`, which a test of
//! `crate::contract` compares and writes; words for the names of the contract are in [`crate::vocabulary`].

macro_rules! phrases {
    ($($(#[$meta:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$meta])* pub(crate) const $name: &str = $text;)*

        /// All of them, for the page.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, &str)] = &[$((stringify!($name), $text)),*];
    };
}

/// One, and any other number of it.
pub(crate) type Noun = (&'static str, &'static str);

macro_rules! nouns {
    ($($name:ident = $one:literal, $many:literal;)*) => {
        $(pub(crate) const $name: Noun = ($one, $many);)*

        /// All of them, for the page.
        #[cfg(test)]
        pub(crate) const NOUNS: &[(&str, Noun)] = &[$((stringify!($name), $name)),*];
    };
}

nouns! {
    BURST = "burst", "bursts";
    CACHE_LINE = "cache line", "cache lines";
    ENTRY = "entry", "entries";
    HOST = "host", "hosts";
    MACHINE_ITERATION = "machine iteration", "machine iterations";
    OTHER = "other", "others";
    PAGE = "page", "pages";
    PAIR = "pair", "pairs";
    PROCESS = "process", "processes";
    RANK = "rank", "ranks";
    SMALL_PAGE = "page of 4 KiB", "pages of 4 KiB";
    SOURCE_ITERATION = "source iteration", "source iterations";
    THREAD = "thread", "threads";
    WINDOW = "window", "windows";
}

phrases! {
    // Where nothing is known.
    NO_SAMPLES = "No samples were taken: the program used too little CPU time to tell. Give it more work, or a higher `--rate`.";
    // Loops in tables.
    FALLBACK_VERSION = "fallback version";
    OPEN_CODED = "open-coded {}";
    // What compilers say beside what the instructions do.
    SAYS_VECTORISED = "says that it vectorised this loop";
    SAYS_NOT_VECTORISED = "says that it did not vectorise this loop";
    WITH_VECTORS = " with {}-byte vectors";
    INSTRUCTIONS_SAY_OTHERWISE = "; the instructions say otherwise, and they are what runs";
    // Dependences.
    LIMITED_LENGTH = "safe up to a limited vector length";
    LIMITED_IN_SHORT = "limited";
    DISTANCES_UP_TO = "distances up to {}";
    CHECKED_EVERYTHING = "everything that it executed";
    CHECKED_BURSTS = "in bursts";
    ROUNDS_DIFFERENTLY = "floating-point: another order rounds differently";
    IN_LINE = " in line {}";
    SEVERAL_DISTANCES = "{}, {} up to {}";
    // Strides in the code.
    SAME_PLACE = "the same place in every pass";
    CONTIGUOUS = "contiguous";
    CONTIGUOUS_BACKWARDS = "contiguous, backwards";
    PARTLY_USED = "{} of each {} bytes used ({})";
    // Caches and sharing.
    FULLY_ASSOCIATIVE = "fully associative";
    WAYS = "{}-way";
    FOR_VICTIMS = " for victims";
    HALF = "half";
    NINE_TENTHS = "90 %";
    WOULD_HIT = "{} of the line uses would hit in a cache of {}";
    CARRIED_BY = "are carried by";
    COME_BACK_FROM = "come back from";
    APART_ON_AVERAGE = ", {} apart on average";
    LINES_WITH_ACCESSES = "{} with {} of the accesses";
    FALSELY_SHARED = "threads use different bytes of them at the same time, and at least one writes";
    // Branches.
    MISSES_OF_BRANCHES = "{} mispredicted per machine iteration";
    MISSES_COST = "about {} of its cycles (estimated, {} each)";
    TOO_FEW_OUTCOMES = "too few outcomes were traced to judge a predictor";
    PREDICTOR = "by a simulated {} predictor of {}";
    // What binds a loop.
    UNCLEAR = "not clear: no resource is busy enough, and nothing that is known explains the time";
    UNCLEAR_LENGTHENED = "not clear: leaving versions for calls takes too much of an iteration, which takes {} ns otherwise";
    UNCLEAR_ON_TOP = "not clear: operations of all kinds come on top of {} of an iteration, as beside mispredicted branches, late loads or another thread on the core, and what was traced does not explain it";
    UNCLEAR_IN_SHORT = "not clear";
    SEVERAL_CAUSES = "several at once: {}";
    MEASURED_SHARE = "{} ({})";
    MODELLED_SHARE = "{} ({}, modelled)";
    DISTURBED = "{} of them disturbed and not used";
    CHANGED_AT = "versions changed at the iterations of loop {}, and times hold all that it does";
    CORE_SHARED = "another hardware thread used the core: instructions that wait for nothing took {} times as long, and what it uses looks busy here";
    COUNTED_IN_MEMORY = "no register was free to count the iterations: the count in memory can lengthen one of so few cycles";
    HOW_RESOURCES_BEAR = "Busy: share of an iteration in which the loop itself occupies the resource. Absorbs: operations of this kind that an iteration takes in before it is 5 % longer. Percentages of causes overlap.";
    // Where the slots of the pipelines went.
    SLOTS_COUNTED_BY = "perf {}, {}";
    SLOTS_COUNTED_IN = "in {} of the time";
    SLOTS_OF_CORES = "of the cores {} alone";
    SLOTS_OF_USER_CODE = "of user code";
    TOP_DOWN_AGREES = "agrees with the verdicts of the loops: what binds {} of the measured time is at or above its threshold here, too ({})";
    TOP_DOWN_DIFFERS = "differs from the verdicts of the loops: only what binds {} of the measured time is at or above its threshold here ({})";
    TOP_DOWN_UNEXPLAINED = "differs from the verdicts of the loops: the largest loss here, {}, is the cause of no measured loop";
    TOP_DOWN_TOO_LITTLE = "not compared: loops with a verdict take {} of the program's time, and counters count all of it";
    TOP_DOWN_ALONE = "not compared: no loop has a verdict";
    NOTHING_BINDS = "nothing";
    // Trials of the advice.
    TRIED_BY = "{} by {}";
    TRIED_MEASURED = ", program {} ({}) measured";
    TRIED_SAME = ", same answer";
    TRIED_WITHIN = ", answer within the tolerance";
    DIFFERS_BY = "{} by {}";
    NO_CHANGE_TRIED = "No change was tried.";
    NONE_FASTER = "No change is faster for certain.";
    NOT_TOGETHER = "The faster changes were not measured together.";
    IN_FRESH_RUNS = "{} ({}) in {} of fresh runs, by {}";
    CONFIRMED = "confirmed {}";
    NOT_CONFIRMED = "not confirmed: {}";
    AGAINST_ITSELF = "the program differs from itself by up to {} %: smaller gains are not claimed";
    UNSTEADY = "{} differs from run to run of the unchanged program and was not compared";
    UNSTEADY_IN_LINES = "{} differs from run to run of the unchanged program in line {}, where the same words alone were compared";
    IGNORED_LINES = "{}: line {} not compared, as you asked (--ignore)";
    LINE_INSTEAD = "{}, line {}: {} instead of {}";
    WHO_CHANGED_IT = "which function changes the answer is found by: loopwright reproduce --bad \"{}\" -- PROGRAM";
    // Searches for the best build.
    NOT_TUNED = "No build was searched for. Search with: loopwright tune -- PROGRAM (after loopwright build -- make)";
    NOTHING_TO_TUNE = "No build was tried.";
    NO_BETTER_BUILD = "No build and no setting is faster for certain.";
    GIVEN_UP = "given up";
    SCALAR_LOOP = "scalar";
    SEVERAL_PROCESSORS = "jobs ran on several kinds of processors ({}): what is best on one need not be on another; choose one (--sbatch \"--constraint=..\")";
    VECTORS_AT_A_TIME = ", {} at a time";
    COMPARED_CPU = "compared by CPU time, as you asked (--metric cpu)";
    COMPARED_WALL = "compared by elapsed time, as you asked (--metric wall)";
    COMPARED_PRINTED = "compared by what the program prints, less is better (--metric self-reported:{})";
    COMPARED_RATE = "compared by what the program prints, more is better (--metric self-reported-rate:{})";
    DISTURBED_RUNS = "other work disturbed the runs: one lost its CPU {} times a second, and work waited for a CPU in {} of the time (medians)";
    TUNE_RUNS = "{} runs of the program; what was given up after a few rounds has a rough figure";
    // Calls of MPI.
    NO_COMM = "No calls of MPI are known. Count them with: mpirun -n 4 loopwright comm -- PROGRAM";
    COMM_NO_CALL = "The program made no call of MPI that can be seen. A library that hides its names (stripped, and linked in) cannot be hooked.";
    COMM_IN_MPI = "{} on {}; one is in MPI for {} of {} ({})";
    COMM_PART_OF_RANKS = "MPI_COMM_WORLD has {} ranks; the calls of {} are known, and all that follows is of these";
    COMM_LOST_CALLS = "{} calls from more places than a thread's table holds are missing below";
    COMM_LOST_MESSAGES = "{} messages to more ranks than a thread's table holds are missing in the matrix";
    COMM_LOST_STARTS = "{} starts of persistent requests that were not made by the same thread: their bytes are missing";
    COMM_TORN = "{} calls did not return (longjmp, or the end of the program): they are counted, their time is not";
    COMM_FOREIGN = "{} messages went to processes outside of MPI_COMM_WORLD, or to ranks that the library cannot be asked for: they are missing in the matrix";
    COMM_WITHOUT_BYTES = "the bytes of {} calls are not known: their arguments do not show them, or a library that is linked in cannot be asked for the size of a type";
    COMM_NOT_COUNTED = "{} is not counted: {}";
    COMM_WAITING = "Waiting is at least this: `loopwright comm --barriers` times it";
    COMM_BY_SIZE = "Calls by bytes handed over";
    COMM_BETWEEN_RANKS = "Messages between ranks";
    COMM_MESSAGES = "{} messages with {} between {} pairs of ranks; `loopwright show matrix --csv` has all of them";
    COMM_ADVICE = "What may make it quicker";
    COMM_NETWORK_WANTED = "What joining small messages or collective calls saves is not known: measure the network once, in the same job, with: mpirun -n 2 loopwright machine --measure --network";
    // Input and output.
    NO_IO = "No input and output is known. Count it with: loopwright io -- PROGRAM";
    IO_NO_CALL = "The program made no call of input or output that can be seen. One without the C library (Go), or that has it linked in and is stripped, cannot be hooked.";
    IO_OF_RUN = "{} on {}; one is in input and output for {} of {} ({}); {} read, {} written";
    IO_LOST_FILES = "{} transfers to more files than a thread's table holds are in one row";
    IO_TORN = "{} calls did not return (longjmp, or the end of the program): they are missing below";
    IO_NESTED = "{} calls that a signal's handler made are missing below";
    IO_MAPPED = "{} of files were mapped: what the program reads and writes there is not seen";
    IO_FILES = "Files";
    IO_PLACES = "Calls";
    IO_FAILED = "{} calls returned an error";
    IO_BUFFER_WRITES = "{}: {} writes of {} each; collect them in a buffer of 64 KiB or more: at most {} of {} ({})";
    IO_BUFFER_READS = "{}: {} reads of {} each; read 64 KiB or more at once: at most {} of {} ({})";
    IO_FLUSH_LESS = "{}: {} flushes of {} each; leave out the flush ('\\n' in place of std::endl): at most {} of {} ({})";
    IO_SYNC_LESS = "{}: {} waits for the device; wait once at the end, where a crash may lose what was written since: at most {} of {} ({})";
    IO_KEEP_OPEN = "{}: opened {} times; keep it open: at most {} of {} ({})";
    // The heap.
    NO_JOB = "Neither communication nor input and output was counted. Collect both with: loopwright job -- mpirun -n 4 {} PROGRAM";
    JOB_OF = "{} on {}; the longest took {}";
    JOB_WAITING = "waits for other ranks for {} or more of it";
    JOB_WAITED = "waits for other ranks for {} of it";
    JOB_ALIKE = "Ranks that are alike";
    JOB_ADVICE = "What to change, in this order";
    JOB_COLLECTED = "What was collected";
    JOB_NO_ADVICE = "What was collected shows nothing that is worth a change.";

    NO_HEAP = "No allocations are known. Count them with: loopwright heap -- PROGRAM";
    HEAP_NO_CALL = "The program made no allocation that can be seen. One whose allocator is linked in and stripped cannot be hooked.";
    HEAP_OF_RUN = "{} on {}; {} allocations of {} together, at most {} live in one (by samples), {} resident";
    HEAP_LIVE = "{} are live at the end (by samples)";
    HEAP_LOST_SAMPLES = "{} samples of the live heap found no room: live bytes are too few";
    HEAP_KEEP_BLOCKS = "{} pages were touched anew, but only {} were in use at a time: blocks of 64 KiB and more ({} of them) go back to the system and are cleared again. Set MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=536870912 in the environment: at most {} of {} ({})";
    // Energy.
    NO_ENERGY = "No energy is known. Measure it with: loopwright energy -- PROGRAM";
    ENERGY_OF_RUN = "{} in {}: {} W, energy-delay product {} J s";
    ENERGY_UNKNOWN = "not known: a counter of a socket cannot be believed";
    ENERGY_BY_COUNTERS = "counters of the processor, read through {}";
    ENERGY_BY_MODEL = "a model, not measured: {} W and {} W more for each busy core, {}";
    MODEL_GIVEN = "as you gave them";
    MODEL_CALIBRATED = "calibrated on this machine (its points are within {} of it)";
    ENERGY_NOT_MINE = "the program had {} of the CPU time that this machine used meanwhile; the counters hold the energy of all of it, and of idle cores";
    ENERGY_BY_TIME = "the energy of a loop is its share of the self time: counters cover whole sockets, so that no finer split is measured";
    LEAST_ENERGY = "least energy with {}, smallest energy-delay product with {}";
    SAME_THREADS = "the program had the same number of threads each time: it takes it from elsewhere than OMP_NUM_THREADS";
    OF_SOCKET = "socket {}";
    OF_MEMORY = "memory of socket {}";
    OF_CORES = "cores of socket {} (a part of it)";
    OF_GRAPHICS = "graphics of socket {} (a part of it)";
    OF_BOARD = "board (with the sockets)";
    COUNTER_FROZEN = "did not move";
    COUNTER_JUMPED = "jumped";
    COUNTER_LOST = "could not be read any more";
    COUNTER_BRIEF = "run too brief";
    // Comparisons of the answers of two builds.
    NOT_REPRODUCED = "No builds were compared. Compare with: loopwright reproduce --bad \"-Ofast\" -- PROGRAM (after loopwright build -- make)";
    AS_THE_PROJECT = "as the project builds it";
    BEHIND_THE_PROJECT = "{}   (behind the options of the project)";
    RUN_AGAIN = "once more";
    WITH_THREADS = "OMP_NUM_THREADS={}";
    OLDER_LIBRARY = "libm without FMA and AVX2";
    VARIES = "varies, not compared";
    DIFFERS_AGAIN = "some of what the program writes differs from run to run, as times or sums of threads do: no build is to blame for it";
    DIFFERS_BY_THREADS = "the answer depends on the number of threads: each number adds up partial sums in another order";
    DIFFERS_BY_LIBRARY = "the answer depends on the processor: the mathematical library has other functions for older ones";
    UNSTEADY_SECOND = "of the second build: {}";
    BITS_AGREE = ", {} bits agree";
    NO_ANSWER = "none: {}";
    ONLY_WITH = "only together with {}";
    WITH_OPTIONS = " together with ";
    THE_LINK_LINE = "link line";
    LINK_REMARK = "numbers near zero become zero in the whole program";
    INLINED = "with what is inlined into it";
    OTHER_ORDER = "other instructions, or the same in another order";
    IN_LOOP_LINES = ", loop at line {}";
    IN_LINES = ", line {}";
    FUSED = "fused multiplications and additions";
    IN_VECTORS = "vectors in place of single numbers";
    APPROXIMATION = "approximate reciprocals";
    NO_DIVISION = "multiplications in place of divisions";
    CALLS = "calls {}";
    SECOND_BUILD = "second build";
    OPTIONS_OFF = "without the options";
    OPTIONS_OFF_IN_FILES = "without them in the sources";
    FILES_AS_FIRST = "sources as in the first build";
    LINK_AS_FIRST = "linked as the first build";
    ANOTHER_BUILD = "another build";
    SPEED_OF_FIRST = "speed is that of the first build divided by the version's time; {} versions, {} runs of the program";
    SAME_ANSWER = "both builds give the same answer";
    WITHIN_ANSWER = "both builds give the same answer within the tolerance";
    SECOND_NOT_BUILT = "the second build was not made";
    CAUSE_NOT_FOUND = "the answers differ, and the search ended before the cause was found";
    LINK_IS_CAUSE = "the link line changes the answer, no source does";
    SOURCE_IS_CAUSE = "{} changes the answer";
    SOURCES_ARE_CAUSE = "{} change the answer";
    REPRODUCED = "reproduce: ";
    // Runs.
    TRACED_BOTH = "access patterns and dependences";
    TRACED_PATTERNS = "access patterns";
    TRACED_DEPENDENCES = "dependences";
    TRACED_NOTHING = "nothing";
    TRACED_EVERYTHING = "everything that the loops executed";
    // Two states.
    FASTER = "{} faster";
    SLOWER = "{} slower";
    NO_CHANGE = "the same";
    NOT_KNOWN = "not known";
    NO_SAMPLED_LOOPS = "Neither state has loops with samples.";
    // Notes.
    LONGEST_CHAIN = "A pass cannot take fewer cycles than its longest chain (modelled with the latencies of a current core).";
    NOTHING_TO_DO = "Nothing needs to be done about it.";
    BY_LEVEL = "Operations per byte to and from each level by the simulated caches, and what its bandwidth allows then; where bursts were traced, what earlier ones left in the caches is taken to have stayed there.";
    CUT_SHORT = "The run was cut short: these are the counts until then.";
    TWO_RUNS = "Time and counts come from two runs, so that their threads have different numbers.";
    NO_SOURCE_POSITION = "no source position: the module has no line information (build with -g)";
    // The casebook.
    NOT_TIMED = "verified, not timed";
    ROUNDS = "{} interleaved rounds";
    NONE_EXPECTED = "none expected";
    TOO_LATE = "{}, too late";
    NOT_GIVEN_FOR = "{} not given for {}";
}

/// The phrase with its gaps filled in, one after the other.
pub(crate) fn filled<const N: usize>(phrase: &str, values: [&str; N]) -> String {
    let mut parts = phrase.split("{}");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for (value, part) in values.iter().zip(parts) {
        out.push_str(value);
        out.push_str(part);
    }
    debug_assert_eq!(phrase.matches("{}").count(), N, "{phrase}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_filled_in_order_and_once() {
        assert_eq!(filled(PARTLY_USED, ["8", "24", "33 %"]), "8 of each 24 bytes used (33 %)");
        assert_eq!(filled(WAYS, ["{}"]), "{}-way");
        assert_eq!(filled(CONTIGUOUS, []), CONTIGUOUS);
    }
}
