#![forbid(unsafe_code)]
//! Compiler reports: parsing, the table of reasons, and collecting them during a build.
//!
//! Knows nothing of binaries or samples: it delivers remarks at source positions.

pub mod remark;
