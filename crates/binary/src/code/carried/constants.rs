//! Registers that hold one constant whenever a block begins, whatever path control took (constant
//! propagation: Aho, Lam, Sethi, Ullman, *Compilers*, 9.4).
//!
//! A compiler keeps a constant in a register through a loop, and sets it again after calls, which preserve no such
//! register. That register is written in the loop and read in the next iteration, and yet carries nothing.

use super::super::blocks::{BlockId, Graph};
use super::super::chains::is_immediate;
use super::super::operation::Class;
use super::super::source::CodeSource;
use super::super::step::{CARRY, STACK_POINTER, Slot, Step, is_call, slot_of};
use iced_x86::{Mnemonic, OpKind, Register};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Most blocks of a function that is analysed.
const MOST_BLOCKS: usize = 4_000;

/// Number of places: registers and the carry flag.
const PLACES: usize = CARRY as usize + 1;

/// A constant. Equal constants are equal values; unequal constants may be, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Constant {
    /// A number; bits above the register's own are zero.
    Number(u64),
    /// Read-only memory, by address and bytes; the rest of the register is zero.
    Memory(u64, u32),
    /// What an instruction computes from read-only memory, by code, immediate operands and address.
    Made(u32, u64, u64),
}

/// What is known of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    /// No path leads here, as far as was seen.
    #[default]
    Nothing,
    Always(Constant),
    Various,
}

impl Known {
    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, known) | (known, Self::Nothing) => known,
            (a, b) if a == b => a,
            _ => Self::Various,
        }
    }
}

type State = [Known; PLACES];

/// The constants of one function, computed at the first query.
pub struct Constants<'a> {
    source: &'a dyn CodeSource,
    graph: &'a Graph,
    /// At the start of each block; nothing when there are too many.
    starts: OnceCell<Option<Vec<State>>>,
}

impl<'a> Constants<'a> {
    /// Nothing is computed until the first query.
    pub fn new(source: &'a dyn CodeSource, graph: &'a Graph) -> Self {
        Self { source, graph, starts: OnceCell::new() }
    }

    /// The place holds the same constant whenever control reaches the start of the block. `steps`: all instructions of the
    /// function.
    pub fn is_constant(&self, steps: &[Step], place: Slot, block: BlockId) -> bool {
        let starts = self.starts.get_or_init(|| self.find(steps));
        let state = starts.as_ref().and_then(|starts| starts.get(block as usize));
        state.and_then(|state| state.get(place as usize)).is_some_and(|k| matches!(k, Known::Always(_)))
    }

    fn find(&self, steps: &[Step]) -> Option<Vec<State>> {
        let blocks = &self.graph.blocks;
        if blocks.len() > MOST_BLOCKS {
            return None;
        }
        let mut starts = vec![[Known::Nothing; PLACES]; blocks.len()];
        // A caller, or a throw into the function, may leave any value.
        let entered = |b: usize| {
            let b = b as BlockId;
            self.graph.roots.contains(&b) || self.graph.pads.contains(&b)
        };
        let mut waiting: BTreeSet<usize> = (0..blocks.len()).filter(|&b| entered(b)).collect();
        for &b in &waiting {
            starts[b] = [Known::Various; PLACES];
        }
        // Each place of a block loses knowledge twice at most, so that this ends.
        while let Some(b) = waiting.pop_first() {
            let mut state = starts[b];
            let (first, end) = blocks[b].instructions;
            steps[first as usize..end as usize].iter().for_each(|step| self.apply(step, &mut state));
            for &next in &blocks[b].successors {
                let next = next as usize;
                let mut met = starts[next];
                met.iter_mut().zip(&state).for_each(|(known, now)| *known = known.meet(*now));
                if met != starts[next] {
                    starts[next] = met;
                    waiting.insert(next);
                }
            }
        }
        Some(starts)
    }

    fn apply(&self, step: &Step, state: &mut State) {
        let known = self.result(step, state).map_or(Known::Various, Known::Always);
        for &place in step.writes.iter().filter(|&&place| place != STACK_POINTER) {
            if let Some(of) = state.get_mut(place as usize) {
                *of = if place == CARRY { Known::Various } else { known };
            }
        }
    }

    /// The constant that an instruction writes to its only destination.
    fn result(&self, step: &Step, state: &State) -> Option<Constant> {
        let i = &step.instruction;
        let narrow = |register: Register| register.is_gpr8() || register.is_gpr16();
        let first = i.op0_register();
        let written = step.writes.iter().filter(|&&place| place != CARRY).count();
        let plain = i.op_count() >= 2
            && i.op0_kind() == OpKind::Register
            && (first.is_vector_register() || first.is_gpr() && !narrow(first))
            && i.op_mask() == Register::None
            && !i.has_lock_prefix();
        if is_call(i) || !plain || written != 1 {
            return None;
        }
        let last = i.op_count() - 1;
        let zeroes = matches!(
            i.mnemonic(),
            Mnemonic::Xor
                | Mnemonic::Pxor
                | Mnemonic::Xorps
                | Mnemonic::Xorpd
                | Mnemonic::Vpxor
                | Mnemonic::Vxorps
                | Mnemonic::Vxorpd
        );
        if zeroes && i.op_kind(last) == OpKind::Register && i.op_register(last) == i.op_register(last - 1) {
            return Some(Constant::Number(0));
        }
        if !matches!(step.operation.class, Class::Move | Class::Broadcast) {
            return None;
        }
        let moves = step.operation.class == Class::Move && i.op_count() == 2;
        match i.op_kind(last) {
            OpKind::Memory => self.loaded(step, moves),
            kind if moves && is_immediate(kind) => {
                let value = i.immediate(1);
                Some(Constant::Number(if first.is_gpr32() { value & u64::from(u32::MAX) } else { value }))
            }
            // Of other widths a part is kept, or dropped.
            OpKind::Register if moves && keeps_all(i.mnemonic(), first) => {
                match *state.get(usize::from(slot_of(i.op1_register())?))? {
                    Known::Always(constant) => Some(constant),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn loaded(&self, step: &Step, moves: bool) -> Option<Constant> {
        let i = &step.instruction;
        let memory = step.memory.filter(|m| m.load && i.is_ip_rel_memory_operand())?;
        let address = i.ip_rel_memory_address();
        let end = address.checked_add(u64::from(memory.size).max(1) - 1)?;
        if !self.source.is_read_only(address) || !self.source.is_read_only(end) {
            return None;
        }
        Some(if moves && zero_extends(i.mnemonic()) {
            Constant::Memory(address, memory.size)
        } else if step.reads.is_empty() {
            Constant::Made(i.code() as u32, memory.displacement, address)
        } else {
            return None;
        })
    }
}

/// Loads that fill the rest of the register with zeros.
fn zero_extends(mnemonic: Mnemonic) -> bool {
    use Mnemonic::*;
    let vector = matches!(
        mnemonic,
        Movss | Movsd | Movd | Movq | Movaps | Movapd | Movups | Movupd | Movdqa | Movdqu | Vmovss | Vmovsd
    );
    vector
        || matches!(mnemonic, Mov | Vmovd | Vmovq | Vmovaps | Vmovapd | Vmovups | Vmovupd | Vmovdqa | Vmovdqu)
}

/// Moves between registers after which the destination holds what the source held, as far as both reach: eight bytes of
/// a general register, or a whole vector register.
fn keeps_all(mnemonic: Mnemonic, destination: Register) -> bool {
    use Mnemonic::*;
    mnemonic == Mov && destination.is_gpr64()
        || matches!(mnemonic, Movq | Vmovq | Movaps | Movapd | Movups | Movupd | Movdqa | Movdqu)
        || matches!(mnemonic, Vmovaps | Vmovapd | Vmovups | Vmovupd | Vmovdqa | Vmovdqu)
}
