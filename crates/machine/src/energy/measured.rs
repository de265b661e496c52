//! What counters cover, and what they showed during a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An interface of the kernel to the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "EnergyInterface")]
pub enum Interface {
    /// Events of perf's driver `power`.
    Perf,
    /// `/sys/class/powercap`.
    Powercap,
    /// Registers of the processor, `/dev/cpu/*/msr`.
    Msr,
}

/// What a counter covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "part")]
#[schemars(rename = "EnergyDomain")]
pub enum Domain {
    /// A socket: its cores, caches and memory controllers.
    Package {
        /// The socket.
        socket: u32,
    },
    /// The memory of a socket, which is not in its package.
    Memory {
        /// The socket.
        socket: u32,
    },
    /// The cores of a socket: a part of its package.
    Cores {
        /// The socket.
        socket: u32,
    },
    /// The graphics unit of a socket: a part of its package.
    Graphics {
        /// The socket.
        socket: u32,
    },
    /// The whole board, as its maker wired it: packages are in it.
    Platform,
}

impl Domain {
    /// Whether the domain is a term of the sum: others are parts of a term, or have the terms as parts.
    pub fn adds(self) -> bool {
        matches!(self, Self::Package { .. } | Self::Memory { .. })
    }
}

/// The energy of a domain during a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DomainEnergy {
    /// What the counter covers.
    pub domain: Domain,
    /// Joules; absent where the counter cannot be believed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub joules: Option<f64>,
    /// Why it cannot be believed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fault: Option<Fault>,
}

/// Why a counter cannot be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "EnergyFault")]
pub enum Fault {
    /// It did not move.
    Frozen,
    /// It moved by more than any processor can use: it was reset, or the machine slept.
    Jumped,
    /// It could not be read any more.
    Lost,
    /// The run was shorter than the time between two updates of the counter allows.
    Brief,
}

/// What the counters showed during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MeasuredEnergy")]
pub struct Measured {
    /// How the counters were read.
    pub interface: Interface,
    /// Seconds between the first and the last reading.
    pub seconds: f64,
    /// By what they cover.
    pub domains: Vec<DomainEnergy>,
}

impl Measured {
    /// Joules of all packages and their memory; absent where a package is not known.
    pub fn joules(&self) -> Option<f64> {
        joules(&self.domains)
    }
}

/// Joules of all packages and their memory; absent where a package is not known.
pub fn joules(domains: &[DomainEnergy]) -> Option<f64> {
    let packages = || domains.iter().filter(|one| matches!(one.domain, Domain::Package { .. }));
    if packages().count() == 0 || packages().any(|one| one.joules.is_none()) {
        return None;
    }
    Some(domains.iter().filter(|one| one.domain.adds()).filter_map(|one| one.joules).sum())
}
