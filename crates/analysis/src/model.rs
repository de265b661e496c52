//! The analysed program: what the rules read and what `--json` prints (schema 1).
//!
//! Absent facts are absent keys, never zeros. Times are seconds of CPU time unless named elapsed.

use loopwright_binary::facts::{
    CallSite, CarriedChain, ElementType, Idiom, InlineFrame, InstructionMix, Isa, LoopRole, OperandUse,
    SourceLocation, StaticStride, Trait,
};
pub use loopwright_experiment::{Cost, Phase};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mod counts;
mod patterns;
mod time;

pub use counts::{
    ByThread, CountingFacts, Imbalance, LeftAloneFacts, Roof, RoofKind, RooflineKind, RooflineLevel,
    RooflinePoint, ThreadCounts, ThreadSeconds, TripCount, WorkRow,
};
pub use patterns::{
    AccessFacts, Aliasing, CacheFacts, CarriedScalar, DependenceEnd, DependenceFacts, FoundDependence,
    GatherFacts, MemoryFacts, OuterStride, ParallelVerdict, ReuseCarrier, SharingFacts, StridePattern,
    TracingFacts, VectorVerdict,
};

pub use time::{
    ElapsedFacts, KernelCaller, KernelEvidence, KernelFacts, KernelFunction, LoadFacts, WaitFacts, WaitKind,
};

/// Version of the JSON contract.
pub const SCHEMA: u32 = 1;

/// How a number was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Analysis {
    /// Version of this contract.
    pub schema: u32,
    /// The program and the run.
    pub program: ProgramFacts,
    /// The machine it ran on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine: Option<MachineFacts>,
    /// What was counted, as a whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counts: Option<CountingFacts>,
    /// The tracing run, when there is one (`loopwright map`, `loopwright dependencies`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tracing: Option<TracingFacts>,
    /// Machine loops with at least one sample or counted iterations, and their group's other pieces; by descending
    /// self time, those without by descending instructions.
    pub loops: Vec<LoopFacts>,
    /// Functions with at least one sample or counts, in the same order.
    pub functions: Vec<FunctionFacts>,
    /// Modules that were sampled.
    pub modules: Vec<ModuleSummary>,
    /// Threads, by descending time.
    pub threads: Vec<ThreadFacts>,
    /// Top-down tree; the root is the program. Written as a list of nodes, each after its parent.
    #[serde(with = "crate::flat_tree", skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<TreeNode>,
    /// What spoils or limits these results; one sentence each with the way out.
    pub warnings: Vec<String>,
    /// What the tool itself took to collect them, by phase.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub costs: Vec<Cost>,
}

/// The program and its run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
    /// CPU time: user code as sampled, the kernel as sampled or, where that is forbidden, as the operating system counts.
    pub cpu_seconds: f64,
    /// User time of the whole process tree, from the operating system.
    pub user_seconds: f64,
    /// System time of the whole process tree.
    pub system_seconds: f64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Peak resident set of the largest process, in bytes.
    pub peak_resident_bytes: u64,
    /// Number of processes and threads seen.
    pub processes: u32,
    /// Number of threads seen.
    pub threads: u32,
    /// Ranks merged into this result (1 without MPI).
    pub ranks: u32,
    /// Ranks that the launcher started; absent without MPI.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ranks_started: Option<u32>,
    /// Samples taken.
    pub samples: u64,
    /// Samples the kernel or the tool lost.
    pub lost_samples: u64,
    /// Share of sampled time whose address belongs to no known function, 0..=1.
    pub unresolved_share: f64,
    /// The tool's own CPU time as a share of the program's.
    pub overhead_share: f64,
    /// How samples were taken, e.g. `perf_event cpu-clock, 997 Hz, DWARF call stacks`.
    pub sampler: String,
    /// Shares of the sampled time: in vectorised loops, scalar loops, outside loops, kernel. Sum 1.
    pub time: TimeShares,
    /// `cpu_usage[k]` = seconds of elapsed time in which k CPUs were busy.
    pub cpu_usage: Vec<f64>,
    /// CPUs the program was allowed to use.
    pub cpus_allowed: u32,
    /// Where the elapsed time went.
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MachineFacts {
    /// Processor name.
    pub name: String,
    /// Logical CPUs online.
    pub cpus: u32,
    /// Best vector instruction set the operating system lets programs use (absent off x86).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub isa: Option<Isa>,
    /// FMA usable.
    pub fma: bool,
    /// Widest usable vector, bits.
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
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ceilings {
    /// Peak arithmetic.
    pub flops: Vec<FlopCeiling>,
    /// Bandwidths.
    pub bandwidths: Vec<BandwidthCeiling>,
    /// What disturbed the measurement so much that the ceilings may be too low; absent where nothing did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub disturbed: Option<String>,
}

/// What disturbed ceilings mean, the beginning of a sentence.
pub const DISTURBED_CEILINGS: &str = "the machine's ceilings were measured while it was busy and may be too low (`loopwright advise` measures them again once it is quiet)";

/// A peak arithmetic rate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlopCeiling {
    /// `scalar`, `SSE`, `AVX2`, `AVX-512`.
    pub level: String,
    /// Element type.
    pub element: ElementType,
    /// With FMA.
    pub fma: bool,
    /// Cores used.
    pub cores: u32,
    /// GFLOP/s.
    pub gflops: f64,
}

/// A bandwidth.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BandwidthCeiling {
    /// `L1`, `L2`, `L3`, `DRAM`.
    pub level: String,
    /// `load`, `store`, `copy`, `triad`, with `-nt` for non-temporal stores.
    pub kernel: String,
    /// Cores used.
    pub cores: u32,
    /// GB/s (10^9 bytes read plus written by the program; no write-allocate counted).
    pub gbytes: f64,
}

/// One machine loop. See the design's contract for each key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "documented in docs/json.md, key by key")]
pub struct LoopFacts {
    /// Stable within an experiment.
    pub id: u32,
    /// Base name of the module.
    pub module: String,
    /// The module is the main program's executable.
    pub main_module: bool,
    /// Function that holds the code (after inlining, the outer one).
    pub function: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<u32>,
    /// First and last source line of the own instructions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<(u32, u32)>,
    /// Header, `0x...` (ELF virtual address).
    pub address: String,
    /// Id of the enclosing loop in the same function.
    pub parent: Option<u32>,
    /// Ids of directly enclosed loops.
    pub children: Vec<u32>,
    pub depth: u32,
    pub innermost: bool,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inlined_from: Vec<InlineFrame>,
    pub role: LoopRole,
    /// Loops of one source loop share a group (unique in the experiment).
    pub group: u32,
    pub self_seconds: f64,
    /// Share of `program.cpu_seconds`.
    pub self_share: f64,
    pub total_seconds: f64,
    pub total_share: f64,
    pub samples: u64,
    /// Self share of every loop of the group added up.
    pub group_share: f64,
    pub vectorized: bool,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vector: Option<VectorFacts>,
    /// Element types of the arithmetic, dominant first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub types: Vec<ElementType>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub traits: Vec<Trait>,
    pub instruction_mix: InstructionMix,
    /// Own instructions (static).
    pub instructions: u32,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<CallSite>,
    /// Exit edges.
    pub exits: u32,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub chains: Vec<CarriedChain>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub strides: Vec<StaticStride>,
    /// Addresses that are loaded, and divisors that do not change.
    #[serde(skip_serializing_if = "OperandUse::is_none", default)]
    pub operands: OperandUse,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub constant_trips: Option<u64>,
    /// Static operand bytes of one machine iteration.
    pub bytes_loaded_per_iteration: u32,
    pub bytes_stored_per_iteration: u32,
    /// Static FLOP of one machine iteration.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub flop_per_iteration: BTreeMap<ElementType, u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idiom: Option<Idiom>,
    /// Why it is not vectorised, the most specific reason first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub why_not: Vec<WhyNot>,
    /// What compilers claim.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub compilers: Vec<CompilerClaim>,
    /// The compiler's description of itself for this function (version and flags).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub producer: Option<String>,
    /// Number of threads that spent time here.
    pub threads: u32,
    /// Share of samples below this loop whose stack leads out of it through a call (its callees).
    pub callee_share: f64,
    /// Elapsed share in which only one CPU was busy while this loop (or a callee) ran, 0..=1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub serial_share: Option<f64>,
    /// Counted iterations.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub trip_count: Option<TripCount>,
    /// Counted work of own blocks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<WorkRow>,
    /// Counted work of own and inner blocks (called functions excluded).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total_work: Option<WorkRow>,
    /// Position under the machine's ceilings (own work, self time).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub roofline: Option<RooflinePoint>,
    /// What each thread did, and how uneven that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_thread: Option<ByThread>,
    /// Why there are no counts although a counting run was made.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_counted: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub access: Vec<AccessFacts>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dependence: Option<DependenceFacts>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<MemoryFacts>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sharing: Option<SharingFacts>,
    /// Why the loop was asked for and not traced.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_traced: Option<String>,
}

/// Vector use with the modelled gain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VectorFacts {
    /// Instruction set.
    pub isa: Isa,
    /// Register width.
    pub bits: u32,
    /// Vector length in elements.
    pub length: u32,
    /// Unroll factor.
    pub unroll: u32,
    /// Element types.
    pub types: Vec<ElementType>,
    /// Packed share of the arithmetic.
    pub packed_share: f64,
    /// Modelled speed-up against the scalar loop.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<f64>,
    /// Gain / length.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub efficiency: Option<f64>,
    /// How gain was obtained.
    pub provenance: Provenance,
}

/// A reason why a loop is not vectorised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WhyNot {
    /// Reason id as in `loopwright explain`.
    pub reason: String,
    /// Compiler and version; absent when the binary itself speaks.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub compiler: Option<String>,
    /// Message, verbatim; or what was seen in the binary.
    pub message: String,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// `compiler` or `binary`.
    pub provenance: Provenance,
}

/// A compiler's claim about the source loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompilerClaim {
    /// Compiler and version.
    pub compiler: String,
    /// Claimed vectorised.
    pub vectorized: bool,
    /// Claimed vector width in bytes, when said.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub vector_bytes: Option<u32>,
}

/// A function with time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FunctionFacts {
    /// Name.
    pub function: String,
    /// Module base name.
    pub module: String,
    /// Main executable.
    pub main_module: bool,
    /// Definition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file: Option<String>,
    /// Line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// Self time.
    pub self_seconds: f64,
    /// Share of CPU time.
    pub self_share: f64,
    /// Total time.
    pub total_seconds: f64,
    /// Share of CPU time.
    pub total_share: f64,
    /// Samples.
    pub samples: u64,
    /// Compiler and flags.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub producer: Option<String>,
    /// Self time in cycles with several entries, which are not loops; absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub irreducible_seconds: Option<f64>,
    /// Indirect jumps whose targets were not found: the loops of this function may be incomplete.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unresolved_jumps: Option<u32>,
    /// Counted calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub calls: Option<u64>,
    /// Counted work of its own code (called functions excluded).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub work: Option<WorkRow>,
    /// All of its code was counted (else only parts, such as its loops); absent without counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub complete: Option<bool>,
    /// What of it ran uncounted and why, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub left_alone: Vec<String>,
    /// What each thread did, and how uneven that is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by_thread: Option<ByThread>,
}

/// A module with time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModuleSummary {
    /// Path.
    pub path: String,
    /// Main executable.
    pub main_module: bool,
    /// Self time.
    pub self_seconds: f64,
    /// Share of CPU time.
    pub self_share: f64,
    /// Function symbols exist.
    pub has_symbols: bool,
    /// Line tables exist.
    pub has_lines: bool,
    /// Build id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub build_id: Option<String>,
    /// Compilers and flags.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub producers: Vec<String>,
}

/// A thread with time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ThreadFacts {
    /// MPI rank, when there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rank: Option<u32>,
    /// Process.
    pub pid: u32,
    /// Thread.
    pub tid: u32,
    /// Thread name (`comm`).
    pub name: String,
    /// CPU time, as the program's.
    pub cpu_seconds: f64,
    /// Share of CPU time.
    pub cpu_share: f64,
    /// In user code, as the operating system counts it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub user_seconds: Option<f64>,
    /// In the kernel, as the operating system counts it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub system_seconds: Option<f64>,
    /// Ready to run, but waiting for a CPU.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ready_seconds: Option<f64>,
    /// Blocked: neither running nor ready.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub blocked_seconds: Option<f64>,
    /// Where it was blocked, by descending time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub waits: Vec<WaitFacts>,
    /// The three loops with most self time in this thread: (loop id, seconds).
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
    /// `file.c:12` or the address when the source is unknown.
    pub fn place(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => {
                let base = file.rsplit('/').next().unwrap_or(file);
                format!("{base}:{line}")
            }
            _ => self.address.clone(),
        }
    }

    /// The place as a location, when known.
    pub fn location(&self) -> Option<SourceLocation> {
        Some(SourceLocation { file: self.file.clone()?, line: self.line?, column: self.column.unwrap_or(0) })
    }
}
