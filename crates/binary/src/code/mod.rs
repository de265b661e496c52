//! One function: blocks, loops, and what the loops' instructions do.
//!
//! Everything here works on one function at a time and asks a [`CodeSource`] for bytes, names and source positions;
//! `image` reads ELF and DWARF. A function passes through the modules in this order: `decode` (with `marks`,
//! `jump_table` and `noreturn`) finds its instructions, `blocks` its control flow, `dominators` and `nest` its loops;
//! then for each loop `body` lists own instructions with operands, `operation` classifies an instruction, `callees`
//! finds what a call does to registers, `lanes` how much of a vector register is in use, `vectors` whether the loop is
//! vectorised, `chains` the loop-carried dependence chains, `affine` strides and trip counts, `operands` loaded
//! addresses and fixed divisors, `summary` the sums (with `mix`); `origin` finds the line of the loop and `groups` the
//! pieces of one source loop. `work` sums up the work of a basic block, for tools that count executions.

mod affine;
mod bits;
mod blocks;
mod body;
mod callees;
mod carried;
mod chains;
mod decode;
mod dominators;
mod error;
mod function;
mod groups;
mod idiom;
mod inlined;
mod jump_table;
mod lanes;
pub mod latency;
mod listing;
mod marks;
mod memo;
mod mix;
mod nest;
mod noreturn;
mod operands;
mod operation;
mod origin;
mod other_stores;
mod places;
mod reader;
mod source;
mod step;
mod summary;
#[cfg(test)]
mod tests;
mod trips;
mod vectors;
mod work;

pub use blocks::{Block, BlockId, Graph};
pub use decode::{Decoded, decode};
pub use dominators::Dominators;
pub use error::Error;
pub use function::{analyze, analyze_function, analyze_unlisted};
pub use memo::Memo;
pub use memo::Returns;
pub use nest::{NaturalLoop, Nest};
pub use operation::{Class, Operation};
pub use source::{CodeSource, GuardedRange, Place};
pub use work::{block_work, bypasses_caches, gathered_lanes, touches_nothing};
