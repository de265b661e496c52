//! The results of a measurement of the ceilings: plain data.

use crate::Warning;
use loopwright_vocabulary::{ElementType, MemoryLevel, VectorWidth};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Element types that a peak is measured for.
// A type of its own: each has kernels, and the JSON contract lists these two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "CeilingElement")]
pub enum Element {
    /// Single precision.
    F32,
    /// Double precision.
    #[default]
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

impl From<Element> for ElementType {
    fn from(element: Element) -> Self {
        match element {
            Element::F32 => Self::F32,
            Element::F64 => Self::F64,
        }
    }
}

/// The latency of one load at one working-set size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MeasuredLatency")]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MeasuredFlop")]
pub struct FlopCeiling {
    /// Width of the arithmetic.
    pub level: VectorWidth,
    /// Element type.
    pub element: Element,
    /// FMA is used.
    pub fma: bool,
    /// CPUs used.
    pub cores: u32,
    /// GFLOP/s (10^9; an FMA counts two): the best sample.
    pub gflops: f64,
    /// Median of the samples over the best one (1 = no spread).
    pub spread: f64,
}

/// A bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MeasuredBandwidth")]
pub struct BandwidthCeiling {
    /// `L1`, `L2`, `L3` or `DRAM`.
    pub level: MemoryLevel,
    /// `load`, `store`, `copy`, `triad` (a = b x s + c); with `-nt` for non-temporal stores and `-rep` for the
    /// processor's string instructions.
    pub kernel: String,
    /// CPUs used.
    pub cores: u32,
    /// GB/s (10^9 bytes that the program reads and writes; no write-allocate counted): the best sample.
    pub gbytes: f64,
    /// Bytes of all streams of one CPU.
    pub working_set_bytes: u64,
    /// The fastest vector width and unrolling.
    pub variant: String,
    /// Median of the samples over the best one (1 = no spread).
    pub spread: f64,
}

/// Every ceiling that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MeasuredCeilings")]
pub struct Ceilings {
    /// Peak arithmetic.
    pub flops: Vec<FlopCeiling>,
    /// Bandwidths.
    pub bandwidths: Vec<BandwidthCeiling>,
    /// Load latencies by working set, one CPU.
    pub latencies: Vec<Latency>,
    /// Time of the measurement, in seconds since 1970.
    pub measured_unix: u64,
    /// Duration of the measurement, in seconds.
    pub seconds: f64,
    /// Conditions that limit the figures or make them wrong; one sentence each.
    #[schemars(with = "Vec<String>")]
    pub warnings: Vec<Warning>,
    /// Other load during the measurement; absent in files of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub conditions: Option<Conditions>,
}

/// Other load while ceilings were measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MeasuringConditions")]
pub struct Conditions {
    /// Time that the measuring threads waited for a CPU, over their time on one and waiting for one.
    pub delayed_share: f64,
    /// CPUs that other programs used on average.
    pub other_cpus: f64,
    /// Share of the CPUs' time that the hypervisor gave to other virtual machines.
    pub stolen_share: f64,
    /// Points whose samples varied by more than a quarter.
    pub varied_points: u32,
    /// Points of arithmetic and bandwidth.
    pub points: u32,
    /// Number of measurements of the machine.
    pub attempts: u32,
    /// The load was too high for reliable ceilings: they may be too low.
    pub disturbed: bool,
}

impl Conditions {
    /// The load, in words.
    pub fn words(&self) -> String {
        let mut found = Vec::new();
        if self.delayed_share >= 0.005 {
            found.push(format!(
                "its threads waited for a CPU during {:.0} % of their time",
                100.0 * self.delayed_share
            ));
        }
        if self.other_cpus >= 0.05 {
            found.push(format!("other programs used {:.1} CPUs", self.other_cpus));
        }
        if self.stolen_share >= 0.005 {
            found.push(format!(
                "{:.0} % of the CPUs' time was another virtual machine's",
                100.0 * self.stolen_share
            ));
        }
        if self.varied_points > 0 {
            found.push(format!(
                "{} of {} points varied by more than a quarter",
                self.varied_points, self.points
            ));
        }
        found.join(", ")
    }
}

impl Ceilings {
    /// Why these ceilings may be too low, in words; `None` where nothing disturbed them.
    pub fn disturbed(&self) -> Option<String> {
        let conditions = self.conditions.unwrap_or_else(|| {
            // An earlier version stored no conditions, but the spreads.
            let (varied_points, points) = super::disturbance::varied(self);
            let disturbed = super::disturbance::is_many(varied_points, points);
            Conditions { varied_points, points, disturbed, attempts: 1, ..Conditions::default() }
        });
        conditions.disturbed.then(|| conditions.words())
    }

    /// The better of two measurements, point by point: a disturbance only makes a figure worse. Everything
    /// else is from the newer one.
    #[must_use]
    pub fn with_better_of(mut self, earlier: &Self) -> Self {
        for old in &earlier.flops {
            let same = |new: &&mut FlopCeiling| {
                (new.level, new.element, new.fma, new.cores) == (old.level, old.element, old.fma, old.cores)
            };
            match self.flops.iter_mut().find(same) {
                Some(new) if new.gflops < old.gflops => *new = old.clone(),
                Some(_) => {}
                None => self.flops.push(old.clone()),
            }
        }
        for old in &earlier.bandwidths {
            let same = |new: &&mut BandwidthCeiling| {
                (new.level, &new.kernel, new.cores) == (old.level, &old.kernel, old.cores)
            };
            match self.bandwidths.iter_mut().find(same) {
                Some(new) if new.gbytes < old.gbytes => *new = old.clone(),
                Some(_) => {}
                None => self.bandwidths.push(old.clone()),
            }
        }
        for old in &earlier.latencies {
            match self.latencies.iter_mut().find(|new| new.bytes == old.bytes) {
                Some(new) if new.ns > old.ns => *new = old.clone(),
                Some(_) => {}
                None => self.latencies.push(old.clone()),
            }
        }
        self
    }

    /// The best rate of an arithmetic on `cores` CPUs.
    pub fn flop(&self, level: VectorWidth, element: Element, fma: bool, cores: u32) -> Option<f64> {
        self.flops
            .iter()
            .find(|f| f.level == level && f.element == element && f.fma == fma && f.cores == cores)
            .map(|f| f.gflops)
    }

    /// The bandwidth of a level and kernel on `cores` CPUs.
    pub fn bandwidth(&self, level: MemoryLevel, kernel: &str, cores: u32) -> Option<f64> {
        self.bandwidths
            .iter()
            .find(|b| b.level == level && b.kernel == kernel && b.cores == cores)
            .map(|b| b.gbytes)
    }
}
