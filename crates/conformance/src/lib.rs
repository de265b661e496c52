//! Conformance: every program must behave under the tool as it does without it.
//!
//! Programs run natively, counted, traced and surveyed, and their output, exit status and files are compared.
//! [`generator`] makes programs in assembly with features that compilers do not use, [`compiled`] programs in
//! C; [`runner`] runs and compares; [`minimise`] makes a failing generated program small.

pub mod compiled;
pub mod generator;
pub mod hunt;
pub mod minimise;
pub mod random;
pub mod rows;
pub mod runner;
pub mod suite;
pub mod tables;
