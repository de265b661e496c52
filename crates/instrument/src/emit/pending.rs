//! Code that is written behind a copy: where it leaves the copy and what it has to know there.

use super::scratch::Scratch;
use super::writer::Label;
use crate::tracing::plan::RecordKind;
use iced_x86::Register;

/// An exit of the second copy, for a full chunk.
pub struct Overflow {
    /// Label of its code.
    pub label: Label,
    /// The registers on loan there.
    pub scratch: Scratch,
    /// The block that was about to be recorded.
    pub block: usize,
    /// A register that is free there.
    pub free: Register,
}

/// The meaning of an edge for tracing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    pub leaves_nest: bool,
    /// Leaves the chosen loops.
    pub leaves_chosen: bool,
    /// Enters the nest with this number in the plan.
    pub enters_nest: Option<usize>,
    /// Enters a chosen loop.
    pub enters_chosen: bool,
}

impl Crossing {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn leaves(&self) -> bool {
        self.leaves_nest || self.leaves_chosen
    }
}

/// A place where a thread may begin to record.
pub struct Activation {
    pub(super) label: Label,
    pub(super) back: Label,
    pub(super) scratch: Scratch,
    pub(super) block: usize,
    pub(super) kind: RecordKind,
    pub(super) share: u32,
}

/// A nest was left and no other is around it.
pub struct Departure {
    pub(super) label: Label,
    pub(super) scratch: Scratch,
    pub(super) from: usize,
    pub(super) target: u64,
}
