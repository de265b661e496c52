#![forbid(unsafe_code)]
//! Analyses of a loop's memory accesses and branches: strides, dependences, cache behaviour, sharing, mispredictions.
//!
//! The tracer (crate `instrument`) turns its records into [`event::Event`]s; [`Run`] takes them thread by thread, burst
//! by burst, and keeps only sums: no trace is ever stored. This crate does not depend on processes, instructions or
//! files, so that every analysis is tested on synthetic streams against a plain reference.
//!
//! ```text
//! run          feeds the analyses, collects their facts
//!   strides      address differences per loop level, alignment, gather lanes
//!   footprint    distinct bytes, lines and pages; arrays
//!   dependence   which iteration wrote or read a byte last
//!   cache        simulated caches and TLBs
//!   reuse        distances between uses of a line, and the loops that carry them
//!   aliasing     loads that meet a store at a distance of 4 KiB
//!   sharing      lines that several threads use at the same time
//!   branches     outcomes of conditional branches, and a simulated predictor
//! nest         loops that are active in a thread
//! active       which of them were chosen
//! lines        what is known of each cache line
//! shape        what a trace can contain: loops, memory operands, branches
//! event        one thing that happened
//! facts        the results, as stored
//! unite        adds up the facts of several processes
//! ```

mod active;
mod aliasing;
pub mod branches;
pub mod cache;
pub mod collect;
mod dependence;
pub mod event;
pub mod facts;
mod footprint;
mod lines;
pub mod nest;
mod reuse;
mod run;
pub mod shape;
mod sharing;
mod strides;
mod tally;
pub mod unite;
pub mod warning;

#[cfg(test)]
mod streams;

pub use run::{Options, Run};
