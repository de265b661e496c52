//! Compares what two builds of a program printed: byte for byte, or number by number with a tolerance.
//!
//! A changed build is only worth measuring when it still computes the same answer. [`compare()`] decides that and measures by
//! how much the answers differ. Text between numbers, integers and the number of lines must be the same in any case; a new NaN or
//! infinity is never accepted. The rule for numbers is that of a column:
//!
//! ```text
//! |found - expected| <= absolute + relative * max |column|
//! ```
//!
//! where a column is the n-th number of all lines with the same text around their numbers. A plain relative error would
//! condemn values near zero whose error is that of the large values beside them.
#![forbid(unsafe_code)]

mod compare;
mod line;

pub use compare::{Check, Comparison, Difference, Tolerance, Verdict, compare};
