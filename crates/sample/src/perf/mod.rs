//! Sampling through `perf_event_open(2)`: one event and one ring buffer per CPU, inherited by the whole process tree.
//!
//! `event` chooses and opens the events, `ring` reads the shared buffers, `records` decodes them, and
//! `sampler` merges the CPUs' streams in the order of time. The process tree interprets the records.

pub mod records;

pub(crate) mod event;
pub(crate) mod ring;
pub(crate) mod sampler;
