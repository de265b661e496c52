#![forbid(unsafe_code)]
//! Which rank of a parallel job belongs on which node.
//!
//! Pure logic: a [`CommunicationMatrix`] and [`Nodes`] in, a [`Proposal`] out. Nothing is read, run or written here; the texts of the
//! launchers' files and of another partitioner's input and output are made and read as values.
//!
//! - [`cost`] is the model: what a placement sends over the nodes' links.
//! - [`grid`] recognises ranks that are points of a lattice, [`tiles`] places blocks of it (as CrayPAT's `grid_order` does).
//! - [`bisection`] is for every other matrix, [`swaps`] improves any placement.
//! - [`propose()`] compares all of them with the present placement.
//! - [`csv`], [`hosts`], [`present`], [`launchers`] and [`scotch`] are the forms in which others write and read these values.

pub mod bisection;
pub mod cost;
pub mod csv;
mod graph;
pub mod grid;
pub mod hosts;
pub mod launchers;
pub mod matrix;
pub mod nodes;
pub mod present;
pub mod propose;
pub mod scotch;
pub mod swaps;
pub mod tiles;

pub use cost::Costs;
pub use matrix::{CommunicationMatrix, MatrixError, Sent};
pub use nodes::{Nodes, NodesError, Placement};
pub use propose::{Candidate, Order, Proposal, propose};
