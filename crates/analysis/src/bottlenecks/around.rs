//! What is known of a loop besides its curves.

use crate::model::{AccessFacts, BranchFacts, MachineFacts, MemoryFacts, StridePattern};
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
    pub accesses: &'a [AccessFacts],
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

    /// The largest share of a write's executions that cross from one line into the next, where writes were traced.
    pub(super) fn split_stores(&self) -> Option<f64> {
        let stores = self.accesses.iter().filter(|access| access.kind.writes());
        stores.map(|access| access.line_split_share).reduce(f64::max)
    }

    /// All accesses were traced, and walk in steps that prefetchers follow.
    pub(super) fn streams(&self) -> bool {
        /// Prefetchers follow steps within a page of 4 KiB (Intel 248966, on the streamer; AMD 56665, on data prefetchers): two of
        /// them are seen before a third one.
        const STEP: u64 = 2048;
        let walks = |access: &AccessFacts| match access.pattern {
            StridePattern::Uniform | StridePattern::Unit => true,
            StridePattern::Constant => {
                access.machine_stride_bytes.is_some_and(|bytes| bytes.unsigned_abs() <= STEP)
            }
            StridePattern::Variable => false,
        };
        !self.accesses.is_empty() && self.accesses.iter().all(walks)
    }
}
