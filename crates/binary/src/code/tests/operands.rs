//! Addresses that are loaded before data, and divisors that do not change.

use super::{analyze, assembled};
use crate::facts::OperandUse;
use iced_x86::IcedError;
use iced_x86::code_asm::*;

/// Operand use of a loop of `rax` up to `rcx` with this body.
fn uses(body: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> OperandUse {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        body(a)?;
        a.add(rax, 8)?;
        a.cmp(rax, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    assert_eq!(code.loops.len(), 1);
    code.loops[0].operands
}

#[test]
fn rows_behind_pointers() {
    // a[s][i][k]: two loads of addresses, one of data, and a store through an address that was added up.
    let found = uses(|a| {
        a.mov(rdx, qword_ptr(r8 + r9))?;
        a.mov(rdx, qword_ptr(rdx + r10))?;
        a.movsd_2(xmm0, qword_ptr(rdx + rax))?;
        a.mov(rbx, qword_ptr(r11 + r10))?;
        a.lea(rsi, qword_ptr(rbx + rax))?;
        a.movsd_2(qword_ptr(rsi), xmm0)
    });
    assert_eq!(found, OperandUse { address_loads: 3, ..OperandUse::default() });
}

#[test]
fn indices_spills_globals_and_overwritten_registers_are_no_addresses() {
    let found = uses(|a| {
        a.mov(rdx, qword_ptr(r8 + rax))?; // an index: x[k[i]]
        a.movsd_2(xmm0, qword_ptr(r9 + rdx * 8))?;
        a.mov(rbx, qword_ptr(rsp + 16))?; // a reload of a spilled register
        a.addsd(xmm0, qword_ptr(rbx))?;
        a.mov(rsi, qword_ptr(r8 + rax))?; // overwritten before it is used
        a.mov(rsi, r10)?;
        a.movsd_2(qword_ptr(rsi + rax), xmm0)?;
        a.mov(edi, dword_ptr(r8 + rax))?; // four bytes are not an address
        a.movsd_2(qword_ptr(rdi), xmm0)
    });
    assert_eq!(found, OperandUse::default());
}

#[test]
fn divisors_that_stay() {
    let found = uses(|a| {
        a.movsd_2(xmm0, qword_ptr(r8 + rax))?;
        a.divsd(xmm0, xmm7)?; // a register that the loop does not write
        a.movapd(xmm1, xmm7)?;
        a.divsd(xmm0, xmm1)?; // its copy
        a.divsd(xmm0, qword_ptr(r9))?; // memory at a fixed address
        a.movsd_2(qword_ptr(r10 + rax), xmm0)
    });
    assert_eq!(found.invariant_divisors, 3);
}

#[test]
fn divisors_that_change() {
    let found = uses(|a| {
        a.movsd_2(xmm0, qword_ptr(r8 + rax))?;
        a.divsd(xmm6, xmm0)?; // loaded
        a.divsd(xmm6, qword_ptr(r9 + rax))?; // memory at a changing address
        a.addsd(xmm5, xmm0)?;
        a.divsd(xmm6, xmm5)?; // a sum
        a.movsd_2(qword_ptr(r10), xmm0)?;
        a.divsd(xmm6, qword_ptr(r10)) // memory that the loop stores to
    });
    assert_eq!(found.invariant_divisors, 0);
}

#[test]
fn bits_one_by_one() {
    // crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1, as gcc and clang write it.
    let masked = uses(|a| {
        a.mov(edx, r8d)?;
        a.shr(r8d, 1)?;
        a.and(edx, 1)?;
        a.neg(edx)?;
        a.and(edx, 0x6db8_8320)?;
        a.xor(r8d, edx)
    });
    assert_eq!((masked.bit_shifts, masked.bit_tests), (1, 1));
    let selected = uses(|a| {
        a.mov(edx, r8d)?;
        a.shr(edx, 1)?;
        a.mov(esi, edx)?;
        a.xor(esi, 0x6db8_8320)?;
        a.test(r8b, 1)?;
        a.cmove(esi, edx)?;
        a.mov(r8d, esi)
    });
    assert_eq!((selected.bit_shifts, selected.bit_tests), (1, 1));
    // The highest bit first: doubling, and the sign.
    let upwards = uses(|a| {
        a.mov(edx, r8d)?;
        a.sar(edx, 31)?;
        a.and(edx, 0x04c1_1db7)?;
        a.add(r8d, r8d)?;
        a.xor(r8d, edx)
    });
    assert_eq!((upwards.bit_shifts, upwards.bit_tests), (1, 1));
}

#[test]
fn halving_a_range_and_masks_of_several_bits_are_no_single_bits() {
    let found = uses(|a| {
        a.mov(rdx, r8)?; // half = length >> 1 of a binary search
        a.shr(rdx, 1)?;
        a.sub(r8, rdx)?;
        a.and(esi, 0xff)?;
        a.test(r9d, 1)?; // does not change
        a.shl(rdi, 3)
    });
    assert_eq!((found.bit_shifts, found.bit_tests), (1, 0));
}

#[test]
fn branches_on_the_position_and_on_the_data() {
    let found = uses(|a| {
        let (mut left, mut done, mut wet) = (a.create_label(), a.create_label(), a.create_label());
        a.test(rax, rax)?; // the first iteration
        a.je(left)?;
        a.cmp(r8, r9)?; // does not change
        a.je(left)?;
        a.movsd_2(xmm0, qword_ptr(r10 + rax))?;
        a.ucomisd(xmm0, xmm1)?; // a loaded value
        a.ja(wet)?;
        a.jmp(done)?;
        a.set_label(&mut left)?;
        a.addsd(xmm2, xmm1)?;
        a.jmp(done)?;
        a.set_label(&mut wet)?;
        a.addsd(xmm3, xmm1)?;
        a.set_label(&mut done)?;
        a.nop()
    });
    assert_eq!((found.position_tests, found.data_tests), (2, 1));
}

/// A value saved to `[rbp]` and loaded again, in a function that sets `rbp` before its loop or not.
fn saving(
    frame_pointer: bool,
    save: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>,
) -> (u32, bool) {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        if frame_pointer {
            a.push(rbp)?;
            a.mov(rbp, rsp)?;
        }
        a.set_label(&mut top)?;
        save(a)?;
        a.add(rax, 8)?;
        a.cmp(rax, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    assert_eq!(code.loops.len(), 1);
    (code.loops[0].operands.spilled_vectors, code.loops[0].traits.contains(&crate::facts::Trait::Spill))
}

#[test]
fn spills_of_vectors_and_of_general_registers() {
    let vector = |a: &mut CodeAssembler| {
        a.movsd_2(qword_ptr(rbp - 16), xmm0)?;
        a.addsd(xmm1, qword_ptr(rbp - 16))
    };
    let general = |a: &mut CodeAssembler| {
        a.mov(qword_ptr(rbp - 16), rdx)?;
        a.add(rsi, qword_ptr(rbp - 16))
    };
    assert_eq!(saving(true, vector), (1, true));
    assert_eq!(saving(true, general), (0, true));
    // Without `mov rbp, rsp` the register is a pointer to data, as any other.
    assert_eq!(saving(false, vector), (0, false));
    assert_eq!(saving(false, general), (0, false));
}

#[test]
fn bits_that_are_put_behind_others() {
    let found = uses(|a| {
        a.movzx(edx, byte_ptr(r8 + rax))?;
        a.xor(ebx, ebx)?;
        a.bt(edx, r9d)?;
        a.setb(bl)?;
        a.lea(rdi, qword_ptr(rbx + rdi * 2)) // v = 2 * v + bit
    });
    assert_eq!((found.appended_bits, found.bit_tests), (1, 1));
    let address = uses(|a| {
        a.lea(rdi, qword_ptr(rbx + rsi * 2))?; // an element of two bytes
        a.movzx(edx, word_ptr(rdi + rax))?;
        a.mov(word_ptr(r8 + rax), dx)
    });
    assert_eq!(address.appended_bits, 0);
}
