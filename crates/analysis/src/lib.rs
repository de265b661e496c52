#![forbid(unsafe_code)]
//! Joins facts into loops: self and total time, groups of pieces, efficiency, comparison.
//!
//! Everything here is computed when it is shown and never stored, so that a better rule improves old
//! experiments, and from values in memory: nothing here opens a file.

pub mod asking;
mod bottlenecks;
pub mod by_rank;
mod calls;
mod comm;
pub mod compare;
mod counts;
mod elapsed;
mod energy;
pub mod excerpt;
mod flat_tree;
mod gain;
mod heap;
pub mod hits;
mod inlined;
mod io;
pub mod job;
mod join;
mod listing;
mod machine;
pub mod mathematics;
pub mod model;
mod outcome;
mod patterns;
pub mod place;
pub mod placement;
mod program;
pub mod purpose;
pub mod reproduced;
mod resolve;
mod sentence;
pub mod thread_trees;
mod time;
pub mod timestamp;
mod top_down;
mod tree;
pub mod tried;
pub mod tuned;
mod unmeasured;
mod usage;
mod warning;
mod warnings;
mod why_not;

#[cfg(test)]
mod fixtures;

pub use join::analyse;
