//! The machine: topology, processor features, what spoils a measurement, and its ceilings.
//!
//! [`Machine::detect`] reads what the processor and the kernel say, [`measure`] measures the ceilings. Whom
//! the figures serve is left to the crates above; printing them is left to the report.

mod cache;
mod ceilings;
mod conditions;
mod error;
mod features;
mod hierarchy;
mod machine;
mod processor;
mod topology;
mod tree;

pub use cache::{Found, Kept, Policy, ceilings_for, load_cached, store_cached};
pub use ceilings::{
    BandwidthCeiling, Ceilings, Conditions, Element, FlopCeiling, Latency, Level, Options, Progress, measure,
};
pub use conditions::{Condition, Verdict};
pub use error::Error;
pub use features::Feature;
pub use hierarchy::THIS_MACHINE;
pub use machine::{Machine, Summary};
pub use processor::Processor;
pub use topology::{Cache, CacheKind, LogicalCpu, NumaNode, Tlb, Topology};
