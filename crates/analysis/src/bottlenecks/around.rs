//! What is known of a loop besides its curves.

use crate::model::{BranchFacts, MachineFacts, MemoryFacts};
use loopwright_binary::facts::{CarriedChain, ChainKind, LoopCode, OperandUse, Trait};
use loopwright_costs::Core;

/// What else is known of a loop.
pub(crate) struct Around<'a> {
    /// Integer divisions of an iteration.
    pub integer_divisions: u32,
    /// Time of an iteration of the machine's loop, as sampled and counted before.
    pub sampled_ns: Option<f64>,
    /// Iterations of an entry, on average.
    pub trips: Option<f64>,
    pub operands: OperandUse,
    /// Its own instructions.
    pub instructions: u32,
    pub chains: &'a [CarriedChain],
    pub memory: Option<&'a MemoryFacts>,
    pub branches: &'a [BranchFacts],
    pub machine: Option<&'a MachineFacts>,
    pub core: &'a Core,
}

impl Around<'_> {
    /// Integer divisions of an iteration, as the code shows.
    pub fn integer_divisions(code: &LoopCode) -> u32 {
        if code.traits.contains(&Trait::IntegerDivide) { code.mix.divide } else { 0 }
    }

    /// The address of a load comes from a load before.
    pub(super) fn chases(&self) -> bool {
        self.chains.iter().any(|c| c.kind == ChainKind::PointerChase)
    }
}
