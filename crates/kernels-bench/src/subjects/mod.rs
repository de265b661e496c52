//! The measured kernels and operations: one file or folder per kernel, and the registry of them.
//!
//! A kernel's subject has the name of its module in the library. Tests compare the two lists, so that no
//! kernel is left unmeasured.

mod byteswap;
mod cipher;
mod compiled;
mod fletcher;
mod hash;
mod semi_sparse;
mod streaming;

use crate::case::{Case, Extent};
use loopwright_kernels::{Isa, IsaError, Profile};

/// Runs an operation once: automatic with `None`, else through its `_with` twin.
pub type RunOnce = fn(Option<Isa>) -> Result<(), IsaError>;

/// The levels of operations that have code at every level, whatever the processor.
pub fn every_level(_: &Profile) -> &'static [Isa] {
    &Isa::ALL
}

/// One public operation of a kernel, for one observed run.
#[derive(Clone)]
pub struct Operation {
    /// Its name, without blanks.
    pub name: &'static str,
    /// The levels with code of their own (the file of that name in the kernel's folder) that is chosen on a
    /// kind of processor; any other level runs the next lower one's.
    pub levels: fn(&Profile) -> &'static [Isa],
    /// Runs it on input of its own: long enough that a level's own code runs, short enough to be observed
    /// step by step (some kilobytes).
    pub run: RunOnce,
}

impl Operation {
    /// The level whose code runs when `isa` is chosen on a kind of processor.
    pub fn level(&self, profile: &Profile, isa: Isa) -> Isa {
        (self.levels)(profile).iter().copied().filter(|&level| level <= isa).max().unwrap_or(Isa::Scalar)
    }
}

/// A measured kernel.
pub trait Subject {
    /// The kernel's module in the library.
    fn kernel(&self) -> &'static str;

    /// Description in one line.
    fn about(&self) -> &'static str;

    /// The operations that are measured.
    fn operations(&self) -> Vec<Operation>;

    /// The measured cases, in the order of the table.
    fn cases(&self, extent: Extent) -> Vec<Case>;
}

/// The registry: every kernel's subject.
pub fn all() -> Vec<Box<dyn Subject>> {
    vec![
        // One line per kernel.
        Box::new(byteswap::Byteswap),
        Box::new(cipher::CipherMac),
        Box::new(fletcher::Fletcher),
        Box::new(hash::Hash),
        Box::new(semi_sparse::SemiSparse),
        Box::new(streaming::Streaming),
    ]
}
