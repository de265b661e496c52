#![forbid(unsafe_code)]
//! The cost model: what code costs on a processor core, and what a change is predicted to gain.
//!
//! * [`Core`] holds the figures of a microarchitecture, each with its source; [`Microarchitecture`] chooses the core of a
//!   machine. Where a figure was measured on the machine, `MachineFacts` of the analysis takes that instead.
//! * [`Iteration`] is the work of one iteration of a loop, and its cycles on a core.
//! * [`Gain`] is a predicted speed-up: a range with a likely value.
//! * [`estimates`] holds every number that has no such source, with the reason for it.
//!
//! Inputs are plain numbers: this crate knows no program, no loop and no file.

mod bound;
mod core;
pub mod estimates;
pub mod experience;
mod gain;
mod iteration;
mod microarchitecture;
mod tables;
mod trips;

pub use crate::core::{ByWidth, Core, Latency, Pipelined, Unpipelined};
pub use bound::{Relieved, most_faster};
pub use gain::{Gain, amdahl, clean_share, together};
pub use iteration::Iteration;
pub use microarchitecture::Microarchitecture;
pub use trips::{trips, trips_of, without_remainder};
