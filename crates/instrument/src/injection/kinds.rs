//! Which resources the instructions of a loop use, and how its vector instructions are encoded.

use super::operation::Encoding;
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess};
use loopwright_vocabulary::Resource;

/// How the loop's own vector instructions are encoded, at the greatest width.
pub(super) fn encoding<'a>(code: impl Iterator<Item = &'a Instruction>) -> Encoding {
    let mut found = Encoding::Legacy;
    for i in code {
        let widest = (0..i.op_count()).map(|k| i.op_register(k)).fold(Encoding::Legacy, |e, r| {
            e.max(if r.is_zmm() {
                Encoding::Evex512
            } else if r.is_ymm() {
                Encoding::Vex256
            } else if r.is_xmm() && i.encoding() != iced_x86::EncodingKind::Legacy {
                Encoding::Vex128
            } else {
                Encoding::Legacy
            })
        });
        found = found.max(widest);
    }
    found
}

/// Operations leave what is above the low 128 bits of their register.
pub(super) fn keeps_upper_bits(encoding: Encoding) -> bool {
    encoding == Encoding::Legacy
}

/// The resources that instructions use, except those of memory beyond the first level.
pub(super) fn used<'a>(code: impl Iterator<Item = &'a Instruction>) -> Vec<Resource> {
    let mut factory = InstructionInfoFactory::new();
    let mut used = vec![Resource::FrontEnd, Resource::TakenBranches, Resource::Integer];
    for i in code {
        if is_shift(i.mnemonic()) {
            used.push(Resource::Shift);
        }
        let vector = (0..i.op_count()).any(|k| i.op_register(k).is_vector_register());
        if vector {
            // Integer operations of vectors share the ports.
            used.extend([Resource::FloatAdd, Resource::FloatMultiply]);
        }
        if is_float_division(i.mnemonic()) {
            used.push(Resource::FloatDivide);
        }
        if is_multiplication(i) {
            used.push(Resource::Multiply);
        }
        for memory in factory.info(i).used_memory() {
            match memory.access() {
                OpAccess::Read | OpAccess::CondRead => used.push(Resource::Loads),
                OpAccess::Write | OpAccess::CondWrite => {
                    used.push(Resource::Stores);
                    if vector {
                        used.push(Resource::VectorStores);
                    }
                }
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
                    used.extend([Resource::Loads, Resource::Stores])
                }
                OpAccess::None | OpAccess::NoMemAccess => {}
            }
        }
    }
    used.sort_unstable();
    used.dedup();
    used
}

/// Instructions of the integer multiplier.
pub(super) fn multiplications<'a>(code: impl Iterator<Item = &'a Instruction>) -> u32 {
    code.filter(|i| is_multiplication(i)).count() as u32
}

fn is_multiplication(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Imul | Mnemonic::Mul | Mnemonic::Mulx)
}

/// Those that a core executes in one step.
fn is_shift(m: Mnemonic) -> bool {
    matches!(
        m,
        Mnemonic::Rol
            | Mnemonic::Ror
            | Mnemonic::Rorx
            | Mnemonic::Sar
            | Mnemonic::Sarx
            | Mnemonic::Shl
            | Mnemonic::Shlx
            | Mnemonic::Shr
            | Mnemonic::Shrx
    )
}

fn is_float_division(m: Mnemonic) -> bool {
    matches!(
        m,
        Mnemonic::Divsd
            | Mnemonic::Divss
            | Mnemonic::Divpd
            | Mnemonic::Divps
            | Mnemonic::Vdivsd
            | Mnemonic::Vdivss
            | Mnemonic::Vdivpd
            | Mnemonic::Vdivps
            | Mnemonic::Sqrtsd
            | Mnemonic::Sqrtss
            | Mnemonic::Sqrtpd
            | Mnemonic::Sqrtps
            | Mnemonic::Vsqrtsd
            | Mnemonic::Vsqrtss
            | Mnemonic::Vsqrtpd
            | Mnemonic::Vsqrtps
    )
}
