//! Verifies the kernels, measures them against their peers and their bounds, and says both.
//!
//! ```text
//! subjects   what can be measured: one file or folder per kernel, one registry
//! peers      libraries of others, loaded when they are installed
//! buffers    memory to measure on
//! bounds     loops that do only what cannot be left out
//! transfer   the same for work that reads arrays and writes one
//! calibrate  the measurements behind the library's constants
//! case       one shape of one operation with its variants
//! measure    verify, then interleave and time
//! record     what was measured, as --json prints it
//! table      the same for readers
//! dedup      an example of what the hashes are for
//! ```
//!
//! The kernels themselves are the crate `kernels`; nothing of them is here.

#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod bounds;
pub mod buffers;

pub mod calibrate;
pub mod case;
pub mod dedup;
pub mod measure;
pub mod peers;
pub mod record;
pub mod subjects;
pub mod table;
pub mod transfer;
