//! What perf is asked for.
//!
//! Intel's cores count the parts of the first level directly since Ice Lake, and those of the second since Sapphire Rapids; the
//! kernel shows the events in sysfs. They take no general counter, so nothing takes turns, and every perf
//! since Linux 5.9 knows them. For other processors perf computes the parts of the events in its own tables, by groups of metrics:
//! `TopdownL1` (Intel before Ice Lake, Arm), `PipelineL1` (AMD since Zen 4, perf since Linux 6.2).

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::Path;

/// An option of `perf stat` that chooses what is counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// These events (`-e`).
    Events(String),
    /// These groups of metrics (`-M`).
    Metrics(String),
}

impl Default for Ask {
    fn default() -> Self {
        Self::Events(String::new())
    }
}

impl Ask {
    /// The arguments of `perf stat`.
    pub fn arguments(&self) -> [OsString; 2] {
        match self {
            Self::Events(names) => ["-e".into(), names.into()],
            Self::Metrics(names) => ["-M".into(), names.into()],
        }
    }

    /// For readers: `TopdownL1,TopdownL2` or `topdown events`.
    pub fn name(&self) -> &str {
        match self {
            Self::Events(_) => "topdown-* events",
            Self::Metrics(names) => names,
        }
    }
}

/// Where the kernel lists the events of its drivers.
pub(super) const DRIVERS: &str = "/sys/bus/event_source/devices";

/// The first of a group: the kernel counts the others only beside it.
const LEADER: &str = "slots";
/// All of the first level, in the order of perf's own group (`tools/perf/arch/x86/util/evlist.c`).
const FIRST: [&str; 4] = ["topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound"];
/// Of the second level, those that are counted; the others are what remains.
const SECOND: [&str; 4] =
    ["topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound"];

/// What can be asked for, the most telling first; what works is found out by trying.
pub(super) fn possible(drivers: &Path) -> Vec<Ask> {
    let metrics = ["TopdownL1,TopdownL2", "PipelineL1,PipelineL2", "TopdownL1", "PipelineL1"];
    let metrics = metrics.map(|names| Ask::Metrics(names.to_owned()));
    let (events, second) = events(drivers);
    let events = events.map(Ask::Events);
    if second {
        return events.into_iter().chain(metrics).collect();
    }
    // Metrics of two levels say more than events of one.
    let [both_levels, of_amd, rest @ ..] = metrics;
    [both_levels, of_amd].into_iter().chain(events).chain(rest).collect()
}

/// One group for each kind of core that has the events, and whether those of the second level are among them.
fn events(drivers: &Path) -> (Option<String>, bool) {
    let mut groups = Vec::new();
    let mut second_level = false;
    // Processors with cores of one kind have `cpu`, hybrid ones a driver for each kind.
    for driver in ["cpu", "cpu_core", "cpu_atom"] {
        let has = |event: &str| drivers.join(driver).join("events").join(event).exists();
        if !FIRST.iter().all(|event| has(event)) {
            continue;
        }
        let leader = [LEADER].into_iter().filter(|event| has(event));
        let second: Vec<&str> = SECOND.into_iter().filter(|event| has(event)).collect();
        second_level |= second.contains(&"topdown-mem-bound");
        let names = leader.chain(FIRST).chain(second).map(|event| match driver {
            "cpu" => event.to_owned(),
            driver => format!("{driver}/{event}/"),
        });
        groups.push(format!("{{{}}}", names.collect::<Vec<_>>().join(",")));
    }
    ((!groups.is_empty()).then(|| groups.join(",")), second_level)
}
