//! Text tables, JSON and CSV of an analysed experiment.
//!
//! Every function here is pure: values in, text out, for a width and a style that the caller passes in.
//! Nothing is computed that others could not compute from the same facts (that is the analysis' and the
//! rules' work), nothing is read or written.
#![forbid(unsafe_code)]

mod advice;
mod columns;
#[cfg(test)]
mod fixture;
pub mod json;
mod loop_words;
mod loops;
pub mod names;
mod prose;
mod quantity;
pub mod style;
mod vocabulary;

pub use advice::advice;
pub use loops::{LoopsOptions, loops};
pub use style::TerminalStyle;
