//! The results of a counting run. Stored in the experiment; all derived numbers are computed from it.
//!
//! Counts are exact integers. What could not be counted is absent and has an entry in `left_alone`, never a
//! zero. Addresses are ELF virtual addresses of the module.

use crate::reason::Reason;
use crate::warning::Warning;
use loopwright_binary::work::Work;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of one counting run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Modules with counted code, and those that were not instrumented at all.
    pub modules: Vec<ModuleCounts>,
    /// Threads that ran counted code; other facts refer to them by index.
    pub threads: Vec<CountedThread>,
    /// What makes the counts incomplete or approximate.
    pub warnings: Vec<Warning>,
    /// Exit status of the program as the shell would show it (128 + signal when killed).
    pub exit_status: i32,
    /// Signal that ended the program.
    pub signal: Option<i32>,
    /// The run ended before the program did (interrupted, killed): the counts up to then.
    pub interrupted: bool,
    /// Seconds from the start of the program to its end, preparation excluded.
    pub elapsed_seconds: f64,
    /// Seconds spent reading and rewriting code before the program's first instruction.
    pub setup_seconds: f64,
    /// Seconds of `elapsed_seconds` in which a thread of the program waited for code to be rewritten: at first
    /// calls of functions, when libraries were opened and programs executed.
    pub waiting_seconds: f64,
    /// Processor time of the program and all processes that it started; absent where some of them still run.
    pub cpu_seconds: Option<f64>,
}

/// A thread that ran counted code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountedThread {
    /// Process id.
    pub process: u32,
    /// Thread id.
    pub thread: u32,
    /// Path of the program that the process ran.
    pub program: String,
}

/// The counts of one module.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModuleCounts {
    /// Path as mapped.
    pub path: String,
    /// Build id in hexadecimal.
    pub build_id: Option<String>,
    /// Functions with counted code that ran, by address. A function that never ran is absent.
    pub functions: Vec<FunctionCounts>,
    /// Functions that were not instrumented, or some of whose loops were not.
    pub left_alone: Vec<LeftAlone>,
    /// Number of functions that were instrumented (run or not).
    pub instrumented: u32,
    /// Only chosen functions were counted: what the others did is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_part: bool,
}

/// The counts of one function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionCounts {
    /// Entry address.
    pub address: u64,
    /// Name (demangled).
    pub name: String,
    /// Times the function was entered; absent where only loops of it were counted.
    pub calls: Option<u64>,
    /// All of its code was counted; else only the blocks of `blocks`.
    pub complete: bool,
    /// Work of all counted blocks.
    pub work: Work,
    /// Executed basic blocks, by address. A block that was counted and never ran is absent.
    pub blocks: Vec<BlockCount>,
    /// Loops, by address of the header, outer before inner.
    pub loops: Vec<LoopCounts>,
    /// The same by thread, in order of the thread index; threads that did not run it are absent.
    pub threads: Vec<ThreadWork>,
}

/// Executions of a basic block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCount {
    /// First instruction.
    pub start: u64,
    /// End of the last instruction.
    pub end: u64,
    /// How often the block was executed.
    pub executions: u64,
}

/// The counts of one machine loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopCounts {
    /// Address of the header block.
    pub header: u64,
    /// Times the loop was entered from outside; absent when that cannot be counted.
    pub entries: Option<u64>,
    /// Machine iterations over all entries: passes beyond the loop's entry test.
    pub iterations: u64,
    /// Distribution of iterations per entry; absent when it cannot be counted.
    pub trips: Option<TripHistogram>,
    /// Work of own blocks (blocks of inner loops excluded).
    pub work: Work,
    /// Work of all blocks (inner loops included, called functions excluded).
    pub total_work: Work,
    /// The same by thread.
    pub threads: Vec<ThreadLoop>,
}

/// How iterations per entry are distributed. Buckets are exact below 16; above, each power of two is
/// divided into four.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TripHistogram {
    /// Fewest iterations of an entry.
    pub min: u64,
    /// Most iterations of an entry.
    pub max: u64,
    /// `(lowest value of the bucket, highest value, entries in it)`, ascending.
    pub buckets: Vec<(u64, u64, u64)>,
    /// Entries were nested (recursion, a signal handler, an exception): the sum is exact, the distribution
    /// approximate.
    pub approximate: bool,
}

/// One thread's part in a function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadWork {
    /// Index into [`Counts::threads`].
    pub thread: u32,
    /// Entries of the function.
    pub calls: Option<u64>,
    /// Own work.
    pub work: Work,
}

/// One thread's part in a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadLoop {
    /// Index into [`Counts::threads`].
    pub thread: u32,
    /// Times the thread entered the loop.
    pub entries: Option<u64>,
    /// Machine iterations.
    pub iterations: u64,
    /// Work of own blocks.
    pub work: Work,
}

/// Code that runs without counters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftAlone {
    /// Entry address of the function.
    pub address: u64,
    /// Its name.
    pub function: String,
    /// Header of the loop; absent for a whole function.
    pub header: Option<u64>,
    /// The reason.
    pub reason: Reason,
}

impl TripHistogram {
    /// Adds the entries of another distribution.
    pub fn merge(&mut self, other: &Self) {
        // A side without entries has no least value.
        self.min = match (self.buckets.is_empty(), other.buckets.is_empty()) {
            (true, _) => other.min,
            (_, true) => self.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.approximate |= other.approximate;
        let mut buckets: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for &(low, high, entries) in self.buckets.iter().chain(&other.buckets) {
            let sum = buckets.entry((low, high)).or_default();
            *sum = sum.saturating_add(entries);
        }
        self.buckets = buckets.into_iter().map(|((low, high), entries)| (low, high, entries)).collect();
    }

    /// Entries in all buckets.
    pub fn entries(&self) -> u64 {
        self.buckets.iter().map(|b| b.2).sum()
    }

    /// The median: exact when the bucket that holds it has one value or all entries are equal, else bounds of
    /// the bucket, clipped to min and max.
    pub fn median(&self) -> Option<(u64, u64)> {
        let half = self.entries().checked_add(1)? / 2;
        let mut seen = 0;
        for &(low, high, entries) in &self.buckets {
            seen += entries;
            if seen >= half.max(1) && entries > 0 {
                return Some((low.max(self.min), high.min(self.max)));
            }
        }
        None
    }
}
