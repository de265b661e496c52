//! The measurements, as `--json` prints them. docs/kernels/README.md lists the keys.

use loopwright_stats::Interval;
use loopwright_vocabulary::MemoryLevel;
use serde::Serialize;

/// One run of `bench`.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this layout.
    pub version: u32,
    /// The processor's name.
    pub processor: String,
    /// The hypervisor, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
    /// Sizes of the caches in bytes, nearest first.
    pub cache_bytes: Vec<u64>,
    /// The level from which the automatic variants chose.
    pub isa: String,
    /// The calibration file in force; without one the library's defaults apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<String>,
    /// Rounds of interleaved runs.
    pub rounds: usize,
    /// The measured cases.
    pub cases: Vec<CaseRecord>,
    /// First calls of a process, by operation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cold_starts: Vec<ColdStart>,
    /// Peers that are not installed, or cannot be used; one sentence each.
    pub left_out: Vec<String>,
    /// Peers whose results differ from the reference, and where; one sentence each. They are not timed there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<String>,
}

/// The first call of an operation in a process; medians over processes.
#[derive(Clone, Debug, Serialize)]
pub struct ColdStart {
    /// Kernel: a module of the library.
    pub kernel: String,
    /// Operation of the kernel, on some kilobytes.
    pub operation: String,
    /// Seconds of the first call where nothing was measured before: choices are measured.
    pub measuring_seconds: f64,
    /// The same where an earlier process has kept what it measured.
    pub kept_seconds: f64,
    /// The same where choices are made by the shipped figures (`LOOPWRIGHT_KERNELS_TUNING=none`).
    pub shipped_seconds: f64,
    /// Seconds of a later call.
    pub later_seconds: f64,
}

/// One shape of one operation.
#[derive(Clone, Debug, Serialize)]
pub struct CaseRecord {
    /// Kernel: a module of the library.
    pub kernel: String,
    /// Operation of the kernel.
    pub operation: String,
    /// Shape of its input.
    pub shape: String,
    /// Bytes that rates count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_bytes: Option<u64>,
    /// Bytes of all buffers that one run touches.
    pub working_set_bytes: u64,
    /// Nearest part of the memory hierarchy that can hold them: `L1`, `L2`, `L3` or `DRAM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_level: Option<MemoryLevel>,
    /// How many times as fast as the strongest peer the automatic variant is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Comparison>,
    /// A level that is faster than the automatic variant, where there is one: its time over that of the automatic variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faster_level: Option<Comparison>,
    /// The automatic variant's time with the upper halves of vectors in use at each call over that without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_halves_in_use: Option<Comparison>,
    /// The automatic variant's share of the slowest bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share_of_bound: Option<Comparison>,
    /// All variants.
    pub variants: Vec<VariantRecord>,
}

/// Median of the rounds' ratios: the other variant's time over the automatic one's.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The other variant.
    pub with: String,
    /// Time of the other variant divided by that of the automatic one.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub ratio_low: f64,
    /// Upper end.
    pub ratio_high: f64,
}

impl Comparison {
    /// A ratio of times to that of the automatic variant.
    pub fn of(with: &str, ratio: Interval) -> Comparison {
        let Interval { estimate, low, high } = ratio;
        Comparison { with: with.to_owned(), ratio: estimate, ratio_low: low, ratio_high: high }
    }
}

/// One variant's time.
#[derive(Clone, Debug, Serialize)]
pub struct VariantRecord {
    /// Name of the variant in the table.
    pub name: String,
    /// `automatic`, `level`, `peer`, `bound` or `aside`.
    pub role: String,
    /// The instruction-set level, of the role `level`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Median seconds of one run.
    pub seconds: f64,
    /// Lower end of the median's 95 % interval.
    pub seconds_low: f64,
    /// Upper end.
    pub seconds_high: f64,
    /// Rate, 10^9 bytes per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gbytes_per_second: Option<f64>,
}
