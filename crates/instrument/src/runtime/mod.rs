//! Getting the code cache into a running process, and the counts out of it.

pub mod areas;
pub mod control;
pub mod instance;
pub mod patch;
pub mod process;
pub mod session;
pub mod stubs;
pub mod tracee;
