//! The analysed program: what the rules read and what `--json` prints (schema 1).
//!
//! Absent facts are absent keys, never zeros. Times are seconds of CPU time unless named elapsed.

use loopwright_binary::facts::{
    CallSite, CarriedChain, ElementType, Idiom, InlineFrame, InstructionMix, Isa, LoopRole, OperandUse,
    SourceLocation, StaticStride, Trait,
};
use loopwright_costs::Microarchitecture;
pub use loopwright_experiment::{Cost, Phase};
use loopwright_vocabulary::{MemoryLevel, VectorWidth};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod bottleneck;
mod branches;
mod comm;
mod comm_advice;
mod counts;
mod energy;
mod functions;
mod heap;
mod io;
mod job;
mod patterns;
mod placement;
mod purposes;
mod reproduction;
mod time;
mod top_down;
mod trials;
mod tuning;

pub use bottleneck::{Bottleneck, Cause, CauseKind, CurvePoint, ResourceFacts, Uninjected};
pub use branches::BranchFacts;
pub use comm::*;
pub use comm_advice::*;
pub use counts::{
    ByThread, CountingFacts, Imbalance, LeftAloneFacts, Roof, RoofKind, RooflineKind, RooflineLevel,
    RooflinePoint, ThreadCounts, ThreadSeconds, TripCount, WorkRow,
};
pub use energy::*;
pub use functions::{FunctionFacts, InlinedFunction};
pub use heap::*;
pub use io::*;
pub use job::*;
pub use patterns::{
    AccessFacts, Aliasing, CacheFacts, CarriedScalar, DependenceEnd, DependenceFacts, FoundDependence,
    GatherFacts, MemoryFacts, OuterStride, ParallelVerdict, ReuseCarrier, SharingFacts, StridePattern,
    TracingFacts, VectorVerdict,
};

pub use placement::*;
pub use purposes::{Purpose, PurposeCaller, PurposeFacts, PurposeFunction, PurposePart};
pub use time::{
    ElapsedFacts, KernelCaller, KernelEvidence, KernelFacts, KernelFunction, LoadFacts, WaitFacts, WaitKind,
};

pub use reproduction::*;
pub use top_down::{Agreement, SlotPart, TopDownComparison, TopDownFacts, TopDownPart};
pub use trials::{
    Clock, FirstDifference, InRunFacts, Part, TrialFacts, TriedFacts, TriedOutcome, Unsteady, Verdict, Way,
};
pub use tuning::{Axis, BuiltLoop, DisturbanceFacts, Metric, RebuiltLoop, Semantics, TuneFacts, TunedFacts};

pub use crate::unmeasured::Unmeasured;
pub use crate::warning::{DISTURBED_CEILINGS, Warning};
pub use loopwright_instrument::reason::{Reason, Refusal};

/// Version of the JSON contract.
pub const SCHEMA: u32 = 1;

/// How a number was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// Measured by a clock or by sampling.
    Measured,
    /// Counted exactly.
    Counted,
    /// Computed from a model.
    Modelled,
    /// Follows from counted numbers and from what code and debug information say, where all evidence agrees.
    Inferred,
    /// Read from the binary.
    Binary,
    /// Reported by a compiler.
    Compiler,
}

/// Everything known of one run of a program.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// Version of this contract (1).
    pub schema: u32,
    /// The program and the run.
    pub program: ProgramFacts,
    /// The machine it ran on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<MachineFacts>,
    /// The counting run as a whole, when there is one (`loopwright tripcounts`, `roofline`, `advise`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counts: Option<CountingFacts>,
    /// The tracing run as a whole, when there is one (`loopwright map`, `dependencies`, `advise --deep`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tracing: Option<TracingFacts>,
    /// Where the slots of the processor's pipelines went, where its counters work (`loopwright bottlenecks`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub top_down: Option<TopDownFacts>,
    /// The newest trials of advice, when there are any (`loopwright try`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trials: Option<TrialFacts>,
    /// The newest search for the best build, when there is one (`loopwright tune`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tuning: Option<TuneFacts>,
    /// The newest comparison of the answers of two builds, when there is one (`loopwright reproduce`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reproduction: Option<ReproductionFacts>,
    /// Energy of the sampled run, and of runs with other numbers of threads, where it is known (`loopwright energy`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub energy: Option<EnergyFacts>,
    /// Calls of MPI by all ranks, when they were counted (`loopwright comm`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub comm: Option<CommFacts>,
    /// Input and output of all ranks, when it was counted (`loopwright io`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub io: Option<IoFacts>,
    /// Allocations of all ranks, when they were counted (`loopwright heap`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub heap: Option<HeapFacts>,
    /// The ranks' time by what they do, and which of them are alike, when communication or input and output was counted
    /// (`loopwright job`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub job: Option<JobFacts>,
    /// Machine loops with samples, counts or traces, and their group's other pieces; by descending self time, those
    /// without by descending instructions.
    pub loops: Vec<LoopFacts>,
    /// Functions with at least one sample or counts, in the same order.
    pub functions: Vec<FunctionFacts>,
    /// Time by the purpose of library code (containers, sorting, allocation, ..), the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub purposes: Vec<PurposeFacts>,
    /// Modules that were sampled.
    pub modules: Vec<ModuleSummary>,
    /// Threads, by descending time.
    pub threads: Vec<ThreadFacts>,
    /// Top-down tree; the root is the program. Written as a list of nodes, each after its parent.
    #[schemars(with = "Option<Vec<crate::flat_tree::FlatNode>>")]
    #[serde(with = "crate::flat_tree", skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<TreeNode>,
    /// What limits these results, one sentence each with the way out.
    pub warnings: Vec<Warning>,
    /// What the tool itself took to collect them, by phase.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub costs: Vec<Cost>,
}

/// The program and its run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProgramFacts {
    /// Command line.
    pub command: Vec<String>,
    /// When the run began (RFC 3339, UTC).
    pub started: String,
    /// Host name.
    pub host: String,
    /// `exited 0`, `killed by signal 11 (SIGSEGV)`, ...
    pub outcome: String,
    /// Wall-clock time.
    pub elapsed_seconds: f64,
    /// CPU time: user code as sampled; the kernel as sampled or, where that is forbidden, as the operating system
    /// counts it.
    pub cpu_seconds: f64,
    /// User time of the whole process tree, from the operating system.
    pub user_seconds: f64,
    /// System time of the whole process tree, from the operating system.
    pub system_seconds: f64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Peak resident set of the largest process.
    pub peak_resident_bytes: u64,
    /// Processes seen.
    pub processes: u32,
    /// Threads seen.
    pub threads: u32,
    /// Ranks merged into this result (1 without MPI).
    pub ranks: u32,
    /// Ranks that the MPI launcher started; absent without MPI.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ranks_started: Option<u32>,
    /// Samples taken.
    pub samples: u64,
    /// Samples the kernel or the tool lost.
    pub lost_samples: u64,
    /// Share of sampled time whose address belongs to no known function.
    pub unresolved_share: f64,
    /// The tool's own CPU time as a share of the program's.
    pub overhead_share: f64,
    /// How samples were taken, e.g. `perf_event cpu-clock, 997 Hz, DWARF call stacks`.
    pub sampler: String,
    /// The samples have no call stacks: total times equal self times.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub no_call_stacks: bool,
    /// Where the sampled time went; the shares but `libraries` add up to 1.
    pub time: TimeShares,
    /// Element k: seconds of elapsed time in which k CPUs were busy.
    pub cpu_usage: Vec<f64>,
    /// CPUs the program was allowed to use.
    pub cpus_allowed: u32,
    /// The elapsed time of a single process tree, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub elapsed: Option<ElapsedFacts>,
    /// Time in the kernel.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernel: Option<KernelFacts>,
    /// What other programs did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub load: Option<LoadFacts>,
}

/// Where sampled time went.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TimeShares {
    /// In vectorised loops.
    pub vectorized: f64,
    /// In scalar loops.
    pub scalar: f64,
    /// In user code outside loops.
    pub outside_loops: f64,
    /// In the kernel.
    pub kernel: f64,
    /// In shared libraries (overlaps the others).
    pub libraries: f64,
}

/// The machine, as far as the joined results need it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct MachineFacts {
    /// Name of the processor.
    pub name: String,
    /// Logical CPUs online.
    pub cpus: u32,
    /// Best vector instruction set the operating system lets programs use (absent off x86).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub isa: Option<Isa>,
    /// Microarchitecture whose figures predictions use; absent where it is unknown, and they use careful ones.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub core: Option<Microarchitecture>,
    /// Fused multiply-adds can be used.
    pub fma: bool,
    /// Widest usable vector, in bits.
    pub vector_bits: u32,
    /// Cache sizes in bytes, L1d first.
    pub cache_bytes: Vec<u64>,
    /// Cache line in bytes.
    pub line_bytes: u32,
    /// Ceilings, when measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ceilings: Option<Ceilings>,
}

/// Measured ceilings of one core and of all.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ceilings {
    /// Peak arithmetic.
    pub flops: Vec<FlopCeiling>,
    /// Bandwidths.
    pub bandwidths: Vec<BandwidthCeiling>,
    /// What disturbed the measurement so much that the ceilings may be too low; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub disturbed: Option<String>,
}

/// A peak arithmetic rate.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FlopCeiling {
    /// `scalar`, `SSE`, `AVX2`, `AVX-512`.
    #[schemars(with = "String")]
    pub level: VectorWidth,
    /// Element type.
    pub element: ElementType,
    /// By fused multiply-adds.
    pub fma: bool,
    /// Cores used.
    pub cores: u32,
    /// GFLOP/s.
    pub gflops: f64,
}

/// A bandwidth.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BandwidthCeiling {
    /// `L1`, `L2`, `L3`, `DRAM`.
    pub level: MemoryLevel,
    /// `load`, `store`, `copy`, `triad`, with `-nt` for non-temporal stores.
    pub kernel: String,
    /// Cores used.
    pub cores: u32,
    /// GB/s (10^9 bytes read plus written by the program; no write-allocate counted).
    pub gbytes: f64,
}

/// A machine loop and what is known of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoopFacts {
    /// Number in the experiment.
    pub id: u32,
    /// Base name of the module.
    pub module: String,
    /// The module is the main program's executable.
    pub main_module: bool,
    /// Function that holds the code (after inlining, the outer one).
    pub function: String,
    /// Function in whose source the loop is written, where it was inlined into `function`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written_in: Option<String>,
    /// Source file in which the loop is written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line at which the loop is written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// Column at which the loop is written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<u32>,
    /// First and last source line of its own instructions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<(u32, u32)>,
    /// Header, an ELF virtual address in hexadecimal.
    pub address: String,
    /// Id of the enclosing loop in the same function; `null` for an outermost loop.
    pub parent: Option<u32>,
    /// Ids of the directly enclosed loops.
    pub children: Vec<u32>,
    /// Depth in the nest of the function: 1 for an outermost loop.
    pub depth: u32,
    /// It encloses no loop.
    pub innermost: bool,
    /// The functions that were inlined here, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inlined_from: Vec<InlineFrame>,
    /// What it is of the loop as written.
    pub role: LoopRole,
    /// Pieces of one source loop share a group (unique in the experiment).
    pub group: u32,
    /// Time in its own instructions.
    pub self_seconds: f64,
    /// Its share of `program.cpu_seconds`.
    pub self_share: f64,
    /// Time with all inside it and called from it.
    pub total_seconds: f64,
    /// Its share of `program.cpu_seconds`.
    pub total_share: f64,
    /// Samples of its own instructions.
    pub samples: u64,
    /// Self share of all loops of the group, added up.
    pub group_share: f64,
    /// Most of the arithmetic that it executes is packed: what the instructions do, not what a compiler claims.
    pub vectorized: bool,
    /// How its arithmetic uses vectors; absent when none is packed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vector: Option<VectorFacts>,
    /// Element types of the arithmetic, dominant first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub types: Vec<ElementType>,
    /// Properties of the code that matter to its speed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traits: Vec<Trait>,
    /// Own instructions by class; classes that do not occur are left out, and an instruction counts in each class
    /// it belongs to: `fp_scalar`, `fp_vector`, `int_vector`, `integer`, `load`, `store`, `branch`, `call`,
    /// `shuffle`, `conversion`, `divide`, `square_root`, `fma`, `moves`, `other`, and `fp_multiply` (those of
    /// `fp_scalar` and `fp_vector` that multiply and do not add).
    #[schemars(with = "BTreeMap<String, u32>")]
    pub instruction_mix: InstructionMix,
    /// Own instructions in the code.
    pub instructions: u32,
    /// Calls in its own code.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<CallSite>,
    /// Edges that leave the loop.
    pub exits: u32,
    /// What an iteration hands to the next in registers, with the latencies of the machine's core where that is known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chains: Vec<CarriedChain>,
    /// Counted: the address of an instruction of `chains` or `calls`, and how often it was executed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub executions: Vec<(u64, u64)>,
    /// Conversions from f32 to f64, and from f64 to f32, in its own code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub width_conversions: Option<(u32, u32)>,
    /// Memory operands whose stride the code shows.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub strides: Vec<StaticStride>,
    /// Where some of its operands come from.
    #[serde(skip_serializing_if = "OperandUse::is_none", default)]
    pub operands: OperandUse,
    /// Machine iterations of an entry, when the code shows a constant.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub constant_trips: Option<u64>,
    /// Bytes that one machine iteration loads, as the code shows.
    pub bytes_loaded_per_iteration: u32,
    /// Bytes that one machine iteration stores, as the code shows.
    pub bytes_stored_per_iteration: u32,
    /// Floating-point operations of one machine iteration by element type, as the code shows.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    #[schemars(with = "BTreeMap<String, u32>")]
    pub flop_per_iteration: BTreeMap<ElementType, u32>,
    /// The library function that it is in open code.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idiom: Option<Idiom>,
    /// Why it is not vectorised, the most specific reason first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub why_not: Vec<WhyNot>,
    /// What compilers claim about the source loop.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compilers: Vec<CompilerClaim>,
    /// The compiler's own description of itself and its flags, for this function.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub producer: Option<String>,
    /// Number of threads that spent time here.
    pub threads: u32,
    /// Share of the samples below this loop that are in what it calls.
    pub callee_share: f64,
    /// Share of the elapsed time in which only one CPU was busy while it (or what it calls) ran.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub serial_share: Option<f64>,
    /// Counted iterations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trip_count: Option<TripCount>,
    /// Counted work of its own blocks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<WorkRow>,
    /// Counted work with inner loops; called functions are excluded.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total_work: Option<WorkRow>,
    /// Position under the machine's ceilings, by its own work and self time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub roofline: Option<RooflinePoint>,
    /// What each thread did, and how uneven that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_thread: Option<ByThread>,
    /// Why there are no counts although a counting run was made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_counted: Option<Unmeasured>,
    /// Traced: an entry for each memory operand as written (copies that unrolling made are one).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub access: Vec<AccessFacts>,
    /// Traced: the dependences that it carries.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dependence: Option<DependenceFacts>,
    /// Traced: the memory that it touches, and what caches make of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<MemoryFacts>,
    /// Traced: cache lines that several threads used at the same time; absent when one thread ran it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sharing: Option<SharingFacts>,
    /// Traced: its conditional branches, those of inner loops and called functions, too; the ones that cost most first. A branch
    /// whose outcome the trace does not show is left out, and so are indirect jumps.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub branches: Vec<BranchFacts>,
    /// Why there are no traces although the loop was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_traced: Option<Unmeasured>,
    /// What binds it, measured by injected operations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bottleneck: Option<Bottleneck>,
    /// Why nothing was injected although the loop was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_injected: Option<Uninjected>,
}

/// Vector use with the modelled gain.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VectorFacts {
    /// Highest instruction-set level of the packed arithmetic.
    pub isa: Isa,
    /// Widest register of it, in bits.
    pub bits: u32,
    /// Elements per vector operation.
    pub length: u32,
    /// Vectors of one source operation that a machine iteration processes (1: not unrolled).
    pub unroll: u32,
    /// Element types of the arithmetic, dominant first.
    pub types: Vec<ElementType>,
    /// Packed share of the arithmetic instructions.
    pub packed_share: f64,
    /// Modelled speed-up against the scalar loop.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<f64>,
    /// `gain` / `length`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub efficiency: Option<f64>,
    /// How `gain` and `efficiency` were obtained.
    pub provenance: Provenance,
}

/// A reason why a loop is not vectorised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyNot {
    /// Reason id as in `loopwright explain`.
    pub reason: String,
    /// Compiler and version; absent when it was seen in the binary.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// Message, verbatim; or what was seen in the binary.
    pub message: String,
    /// File that the message names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line that the message names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// `compiler` or `binary`.
    pub provenance: Provenance,
}

/// A compiler's claim about the source loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompilerClaim {
    /// Compiler and version.
    pub compiler: String,
    /// It claims that the loop is vectorised.
    pub vectorized: bool,
    /// Claimed vector width in bytes, when said.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vector_bytes: Option<u32>,
}

/// A module with time.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ModuleSummary {
    /// Path.
    pub path: String,
    /// It is the main program's executable.
    pub main_module: bool,
    /// Time in its code.
    pub self_seconds: f64,
    /// Its share of the CPU time.
    pub self_share: f64,
    /// Function symbols exist.
    pub has_symbols: bool,
    /// Line tables exist.
    pub has_lines: bool,
    /// Build id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub build_id: Option<String>,
    /// Compilers and their flags.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub producers: Vec<String>,
}

/// A thread with time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ThreadFacts {
    /// MPI rank, when there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rank: Option<u32>,
    /// Process id.
    pub pid: u32,
    /// Thread id.
    pub tid: u32,
    /// Thread name (`comm`).
    pub name: String,
    /// CPU time, as the program's.
    pub cpu_seconds: f64,
    /// Its share of the CPU time.
    pub cpu_share: f64,
    /// Time in user code, as the operating system counts it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub user_seconds: Option<f64>,
    /// Time in the kernel, as the operating system counts it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub system_seconds: Option<f64>,
    /// Time in which it was ready to run but waited for a CPU.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ready_seconds: Option<f64>,
    /// Time in which it was neither running nor ready.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blocked_seconds: Option<f64>,
    /// Where it was blocked, by descending time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub waits: Vec<WaitFacts>,
    /// The three loops with most self time in this thread: pairs of loop id and seconds.
    pub top_loops: Vec<(u32, f64)>,
}

/// A node of the top-down tree.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// `program`, `function` or `loop`.
    pub kind: String,
    /// Function name, or `loop at file:line`.
    pub name: String,
    /// Loop id.
    pub loop_id: Option<u32>,
    /// Module base name.
    pub module: String,
    /// Self time.
    pub self_seconds: f64,
    /// Total time.
    pub total_seconds: f64,
    /// Children by descending total time.
    pub children: Vec<TreeNode>,
}

impl LoopFacts {
    /// It calls the function that holds it: its iterations, where they are not the function's tail calls, are whole subtrees of a
    /// recursion.
    pub fn recurses(&self) -> bool {
        self.calls_by_name(&self.function)
    }

    /// Its own code calls a function of this name.
    pub fn calls_by_name(&self, function: &str) -> bool {
        self.calls.iter().any(|call| call.target.as_deref() == Some(function))
    }

    /// The function that a reader of the source looks for: that in which the loop is written.
    pub fn name(&self) -> &str {
        self.written_in.as_deref().unwrap_or(&self.function)
    }

    /// `file.c:12` or the address when the source is unknown.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => {
                format!("{}:{line}", crate::place::base_name(file))
            }
            _ => self.address.clone(),
        }
    }

    /// The place as a location, when known.
    pub fn location(&self) -> Option<SourceLocation> {
        Some(SourceLocation { file: self.file.clone()?, line: self.line?, column: self.column.unwrap_or(0) })
    }
}
