//! Which registers the changed function writes and the unchanged one does not.
//!
//! GCC lets callers in the same object keep values in registers that a function does not write, whatever the calling convention says
//! (`-fipa-ra`). Such registers are restored behind the changed function, or it is refused. Where the unchanged function calls code
//! that the compiler did not see, no caller can know anything.

use super::link::Plan;
use super::refused::NotSwapped;
use iced_x86::{EncodingKind, InstructionInfoFactory, OpAccess, Register};
use std::collections::BTreeSet;

/// Registers to keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Full general registers.
    pub general: Vec<Register>,
    /// Numbers of vector registers.
    pub vectors: Vec<u32>,
    /// Bytes of a vector that a caller may use.
    pub width: u32,
}

/// Registers that a called function may change.
const GENERAL: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

fn written(plan: &Plan<'_>) -> BTreeSet<Register> {
    let mut factory = InstructionInfoFactory::new();
    let mut all = BTreeSet::new();
    for i in plan.instructions() {
        for used in factory.info(&i).used_registers() {
            let writes = matches!(
                used.access(),
                OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
            );
            if writes {
                all.insert(used.register().full_register());
            }
        }
    }
    all
}

/// What must be kept; `widest` is the encoding of the object's instructions.
pub fn kept(before: &Plan<'_>, after: &Plan<'_>, callers: u32) -> Result<Kept, NotSwapped> {
    let mut kept = Kept { width: callers, ..Kept::default() };
    if before.calls {
        return Ok(kept);
    }
    if after.calls {
        return Err(NotSwapped::Registers);
    }
    let old = written(before);
    for register in written(after).difference(&old) {
        if GENERAL.contains(register) {
            kept.general.push(*register);
        } else if register.is_vector_register() {
            kept.vectors.push(register.number() as u32);
        } else if register.is_k() || register.is_st() || register.is_mm() || register.is_tmm() {
            return Err(NotSwapped::Registers);
        }
    }
    Ok(kept)
}

/// Bytes of the vectors that code of an object may hold: by the widest encoding.
pub fn width(instructions: impl Iterator<Item = iced_x86::Instruction>) -> u32 {
    let width = |i: iced_x86::Instruction| match i.encoding() {
        EncodingKind::EVEX => 64,
        EncodingKind::VEX => 32,
        _ => 16,
    };
    instructions.map(width).max().unwrap_or(16)
}
