//! The casebook's harness: reads cases, builds their stages, verifies and measures them, and holds the workbench's
//! advice against what each stage does and gains.
//!
//! A case is a ladder of stages (docs/casebook/README.md says how one is written). Everything here returns values:
//! [`record::CaseRecord`] holds what was done, `report` shows it. The workbench is used as its users do, as a command
//! that prints JSON; the harness knows nothing of binaries, samples or rules.
#![forbid(unsafe_code)]

pub mod advice;
pub mod build;
pub mod case;
pub mod ceiling;
pub mod compilers;
pub mod discover;
pub mod error;
pub mod gains;
pub mod measure;
pub mod output;
mod prepare;
pub mod program;
pub mod record;
pub mod run;
pub mod throughput;
pub mod verify;

pub use error::Error;
