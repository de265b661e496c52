//! Top-down analysis of a whole program by the processor's counters, through `perf stat`.
//!
//! Where the slots of a core's pipeline went is counted by the processor: used by instructions that retired, lost to wrong
//! speculation, not filled by the front end, or not accepted by the back end because it waited for memory or for its own units.
//! Which counters give that differs by processor, and perf knows it: it is asked for its metrics, or for the kernel's `topdown-*`
//! events where the processor has them ([`ask`]), and what it writes is kept as typed readings ([`reading`]). What the
//! readings mean is computed when they are shown ([`slots`]), so that a better rule improves old experiments.
//!
//! Nothing here decides whether the program should run once more, and nothing compares: `loopwright` and `analysis` do.
//!
//! Sources: A. Yasin, "A Top-Down method for performance analysis and counters architecture", ISPASS 2014;
//! `tools/perf/Documentation/{perf-stat,topdown}.txt` and `tools/perf/pmu-events/arch/` of Linux.

pub mod ask;
pub mod reading;
pub mod run;
pub mod slots;
pub mod tool;

pub use ask::Ask;
pub use reading::{Part, Reading, Unit, Written};
pub use run::{Ended, RunOptions, measure};
pub use slots::Slots;
pub use tool::{Missing, Perf, find};

use serde::{Deserialize, Serialize};

/// What a run under counters gave.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopDown {
    /// Real path of the program.
    pub executable: String,
    /// Its build id.
    pub build_id: Option<String>,
    /// What `perf --version` says.
    pub perf_version: String,
    /// What perf was asked for.
    pub asked: Ask,
    /// What it answered.
    pub readings: Vec<Reading>,
    /// Only user code was counted: the kernel was not allowed to be.
    pub user_only: bool,
}

impl TopDown {
    /// Where the slots went, if the readings say that without contradiction.
    pub fn slots(&self) -> Option<Slots> {
        slots::of(&self.readings)
    }
}

#[cfg(test)]
mod tests;
