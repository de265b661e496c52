//! Versions of a loop with neutral instructions in it, alternated while the program runs.
//!
//! What an iteration absorbs for free is not its limit; what makes it longer at once is. Versions take turns within one run of
//! the real program, so that they see the same data and the same neighbours ([docs/bottlenecks.md]).
//!
//! ```text
//! operation  the instructions of each kind
//! calibrate  what one of them costs on this machine
//! plan       which versions a loop gets, at which iterations threads change between them
//! nest       the loop and its unit
//! registers  which registers the versions use
//! sites      where in an iteration the operations are
//! kinds      what the loop's own instructions use
//! control    where a thread keeps track of its versions
//! order      the order in which they take turns
//! windows    which recorded windows are used, and the times that they give
//! gather     from these to facts
//! ```
//!
//! The code that enters, changes and leaves versions is in `emit::versions` and `emit::away`.

pub mod calibrate;
pub mod control;
pub mod gather;
mod kinds;
mod nest;
pub mod operation;
pub mod order;
pub mod plan;
pub mod registers;
pub mod sites;
mod windows;

use crate::options::{LoopChoice, same_file};
use calibrate::Cost;
use loopwright_vocabulary::Resource;
use operation::Encoding;
pub use operation::WalkBytes;

/// A loop into which operations are injected.
#[derive(Clone, Debug, PartialEq)]
pub struct InjectChoice {
    /// Where it is.
    pub at: LoopChoice,
    /// Seconds of an iteration, as sampled and counted before.
    pub seconds_per_iteration: f64,
    /// Seconds that a thread spends in it, as sampled before; 0 where that is unknown.
    pub seconds: f64,
    /// Seconds of an entry of the loop itself and of those around it, by header.
    pub entries: Vec<(u64, f64)>,
    /// Iterations hardly ever call other code, and what they call takes little, as counted and sampled before: calls do not matter.
    pub rare_calls: bool,
}

impl InjectChoice {
    /// Seconds of an entry of the loop with this header; 0 where that is unknown.
    fn seconds_per_entry(&self, header: u64) -> f64 {
        self.entries.iter().find(|e| e.0 == header).map_or(0.0, |e| e.1)
    }
}

/// The chosen loops and what this machine needs for an operation.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    pub loops: Vec<InjectChoice>,
    pub costs: Vec<Cost>,
    pub ticks_per_second: f64,
    /// Seconds from one change of versions to the next.
    pub window_seconds: f64,
    /// Memory to be walked through.
    pub walks: WalkBytes,
}

impl Chosen {
    /// Ticks of an operation; kinds without vector registers cost the same in every encoding.
    pub fn cost(&self, resource: Resource, encoding: Encoding) -> Option<f64> {
        let encoding = if resource.is_vector() { encoding } else { Encoding::Legacy };
        self.costs.iter().find(|c| c.resource == resource && c.encoding == encoding).map(|c| c.ticks)
    }

    /// Indices of the chosen loops of a function.
    pub fn of(&self, module: &str, function: u64) -> Vec<usize> {
        let mine = |c: &InjectChoice| c.at.function == function && same_file(&c.at.module, module);
        (0..self.loops.len()).filter(|&k| mine(&self.loops[k])).collect()
    }
}
