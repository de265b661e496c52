//! The chosen loop, the loop around it whose blocks are copied, and the registers that both leave free.

use crate::code::flow::{End, Flow};
use crate::code::liveness::Liveness;
use crate::code::registers::{CALLER_SAVED, Gprs, RSP, set_of};
use crate::code::vectors::{VectorLiveness, Vectors};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// A loop and its unit, as indices in [`Flow::loops`].
#[derive(Clone, Copy)]
pub(super) struct Nest<'a> {
    pub flow: &'a Flow,
    pub live: &'a Liveness,
    pub vectors: &'a VectorLiveness,
    pub injected: usize,
    pub unit: usize,
}

/// Whether a thread leaves its version at the end of a block and returns to another block of the unit: its registers are then
/// the program's, because the code that runs in between may use all of them.
pub fn is_left(end: End) -> bool {
    matches!(end, End::Call(_) | End::Indirect)
}

impl<'a> Nest<'a> {
    pub fn header(&self) -> usize {
        self.flow.loops[self.injected].header
    }

    pub fn body(&self, l: usize) -> &'a [usize] {
        &self.flow.loops[l].body
    }

    pub fn code(&self, l: usize) -> impl Iterator<Item = &'a Instruction> + use<'a> {
        let flow = self.flow;
        flow.loops[l].body.iter().flat_map(|&b| flow.instructions(b))
    }

    /// Whether an iteration of the chosen loop calls other code.
    pub fn calls(&self) -> bool {
        self.body(self.injected).iter().any(|&b| matches!(self.flow.blocks[b].end, End::Call(_)))
    }

    /// Whether an iteration of the chosen loop jumps through a table or a pointer.
    pub fn jumps(&self) -> bool {
        self.body(self.injected).iter().any(|&b| matches!(self.flow.blocks[b].end, End::Indirect))
    }

    /// Registers that the unit's instructions name, and those that reading the clock needs: rax and rdx. Calls run in place with
    /// the program's own registers: what they read is not counted.
    pub fn taken(&self) -> Gprs {
        let mut taken = RSP | set_of(Register::RAX) | set_of(Register::RDX);
        for &b in self.body(self.unit) {
            let block = &self.flow.blocks[b];
            let (first, last) = block.code;
            let last = if matches!(block.end, End::Call(_)) { last - 1 } else { last };
            taken |= self.live.effects[first..last].iter().fold(0, |set, e| set | e.touches());
        }
        taken
    }

    /// Registers that hold a value of the program somewhere in the unit.
    pub fn live_somewhere(&self) -> Gprs {
        self.body(self.unit).iter().fold(0, |set, &b| set | self.live.entry[b].gprs)
    }

    /// Registers that the unit writes; callees may write those that the ABI gives to them.
    pub fn written(&self) -> Gprs {
        let ranges = self.body(self.unit).iter().map(|&b| self.flow.blocks[b].code);
        let effects = ranges.flat_map(|(first, last)| &self.live.effects[first..last]);
        let calls = self.body(self.unit).iter().any(|&b| is_left(self.flow.blocks[b].end));
        effects.fold(if calls { CALLER_SAVED } else { 0 }, |set, e| set | e.writes)
    }

    /// Whether the unit changes a register by constants only, as it does a counter or the address of the next element.
    pub fn only_counts(&self, register: Register) -> bool {
        let ranges = self.body(self.unit).iter().map(|&b| self.flow.blocks[b].code);
        let mut writers = ranges.flat_map(|(first, last)| {
            let effects = self.live.effects[first..last].iter().zip(&self.flow.code[first..last]);
            effects.filter(|(e, _)| e.writes & set_of(register) != 0).map(|(_, i)| i)
        });
        writers.all(|i| {
            let is_constant =
                i.op_count() == 1 || i.op_kind(1) != OpKind::Register && i.op_kind(1) != OpKind::Memory;
            let adds = matches!(i.mnemonic(), Mnemonic::Add | Mnemonic::Sub | Mnemonic::Inc | Mnemonic::Dec);
            adds && is_constant && i.op0_register().full_register() == register
        })
    }

    /// Vector registers that instructions of the unit name.
    pub fn vectors_named(&self) -> Vectors {
        let operands = self
            .code(self.unit)
            .flat_map(|i| (0..i.op_count()).map(|k| i.op_register(k)).collect::<Vec<_>>());
        operands.filter(|r| r.is_vector_register()).fold(0, |set, r| set | 1 << r.number())
    }
}
