//! Conformance: whatever runs under the tool must do what it does without it.
//!
//! Programs run natively, counted, traced and surveyed, and what they print, how they end and which files they write is
//! compared. [`generator`] makes programs in assembly that do what compilers do not, [`compiled`] programs in C; [`runner`]
//! runs and compares; [`minimise`] makes a failing generated program small.

pub mod compiled;
pub mod generator;
pub mod hunt;
pub mod minimise;
pub mod random;
pub mod rows;
pub mod runner;
pub mod suite;
pub mod tables;
