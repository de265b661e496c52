//! What a tracing run says of a loop's memory accesses, as the rules read it and `--json` prints it.
//!
//! Strides and distances are given for the loop as written (`source`) beside those of the machine's loop, which does
//! several source iterations in one of its own when it is vectorised or unrolled. How each number is computed is documented in
//! `docs/patterns.md`; the computations are in [`crate::patterns`].

use loopwright_patterns::facts::{AccessKind, DependenceKind, Hierarchy, Predictor};
use loopwright_vocabulary::MemoryLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tracing run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TracingFacts {
    /// Access patterns were looked for (`map`).
    pub strides: bool,
    /// Dependences were looked for (`dependencies`).
    pub dependences: bool,
    /// Everything was traced, not bursts of it.
    pub exhaustive: bool,
    /// Bursts that were traced.
    pub bursts: u64,
    /// Accesses that were traced.
    pub accesses: u64,
    /// Most memory that the trace took.
    pub trace_bytes: u64,
    /// Wall-clock seconds of the run.
    pub elapsed_seconds: f64,
    /// CPU seconds that the tool spent on the trace.
    pub analysis_seconds: f64,
    /// Simulated caches; `memory.caches` of a loop has the same order.
    pub hierarchies: Vec<Hierarchy>,
    /// Simulated predictor of branches; absent when branches were not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predictor: Option<Predictor>,
    /// Cycles that a mispredicted branch costs this machine's core, from tables (docs/patterns.md).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mispredict_cycles: Option<f64>,
    /// NUMA nodes with memory.
    pub nodes: u32,
}

/// How an address moves from one iteration to the next.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum StridePattern {
    /// The same address in every iteration.
    Uniform,
    /// The next element (or the one before).
    Unit,
    /// The same distance each time, of another size.
    Constant,
    /// Different distances.
    #[default]
    Variable,
}

/// One source access: an operand, with its copies in an unrolled loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AccessFacts {
    /// Source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The expression as written (`lbv[i*3+1]`), else the variable in which it is (`b[…]`), where source or debug
    /// information show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<String>,
    /// Function, when it is not the loop's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Its instructions: hexadecimal addresses in order.
    pub addresses: Vec<String>,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes of one element as written.
    pub element_bytes: u32,
    /// Bytes of the machine's operand; 0 where it varies.
    pub operand_bytes: u32,
    /// Lanes with an address each (gather, scatter); 1 otherwise.
    pub lanes: u32,
    /// Pattern in the loop as written.
    pub pattern: StridePattern,
    /// Stride of the loop as written in bytes; absent for a variable one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride_bytes: Option<i64>,
    /// The same in elements, where it is a whole number of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride_elements: Option<i64>,
    /// Stride of the machine's loop in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_stride_bytes: Option<i64>,
    /// The same in elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_stride_elements: Option<i64>,
    /// Source iterations that one machine iteration does, for this access.
    pub source_factor: u32,
    /// Strides of the machine's loop: pairs of bytes and share of all steps, the most frequent first.
    pub distribution: Vec<(i64, f64)>,
    /// Share of steps whose stride is not in `distribution`.
    pub other_share: f64,
    /// Share of steps to a higher address.
    pub ascending_share: f64,
    /// Share of steps that stay on the cache line.
    pub same_line_share: f64,
    /// Share of steps that stay on the page of 4 KiB.
    pub same_page_share: f64,
    /// Strides over the enclosing loops, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outer: Vec<OuterStride>,
    /// Executions of the machine's operands while traced.
    pub executions: u64,
    /// Share of executions whose address is no multiple of the operand's size.
    pub unaligned_share: f64,
    /// Share that touches two cache lines.
    pub line_split_share: f64,
    /// Share that touches two pages.
    pub page_split_share: f64,
    /// Bytes used of bytes in the cache lines touched; of the array, all its accesses together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<f64>,
    /// Distinct bytes of the array that were touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footprint_bytes: Option<u64>,
    /// Accesses with the same number share an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array: Option<u32>,
    /// Bytes from the first access of the same array with the same stride, in the same iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_bytes: Option<i64>,
    /// Lanes of a gather or scatter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gather: Option<GatherFacts>,
    /// It bypasses the caches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub streaming: bool,
    /// It is atomic.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub atomic: bool,
    /// It is a variable in the function's frame.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub frame: bool,
}

/// A stride over a loop around.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OuterStride {
    /// The loop, where it is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<u32>,
    /// Its place (`file:line`, or its address).
    pub place: String,
    /// Pattern.
    pub pattern: StridePattern,
    /// Bytes from one iteration to the next, when constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride_bytes: Option<i64>,
    /// Bytes of at least three quarters of the steps, when these are not constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual_bytes: Option<i64>,
}

/// Lanes of a gather or scatter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GatherFacts {
    /// Bytes between neighbouring lanes, when nearly always the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane_stride_bytes: Option<i64>,
    /// Share of executions whose lanes all have the same distance.
    pub affine_share: f64,
    /// Share whose lanes ascend.
    pub ascending_share: f64,
    /// Mean number of distinct lines of one execution.
    pub lines_per_execution: f64,
    /// Mean number of active lanes.
    pub active_lanes: f64,
}

/// What may be done with a loop, as far as its dependences show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VectorVerdict {
    /// No dependence that forbids it occurred.
    Safe,
    /// As `safe`, when its reductions may be reordered (exact for integers).
    SafeWithReductions,
    /// Up to `max_length` lanes.
    SafeUpTo,
    /// A dependence occurred that forbids it.
    Unsafe,
    /// Something ran that could not be checked.
    #[default]
    Unknown,
}

/// What may be done with its iterations on several threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ParallelVerdict {
    /// No carried dependence occurred.
    Independent,
    /// Only reductions and scalars that can be private.
    WithClauses,
    /// A carried dependence occurred.
    Dependent,
    /// Something ran that could not be checked.
    #[default]
    Unknown,
}

/// What is known of the dependences that a loop carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DependenceFacts {
    /// Whether the loop may be vectorised.
    pub vector: VectorVerdict,
    /// For `safe-up-to`: most source iterations at once. The code shows the distance: it holds for all data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// Whether its iterations may run on several threads.
    pub parallel: ParallelVerdict,
    /// The verdict in one sentence, with what was checked.
    pub verdict: String,
    /// Source iterations that were checked: inferred, as far as the code and its strides show how many a machine
    /// iteration does.
    pub checked_iterations: u64,
    /// Machine iterations that were checked: counted.
    pub checked_machine_iterations: u64,
    /// Entries that were checked: counted.
    pub checked_entries: u64,
    /// Longest distance in source iterations that could have been seen.
    pub horizon: u64,
    /// Everything that the loop executed was checked.
    pub exhaustive: bool,
    /// Carried dependences, those that forbid something first.
    pub found: Vec<FoundDependence>,
    /// Exits that the data decides about: each iteration depends on the ones before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub early_exits: Vec<DependenceEnd>,
    /// Reductions: registers or variables, with their lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<CarriedScalar>,
    /// Counters and pointers that advance by a constant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inductions: Vec<CarriedScalar>,
    /// Scalars that every iteration writes before it reads them: a private copy each would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<CarriedScalar>,
    /// Why the verdict is not surer, a sentence each (calls of unknown code, parts that ran untraced).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// A scalar that iterations carry or reuse.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CarriedScalar {
    /// Register, or the variable's name or expression.
    pub name: String,
    /// Source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// For reductions: `+`, `*`, `min`, `max`, `&`, `|`, `^` where the code shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Floating-point: reordering changes rounding.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub floating: bool,
}

/// A carried dependence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FoundDependence {
    /// Which of the two ends writes.
    pub kind: DependenceKind,
    /// Through memory, else through a register.
    pub memory: bool,
    /// Nearest distance in source iterations.
    pub distance: u64,
    /// All distances that were seen: pairs of source iterations and occurrences, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distances: Vec<(u64, u64)>,
    /// The operation that comes first in time.
    pub source: DependenceEnd,
    /// The one that comes later.
    pub sink: DependenceEnd,
    /// An address at which it occurred, hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The source precedes the sink in an iteration: vectors keep the order.
    pub forward: bool,
    /// A private copy for each iteration removes it.
    pub privatisable: bool,
    /// It limits vectorisation.
    pub limits_vectors: bool,
    /// The code shows that the distance is the same whatever the data: constant offsets from one base, or registers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub constant_distance: bool,
}

/// One end of a dependence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DependenceEnd {
    /// Source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Expression or variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<String>,
    /// Instruction, hexadecimal.
    pub address: String,
    /// Function, when it is not the loop's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// Memory that a loop touches, and what caches make of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryFacts {
    /// Machine iterations that were traced.
    pub traced_iterations: u64,
    /// Entries whose beginning was traced.
    pub traced_entries: u64,
    /// Distinct bytes of the entry that touched most.
    pub footprint_bytes: u64,
    /// Distinct cache lines of it, in bytes.
    pub footprint_line_bytes: u64,
    /// Distinct 4 KiB pages of it.
    pub footprint_pages: u64,
    /// They are lower bounds: a burst saw part of an entry, or counting stopped at a limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub footprint_is_bound: bool,
    /// Bytes used of the bytes in the touched lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<f64>,
    /// Simulated caches: for each of `tracing.hierarchies` a list of its levels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<Vec<CacheFacts>>,
    /// Reuse distances: triples of lowest and highest number of other lines between two uses of a line, and the
    /// share of the line uses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reuse: Vec<(u64, u64, f64)>,
    /// Share of first uses among line uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_use_share: Option<f64>,
    /// Which loop carries reuse, and at what distance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reuse_carriers: Vec<ReuseCarrier>,
    /// Accesses by NUMA node: triples of the page's node, the thread's node, and the share of the accesses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<(u32, u32, f64)>,
    /// Pairs of operands that meet at 4 KiB distance: a load that falsely depends on a store before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliasing_4k: Vec<Aliasing>,
}

/// Reuse that a loop carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReuseCarrier {
    /// The loop, where it is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<u32>,
    /// Its place; `before the loop` when the line was last used earlier.
    pub place: String,
    /// No loop carries it: the line was last used before this loop was entered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub before_loop: bool,
    /// Share of the line uses.
    pub share: f64,
    /// Mean distance in bytes of distinct lines.
    pub mean_bytes: f64,
}

/// A store and a load shortly after it whose addresses agree in the lowest 12 bits, at different places.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Aliasing {
    /// Index of the store in `access`.
    pub store: u32,
    /// Index of the load in `access`.
    pub load: u32,
    /// Load's address minus store's, modulo 4096; the most frequent.
    pub offset: u32,
    /// Share of the load's executions that met the store so.
    pub share: f64,
}

/// One simulated cache.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CacheFacts {
    /// `L1`, `L2`, `L3`, `DTLB`, `STLB`.
    pub name: String,
    /// Lines asked for while traced.
    pub accesses: u64,
    /// Lines that were surely not there.
    pub misses: u64,
    /// Lines whose state the trace does not show.
    #[serde(skip_serializing_if = "is_zero")]
    pub unknown: u64,
    /// Modelled: misses when what earlier bursts left in the cache stayed there; between `misses` and `misses` +
    /// `unknown`. See docs/patterns.md.
    pub estimated_misses: u64,
    /// Misses per 1000 accesses of the first level: without `unknown`, and with `unknown` counted as misses.
    pub misses_per_1000: (f64, f64),
    /// Modelled: the same for `estimated_misses`.
    pub estimated_misses_per_1000: f64,
    /// Bytes fetched from the next level per machine iteration: without and with `unknown`.
    pub bytes_in_per_iteration: (f64, f64),
    /// Bytes written back to the next level per machine iteration.
    pub bytes_out_per_iteration: f64,
    /// Modelled: bytes fetched for `estimated_misses` per machine iteration.
    pub estimated_bytes_in_per_iteration: f64,
    /// Modelled: bytes written back, when as many of the lines that leave are changed as do from the first level.
    pub estimated_bytes_out_per_iteration: f64,
    /// Operations per byte between this level and the next (FLOP; integer operations where there are none), from
    /// counts: lowest and highest. Absent without counts, and for a TLB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<(f64, f64)>,
    /// Modelled: the same for the estimated bytes; absent when these are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_intensity: Option<f64>,
}

impl CacheFacts {
    /// The level that it simulates; none for a TLB and for a name that `--cache` gave.
    pub fn level(&self) -> Option<MemoryLevel> {
        self.name.parse().ok()
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// False sharing between threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SharingFacts {
    /// Falsely shared lines: threads used them without a byte in common, at least one of them writing.
    pub false_lines: u64,
    /// Share of the accesses that go to them.
    pub false_share: f64,
    /// Truly shared lines: threads used them with bytes in common, at least one of them writing.
    pub true_lines: u64,
    /// Share of the accesses that go to those.
    pub true_share: f64,
    /// The worst of the falsely shared lines in which each thread that writes kept to bytes of its own during all of the trace: what
    /// each thread used, in words. Absent where threads used the same bytes at different times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub example: Vec<String>,
}
