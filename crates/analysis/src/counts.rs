//! Counts joined to functions and loops: added up over ranks, chosen among runs, and what follows from them.
//!
//! Counts are exact; everything here that joins them with something else (source iterations, the roofline) says what it
//! assumes. How each number is computed is documented in `docs/counts.md`.

mod builds;
mod fill;
pub(crate) mod imbalance;
mod iterations;
mod merge;
mod roofline;
mod trips;
mod work;

#[cfg(test)]
mod tests;

pub(crate) use builds::Builds;
pub(crate) use fill::{Joined, LoopRow, newest_end};
pub(crate) use merge::jobs;
