//! Verifies the kernels, measures them against other libraries and their bounds, and reports both.
//!
//! ```text
//! subjects   what can be measured: one file or folder per kernel, one registry
//! peers      other libraries, loaded when they are installed
//! buffers    memory to measure on
//! bounds     loops that do only the unavoidable work
//! transfer   the same for work that reads arrays and writes one
//! calibrate  the measurements behind the library's constants
//! case       one shape of one operation with its variants
//! measure    verify, then interleave and time
//! upper      calls with the upper halves of vectors in use
//! cold       the first call of a process
//! watched    the part of an operation that is observed step by step
//! record     the measurements, as --json prints them
//! table      the same for readers
//! dedup      an example use of the hashes
//! ```
//!
//! The kernels themselves are in the crate `kernels`.

#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]

pub mod bounds;
pub mod buffers;

pub mod calibrate;
pub mod case;
pub mod cold;
pub mod dedup;
pub mod measure;
pub mod peers;
pub mod record;
pub mod subjects;
pub mod table;
pub mod transfer;
pub mod upper;
pub mod watched;
