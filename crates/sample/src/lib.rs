//! The survey's collector: runs a command and samples its user code with call stacks.
//!
//! This crate does not know loops: it delivers addresses within modules. Samples come from `perf_event_open(2)`
//! ([`perf`]), or, where the kernel forbids that, from a `ptrace(2)` sampler ([`timer`]); both feed one model of the
//! process tree ([`tree`]), which unwinds ([`unwind`]) and interns ([`stacks`]) online, so that no raw data is ever
//! stored. Where the processor's counters work, a run of its own counts where the slots of the pipeline went ([`top_down`]). Other crates provide the command line and symbol names.

pub mod clocks;
pub mod error;
pub mod options;
pub mod perf;
pub mod rank;
pub mod recording;
pub mod top_down;
pub mod warning;

mod accounting;
mod address_space;
mod image;
mod kernel_symbols;
mod modules;
mod perf_map;
mod remote_memory;
mod stacks;
mod survey;
mod timer;
mod tree;
mod unwind;

pub use error::Error;
pub use loopwright_launch::{StartOptions, Stream};
pub use options::{CallStacksRequest, DEFAULT_FREQUENCY_HZ, Observer, Quiet, SurveyOptions, SurveyStatus};
pub use survey::{describe_target, survey};
