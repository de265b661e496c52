//! The machine: topology, processor features, conditions of a measurement, its ceilings, the energy that it uses, and what
//! communication between its ranks takes.
//!
//! [`Machine::detect`] reads the facts from the processor and the kernel, [`measure`] measures the ceilings.
//! The crates above use the figures; the report prints them.

mod cache;
mod ceilings;
mod conditions;
pub mod energy;
mod error;
mod features;
mod hierarchy;
mod machine;
pub mod network;
mod perf_event;
mod processor;
mod topology;
mod tree;
mod warning;

pub use cache::{Found, Kept, Policy, ceilings_for, load_cached, own_folder, store_cached};
pub use ceilings::{
    BandwidthCeiling, Ceilings, Conditions, Element, FlopCeiling, Latency, Options, Progress, measure,
};
pub use conditions::{Condition, Verdict};
pub use error::Error;
pub use features::Feature;
pub use hierarchy::THIS_MACHINE;
pub use machine::{Machine, Summary};
pub use processor::Processor;
pub use topology::{Cache, CacheKind, LogicalCpu, NumaNode, Tlb, Topology};
pub use warning::{BadCache, Warning};
