//! Random programs in assembly with features that neither compilers nor the ABI have: values in any register
//! across calls, flags that are live across jumps, functions without clear bounds.
//!
//! [`make`] turns a seed into a [`Scenario`](model::Scenario), a tree that always ends and never faults
//! whichever parts are removed, so that a failing one can be made smaller. [`text`] writes it as assembly,
//! [`build`] makes an executable of many. [`crate::runner`] runs the programs and compares two runs.

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
