//! Writes the code cache into a running process, and reads the counters from it.

pub mod areas;
pub mod askers;
pub mod cache;
pub mod control;
pub mod head;
pub mod instance;
pub mod patch;
pub mod process;
pub mod segment;
pub mod session;
pub mod shared_memory;
pub mod stubs;
pub mod tracee;
pub mod traps;
