//! Every number of the model that is an estimate: without a source that gives it for a core, each with the reason for it.
//!
//! Thresholds that decide whether a rule fires are not here; they are policy of the rule. What is here enters a predicted gain.

// How far gains reach, and how careful the low end of a range is.

/// Gains beyond this are not predicted: no model here is good enough to promise more.
pub const LARGEST_GAIN: f64 = 256.0;
/// The greatest loss that a range allows for: of the advised changes that were carried out and measured, the worst made its loop
/// three times slower (0.34, a short loop in vectors); what may be worse is not advised.
pub const SMALLEST_GAIN: f64 = 0.25;
/// Careful end of a gain whose cost was measured or counted: half of it may overlap with other work after all.
pub const SEEN: f64 = 0.5;
/// Careful end of a gain whose cost is modelled: cores overlap most of such costs with other work.
pub const OVERLAPPED: f64 = 0.25;
/// Careful end where nearly all of the gain may hide behind memory.
pub const HIDDEN: f64 = 0.1;
/// Best share of the vector length seen in practice: loop control and the first and last pass remain.
pub const BEST_EFFICIENCY: f64 = 0.94;
/// Share of the modelled best that a badly suited loop still reaches. The DL_MESO loop gained 1.44 of 4
/// (36 %) from `omp simd` alone, stride-3 loads and scalar remainder included; a little below that.
pub const POOR_EFFICIENCY: f64 = 0.27;
/// Cycles that an entry of a vector loop adds: tests of the count and of overlap, set-up of the vectors, the sum of the lanes and
/// the way to what is left over. Dot products of 6, 12 and 40 doubles took 4 to 6 cycles more than their passes (gcc 12, Zen 4);
/// loops of 10, 16 and 30 iterations that load what the entry before them stored in other vectors took 20 to 25.
pub const VECTOR_ENTRY: (f64, f64) = (5.0, 25.0);
/// Cycles of an element that is collected into a vector, in those of a gathered one (no less than one): a load and a shuffle.
/// Strided and gathered sums in L1 took 1.36 to 1.46 cycles per element (gcc 12, Zen 4, 512 bits).
pub const COLLECTED: f64 = 1.35;
/// Cycles of an element with a stride of two to four elements, which is loaded with its vector and shuffled: 0.4 to 0.63 in loops
/// of two loads and a store in L1 (gcc 12, Zen 4, 512 bits).
pub const NEAR_STRIDE: f64 = 0.5;
/// Share of the rate of ports and units that vector passes in L1 reach: scaled sums, polynomials and dot products with arrays as
/// malloc aligns them, whose wide accesses are split, reached 0.7 to 0.85 (gcc 12 and clang 14, Zen 4).
pub const PASS_EFFICIENCY: f64 = 0.75;
/// Part of unexplained waiting that stays where the lanes of a vector wait together, at the careful end and likely.
pub const WAITED_TOGETHER: (f64, f64) = (0.5, 0.15);
/// Cycles of an addition in the latencies that the analysis of binaries gives to chains.
pub const TYPICAL_ADDITION: f64 = 4.0;
/// Of the way from the least to the most time that memory takes, the likely part: streams overlap most of their levels.
pub const LEVEL_IN_TIME: f64 = 0.35;
/// Share of the modelled rate that ports and units reach beside a divider: divisions by an invariant in L1 gained 4.6 and 6.2
/// where the plain bound is 5 and 7.5 (gcc 12, Zen 4).
pub const BESIDE_DIVIDER: f64 = 0.85;
/// Share of the modelled speed that wider registers keep at worst: accesses of 64 bytes that malloc aligned to 16 are all split,
/// and more is left over.
pub const WIDER_AT_WORST: f64 = 0.8;
/// Share of its speed that the rest of a program keeps at worst when it is built with other options: of ten programs that gained
/// nothing else from them the slowest kept 0.85 (gcc 12, clang 19, rustc 1.95, Zen 4).
pub const REBUILT_AT_WORST: f64 = 0.85;
/// The same of a scalar loop whose loads become gathers: programs of such loops kept 0.65 and 0.7 (gcc 12, Zen 4).
pub const GATHERED_AT_WORST: f64 = 0.6;
/// Factor by which the model of vector passes errs where the loop was counted and timed.
pub const COUNTED_ERROR: f64 = 1.15;
/// The same where the present loop is modelled too.
pub const UNCOUNTED_ERROR: f64 = 1.4;
/// Share of the number of CPUs that threads reach: from a loop with poor balance to an even one.
pub const THREAD_EFFICIENCY: (f64, f64) = (0.4, 0.95);
/// Share of a bound that a library's kernels reach: products of some hundred rows, with copies and first calls, 40 to 60 %;
/// large ones nearly all.
pub const LIBRARY_EFFICIENCY: (f64, f64) = (0.4, 0.95);
/// Of the misses that a block avoids in theory, those that it avoids at the careful end: the first touch of each block and its
/// borders remain, and sizes are never exact.
pub const BLOCKING_EFFICIENCY: f64 = 0.4;

// Instructions.

/// Instructions per cycle that loops sustain: cores rename four to six, but few loops reach more than four.
pub const SUSTAINED_INSTRUCTIONS: f64 = 4.0;
/// Width that GCC and clang choose with -march=native on most AVX-512 machines (-mprefer-vector-width=256).
pub const USUAL_BITS: u32 = 256;
/// Instructions that close an iteration or test a condition: increment or load, and a compare fused with its branch.
pub const TEST_INSTRUCTIONS: f64 = 2.0;
/// Cycles of a call, with its saved registers and the schedule that it interrupts: some twenty instructions.
pub const CALL_CYCLES: f64 = 20.0 / SUSTAINED_INSTRUCTIONS;
/// Instructions that vanish with an inlined call: call, return and moves of arguments; with saved registers, stack frame and
/// reloads.
pub const CALL_INSTRUCTIONS: (f64, f64) = (4.0, 12.0);
/// Cycles by which a load into a general register is faster than one into a vector register: 1 to 3 (Agner Fog's tables).
pub const INTO_GENERAL: f64 = 2.0;
/// Part of the instructions of a table-driven checksum that slices leave: a load, a shift, a mask and an exclusive or for each
/// element, of six to eight with the loop (Kounavis, Berry 2008).
pub const SLICED: f64 = 0.65;
/// Instructions of two words that are compared, and of the place of their first difference with the bytes beyond the last word.
pub const WORD_COMPARED: f64 = 7.0;
/// See [`WORD_COMPARED`].
pub const DIFFERENCE_FOUND: f64 = 12.0;
/// Instructions of a look-up in a hash table beside its load: the hash, the comparison, and the call or what inlining leaves of it.
pub const LOOK_UP_INSTRUCTIONS: f64 = 20.0;
/// What a function around one loop costs, in instructions of the loop: call, saved registers, set-up, the first and
/// last iterations' latencies. Measured 83 in the demo's equilibrium function (19 iterations of 30 instructions take
/// 30.9 %, the rest 4.5 %); a rounder, careful figure, good to a factor of two.
pub const FUNCTION_INSTRUCTIONS: f64 = 60.0;
/// Instructions that a division which is left out takes with it: the product beside it becomes part of the factor, or fuses with
/// the sum that follows.
pub const WITH_DIVISION: f64 = 2.0;
/// The same of a root that sets errno: a zero, a comparison with it and a branch.
pub const WITH_ERRNO: f64 = 4.0;
/// Cycles of the multiplication and shift that replace an integer division by a constant: both start once or more per cycle.
pub const CONSTANT_DIVISION_CYCLES: f64 = 2.0;
/// Instructions that go with a division of integers: the upper half of the dividend, moves into and out of the two registers that it
/// takes, and the product and difference that make a remainder of a quotient.
pub const WITH_INTEGER_DIVISION: f64 = 4.0;
/// A conversion in additions: two micro-operations on most cores (Agner Fog).
pub const CONVERSION: f64 = 2.0;
/// Accumulators that a reordered sum may overlap: clang keeps four, GCC one per lane.
pub const ACCUMULATORS: f64 = 4.0;
/// Instructions that go away with an address load: itself, and the addition or reload of the index into its table.
pub const WITH_ADDRESS: u32 = 2;
/// Values that stay in registers between the operations of a block make it this much faster at best: of four such programs that
/// were rewritten three gained more than their instructions promised, up to twice as much (Zen 4).
pub const IN_REGISTERS: f64 = 1.4;
/// More than this is not promised for inlining: waits for other things than the call are in the cycles too.
pub const MOST_WITHOUT_CALLS: f64 = 5.0;
/// Of the instructions no more than this part assembles vectors; the rest is the loop itself.
pub const MOST_ASSEMBLING: f64 = 0.6;
/// Part of the overhead instructions that unrolling and simpler addresses remove, at most.
pub const REMOVABLE_OVERHEAD: f64 = 0.66;
/// Recurrences side by side, and shorter ones, have been seen to gain up to this: 2.9, 3.1, 4.5 and 6.4 (Zen 4).
pub const MOST_OVERLAPPED: f64 = 6.0;
/// Two to eight recurrences at a time where the loop's instructions leave little room for others: side by side in one vector.
pub const SIDE_BY_SIDE: f64 = 4.0;
/// Overlapping waits has been seen to gain up to this: programs whose branches on data became selections gained 1.9, 2.2 and 2.9 (Zen 4).
pub const OVERLAP_GAIN: f64 = 2.5;
/// A vector function costs up to about twice a scalar call per vector: so half of the lanes.
pub const VECTOR_CALL_SHARE: f64 = 0.5;
/// The part of vanishing loads of a vector loop that computes all paths: those that are switched off touch no memory, but take
/// their slots.
pub const SWITCHED_OFF: f64 = 0.5;

/// Part of the time inside the library's complex product and quotient that the plain formulas save: a quotient took 4 ns in
/// libgcc and compiler-rt, and 1 ns in line (Zen 4, gcc 12 and clang 19); where it is a link of a chain, half is left.
pub const PLAIN_COMPLEX: (f64, f64) = (0.5, 0.8);

// Memory.

/// Real loops reach half of what a bandwidth benchmark does: benchmarks are perfectly regular.
pub const POOR_BANDWIDTH: f64 = 0.5;
/// Clock in GHz where it was not measured, for figures in nanoseconds.
pub const USUAL_GHZ: f64 = 3.0;
/// Latency of main memory in nanoseconds: 70 to 110 on machines of the last ten years.
pub const DRAM_NANOSECONDS: f64 = 90.0;
/// Lines that a core waits for at a time (fill buffers of L1: 10 to 24 on cores of the last ten years). A benchmark keeps them
/// all busy, so that latency is the time in which the level delivers this number of lines (J. Little, Operations Research 9(3), 1961): on the
/// mesh of a server several times the usual.
pub const FILL_BUFFERS: f64 = 16.0;
/// Nanoseconds of a miss of the first TLB that the second answers: 7 cycles.
pub const SECOND_TLB: f64 = 2.0;
/// A page walk in nanoseconds: from one that hits the caches and overlaps with others to one that waits for memory in a
/// virtual machine.
pub const PAGE_WALK: (f64, f64) = (4.0, 40.0);
/// What huge pages save of a walk, in nanoseconds: the line that the address is for has to be waited for all the same.
/// Transparent huge pages gained a rotated image 1.06 to 1.45 and scattered sums of particles 1.1, which are 1.2 to 2 ns for
/// each simulated walk (Zen 4, in a virtual machine).
pub const SAVED_OF_WALK: (f64, f64) = (1.2, 6.0);
/// Entries of the second-level TLB of current cores, where it was not simulated.
pub const SECOND_TLB_ENTRIES: u64 = 1536;
/// A loop never waits for memory alone.
pub const MOST_MEMORY_TIME: f64 = 0.97;
/// The most of a loop's time that larger pages have been seen to save.
pub const MOST_PAGE_TIME: f64 = 0.75;
/// The most of a loop's time that is taken for waiting for other cores.
pub const MOST_SHARING_TIME: f64 = 0.9;
/// No more than a line of eight doubles can be saved by using all of it; pages and prefetchers add to that.
pub const MOST_LINES: f64 = 16.0;
/// Lines that are fetched in order are waited for half as long, or less.
pub const PREFETCHED: f64 = 2.0;
/// Extra cycles of a split load, of a split store, and of an access across a page, with data in L1: from an additional cache access
/// (cores do two or three loads in a cycle, and current ones two stores) to the replays of older cores. A scaled sum of two
/// arrays lost 0.3 to 0.6 cycles by each (Zen 4, 256 and 512 bits), and nothing with data in L2 or memory.
pub const SPLIT_LOAD: (f64, f64) = (0.3, 1.0);
/// See [`SPLIT_LOAD`].
pub const SPLIT_STORE: (f64, f64) = (0.3, 1.5);
/// See [`SPLIT_LOAD`].
pub const SPLIT_PAGE: (f64, f64) = (1.0, 10.0);
/// Nanoseconds for which a line travels between two cores, from neighbours to sockets.
pub const LINE_TRANSFER: (f64, f64) = (40.0, 100.0);
/// Accesses that a core makes before it loses a falsely shared line again: many in the careful view, as loops in cache do.
pub const BETWEEN_TRANSFERS: (f64, f64) = (50.0, 2.0);
/// One access in L1 in nanoseconds, where the time of an iteration is not known.
pub const L1_ACCESS: f64 = 0.5;
/// What numbering along a front saves of the lines that scattered accesses fetch: from a mesh in three dimensions, where half
/// of the neighbours stay far, to one where all are near and seven of eight doubles of a line, and the page, are used again.
/// A sum over 32 MB in random order became 8.5 times as fast when its indices stayed within 64 elements.
pub const REORDERED_INDICES: (f64, f64) = (0.3, 0.92);
/// The part of the smaller loop's bytes that fused loops share at the careful end: one array of four.
pub const SHARED_BY_FUSION: f64 = 0.25;
/// Fewer reads among the writes make the memory change direction less often as well: a triad of 480 MB gained 1.3 to 1.6
/// times on one core of an EPYC, 1.46 in the median of 31 interleaved pairs, where the traffic alone says 1.33.
pub const FEWER_TURNS: f64 = 1.1;
/// Cycles from a store to the end of an update that loads the same address again: four to five from the store buffer and one
/// for the sum (A. Fog, microarchitecture manual: store forwarding).
pub const FORWARDED_UPDATE: f64 = 5.0;
/// Nanoseconds that an element of a bucket takes in a search: some ten scalar operations, at three and at one and a half per ns.
pub const SEARCHED_ELEMENT: (f64, f64) = (1.0, 2.0);

// The system.

/// Starting and ending a parallel region, in seconds (EPCC: from 1 us for a few threads to 10 for a socket).
pub const REGION_SECONDS: (f64, f64) = (1e-6, 10e-6);
/// One region that replaces many is started some hundred times less often; what is saved is nearly all.
pub const FEWER_REGIONS: f64 = 20.0;
/// What a minor fault costs, cleared page included: from a bare-metal core to a virtual machine with nested paging.
pub const FAULT_SECONDS: (f64, f64) = (0.25e-6, 2.5e-6);
/// What a minor fault costs outside of the kernel, at most: the way in and out, in which the tick that divides user time from system
/// time is held back, and the misses of TLB and caches after it. Measured: 0.1 to 0.4 us (virtual machine on AMD Zen 3, 318,000 faults of
/// pages of which every byte is used, user time less that without the faults).
pub const FAULT_USER_SECONDS: f64 = 0.5e-6;
/// Gain from faults that do not happen, at most: system time is not all of them, and one page serves much data.
pub const MOST_WITHOUT_FAULTS: f64 = 10.0;

// Gains that are known from experience only, lowest and highest.

/// An atomic operation out of a loop that one thread runs: the 20 cycles are saved.
pub const ATOMIC_ALONE: (f64, f64) = (1.0, 3.0);
/// The same with several threads: the line stays where it is.
pub const ATOMIC_CONTENDED: (f64, f64) = (1.2, 10.0);
/// Rows walked along memory: from the article's 1.67 down to nothing, up to a full cache line used instead of an eighth.
pub const SHORTER_STRIDES: (f64, f64) = (1.0, 8.0);
/// Packed into an array, a list of small elements is read at bandwidth: 2 to 20 times faster than by latency
/// (Drepper, figures 3.10 to 3.15); a list that lies in order already gains next to nothing.
pub const LIST_IN_ARRAY: (f64, f64) = (1.0, 8.0);
/// Spills alone rarely cost more than a third of a loop: the loads hit L1 and most are off the critical path.
pub const WITHOUT_SPILLS: (f64, f64) = (1.0, 1.3);
/// Divisions that nothing replaces: fewer of them, or in another order.
pub const FEWER_DIVISIONS: (f64, f64) = (1.0, 1.2);
/// -O2 makes loops of scalar code two to ten times as fast as -O0; the methodology article's whole program, 1.43.
pub const OPTIMISED_BUILD: (f64, f64) = (1.4, 8.0);
/// The hot loop out of an interpreter: little when it was spread over the script, a factor of 50 when it was one loop.
pub const COMPILED_LOOPS: (f64, f64) = (1.2, 50.0);
/// Another allocator is up to twice as fast; not allocating in the hot path saves nearly all of it.
pub const FEWER_ALLOCATIONS: (f64, f64) = (1.2, 10.0);
/// Libraries that the table does not have: a newer build or dispatch level, if there is one.
pub const OTHER_LIBRARY: (f64, f64) = (1.0, 1.5);
/// Huge pages without time: what they have been seen to give loops of random accesses.
pub const HUGE_PAGES: (f64, f64) = (1.0, 1.5);

// Time of library code that another library, container or function saves: the part of it, at least and at most.

// Figures without another source were measured on Zen 4 with GCC 12, CPU time, the best of three. Both ends follow the open pairs of
// the corpus as well, whose experts changed more than the call: of 20 such programs none gained less than three tenths of the way
// from the low to the high end (in logarithms) of the ranges that single functions had suggested, and 9 gained more than the high end.

/// An ordered map or set that becomes a sorted array, a hash table or an index. A look-up among a million keys takes 1.3 us in a
/// `std::map`, 0.12 in a sorted array, 0.04 in a hash table, among ten thousand 80, 54 and 6 ns; building costs as much again.
pub const BETTER_CONTAINER: (f64, f64) = (0.75, 0.95);
/// A hash table that becomes an index or a flat table: from the same misses with fewer instructions to an array in order of time.
pub const BETTER_TABLE: (f64, f64) = (0.5, 0.95);
/// Of the time of hashing that a multiplicative function saves, and of the whole table's: a hash that is at hand sooner lets the search
/// begin sooner.
pub const CHEAPER_HASH: (f64, f64) = (0.8, 0.8);
/// Moves of the rest of a sequence, which grow with its length, against one pass.
pub const NOT_SHIFTING: (f64, f64) = (0.85, 0.99);
/// Comparisons that compute their keys, some 2 log2(n) times per element, against once: the sort of the keys
/// remains. Of a hundred thousand elements one comparison in 33 is left.
pub const KEYS_ONCE: (f64, f64) = (0.8, 0.97);
/// A sort whose comparison finds its values in other arrays, or goes through several keys, against one that compares an integer beside the
/// element: 3.7 times as fast with two keys of three (numbers and texts by rank), of which building the keys took a tenth.
pub const KEYS_LOOKED_UP: (f64, f64) = (0.5, 0.85);
/// Numbers sorted by radix instead of comparisons: a million 32-bit integers take 56 ns an element with `std::sort`, 113 with `qsort`, 6 by
/// radix; keys of 64 bits take twice the passes, and structures move with them.
pub const RADIX_SORT: (f64, f64) = (0.5, 0.88);
/// Integers compared instead of strings.
pub const COMPACT_KEYS: (f64, f64) = (0.5, 0.9);
/// A number parsed by `from_chars` (14 ns) instead of `strtod` (46 ns) and what is built on it.
pub const PARSED_IN_PLACE: (f64, f64) = (0.6, 0.9);
/// The same instead of `sscanf` (98 ns for a number; a line of several fields gains more, 5 ns for each where it is an integer).
pub const PARSED_WITHOUT_FORMAT: (f64, f64) = (0.8, 0.97);
/// The same instead of a stream that is built for a number or a line (303 ns).
pub const PARSED_WITHOUT_STREAMS: (f64, f64) = (0.85, 0.98);
/// A number formatted by `to_chars` (43 ns, an integer 3 ns) instead of `printf` (199 ns, an integer 38 ns).
pub const FORMATTED_IN_PLACE: (f64, f64) = (0.65, 0.9);
/// An inlined generator of 1 to 2 ns against `rand` and `drand48` (5.5 ns), `std::mt19937_64` with a distribution (10 ns).
pub const FASTER_RANDOM: (f64, f64) = (0.6, 0.88);
/// An expression that is compiled once or written as code.
pub const FASTER_REGEX: (f64, f64) = (0.5, 0.95);
/// One pass for all words, or a search that is prepared once.
pub const FASTER_SEARCH: (f64, f64) = (0.2, 0.9);
/// What is returned as a value costs nothing against an exception.
pub const WITHOUT_EXCEPTIONS: (f64, f64) = (0.85, 0.99);
/// A tag or a virtual call against `dynamic_cast`.
pub const WITHOUT_CASTS: (f64, f64) = (0.7, 0.95);
/// Counts of references that are not touched; the object behind may be a miss that remains.
pub const WITHOUT_COUNTS: (f64, f64) = (0.4, 0.95);
/// Array temporaries of Fortran: the reads of the data remain, in the loop that uses it.
pub const WITHOUT_TEMPORARIES: (f64, f64) = (0.6, 0.95);
/// Copies of whole containers that are borrowed instead.
pub const WITHOUT_COPIES: (f64, f64) = (0.6, 0.97);
/// Copies of bytes, some of which are needed.
pub const FEWER_COPIES: (f64, f64) = (0.3, 0.97);
/// Integers of any size that become machine integers, or are updated in place.
pub const SMALLER_INTEGERS: (f64, f64) = (0.1, 0.9);
/// Larger blocks: the bytes are still moved.
pub const LARGER_BLOCKS: (f64, f64) = (0.3, 0.9);
/// Of the allocator's own time that reuse of buffers saves.
pub const REUSED_MEMORY: (f64, f64) = (0.6, 0.97);
/// Of the own time of functions that allocate: first touches of fresh memory, copies and loops that the compiler cannot turn into vectors
/// go with the allocation. Of seven programs whose small vectors became arrays of fixed size, records in place or borrowed text, none saved
/// less than a third of it, and three all.
pub const AROUND_ALLOCATION: (f64, f64) = (0.4, 0.9);
/// Of the own time of the functions that call library code, at most: they prepare its arguments, take its results apart, and wait for
/// its misses. An index in place of a hash table took as much from the function around as from the table; of five programs with hash
/// tables two saved more than nine tenths of both.
pub const AROUND_LIBRARY: f64 = 0.8;
/// Of the time of library code of other kinds that works on the same records and text, at most: five of six programs whose experts
/// borrowed text or fixed the size of records gained more than the calls of one kind took.
pub const SAME_DATA: f64 = 0.7;
/// A recursion that meets the same arguments again, by how often: unknown.
pub const MEMOISED: (f64, f64) = (0.1, 0.8);
/// A function of the compiler's run-time library that becomes an instruction: the call, its saved registers and a dozen instructions go.
pub const ONE_INSTRUCTION: (f64, f64) = (0.75, 0.98);

/// Cycles from one independent integer division to the next, as a share of the latency (uops.info, `DIV r32` and `DIV r64`: 6 of 10
/// on Zen 3 and Zen 4, 6 of 12 and 4 of 10 on Golden Cove, 6 of 12 on Ice Lake).
pub const INTEGER_DIVISIONS_APART: f64 = 0.55;
/// The most cycles from a load's address to its value from main memory: 80 to 120 ns and the walk through the page tables, of both the
/// guest and the host in virtual machines. (Dependent look-ups in 256 MiB of small pages took 300 ns on a shared Zen 4.)
pub const MEMORY_LATENCY: f64 = 1000.0;
