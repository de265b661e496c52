//! Loops that work on the single bits of a number: shifts by one, and tests of one bit.
//!
//! Both are counted only for values that the loop changes; a flag word that it only reads is no stream of bits. One without the
//! other has other meanings: a binary search halves a length, and a parity test picks even elements.

use super::body::Body;
use super::operation::Class;
use super::step::{Step, slot_of};
use iced_x86::{ConditionCode, Mnemonic, OpKind, Register};

/// Shifts and rotations by one bit, doublings included.
pub fn shifts(body: &Body) -> u32 {
    count(body, |_, step| {
        let i = &step.instruction;
        let shifts = step.operation.class == Class::Shift && immediate(step) == Some(1);
        let doubles = i.mnemonic() == Mnemonic::Add
            && i.op0_kind() == OpKind::Register
            && i.op1_kind() == OpKind::Register
            && i.op0_register() == i.op1_register();
        let doubles_aside = i.mnemonic() == Mnemonic::Lea
            && i.memory_displacement64() == 0
            && (i.memory_base() == i.memory_index() && i.memory_index_scale() == 1);
        !step.operation.vector && (shifts || doubles || doubles_aside)
    })
}

/// Bits that are put behind those of before: `v = 2 * v + bit`.
pub fn appended(body: &Body) -> u32 {
    count(body, |_, step| {
        let i = &step.instruction;
        let sum = i.mnemonic() == Mnemonic::Lea
            && i.memory_index_scale() == 2
            && i.memory_base() != Register::None
            && i.op0_register().full_register() == i.memory_index().full_register();
        let carry = i.mnemonic() == Mnemonic::Adc
            && i.op1_kind() == OpKind::Register
            && i.op0_kind() == OpKind::Register
            && i.op0_register() == i.op1_register();
        sum || carry
    })
}

/// Masks of one bit, bit tests, tests of the sign, and copies of the sign to all bits.
pub fn tests(body: &Body) -> u32 {
    count(body, |at, step| {
        let i = &step.instruction;
        let one_bit = |mask: u64| mask.is_power_of_two();
        match i.mnemonic() {
            Mnemonic::And | Mnemonic::Test if i.op_kind(1) == OpKind::Register => {
                let itself = i.op0_register() == i.op1_register();
                let next = body.steps.get(at + 1).map(|s| s.instruction.condition_code());
                i.mnemonic() == Mnemonic::Test
                    && itself
                    && matches!(next, Some(ConditionCode::s | ConditionCode::ns))
            }
            Mnemonic::And | Mnemonic::Test => immediate(step).is_some_and(one_bit),
            Mnemonic::Bt => true,
            Mnemonic::Sar => {
                let bits = i.op0_register().size() as u64 * 8;
                bits > 1 && immediate(step) == Some(bits - 1)
            }
            _ => false,
        }
    })
}

/// Steps that read a value which the loop changes.
fn count(body: &Body, is_one: impl Fn(usize, &Step) -> bool) -> u32 {
    let changing = |step: &Step| {
        let from_memory = step.memory.is_some_and(|m| m.load);
        from_memory || step.reads.iter().chain(&step.address).any(|&slot| body.changes(slot))
    };
    let found = body.steps.iter().enumerate().filter(|(at, step)| is_one(*at, step) && changing(step));
    u32::try_from(found.count()).unwrap_or(u32::MAX)
}

/// The value of the last operand, as wide as the first one.
fn immediate(step: &Step) -> Option<u64> {
    let i = &step.instruction;
    let last = i.op_count().checked_sub(1)?;
    let constant = !matches!(i.op_kind(last), OpKind::Register | OpKind::Memory) && i.op_count() > 1;
    let value = constant.then(|| i.try_immediate(last).ok())??;
    let bytes = if i.op0_kind() == OpKind::Register && slot_of(i.op0_register()).is_some() {
        i.op0_register().size()
    } else {
        8
    };
    let mask = if bytes >= 8 { u64::MAX } else { (1 << (bytes * 8)) - 1 };
    Some(value & mask)
}
