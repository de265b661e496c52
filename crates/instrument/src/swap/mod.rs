//! Two versions of a function in one run of the unchanged program: the one of the program's own source, and one that was compiled
//! otherwise. Calls alternate between them and are timed, so that a difference shows in one run, on the same data.
//!
//! ```text
//! run       the run: objects in, sums of ticks out
//!   unit      what a compiler's output contains
//!   program   where the process has functions, variables and imports
//!   link      a version's code and constants beside the program
//!   registers what callers may expect a function to leave alone
//!   dispatch  the code between callers and versions
//! ```
//!
//! Both versions are linked in the same way: the unchanged one is not the program's copy but one beside the other, so that neither
//! gains by its place.

mod dispatch;
mod link;
mod program;
pub mod refused;
mod registers;
mod run;
mod unit;

pub use refused::NotSwapped;
pub use run::{Ended, Interleaved, SwapError, SwapOptions, Swapped, companions, swap, symbol_of};

#[cfg(test)]
mod tests;
