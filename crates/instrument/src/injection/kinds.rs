//! Which resources the instructions of a loop use, and how its vector instructions are encoded.

use super::operation::Encoding;
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess};
use loopwright_binary::code::{Class, Operation};
use loopwright_vocabulary::Resource;
use std::collections::BTreeMap;

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
        let (loads, stores) = accesses(&mut factory, i);
        if loads > 0 {
            used.push(Resource::Loads);
        }
        if stores > 0 {
            used.push(Resource::Stores);
            if vector {
                used.push(Resource::VectorStores);
            }
        }
    }
    used.sort_unstable();
    used.dedup();
    used
}

/// How often an iteration that passes all instructions uses each resource at most, in operations of the calibration: instructions
/// that are wider or split count as several. Only for resources of which this can be said; nothing at all where an instruction
/// repeats itself or locks memory.
pub(super) fn uses<'a>(code: impl Iterator<Item = &'a Instruction>) -> Vec<(Resource, u32)> {
    /// Elements of the longest vector: gathers and scatters access each by itself.
    const ELEMENTS: u32 = 16;
    /// An integer division, in operations of one step: more than any core takes that has no fast divider.
    const DIVISION: u32 = 100;
    let mut factory = InstructionInfoFactory::new();
    let mut uses: BTreeMap<Resource, u32> =
        [Resource::Integer, Resource::Loads, Resource::Stores].map(|r| (r, 0)).into();
    for i in code {
        if i.has_rep_prefix() || i.has_repne_prefix() || i.has_lock_prefix() {
            return Vec::new();
        }
        let registers = (0..i.op_count()).map(|k| i.op_register(k));
        // The widest operations are executed, loaded or stored in two parts by some cores, and two of a word are in one cycle.
        let parts = registers
            .map(|r| {
                if r.is_zmm() {
                    4
                } else if r.is_vector_register() {
                    2
                } else {
                    1
                }
            })
            .max();
        let parts = parts.unwrap_or(1);
        let each = if i.is_vsib() { ELEMENTS } else { 1 };
        let mut add = |resource: Resource, times: u32| *uses.entry(resource).or_default() += times;
        let (loads, stores) = accesses(&mut factory, i);
        add(Resource::FrontEnd, each);
        add(Resource::Loads, loads * parts * each);
        add(Resource::Stores, stores * parts * each);
        add(Resource::VectorStores, stores * each);
        let additions = if parts > 1 { additions(i, loads + stores > 0) } else { 0 };
        add(Resource::FloatAdd, additions * each);
        match i.mnemonic() {
            Mnemonic::Mov | Mnemonic::Nop | Mnemonic::Jmp => {}
            Mnemonic::Div | Mnemonic::Idiv => add(Resource::Integer, DIVISION),
            // By a number in a register they take up to three steps.
            m if is_shift(m) => add(Resource::Integer, 3),
            _ if parts == 1 => add(Resource::Integer, 1),
            _ => {}
        }
    }
    let float = uses.get(&Resource::FloatAdd).copied().unwrap_or_default();
    uses.insert(Resource::FloatMultiply, float);
    uses.into_iter().collect()
}

/// How many additions of vectors an instruction with vector registers is for their ports at most; `memory` where it accesses that.
/// The calibration adds in the loop's widest vectors, so none is split; what goes between memory and a register alone takes the
/// ports of loads and stores.
fn additions(i: &Instruction, memory: bool) -> u32 {
    /// Some are executed in two steps, or by half of the ports.
    const OTHERS: u32 = 2;
    let operation = Operation::of(i);
    match operation.class {
        Class::Move | Class::Broadcast if memory => 0,
        Class::Add | Class::MinMax | Class::Fma | Class::Logic | Class::Move => 1,
        Class::Multiply if operation.is_float() => 1,
        _ => OTHERS,
    }
}

/// Places in memory that an instruction reads, and those that it writes.
fn accesses(factory: &mut InstructionInfoFactory, i: &Instruction) -> (u32, u32) {
    let (mut loads, mut stores) = (0, 0);
    for memory in factory.info(i).used_memory() {
        let (read, written) = match memory.access() {
            OpAccess::Read | OpAccess::CondRead => (1, 0),
            OpAccess::Write | OpAccess::CondWrite => (0, 1),
            OpAccess::ReadWrite | OpAccess::ReadCondWrite => (1, 1),
            OpAccess::None | OpAccess::NoMemAccess => (0, 0),
        };
        loads += read;
        stores += written;
    }
    (loads, stores)
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

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions};

    fn uses_of(code: &[u8]) -> BTreeMap<Resource, u32> {
        let all: Vec<Instruction> = Decoder::new(64, code, DecoderOptions::NONE).into_iter().collect();
        uses(all.iter()).into_iter().collect()
    }

    #[test]
    fn uses_are_counted_generously() {
        // vmovups ymm0,[rax]; vfmadd231ps ymm1,ymm0,[rcx]; vmovups [rdx],ymm1; add rax,32; cmp rax,rdi; jne
        let found = uses_of(&[
            0xc5, 0xfc, 0x10, 0x00, 0xc4, 0xe2, 0x7d, 0xb8, 0x09, 0xc5, 0xfc, 0x11, 0x0a, 0x48, 0x83, 0xc0,
            0x20, 0x48, 0x39, 0xf8, 0x75, 0xea,
        ]);
        assert_eq!(found[&Resource::Loads], 4, "two loads of 256 bits");
        assert_eq!((found[&Resource::Stores], found[&Resource::VectorStores]), (2, 1));
        assert_eq!((found[&Resource::FloatAdd], found[&Resource::FloatMultiply]), (1, 1), "moves are none");
        assert_eq!((found[&Resource::Integer], found[&Resource::FrontEnd]), (3, 6));
        // inc dword ptr [rax]
        let found = uses_of(&[0xff, 0x00]);
        assert_eq!((found[&Resource::Loads], found[&Resource::Stores], found[&Resource::Integer]), (1, 1, 1));
    }

    #[test]
    fn what_repeats_itself_is_not_counted() {
        assert!(uses_of(&[0xf3, 0xa4]).is_empty(), "rep movsb");
        assert!(uses_of(&[0xf0, 0xff, 0x00]).is_empty(), "lock inc dword ptr [rax]");
        // vgatherdps ymm0, [rax+ymm1*4], ymm2
        assert_eq!(uses_of(&[0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x88])[&Resource::Loads], 32);
    }

    #[test]
    fn vector_operations_are_additions_or_dearer() {
        let additions = |code: &[u8]| uses_of(code)[&Resource::FloatAdd];
        assert_eq!(additions(&[0xc5, 0xfc, 0x58, 0xc1]), 1, "vaddps ymm0,ymm0,ymm1");
        assert_eq!(additions(&[0xc5, 0xfd, 0xfe, 0xc1]), 1, "vpaddd ymm0,ymm0,ymm1");
        assert_eq!(additions(&[0xc4, 0xe2, 0x7d, 0x40, 0xc1]), 2, "vpmulld ymm0,ymm0,ymm1");
        assert_eq!(additions(&[0xc5, 0xff, 0x7c, 0xc1]), 2, "vhaddps ymm0,ymm0,ymm1");
        assert_eq!(additions(&[0x48, 0x01, 0xc8]), 0, "add rax,rcx");
    }
}
