#![forbid(unsafe_code)]
//! What a stream of memory accesses tells of its loops: strides, dependences, cache behaviour, sharing.
//!
//! The tracer (crate `instrument`) turns what it recorded into [`event::Event`]s; [`Run`] takes them thread by
//! thread, burst by burst, and keeps only sums: no trace is ever stored. Nothing here knows of processes,
//! instructions or files, so that every analysis is tested on made-up streams against a plain reference.
//!
//! ```text
//! run          feeds the analyses, collects their facts
//!   strides      address differences per loop level, alignment, lines used, gather lanes
//!   dependence   which iteration wrote or read a byte last
//!   cache        simulated caches, reuse distances, TLB
//!   sharing      lines that several threads use at the same time
//! nest         loops that are active in a thread
//! shape        what a trace can contain: loops and memory operands
//! event        one thing that happened
//! facts        the results, as stored
//! unite        adds up the facts of several processes
//! ```

pub mod collect;
mod dependence;
pub mod event;
pub mod facts;
mod hash;
pub mod nest;
mod run;
pub mod shape;
mod strides;
mod tally;
pub mod unite;

#[cfg(test)]
mod streams;

pub use run::{Options, Run};
