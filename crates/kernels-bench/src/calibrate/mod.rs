//! The measurements behind the library's constants (`loopwright_kernels::tuning`).
//!
//! ```text
//! tasks      the list of what is measured: one entry per constant, or per group that is measured together
//! crossover  the size from which one way of doing the same work is faster than another
//! arrays     the tasks of kernels that write whole arrays
//! sparse     the costs by which sparse products are planned
//! ```
//!
//! A kernel that needs a constant adds a row to `tuning/constants.rs` of the library and its task to [`tasks()`].

mod arrays;
mod crossover;
mod sparse;
mod tasks;

pub use crossover::{Point, crossover};
pub use tasks::tasks;

use loopwright_kernels::tuning::Constant;

/// How much to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Rounds of interleaved runs; at least one.
    pub rounds: usize,
    /// The largest arrays to measure on, in bytes of all of them.
    pub largest_bytes: u64,
}

/// The result of a task for one constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The calibrated constant.
    pub constant: Constant,
    /// Its value; infinite for a size that is never reached; `None` when the measurements do not decide, so
    /// that the default stays.
    pub value: Option<f64>,
    /// The measurements, by size; empty for constants that are not sizes.
    pub points: Vec<Point>,
}

/// A measurement that yields constants.
pub trait Task {
    /// The constants that it measures.
    fn constants(&self) -> Vec<Constant>;

    /// Measures them.
    fn measure(&self, limits: Limits) -> Vec<Finding>;
}
