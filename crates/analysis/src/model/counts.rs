//! What a counting run says of the program, its functions and its loops, as the rules read it and `--json` prints it.
//!
//! Counts are exact integers of one run of the program; rates and ceilings join them with the time of another run
//! (the survey) and with the machine's measured ceilings, and say so. How each number is computed is documented in
//! `docs/counts.md`; the computations are in [`crate::counts`].

use super::Provenance;
use crate::unmeasured::Unmeasured;
use loopwright_binary::work::WorkMix;
use loopwright_vocabulary::MemoryLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How often a machine loop iterated, and what that means for the loop as written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TripCount {
    /// Times the machine loop was entered from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// Machine iterations over all entries.
    pub iterations: u64,
    /// Fewest machine iterations of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<u64>,
    /// Median machine iterations of an entry, when it is known exactly; else `median_bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median: Option<u64>,
    /// Bounds of the median, when the histogram's bucket holds several values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_bounds: Option<(u64, u64)>,
    /// Mean machine iterations of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Most machine iterations of an entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<u64>,
    /// Entries by their machine iterations: triples of lowest and highest number of iterations, and entries;
    /// ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub histogram: Vec<(u64, u64, u64)>,
    /// Entries were nested (recursion, signal handlers, exceptions): minimum, median, maximum and histogram are
    /// approximate; entries, iterations and mean stay exact.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub approximate: bool,
    /// Source iterations that one machine iteration does (1 for a plain scalar loop); absent when that is not certain, see
    /// `source_unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_factor: Option<u32>,
    /// Source iterations that this machine loop did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_iterations: Option<u64>,
    /// Its share of the source iterations of all pieces of its group (a remainder with 0.43 does 43 % of
    /// the iterations of the loop as written).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_share: Option<f64>,
    /// Source iterations of the loop as written: those of all pieces of the group and `straight_iterations`, where pieces
    /// do different statements of each iteration those of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_iterations: Option<u64>,
    /// Those of them that the compiler wrote as straight code beside the pieces.
    #[serde(skip_serializing_if = "is_zero")]
    pub straight_iterations: u64,
    /// Times the loop as written was entered, when the pieces show it exactly; else `source_entries_bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_entries: Option<u64>,
    /// Bounds of the entries of the loop as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_entries_bounds: Option<(u64, u64)>,
    /// Mean source iterations per entry of the loop as written, when its entries are exact; else `source_mean_bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_mean: Option<f64>,
    /// Bounds of that mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_mean_bounds: Option<(f64, f64)>,
    /// All pieces of the loop as written were counted.
    pub group_complete: bool,
    /// `counted` where each machine iteration is one of the source, else `inferred`; absent without iterations of the
    /// loop as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_provenance: Option<Provenance>,
    /// Why there are no iterations of the loop as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_unknown: Option<String>,
}

impl TripCount {
    /// Lowest and highest value that the median can have.
    pub fn median_range(&self) -> Option<(u64, u64)> {
        self.median.map(|exact| (exact, exact)).or(self.median_bounds)
    }

    /// Mean source iterations per entry: exact, or the lower bound.
    pub fn source_mean_at_least(&self) -> Option<f64> {
        self.source_mean.or(self.source_mean_bounds.map(|bounds| bounds.0))
    }
}

/// What a stretch of code did in the whole run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WorkRow {
    /// Executed instructions.
    pub instructions: u64,
    /// Floating-point operations of all types; a fused multiply-add counts two.
    pub flop: u64,
    /// Those on half precision.
    pub flop_f16: u64,
    /// Those on bfloat16.
    pub flop_bf16: u64,
    /// Those on single precision.
    pub flop_f32: u64,
    /// Those on double precision.
    pub flop_f64: u64,
    /// Those on the x87 stack.
    pub flop_f80: u64,
    /// FLOP and bytes are upper bounds: masked operations were counted for all their lanes where the mask was not
    /// known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flop_is_bound: bool,
    /// The FLOP that were counted so.
    #[serde(skip_serializing_if = "is_zero")]
    pub bound_flop: u64,
    /// Share of the FLOP that fused multiply-adds do; absent without FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fma_share: Option<f64>,
    /// Share of the FLOP that packed instructions do; absent without FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packed_share: Option<f64>,
    /// Integer operations on data, one per element (address and loop control excluded).
    pub int_ops: u64,
    /// Share of them that packed instructions do; absent without integer operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packed_int_share: Option<f64>,
    /// Bytes loaded, as the core sees them.
    pub bytes_loaded: u64,
    /// Bytes stored.
    pub bytes_stored: u64,
    /// The part of the stored bytes that bypasses the caches.
    pub bytes_streamed: u64,
    /// FLOP per byte loaded or stored; absent without FLOP or without bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
    /// Integer operations per byte; absent without either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub int_intensity: Option<f64>,
    /// Executed instructions by class; an instruction counts in each class it belongs to: `fp_scalar`, `fp_vector`,
    /// `int_vector`, `integer`, `load`, `store`, `branch`, `call`, `shuffle`, `conversion`, `divide`,
    /// `square_root`, `fma`, `moves`, `other`.
    #[schemars(with = "std::collections::BTreeMap<String, u64>")]
    pub mix: WorkMix,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl WorkRow {
    /// Bytes loaded and stored.
    pub fn bytes(&self) -> u64 {
        self.bytes_loaded.saturating_add(self.bytes_stored)
    }

    /// Executed packed share of the arithmetic: of FLOP where there are any, else of integer operations.
    pub fn executed_packed_share(&self) -> Option<f64> {
        self.packed_share.or(self.packed_int_share)
    }
}

/// What a roofline's axes count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RooflineKind {
    /// Floating-point operations: GFLOP/s over FLOP per byte.
    #[default]
    Flop,
    /// Integer operations: 10^9 operations/s over operations per byte.
    Integer,
    /// The loop only moves data: GB/s.
    Bytes,
}

/// What kind of ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RoofKind {
    /// Arithmetic.
    Compute,
    /// Bandwidth of a memory level.
    Memory,
}

/// A ceiling at a loop's intensity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Roof {
    /// `L1`, `L2`, `L3`, `DRAM`, or the arithmetic (`AVX2 f64 FMA`, `scalar f32`, with ` mix` when it is a mixture).
    pub name: String,
    /// Arithmetic or bandwidth.
    pub kind: RoofKind,
    /// Value in the unit of the roofline's kind (GFLOP/s, 10^9 integer operations/s, GB/s); of a bandwidth: times
    /// the intensity.
    pub value: f64,
    /// The benchmark whose bandwidth this is (`load`, `triad`, ...).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernel: Option<String>,
    /// Bandwidth in GB/s.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gbytes: Option<f64>,
    /// Measured on just as many cores and for just this arithmetic, or modelled from such measurements.
    pub provenance: Provenance,
}

impl Roof {
    /// The level of memory whose bandwidth it is; none for arithmetic.
    pub fn memory(&self) -> Option<MemoryLevel> {
        self.name.parse().ok().filter(|_| self.kind == RoofKind::Memory)
    }
}

/// What the hierarchical roofline says of one memory level: operations per byte that come from it, by the simulated
/// caches of this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RooflineLevel {
    /// The level that serves: `L1` (bytes between core and first-level cache), `L2`, `L3`, `DRAM`.
    pub name: MemoryLevel,
    /// Operations (bytes of the core for loops that only move data) per byte to and from it, lowest and highest: a
    /// simulation that began with unknown contents leaves a range. Absent when it moves no byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<(f64, f64)>,
    /// The same for the estimated traffic; absent when that is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_intensity: Option<f64>,
    /// Measured bandwidth in GB/s of lines moved (lines that a store fetches included).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbytes: Option<f64>,
    /// The benchmark it was measured with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Bandwidth x intensity, lowest and highest, in the unit of the roofline's kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<(f64, f64)>,
    /// Bandwidth x estimated intensity; it chooses the ceiling that binds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_ceiling: Option<f64>,
    /// `modelled`: the traffic is simulated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// The place of a loop in the cache-aware roofline (Ilic, Pratas, Sousa, IEEE Computer Architecture Letters 2014), and
/// where its caches were simulated also in the hierarchical one (Yang, Kurth, Williams, *Hierarchical Roofline analysis
/// for GPUs*, CCPE 2020; Koskela et al., *A Novel Multi-Level Integrated Roofline Model Approach*, ISC 2018).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RooflinePoint {
    /// What the axes count.
    pub kind: RooflineKind,
    /// Operations of that kind per byte; absent when no bytes are moved, and for `bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intensity: Option<f64>,
    /// Achieved GFLOP/s; absent without time or without FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gflops: Option<f64>,
    /// Achieved 10^9 integer operations/s; absent without time or without integer operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gintops: Option<f64>,
    /// Achieved GB/s between core and first-level cache; absent without time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbytes_per_second: Option<f64>,
    /// Achieved 10^9 instructions/s; absent without time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ginstructions: Option<f64>,
    /// Cores that the rates and ceilings are for: those that ran the loop at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Name of the ceiling that binds; `instructions or latency` when no measured ceiling is near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound_kind: Option<RoofKind>,
    /// Its value in the unit of `kind`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
    /// Ceiling / achieved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headroom: Option<f64>,
    /// All ceilings at this intensity: the loop's own arithmetic, the machine's peak for its type, memory levels from
    /// the fastest to the slowest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub roofs: Vec<Roof>,
    /// The same by the traffic that simulated caches of this machine have at each memory level, nearest first,
    /// where it is known for the loop; then it chooses the ceiling that binds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<RooflineLevel>,
    /// How the binding ceiling was chosen, or what is missing, in one sentence.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub how: String,
    /// `modelled` when counts are joined with time and ceilings, `counted` when there is only an intensity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl RooflinePoint {
    /// The achieved rate in the unit of `kind`.
    pub fn achieved(&self) -> Option<f64> {
        match self.kind {
            RooflineKind::Flop => self.gflops,
            RooflineKind::Integer => self.gintops,
            RooflineKind::Bytes => self.gbytes_per_second,
        }
    }
}

/// Self time of one thread in a loop or function, from the survey.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThreadSeconds {
    /// MPI rank, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Process.
    pub pid: u32,
    /// Thread.
    pub tid: u32,
    /// Self time.
    pub seconds: f64,
}

/// Counts of one thread in a loop or function, from the counting run (another run: other process and thread ids).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ThreadCounts {
    /// MPI rank, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Process.
    pub pid: u32,
    /// Thread.
    pub tid: u32,
    /// Instructions of own blocks.
    pub instructions: u64,
    /// FLOP of own blocks.
    pub flop: u64,
    /// Machine iterations of the loop; absent for functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Entries of the loop, calls of the function; absent when they are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
}

/// What each thread did; absent where one thread did it all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ByThread {
    /// From the survey: self time, by descending time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sampled: Vec<ThreadSeconds>,
    /// From the counting run (another run: other process and thread ids): by descending instructions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<ThreadCounts>,
    /// Imbalance of the self time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_imbalance: Option<Imbalance>,
    /// Imbalance of the instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_imbalance: Option<Imbalance>,
}

/// CrayPAT's measures of load imbalance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Imbalance {
    /// Threads that ran the function which holds the code.
    pub threads: u32,
    /// The busiest thread's seconds or instructions.
    pub max: f64,
    /// Mean over `threads`.
    pub mean: f64,
    /// `Imb. Time`: max - mean, what perfect balance would save.
    pub excess: f64,
    /// `Imb. Time%` as a share 0..=1: (max - mean) / max x N / (N - 1); 1 when one thread does everything.
    pub share: f64,
}

/// The counting run as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CountingFacts {
    /// Counting runs joined here: one, one for each rank, more when later ones counted other loops.
    pub runs: u32,
    /// Everything that was counted, added up.
    pub work: WorkRow,
    /// Base names of modules of which no run counted all functions.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub modules_in_part: BTreeSet<String>,
    /// Loops with counts.
    pub loops: u32,
    /// Functions with counts.
    pub functions: u32,
    /// Threads that ran counted code.
    pub threads: u32,
    /// Processes that ran counted code.
    pub processes: u32,
    /// Share of the survey's time that is in counted code; absent without a survey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_share: Option<f64>,
    /// Seconds spent reading and rewriting code before the program's first instruction.
    pub setup_seconds: f64,
    /// Seconds of `elapsed_seconds` in which a thread waited for code to be rewritten, at first calls.
    pub waiting_seconds: f64,
    /// Wall-clock seconds of the counted program.
    pub elapsed_seconds: f64,
    /// Elapsed time of the counted run / elapsed time of the survey: an indication only, each ran once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<f64>,
    /// The run was cut short: counts so far.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// How it ended, in words.
    pub outcome: String,
    /// Code that ran uncounted, that with most time first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_alone: Vec<LeftAloneFacts>,
}

/// Code that ran uncounted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LeftAloneFacts {
    /// Module base name.
    pub module: String,
    /// Function.
    pub function: String,
    /// Address of the loop's header, or of the function (`0x...`).
    pub address: String,
    /// The loop, when it is one and is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_id: Option<u32>,
    /// `file:line` of the loop, when known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Why, in one sentence.
    pub reason: Unmeasured,
    /// Self time of it in the survey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_seconds: Option<f64>,
}
