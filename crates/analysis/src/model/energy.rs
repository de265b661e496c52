//! The energy of runs, as it is shown.

pub use loopwright_experiment::energy::{
    Domain as EnergyDomain, DomainEnergy, EnergySource, Fault as EnergyFault, Interface as EnergyInterface,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The energy of the sampled run, and of runs with other numbers of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnergyFacts {
    /// How it is known: by counters of the processor, which cover all that runs on its sockets, or by a model.
    pub source: EnergySource,
    /// The sampled run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<RunEnergy>,
    /// Loops by their share of the run's energy, which is that of their self time; the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub loops: Vec<LoopEnergy>,
    /// Functions by theirs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<FunctionEnergy>,
    /// Runs with other numbers of threads, by their number.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub threads: Vec<ThreadsEnergy>,
    /// The position in `threads` that takes the least energy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub least_energy: Option<u32>,
    /// The one with the smallest product of energy and time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub least_delay_product: Option<u32>,
    /// The program had the same number of threads whatever number it was given.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub same_threads: bool,
}

/// The energy of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunEnergy {
    /// Elapsed seconds.
    pub seconds: f64,
    /// CPU time of all its processes.
    pub cpu_seconds: f64,
    /// Joules of all sockets and their memory; absent where a counter cannot be believed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joules: Option<f64>,
    /// Joules over seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub watts: Option<f64>,
    /// Joules times seconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delay_product: Option<f64>,
    /// What the counters cover, with the parts of a sum and what has it as a part; empty with a model.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub domains: Vec<DomainEnergy>,
    /// The program's part of the CPU time that the whole machine used meanwhile; the counters have the energy of the rest, too.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub share_of_busy: Option<f64>,
}

/// The energy of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoopEnergy {
    /// The loop's ID.
    pub id: u32,
    /// Joules.
    pub joules: f64,
}

/// The energy of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionEnergy {
    /// Its name.
    pub function: String,
    /// The module that has it.
    pub module: String,
    /// Joules.
    pub joules: f64,
}

/// Runs with one number of threads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadsEnergy {
    /// Threads that the program was given.
    pub threads: u32,
    /// Runs.
    pub runs: u32,
    /// Elapsed seconds, the median.
    pub seconds: f64,
    /// CPU time, the median.
    pub cpu_seconds: f64,
    /// Joules, the median.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joules: Option<f64>,
    /// Their interval (95 %).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joules_interval: Option<(f64, f64)>,
    /// Joules over seconds, the median.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub watts: Option<f64>,
    /// Joules times seconds, the median.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delay_product: Option<f64>,
}
