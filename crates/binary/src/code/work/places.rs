//! The work that each instruction of a basic block does for its place in the source.
//!
//! Only operations are counted that compilers neither add nor remove when they unroll or vectorise: an addition of
//! the source is one element of an addition in every form of the loop. Logic, shifts, comparisons and
//! conversions are left out: vector code imitates other operations with them. So are instructions that sum up
//! lanes, for which the source has no operator.

use super::super::operation::{Class, Operation};
use super::live::Live;
use super::mask::{self, Masks};
use super::memory::{Per, transfer};
use crate::facts::{ElementType, SourceKind};
use iced_x86::{Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, Register};

/// Work of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Index into the block's instructions.
    pub at: usize,
    /// The kind of work.
    pub kind: SourceKind,
    /// Elements, or bytes of memory.
    pub amount: u32,
    /// Bytes of an element; 0 when the instruction does not name it.
    pub element: u32,
    /// It works on several elements.
    pub packed: bool,
    /// It works on floating-point numbers.
    pub floating: bool,
    /// It runs under a mask that is not known to be full.
    pub masked: bool,
    /// It works on general registers: may form an address or control the loop.
    pub general: bool,
}

/// The work of all instructions of a block, in execution order.
pub fn done(instructions: &[Instruction]) -> Vec<Done> {
    let mut factory = InstructionInfoFactory::new();
    let (mut live, mut masks) = (Live::default(), Masks::default());
    let mut out = Vec::new();
    for (at, i) in instructions.iter().enumerate() {
        let operation = Operation::of(i);
        let info = factory.info_options(i, InstructionInfoOptions::NO_REGISTER_USAGE);
        let bits = if operation.vector {
            live.follow(i, &operation, info)
        } else {
            live.overwrite(i);
            0
        };
        let masked = mask::mask_of(i).is_some_and(|register| {
            mask::mask_lanes(i, &operation, super::register_bits(i))
                .is_none_or(|n| !masks.all_set(register, n))
        });
        // AVX2 keeps masks in vector registers.
        let masked = masked
            || matches!(i.mnemonic(), Mnemonic::Vmaskmovps | Mnemonic::Vmaskmovpd)
            || matches!(i.mnemonic(), Mnemonic::Vpmaskmovd | Mnemonic::Vpmaskmovq);
        let packed = operation.vector && operation.packed;
        let floating = operation.is_float();
        let general = !operation.vector && !floating;
        // Sign extension by interleaving hides how many integers are in use.
        let narrow = packed && !floating && bits != super::register_bits(i);
        for (kind, element) in computes(i, &operation).into_iter().flatten().filter(|_| !narrow) {
            let element = element.bits();
            let amount = if packed { bits / element } else { 1 };
            let element = element / 8;
            let packed = amount > 1;
            out.push(Done { at, kind, amount, element, packed, floating, masked, general });
        }
        let moved = transfer(i, &operation, info);
        if moved.per == Per::Execution
            && !on_stack(i)
            && !matches!(operation.class, Class::Stack | Class::Call)
        {
            let element = if packed { 0 } else { moved.loaded.max(moved.stored) };
            for (kind, amount) in [(SourceKind::Load, moved.loaded), (SourceKind::Store, moved.stored)] {
                if amount > 0 {
                    out.push(Done { at, kind, amount, element, packed, floating, masked, general });
                }
            }
        }
        if operation.class == Class::Call {
            live.forget();
        }
        masks.follow(i, &operation);
    }
    out
}

/// A variable of the frame: base register without index.
fn on_stack(i: &Instruction) -> bool {
    i.memory_index() == Register::None && matches!(i.memory_base(), Register::RSP | Register::RBP)
}

/// The kinds of arithmetic and their type: a fused multiply-add does two kinds.
fn computes(i: &Instruction, operation: &Operation) -> [Option<(SourceKind, ElementType)>; 2] {
    if operation.vector && !operation.is_float() {
        return [packed_integers(i.mnemonic()), None];
    }
    // The source has no operator for products of pairs.
    let Some(element) = operation.element.filter(|&element| element != ElementType::Bf16) else {
        return [None, None];
    };
    let kind = match operation.class {
        Class::Fma => return [SourceKind::Add, SourceKind::Multiply].map(|kind| Some((kind, element))),
        Class::Add => SourceKind::Add,
        Class::Multiply => SourceKind::Multiply,
        Class::Divide => SourceKind::Divide,
        Class::SquareRoot => SourceKind::SquareRoot,
        Class::MinMax => SourceKind::MinMax,
        _ => return [None, None],
    };
    [Some((kind, element)), None]
}

/// Packed integer arithmetic whose elements are those of the source.
fn packed_integers(mnemonic: Mnemonic) -> Option<(SourceKind, ElementType)> {
    use ElementType as E;
    use Mnemonic as M;
    Some(match mnemonic {
        M::Paddb | M::Vpaddb | M::Psubb | M::Vpsubb => (SourceKind::Add, E::I8),
        M::Paddw | M::Vpaddw | M::Psubw | M::Vpsubw => (SourceKind::Add, E::I16),
        M::Paddd | M::Vpaddd | M::Psubd | M::Vpsubd => (SourceKind::Add, E::I32),
        M::Paddq | M::Vpaddq | M::Psubq | M::Vpsubq => (SourceKind::Add, E::I64),
        M::Pmullw | M::Vpmullw => (SourceKind::Multiply, E::I16),
        M::Pmulld | M::Vpmulld => (SourceKind::Multiply, E::I32),
        _ => return None,
    })
}
