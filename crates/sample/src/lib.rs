//! The survey's collector: runs a command and samples its user code with call stacks.
//!
//! Knows nothing of loops: it delivers addresses within modules.

pub mod recording;
