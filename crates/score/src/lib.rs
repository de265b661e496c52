//! How good the advice is, measured on programs that its authors did not write it for.
//!
//! A [pair](pair::Pair) is an ordinary slow program and the version that an expert made of it, with the remedy in the expert's
//! words. Scoring a pair builds both, verifies that they give the same answer, measures them interleaved, asks the workbench
//! about the first one as a user would, and compares: is the expert's remedy among the first three recommendations, and does the
//! measured gain lie in the predicted range? Half of the pairs is for working on, the other half is only opened to score;
//! a hash of the program's text decides which ([`half`]).
//!
//! [`causes`] does the same for what binds a loop: programs whose hot loop has a known cause.
//!
//! [`judge`] holds what was found by carrying out single recommendations: those that made a program slower or wrong, and
//! statements that are false.
#![forbid(unsafe_code)]

pub mod build;
pub mod calibrate;
pub mod causes;
pub mod figures;
pub mod half;
pub mod judge;
pub mod pair;
pub mod record;
pub mod run;
pub mod table;

/// The command line asks for what does not exist.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Misuse(pub String);
