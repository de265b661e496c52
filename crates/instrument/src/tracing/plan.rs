//! Which blocks of a function are recorded while it is traced, and which data.
//!
//! A nest is an outermost loop with a chosen loop in it. Inside it the thread runs a second copy, which
//! records chosen loops completely, and of the loops around them only the beginnings of iterations. A
//! function that a chosen loop calls runs its second copy, too, and records everything.

use super::operands::{Operand, operands};
use crate::code::flow::{End, Flow};
use crate::reason::Reason;
use crate::region::{Plan, Region};
use iced_x86::{InstructionInfoFactory, Mnemonic, Register};
use std::collections::HashSet;

/// Kinds of records that a block can have; the record's id is the block's first id plus this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// The block runs: operands follow.
    Block = 0,
    /// The function is called: the stack pointer follows.
    Called = 1,
    /// The nest is entered at this block: the stack pointer and the nests around follow.
    Entered = 2,
    /// Recording begins in the middle of the nest: the same words follow.
    Joined = 3,
    /// The header of a loop around a chosen one ran.
    Passed = 4,
    /// A nest or chosen loop was left for this block.
    Left = 5,
}

impl RecordKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Block, Self::Called, Self::Entered, Self::Joined, Self::Passed, Self::Left];

    /// Words of a record of this kind, including the id; for `Block` they depend on the block.
    pub fn words(self) -> u32 {
        match self {
            Self::Block | Self::Passed | Self::Left => 1,
            Self::Called => 2,
            Self::Entered | Self::Joined => 3,
        }
    }
}

/// Number of ids of one block.
pub const IDS: u32 = RecordKind::ALL.len() as u32;

/// A recorded operand.
#[derive(Clone, Copy, Debug)]
pub struct Recorded {
    /// Index of the instruction in the block.
    pub at: usize,
    /// Its first word in the record.
    pub word: u32,
    pub operand: Operand,
}

/// The record of one block.
#[derive(Clone, Debug, Default)]
pub struct BlockPlan {
    /// Operands, in the order of execution.
    pub operands: Vec<Recorded>,
    /// Words of its record.
    pub words: u32,
    /// First word of the three arguments of the call at its end.
    pub arguments: Option<u32>,
    /// The nest that holds it: index in [`TracePlan::nests`].
    pub nest: Option<usize>,
    /// The innermost chosen loop that holds it, else its nest: index in [`TracePlan::shares`].
    pub share: Option<usize>,
    /// It is inside a chosen loop.
    pub chosen: bool,
    /// It is the header of a loop of the nest.
    pub header: bool,
    /// It has more operands than fit into a record: none is recorded.
    pub dropped: bool,
}

/// The records of a function.
#[derive(Clone, Debug, Default)]
pub struct TracePlan {
    /// Plans by block.
    pub blocks: Vec<BlockPlan>,
    /// Outermost loops that hold chosen ones: index in [`Flow::loops`].
    pub nests: Vec<usize>,
    /// Chosen loops that are traced: index in [`Flow::loops`].
    pub chosen: Vec<usize>,
    /// Loops that are traced until they have had their share: the chosen ones, and nests that are not chosen
    /// themselves. Index in [`Flow::loops`].
    pub shares: Vec<usize>,
    /// Chosen loops that cannot be traced, with their headers.
    pub untraced: Vec<(u64, Reason)>,
}

/// Most words of a record: a longer one does not fit after the limit of a chunk.
pub const MOST_WORDS: u32 = 8192;

impl TracePlan {
    /// Plans a function's regions; `chosen` are headers of chosen loops, `is_traced` answers whether a call
    /// of an address leads to code that records itself.
    pub fn new(flow: &Flow, plans: &[Plan], chosen: &HashSet<u64>) -> Self {
        let mut this = Self { blocks: vec![BlockPlan::default(); flow.blocks.len()], ..Self::default() };
        let mut factory = InstructionInfoFactory::new();
        let framed = has_frame_pointer(flow);
        for region in plans.iter().map(|p| &p.region) {
            for &b in &region.blocks {
                this.blocks[b] = block_plan(flow, b, framed, &mut factory);
            }
        }
        for (l, a_loop) in flow.loops.iter().enumerate() {
            let header = flow.blocks[a_loop.header].start;
            if !chosen.contains(&header) {
                continue;
            }
            let Some(region) = plans.iter().map(|p| &p.region).find(|r| holds(r, flow, l)) else {
                this.untraced.push((header, Reason::CodeRefused));
                continue;
            };
            if a_loop.body.iter().any(|&b| this.blocks[b].words > MOST_WORDS) {
                this.untraced.push((header, Reason::TooManyOperands));
                continue;
            }
            this.chosen.push(l);
            let nest = std::iter::successors(Some(l), |&l| flow.loops[l].parent)
                .take_while(|&l| holds(region, flow, l))
                .last()
                .unwrap_or(l);
            let number = this.nests.iter().position(|n| *n == nest).unwrap_or_else(|| {
                this.nests.push(nest);
                this.nests.len() - 1
            });
            for &b in &flow.loops[nest].body {
                this.blocks[b].nest = Some(number);
            }
            for &b in &a_loop.body {
                this.blocks[b].chosen = true;
            }
            for inner in &flow.loops {
                if flow.loops[nest].body.binary_search(&inner.header).is_ok() {
                    this.blocks[inner.header].header = true;
                }
            }
        }
        this.divide(flow);
        for block in &mut this.blocks {
            if block.words > MOST_WORDS {
                *block = BlockPlan {
                    words: 1,
                    operands: Vec::new(),
                    arguments: None,
                    dropped: true,
                    ..block.clone()
                };
            }
        }
        this
    }

    /// The blocks to which the conditional branch at the end of block `b` jumps and does not jump, when the record after
    /// that of `b` shows which: both are recorded (`is_recorded`) or end a nest or chosen loop.
    pub fn outcomes(
        &self,
        flow: &Flow,
        b: usize,
        is_recorded: &dyn Fn(usize) -> bool,
    ) -> Option<(usize, usize)> {
        let End::Branch { taken, fall } = flow.blocks[b].end else { return None };
        let from = &self.blocks[b];
        let shown = |&to: &usize| {
            let at = &self.blocks[to];
            // As in `emit::switch`: these are recorded as the block for which loops were left.
            let left = from.nest.is_some() && (at.nest != from.nest || from.chosen && !at.chosen);
            left || is_recorded(to)
        };
        let taken = flow.block_at(taken).filter(shown)?;
        let fall = flow.block_at(fall).filter(shown)?;
        (taken != fall).then_some((taken, fall))
    }

    /// Sets for each block of a nest the loop that it counts for.
    fn divide(&mut self, flow: &Flow) {
        let unchosen = self.nests.iter().filter(|n| !self.chosen.contains(n));
        self.shares = self.chosen.iter().chain(unchosen).copied().collect();
        for (b, block) in self.blocks.iter_mut().enumerate() {
            let Some(nest) = block.nest else { continue };
            let chosen = flow.loops_around(b).find(|l| self.chosen.contains(l));
            let of = chosen.unwrap_or(self.nests[nest]);
            block.share = self.shares.iter().position(|l| *l == of);
        }
    }
}

fn holds(region: &Region, flow: &Flow, index: usize) -> bool {
    flow.loops[index].body.iter().all(|&b| region.inside[b])
}

/// Whether the base pointer holds the frame's address; otherwise it is an ordinary register.
fn has_frame_pointer(flow: &Flow) -> bool {
    flow.code.iter().any(|i| {
        let copied = i.mnemonic() == Mnemonic::Mov && i.op1_register() == Register::RSP;
        let computed = i.mnemonic() == Mnemonic::Lea && i.memory_base() == Register::RSP;
        i.op0_register() == Register::RBP && (copied || computed)
    })
}

fn block_plan(flow: &Flow, b: usize, framed: bool, factory: &mut InstructionInfoFactory) -> BlockPlan {
    let mut plan = BlockPlan { words: 1, ..BlockPlan::default() };
    let end = flow.blocks[b].end;
    let code = flow.instructions(b);
    for (at, i) in code.iter().enumerate() {
        if matches!(end, End::Call(_)) && at + 1 == code.len() {
            break; // Executes in place.
        }
        for mut operand in operands(factory, i) {
            operand.frame &= framed || i.memory_base() != Register::RBP;
            plan.operands.push(Recorded { at, word: plan.words, operand });
            plan.words += operand.form.words(i.memory_index());
        }
    }
    // The called code may turn out not to record: then the call's arguments at least show which memory it uses.
    if matches!(end, End::Call(_) | End::Tail(_) | End::IndirectTail) {
        plan.arguments = Some(plan.words);
        plan.words += 3;
    }
    plan
}
