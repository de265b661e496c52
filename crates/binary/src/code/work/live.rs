//! How many bits of vector registers a block uses.
//!
//! The rules of [`super::super::lanes`], followed through one block only: what a register holds when the
//! block starts is not known and is not counted. An operation without a known operand counts with its encoded
//! width.

use super::super::lanes::{Inputs, MemoryInput, conversion_sizes, register_bits, result_bits, vector_index};
use super::super::operation::{Class, Operation};
use super::super::step::{merged_operand, reads, sets_all_ones, writes};
use super::mask::in_four_steps;
use iced_x86::{Instruction, InstructionInfo, Mnemonic, OpKind, Register};

/// Live bits of the vector registers; 0 when not known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Live([u16; 32]);

impl Live {
    /// After a call no register is known.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// Follows a vector instruction and returns the bits that it works on.
    pub fn follow(&mut self, i: &Instruction, operation: &Operation, info: &InstructionInfo) -> u32 {
        let encoded = register_bits(i);
        let inputs = self.inputs(i, operation, info);
        let mut bits = result_bits(i, operation, &inputs);
        if blends_scalar(i, operation) {
            // The upper part comes from the other operand.
            bits = 0;
        } else if bits == 0 && operation.class == Class::Convert {
            let (from, to) = conversion_sizes(i, operation);
            bits = source_bits(i).saturating_mul(to).checked_div(from).unwrap_or(0).min(encoded);
        }
        if let Some(to) = destination(i, info) {
            self.0[to] = bits as u16;
        }
        if bits == 0 { encoded } else { bits.min(encoded.max(64)) }
    }

    /// Follows any other instruction that may write a vector register.
    pub fn overwrite(&mut self, i: &Instruction) {
        if i.mnemonic() == Mnemonic::Vzeroall {
            self.forget();
        } else if let Some(to) = vector_operand(i, 0) {
            self.0[to] = 0;
        }
    }

    fn inputs(&self, i: &Instruction, operation: &Operation, info: &InstructionInfo) -> Inputs {
        let mut out = Inputs::default();
        let count = if shifts_by_register(i.mnemonic()) { i.op_count() - 1 } else { i.op_count() };
        let (mut vectors, mut others) = (0u32, 0);
        let merged = merged_operand(i, operation);
        for k in 0..i.op_count() {
            let access = info.op_access(k);
            match i.op_kind(k) {
                OpKind::Register if reads(access) && k < count && Some(k) != merged => {
                    let register = i.op_register(k);
                    out.general |= register.is_gpr();
                    others += usize::from(vector_index(register).is_none());
                    if let Some(v) = vector_index(register) {
                        vectors |= 1 << v;
                        let live = u32::from(self.0[v]);
                        out.registers = Some(out.registers.map_or(live, |b| b.max(live)));
                    }
                }
                OpKind::Memory if k < count && !in_four_steps(i.mnemonic()) => {
                    let size = i.memory_size();
                    let gathers = matches!(operation.class, Class::Gather | Class::Scatter);
                    out.memory = Some(MemoryInput {
                        load: reads(access),
                        store: writes(access),
                        bits: if gathers { register_bits(i) } else { size.size() as u32 * 8 },
                        live: None,
                        neutral: i.is_broadcast()
                            || i.is_ip_rel_memory_operand()
                            || i.memory_base() == Register::None && i.memory_index() == Register::None,
                    });
                }
                _ => {}
            }
        }
        if !sets_all_ones(i) {
            out.reads = others + vectors.count_ones() as usize;
        }
        out
    }
}

fn vector_operand(i: &Instruction, k: u32) -> Option<usize> {
    if i.op_count() <= k || i.op_kind(k) != OpKind::Register {
        return None;
    }
    vector_index(i.op_register(k))
}

fn destination(i: &Instruction, info: &InstructionInfo) -> Option<usize> {
    vector_operand(i, 0).filter(|_| writes(info.op_access(0)))
}

/// Width of the last operand: what a conversion reads.
fn source_bits(i: &Instruction) -> u32 {
    let last = (0..i.op_count()).rev().find(|&k| matches!(i.op_kind(k), OpKind::Register | OpKind::Memory));
    match last.map(|k| (k, i.op_kind(k))) {
        Some((k, OpKind::Register)) => i.op_register(k).size() as u32 * 8,
        Some(_) => i.memory_size().size() as u32 * 8,
        None => 0,
    }
}

/// `movss xmm, xmm` replaces the lowest element of a vector.
fn blends_scalar(i: &Instruction, operation: &Operation) -> bool {
    operation.class == Class::Move
        && !operation.packed
        && operation.element.is_some()
        && (0..i.op_count()).all(|k| i.op_kind(k) == OpKind::Register)
}

/// Shifts all elements by one count, which the lowest bits of the last operand hold.
pub fn shifts_by_register(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Psllw
            | M::Pslld
            | M::Psllq
            | M::Psrlw
            | M::Psrld
            | M::Psrlq
            | M::Psraw
            | M::Psrad
            | M::Vpsllw
            | M::Vpslld
            | M::Vpsllq
            | M::Vpsrlw
            | M::Vpsrld
            | M::Vpsrlq
            | M::Vpsraw
            | M::Vpsrad
            | M::Vpsraq
    )
}
