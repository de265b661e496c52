//! What a measurement of the ceilings reports: plain data.

use serde::{Deserialize, Serialize};

/// Widths of arithmetic that a ceiling is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// One element per instruction.
    #[serde(rename = "scalar")]
    Scalar,
    /// 128 bits.
    #[serde(rename = "SSE")]
    Sse,
    /// 256 bits (without FMA these are AVX instructions).
    #[serde(rename = "AVX2")]
    Avx2,
    /// 512 bits.
    #[serde(rename = "AVX-512")]
    Avx512,
}

impl Level {
    /// The level's name, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Level::Scalar => "scalar",
            Level::Sse => "SSE",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}

/// Element types that a peak is measured for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl Element {
    /// Size in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Element::F32 => 4,
            Element::F64 => 8,
        }
    }

    /// The type's name, as it is serialised.
    pub fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F64 => "f64",
        }
    }
}

/// The latency of one load at one working-set size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Working set in bytes.
    pub bytes: u64,
    /// Nanoseconds per load (the best sample).
    pub ns: f64,
    /// The same in TSC cycles, which are not core cycles when the clock varies.
    pub cycles: f64,
    /// Median of the samples over the best one (1 = no spread).
    pub spread: f64,
}

/// A peak arithmetic rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlopCeiling {
    /// Width of the arithmetic.
    pub level: Level,
    /// Element type.
    pub element: Element,
    /// With FMA.
    pub fma: bool,
    /// CPUs used.
    pub cores: u32,
    /// GFLOP/s (10^9; an FMA counts two): the best sample.
    pub gflops: f64,
    /// Median of the samples over the best one (1 = no spread).
    pub spread: f64,
}

/// A bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BandwidthCeiling {
    /// `L1`, `L2`, `L3` or `DRAM`.
    pub level: String,
    /// `load`, `store`, `copy`, `triad` (a = b x s + c); with `-nt` for non-temporal stores and `-rep` for the
    /// processor's string instructions.
    pub kernel: String,
    /// CPUs used.
    pub cores: u32,
    /// GB/s (10^9 bytes that the program reads and writes; no write-allocate counted): the best sample.
    pub gbytes: f64,
    /// Bytes of all streams of one CPU.
    pub working_set_bytes: u64,
    /// Vector width and unrolling that did best.
    pub variant: String,
    /// Median of the samples over the best one (1 = no spread).
    pub spread: f64,
}

/// Every ceiling that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Peak arithmetic.
    pub flops: Vec<FlopCeiling>,
    /// Bandwidths.
    pub bandwidths: Vec<BandwidthCeiling>,
    /// Load latencies by working set, one CPU.
    pub latencies: Vec<Latency>,
    /// When, in seconds since 1970.
    pub measured_unix: u64,
    /// How long it took.
    pub seconds: f64,
    /// What limits or spoils the figures; one sentence each.
    pub warnings: Vec<String>,
}

impl Ceilings {
    /// The best rate of an arithmetic on `cores` CPUs.
    pub fn flop(&self, level: Level, element: Element, fma: bool, cores: u32) -> Option<f64> {
        self.flops
            .iter()
            .find(|f| f.level == level && f.element == element && f.fma == fma && f.cores == cores)
            .map(|f| f.gflops)
    }

    /// The bandwidth of a level and kernel on `cores` CPUs.
    pub fn bandwidth(&self, level: &str, kernel: &str, cores: u32) -> Option<f64> {
        self.bandwidths
            .iter()
            .find(|b| b.level == level && b.kernel == kernel && b.cores == cores)
            .map(|b| b.gbytes)
    }
}
