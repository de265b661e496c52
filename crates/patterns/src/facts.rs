//! What the accesses of traced loops show. Stored in the experiment; the facts about the loop as written are computed from it.
//!
//! All distances and strides are those of the machine's loop: an unrolled or vectorised loop does several source
//! iterations in one of its own. Numbers are exact for what was traced; `iterations` and `entries` of a loop state how
//! much that was. Addresses of code are ELF addresses, addresses of data those of the process.

mod branches;

pub use branches::{BranchUse, Predictor, PredictorKind};

use crate::warning::Gap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The facts about one machine loop. Called functions are included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopPatterns {
    /// Index into the run's modules.
    pub module: u32,
    /// Entry address of the function.
    pub function: u64,
    /// Address of the header block.
    pub header: u64,
    /// Entries whose beginning was traced.
    pub entries: u64,
    /// Entries that were already running when a burst began.
    pub joined: u64,
    /// Machine iterations that were traced (without the loop's entry test).
    pub iterations: u64,
    /// Bursts in which the loop ran.
    pub bursts: u64,
    /// Memory operands, by instruction address; those of called functions, too.
    pub sites: Vec<SitePattern>,
    /// Dependences of this loop that were found: source and sink in different iterations of it (and the same
    /// iteration of every loop around it), and, with distance 0, within one.
    pub dependences: Vec<Dependence>,
    /// How dependences were analysed; absent when they were not.
    pub checked: Option<Checked>,
    /// Memory that it touched.
    pub footprint: Footprint,
    /// Counts of the simulated caches; same order as the run's hierarchies.
    pub caches: Vec<CacheUse>,
    /// How many other lines are used between two uses of a line.
    pub reuse: Option<ReuseHistogram>,
    /// Loads that the processor may take to depend on a store before them, because their addresses agree in
    /// the lowest 12 bits.
    pub aliasing: Vec<AliasingUse>,
    /// Lines that several threads used at the same time.
    pub sharing: Option<Sharing>,
    /// Pages by NUMA node and by node of the thread that used them: `(page's node, thread's node, accesses)`.
    pub nodes: Vec<(u32, u32, u64)>,
    /// Conditional branches, in the order of their numbers; those of called functions, too. None in an experiment of a version
    /// that did not look for them: then the run has no [`Predictor`].
    pub branches: Vec<BranchUse>,
    /// Calls of code that was not traced.
    pub calls: Vec<UntracedCall>,
    /// Parts of the loop that run untraced.
    pub gaps: Vec<Gap>,
}

impl LoopPatterns {
    /// Module and entry address of the functions that hold the loop, its operands and its branches; some more than once.
    pub fn functions(&self) -> impl Iterator<Item = (u32, u64)> {
        let sites = self.sites.iter().map(|site| (site.module, site.function));
        let branches = self.branches.iter().map(|branch| (branch.module, branch.function));
        std::iter::once((self.module, self.function)).chain(sites).chain(branches)
    }
}

/// The kind of access of an operand.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AccessKind {
    /// It reads.
    #[default]
    Load,
    /// It writes.
    Store,
    /// It reads, then writes the same bytes.
    Update,
}

impl AccessKind {
    /// Whether it reads.
    pub fn reads(self) -> bool {
        self != Self::Store
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        self != Self::Load
    }
}

/// The facts about one memory operand inside a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SitePattern {
    /// Index into the run's modules; another one than the loop's when a function of it is called.
    pub module: u32,
    /// Entry address of the function.
    pub function: u64,
    /// Address of the instruction.
    pub address: u64,
    /// Number of the memory operand in the instruction.
    pub operand: u8,
    /// The kind of access.
    pub kind: AccessKind,
    /// Bytes of the whole operand; 0 where it varies.
    pub size: u32,
    /// Bytes of one element.
    pub element: u32,
    /// Lanes with an address each; 1 for all but gathers and scatters.
    pub lanes: u32,
    /// It bypasses the caches.
    pub streaming: bool,
    /// It is atomic.
    pub atomic: bool,
    /// It is a variable in the frame.
    pub frame: bool,
    /// Number of executions.
    pub executions: u64,
    /// Bytes accessed.
    pub bytes: u64,
    /// Strides at each loop level, innermost first: the loop that holds the operand, then the loops around
    /// it, including those of calling functions, and loops around the chosen one as far as they were seen.
    pub strides: Vec<LevelStrides>,
    /// Executions whose address is not a multiple of the operand's size (of the element's, for gathers).
    pub misaligned: u64,
    /// Executions that touch two cache lines.
    pub line_splits: u64,
    /// Executions that touch two pages.
    pub page_splits: u64,
    /// Lowest address.
    pub low: u64,
    /// Highest address, exclusive.
    pub high: u64,
    /// Distance from the address of the first operand (in the order of this list) with the same innermost strides
    /// in the same machine iteration, when that is always the same: copies of one source operand in an unrolled
    /// loop, neighbours in a stencil, fields of a structure. `(index of that operand, bytes)`.
    pub offset: Option<(u32, i64)>,
    /// Address differences between the lanes of a gather or scatter.
    pub lane_steps: Option<LaneSteps>,
    /// An address that was accessed.
    pub example: u64,
}

/// Address differences of one operand from one iteration of a loop to the next: between its first executions in
/// the two, within one entry of the loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelStrides {
    /// Index into the run's modules.
    pub module: u32,
    /// Header of the loop.
    pub header: u64,
    /// Number of differences.
    pub steps: u64,
    /// `(bytes, how often)`, the most frequent first; 0 bytes is uniform. At most [`MOST_STRIDES`].
    pub values: Vec<(i64, u64)>,
    /// Differences that are not among `values`.
    pub others: u64,
    /// Steps to a higher address.
    pub ascending: u64,
    /// Steps that stay on the same cache line.
    pub same_line: u64,
    /// Steps that stay on the same page of 4 KiB.
    pub same_page: u64,
}

/// Most stride values that are kept.
pub const MOST_STRIDES: usize = 16;

/// Address differences between consecutive active lanes of a gather or scatter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LaneSteps {
    /// `(bytes, how often)`, the most frequent first.
    pub values: Vec<(i64, u64)>,
    /// Differences that are not among `values`.
    pub others: u64,
    /// Executions whose lanes all have the same difference.
    pub affine: u64,
    /// Executions whose lanes ascend (equal ones allowed).
    pub ascending: u64,
    /// Distinct cache lines touched, summed over executions.
    pub lines: u64,
    /// Active lanes, summed over executions.
    pub active: u64,
}

/// Memory that a loop touches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Footprint {
    /// Distinct bytes, of the entry (or traced part of one) that touched most.
    pub bytes: u64,
    /// Distinct cache lines, of the same entry.
    pub lines: u64,
    /// Distinct pages of 4 KiB, of the same entry.
    pub pages: u64,
    /// Distinct cache lines over all that was traced.
    pub all_lines: u64,
    /// Distinct bytes over all that was traced.
    pub all_bytes: u64,
    /// Bytes of a cache line.
    pub line_bytes: u32,
    /// Counting stopped at a limit: these are lower bounds.
    pub is_bound: bool,
    /// Bytes used of bytes fetched by each array, i.e. each range of addresses that operands share:
    /// lowest address, highest, distinct lines, distinct bytes, indices of the operands.
    pub arrays: Vec<Array>,
}

/// Addresses that a set of operands shares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Array {
    /// Lowest address.
    pub low: u64,
    /// Highest address, exclusive.
    pub high: u64,
    /// Distinct lines.
    pub lines: u64,
    /// Distinct bytes.
    pub bytes: u64,
    /// Operands: indices into [`LoopPatterns::sites`].
    pub sites: Vec<u32>,
}

/// Which access depends on which.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub enum DependenceKind {
    /// Read after write: a true (flow) dependence.
    #[default]
    #[serde(rename = "RAW")]
    Flow,
    /// Write after read: an anti-dependence.
    #[serde(rename = "WAR")]
    Anti,
    /// Write after write: an output dependence.
    #[serde(rename = "WAW")]
    Output,
}

/// Dependences through memory between two operands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dependence {
    /// Kind.
    pub kind: DependenceKind,
    /// The operand that comes first in time; index into [`LoopPatterns::sites`].
    pub source: u32,
    /// The one that comes later.
    pub sink: u32,
    /// How often, by distance; ascending. At most [`MOST_EDGES`].
    pub edges: Vec<Edge>,
    /// Occurrences that are not among `edges`.
    pub others: u64,
    /// Occurrences at places that an iteration reads before it writes them: a private copy would not remove
    /// the dependence.
    pub exposed: u64,
    /// All occurrences within an entry of the loop are at one address: a scalar.
    pub scalar: bool,
    /// All occurrences are in frames of called functions.
    pub callee_frame: bool,
    /// An address at which it occurred, the nearest one.
    pub example: u64,
}

/// Most edges that are kept.
pub const MOST_EDGES: usize = 64;

/// Occurrences of a dependence at one distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// Machine iterations from source to sink; 0 within one iteration.
    pub distance: u64,
    /// First byte within the source's operand that both access.
    pub source_offset: u32,
    /// First byte within the sink's operand that both access.
    pub sink_offset: u32,
    /// Bytes that both access: those after the first follow it in both operands.
    #[serde(default)]
    pub length: u32,
    /// Number of occurrences.
    pub count: u64,
}

/// How dependences were analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Checked {
    /// Machine iterations that were checked against earlier ones of their entry.
    pub iterations: u64,
    /// Entries that were checked (joined ones included).
    pub entries: u64,
    /// Most iterations of one entry (or traced part of one): dependences over a longer distance cannot be seen.
    pub longest: u64,
    /// Places whose history had to be dropped because memory ran out.
    pub forgotten: u64,
}

/// A call of code that was not traced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UntracedCall {
    /// Address of the call.
    pub address: u64,
    /// The called function, where the code shows it.
    pub target: Option<String>,
    /// Number of calls.
    pub count: u64,
    /// Its effect on memory is known and was included (`memcpy` and similar, mathematical functions).
    pub modelled: bool,
}

/// A simulated cache hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Hierarchy {
    /// `this machine`, or as given with `--cache`.
    pub name: String,
    /// Levels, nearest first.
    pub levels: Vec<CacheGeometry>,
}

/// One simulated cache.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CacheGeometry {
    /// `L1`, `L2`, `L3`, `DTLB`, `STLB`.
    pub name: String,
    /// Lines in all.
    pub lines: u64,
    /// Bytes of a line (of a page, for a TLB).
    pub line_bytes: u32,
    /// Lines of a set; equal to `lines` when fully associative.
    pub ways: u32,
    /// Which line is evicted.
    pub policy: Replacement,
    /// Holds only lines that the level before it has evicted (a victim cache).
    pub victim: bool,
    /// Translates pages; data does not pass through it.
    pub translation: bool,
}

/// Which line of a full set is evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Replacement {
    /// The line least recently used.
    #[default]
    Lru,
    /// The line filled first.
    Fifo,
    /// Tree pseudo-LRU.
    Plru,
    /// Not most recently used (bit pseudo-LRU).
    Nru,
    /// Static re-reference interval prediction with two bits.
    Srrip,
    /// A random line, from a fixed seed.
    Random,
}

/// The counts of a simulated hierarchy in a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CacheUse {
    /// By level, as in [`Hierarchy::levels`].
    pub levels: Vec<LevelUse>,
    /// Machine iterations that were simulated.
    pub iterations: u64,
}

/// The counts of one simulated cache in a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelUse {
    /// Lines requested (by the level before; for the first: line accesses of operands).
    pub accesses: u64,
    /// Lines that surely missed.
    pub misses: u64,
    /// Lines of which it is not known whether they hit, because the burst began with unknown contents.
    pub unknown: u64,
    /// Modelled: misses when lines that earlier bursts of the thread left in the cache are still there, and
    /// first uses are misses. Between `misses` and `misses + unknown`.
    pub estimated_misses: u64,
    /// The part of `estimated_misses` that are lines which no burst of the thread used before.
    pub first_uses: u64,
    /// Changed lines written back to the next level.
    pub write_backs: u64,
    /// Lines written past all caches.
    pub streamed: u64,
}

impl LevelUse {
    /// Adds the counts of another loop, thread or entry.
    pub fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.misses += other.misses;
        self.unknown += other.unknown;
        self.estimated_misses += other.estimated_misses;
        self.first_uses += other.first_uses;
        self.write_backs += other.write_backs;
        self.streamed += other.streamed;
    }

    /// The counts since an earlier state of the same sums.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            accesses: self.accesses - earlier.accesses,
            misses: self.misses - earlier.misses,
            unknown: self.unknown - earlier.unknown,
            estimated_misses: self.estimated_misses - earlier.estimated_misses,
            first_uses: self.first_uses - earlier.first_uses,
            write_backs: self.write_backs - earlier.write_backs,
            streamed: self.streamed - earlier.streamed,
        }
    }
}

/// How many distinct other lines are used between two uses of a line (the LRU stack distance).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReuseHistogram {
    /// Bytes of a line.
    pub line_bytes: u32,
    /// `(lowest distance, highest, uses)`, ascending; exact below 16, then four buckets per power of two.
    pub buckets: Vec<(u64, u64, u64)>,
    /// First uses of a line in what was traced.
    pub first: u64,
    /// The part of `first` that may be a reuse at a long distance: memory had run out and old lines were dropped.
    pub forgotten: u64,
    /// Uses that continue on the line used last (distance 0); also in `buckets`.
    pub same: u64,
    /// Reuse by loop: header of the innermost loop that carries it (the line was last used in another iteration of
    /// that loop, and the same of loops around it): `(module, header, uses, sum of distances)`; the header is 0 where
    /// the line was last used before the loop was entered.
    pub carriers: Vec<(u32, u64, u64, u64)>,
}

/// Loads that met a recent store at a distance of a multiple of 4 KiB.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AliasingUse {
    /// The store; index into [`LoopPatterns::sites`].
    pub store: u32,
    /// The load.
    pub load: u32,
    /// Number of occurrences.
    pub count: u64,
    /// Load's address minus the store's modulo 4096, the most frequent.
    pub offset: u32,
}

/// Lines that several threads used in the same window of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sharing {
    /// Windows in which at least two threads were seen in the loop.
    pub windows: u64,
    /// Lines that at least two threads used, at least one of them writing, where no byte that one wrote was used by
    /// another: false sharing.
    pub false_lines: u64,
    /// Accesses to those lines.
    pub false_accesses: u64,
    /// Lines that were used in this way with such bytes: true sharing.
    pub true_lines: u64,
    /// Accesses to those lines.
    pub true_accesses: u64,
    /// All accesses in those windows.
    pub accesses: u64,
    /// Memory ran out: these are lower bounds.
    pub is_bound: bool,
    /// Lines with most false sharing: line address, accesses, and `(thread, operand, first byte, last byte, writes)`.
    pub examples: Vec<SharedLine>,
}

/// A falsely shared line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SharedLine {
    /// First byte of the line.
    pub address: u64,
    /// Accesses.
    pub accesses: u64,
    /// The uses: thread, index into [`LoopPatterns::sites`], first and last byte in the line, writes.
    pub users: Vec<(u32, u32, u8, u8, bool)>,
}
