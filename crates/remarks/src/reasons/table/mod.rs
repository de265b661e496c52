//! The rows, in files by theme.

mod calls;
mod control;
mod decisions;
mod dependence;
mod exits;
mod memory;
mod operations;
mod reductions;
mod special;

use super::row::Reason;

/// All rows, in the order of the documentation page.
pub(super) static TABLE: [&[Reason]; 9] = [
    dependence::ROWS,
    reductions::ROWS,
    calls::ROWS,
    exits::ROWS,
    control::ROWS,
    special::ROWS,
    operations::ROWS,
    memory::ROWS,
    decisions::ROWS,
];
