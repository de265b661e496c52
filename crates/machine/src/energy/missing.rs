//! Why an interface to the counters gives nothing.

use super::counter::Counter;
use super::measured::{Domain, Interface};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;

/// Why an interface gives nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EnergyMissing")]
pub struct Missing {
    /// The interface.
    pub interface: Interface,
    /// Why.
    #[serde(flatten)]
    pub why: Why,
}

/// Why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "why")]
#[schemars(rename = "EnergyMissingWhy")]
pub enum Why {
    /// The machine does not have it.
    Absent,
    /// The kernel does not allow it.
    Forbidden,
    /// There are only files of another machine, which cannot be opened as events.
    Recorded,
    /// Another error of the system.
    Failed {
        /// In its words.
        error: String,
    },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.interface {
            Interface::Perf => "perf's power events",
            Interface::Powercap => "/sys/class/powercap",
            Interface::Msr => "/dev/cpu/*/msr",
        };
        match (&self.why, self.interface) {
            (Why::Absent, Interface::Msr) => {
                write!(f, "{name}: not there (modprobe msr), or no counters are known for this processor")
            }
            (Why::Absent, _) => write!(f, "{name}: not on this machine"),
            (Why::Forbidden, Interface::Perf) => {
                write!(
                    f,
                    "{name}: not allowed; as root: sysctl kernel.perf_event_paranoid=0, or give the tool CAP_PERFMON"
                )
            }
            (Why::Forbidden, Interface::Powercap) => write!(
                f,
                "{name}: for root only; as root: chmod a+r /sys/class/powercap/*/energy_uj (weigh it: the counters leak secrets, \
                 CVE-2020-8694)"
            ),
            (Why::Forbidden, Interface::Msr) => write!(f, "{name}: for root with CAP_SYS_RAWIO only"),
            (Why::Recorded, _) => write!(f, "{name}: a recorded machine has no events"),
            (Why::Failed { error }, _) => write!(f, "{name}: {error}"),
        }
    }
}

/// What an error of the system means for an interface.
pub(super) fn of_error(error: &io::Error) -> Why {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => Why::Forbidden,
        Some(libc::ENOENT | libc::ENODEV | libc::ENXIO) => Why::Absent,
        _ => Why::Failed { error: error.to_string() },
    }
}

/// The counters that can be read. Those of sockets must be; parts of them may be left out.
pub(super) fn readable(counters: Vec<Counter>) -> Result<Vec<Counter>, Why> {
    let is_package = |counter: &Counter| matches!(counter.domain, Domain::Package { .. });
    if !counters.iter().any(is_package) {
        return Err(Why::Absent);
    }
    let mut kept = Vec::with_capacity(counters.len());
    for counter in counters {
        match counter.read() {
            Ok(_) => kept.push(counter),
            Err(error) if is_package(&counter) => return Err(of_error(&error)),
            Err(_) => (),
        }
    }
    Ok(kept)
}
