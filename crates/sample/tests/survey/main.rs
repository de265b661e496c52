//! Surveys of real programs, with both samplers.

mod build;
mod endings;
mod shares;
mod stacks;
mod waiting;
