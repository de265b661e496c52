//! Writes the copy of a region: its instructions with counters between them.
//!
//! [`writer`] collects instructions under labels, [`scratch`] borrows dead registers and flags, [`hooks`]
//! emits the code on entering and leaving loops, [`body`] the blocks, [`encode`] turns it all into bytes.

mod away;
pub mod body;
mod change;
pub mod encode;
pub mod hooks;
mod pending;
mod record;
pub mod scratch;
mod switch;
mod versions;
pub mod writer;
