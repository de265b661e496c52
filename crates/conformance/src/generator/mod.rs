//! Random programs in assembly that do what compilers and the ABI do not: values in any register across calls, flags that
//! live across jumps, functions without clear bounds.
//!
//! [`make`] turns a seed into a [`Scenario`](model::Scenario), a tree that always ends and never faults whatever is taken
//! out of it, so that a failing one can be made smaller. [`text`] writes it as assembly, [`build`] makes an executable of
//! many. What the programs print, and how two runs are compared, is left to [`crate::runner`].

pub mod build;
pub mod features;
pub mod layout;
pub mod make;
pub mod model;
mod nodes;
mod pieces;
pub mod registers;
pub mod text;
mod vectors;
