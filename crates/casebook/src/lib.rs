//! The casebook's harness: reads cases, builds their stages, verifies and measures them, and compares the
//! workbench's advice with each stage's change and gain.
//!
//! A case is a ladder of stages (docs/casebook/README.md describes the format). Everything here returns
//! values: [`record::CaseRecord`] holds the results, `report` shows them. The harness uses the workbench as
//! users do, as a command that prints JSON; it does not depend on binaries, samples or rules.
#![forbid(unsafe_code)]

pub mod advice;
pub mod advisor;
mod amdahl;
mod bounds;
pub mod build;
pub mod case;
pub mod ceiling;
pub mod compilers;
pub mod discover;
pub mod error;
pub mod expectation;
pub mod found_by;
pub mod gains;
pub mod held;
pub mod launch;
pub mod measure;
pub mod order;
pub mod output;
mod prepare;
pub mod program;
pub mod record;
pub mod run;
pub mod search;
pub mod sources;
pub mod throughput;
pub mod verify;

pub use error::Error;
