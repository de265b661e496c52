//! Hand-derived work of short blocks.

mod data;
mod masks;
mod robust;

use super::block_work;
use crate::facts::ElementType as E;
use crate::work::{BlockWork, Work};
use iced_x86::code_asm::*;
use iced_x86::{Decoder, DecoderOptions, IcedError, Instruction};

pub fn decoded(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> Vec<Instruction> {
    let mut a = CodeAssembler::new(64).unwrap();
    write(&mut a).unwrap();
    let bytes = a.assemble(0x1000).unwrap();
    Decoder::with_ip(64, &bytes, 0x1000, DecoderOptions::NONE).iter().collect()
}

pub fn of(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> BlockWork {
    block_work(&decoded(write))
}

pub fn fixed(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> Work {
    let work = of(write);
    assert!(work.variable.is_empty(), "{:?}", work.variable);
    work.fixed
}

/// FLOP of one type; asserts that other types have none.
fn flop(work: &Work, element: E) -> u64 {
    assert_eq!(work.flop.keys().copied().collect::<Vec<_>>(), [element]);
    work.total_flop()
}

#[test]
fn packed_triad() {
    let w = fixed(|a| {
        a.vmovupd(ymm1, ymmword_ptr(rdx + rax))?;
        a.vfmadd213pd(ymm1, ymm0, ymmword_ptr(rsi + rax))?;
        a.vmovupd(ymmword_ptr(rdi + rax), ymm1)?;
        a.add(rax, 32)?;
        a.cmp(rax, 8000)?;
        a.jne(0x1000)
    });
    assert_eq!((w.instructions, flop(&w, E::F64), w.fma_flop, w.packed_flop), (6, 8, 8, 8));
    assert_eq!((w.bytes_loaded, w.bytes_stored, w.bytes_streamed), (64, 32, 0));
    assert_eq!((w.integer_operations, w.bound_flop), (0, 0), "addresses and control only");
    let m = w.mix;
    assert_eq!((m.fp_vector, m.fma, m.load, m.store, m.moves, m.branch, m.integer), (1, 1, 2, 1, 2, 1, 0));
}

#[test]
fn scalars_of_every_type() {
    let w = fixed(|a| {
        a.addss(xmm0, dword_ptr(rsi))?; // 1
        a.vfnmadd231ss(xmm0, xmm1, xmm2)?; // 2
        a.sqrtss(xmm0, xmm1)?; // 1
        a.rcpss(xmm0, xmm1)?; // 1
        a.maxsd(xmm0, xmm1)?; // 1 of f64
        a.divsd(xmm0, xmm3)?; // 1
        a.vaddsh(xmm4, xmm5, xmm6)?; // 1 of f16
        a.fld(qword_ptr(rsi))?;
        a.fadd(dword_ptr(rsi))?; // 1 of f80
        a.fmulp(st1, st0)?; // 1
        a.fsqrt()?; // 1
        a.fchs()?;
        a.fstp(qword_ptr(rdi))
    });
    assert_eq!(w.flop, [(E::F16, 1), (E::F32, 5), (E::F64, 2), (E::F80, 3)].into());
    assert_eq!((w.fma_flop, w.packed_flop), (2, 0));
    assert_eq!((w.bytes_loaded, w.bytes_stored), (4 + 8 + 4, 8));
    assert_eq!((w.mix.square_root, w.mix.divide, w.mix.fp_vector), (2, 1, 0));
}

#[test]
fn comparisons_conversions_and_signs_are_no_flop() {
    let w = fixed(|a| {
        a.ucomisd(xmm0, xmm1)?;
        a.cmpps(xmm0, xmm1, 1)?;
        a.cvtsi2sd(xmm0, eax)?;
        a.cvtps2pd(xmm0, xmm1)?;
        a.xorps(xmm0, xmm1)?;
        a.andnpd(xmm0, xmm1)?;
        a.roundsd(xmm0, xmm1, 1)?;
        a.movmskps(eax, xmm0)
    });
    assert_eq!((w.total_flop(), w.integer_operations, w.mix.conversion), (0, 0, 2));
}

#[test]
fn sums_across_lanes() {
    // Two sums of two in each 128-bit half.
    assert_eq!(flop(&fixed(|a| a.haddps(xmm0, xmm1)), E::F32), 4);
    assert_eq!(flop(&fixed(|a| a.vhaddpd(ymm0, ymm1, ymm2)), E::F64), 4);
    // n products and n - 1 sums.
    assert_eq!(flop(&fixed(|a| a.dpps(xmm0, xmm1, 0xf1)), E::F32), 7);
    assert_eq!(flop(&fixed(|a| a.dpps(xmm0, xmm1, 0x71)), E::F32), 5);
    assert_eq!(flop(&fixed(|a| a.vdpps(ymm0, ymm1, ymm2, 0xff)), E::F32), 14);
    assert_eq!(flop(&fixed(|a| a.dppd(xmm0, xmm1, 0x33)), E::F64), 3);
    assert_eq!(flop(&fixed(|a| a.addsubps(xmm0, xmm1)), E::F32), 4);
    assert_eq!(flop(&fixed(|a| a.vfmaddsub213pd(ymm0, ymm1, ymm2)), E::F64), 8);
}

#[test]
fn half_precision_and_complex_numbers() {
    // Sixteen f32 lanes, in each two products of bf16 and two additions.
    let w = fixed(|a| a.vdpbf16ps(zmm0, zmm1, zmm2));
    assert_eq!((flop(&w, E::Bf16), w.fma_flop, w.packed_flop), (64, 64, 64));
    assert_eq!(flop(&fixed(|a| a.vfmadd231ph(zmm0, zmm1, zmm2)), E::F16), 64);
    // Eight complex products: four multiplications and two additions; added: two more.
    assert_eq!(flop(&fixed(|a| a.vfmulcph(ymm0, ymm1, ymm2)), E::F16), 48);
    assert_eq!(flop(&fixed(|a| a.vfmaddcph(ymm0, ymm1, ymm2)), E::F16), 64);
    assert_eq!(flop(&fixed(|a| a.vfcmaddcsh(xmm0, xmm1, xmm2)), E::F16), 8);
    // Four multiply-adds in sequence, 16 lanes; the four scalars are loaded.
    let w = fixed(|a| a.v4fmaddps(zmm0, zmm4, xmmword_ptr(rsi)));
    assert_eq!((flop(&w, E::F32), w.bytes_loaded), (128, 16));
}

#[test]
fn full_tiles_are_an_upper_bound() {
    let w = fixed(|a| {
        a.tileloadd(tmm1, rsi + rax)?;
        a.tdpbf16ps(tmm0, tmm1, tmm2)
    });
    assert_eq!((flop(&w, E::Bf16), w.bound_flop, w.bytes_loaded), (16 * 16 * 32 * 2, 16 * 16 * 32 * 2, 1024));
    let w = fixed(|a| a.tdpbssd(tmm0, tmm1, tmm2));
    assert_eq!((w.total_flop(), w.integer_operations), (0, 16 * 16 * 64 * 2));
}

#[test]
fn lanes_in_use() {
    // Two floats in the lower half.
    let two = fixed(|a| {
        a.movq(xmm1, qword_ptr(rsi))?;
        a.addps(xmm0, xmm1)?;
        a.movlps(qword_ptr(rdi), xmm0)
    });
    assert_eq!((flop(&two, E::F32), two.packed_flop, two.bytes_loaded, two.bytes_stored), (2, 2, 8, 8));
    let four = fixed(|a| {
        a.movlps(xmm1, qword_ptr(rsi))?;
        a.movhps(xmm1, qword_ptr(rsi + 8))?;
        a.addps(xmm0, xmm1)
    });
    assert_eq!(flop(&four, E::F32), 4);
    // GCC's scalar conversion through packed instructions.
    let one = fixed(|a| {
        a.movss(xmm0, dword_ptr(rsi))?;
        a.unpcklps(xmm0, xmm0)?;
        a.cvtps2pd(xmm0, xmm0)?;
        a.mulpd(xmm0, xmm5)
    });
    assert_eq!((flop(&one, E::F64), one.packed_flop), (1, 0));
    // Two doubles narrowed to two floats.
    let narrowed = fixed(|a| {
        a.cvtpd2ps(xmm1, xmm2)?;
        a.mulps(xmm1, xmm3)
    });
    assert_eq!(flop(&narrowed, E::F32), 2);
    // A scalar in all lanes; a vector whose lowest element is replaced.
    let splat = fixed(|a| {
        a.movss(xmm1, dword_ptr(rsi))?;
        a.shufps(xmm1, xmm1, 0)?;
        a.mulps(xmm0, xmm1)
    });
    assert_eq!(flop(&splat, E::F32), 4);
    let blended = fixed(|a| {
        a.movss(xmm1, xmm2)?;
        a.mulps(xmm1, xmm3)
    });
    assert_eq!(flop(&blended, E::F32), 4);
    // After a call nothing is known of the registers.
    let call = fixed(|a| {
        a.movsd_2(xmm1, qword_ptr(rsi))?;
        a.call(0x2000)?;
        a.addps(xmm1, xmm0)
    });
    assert_eq!(flop(&call, E::F32), 4);
    // The count of a shift does not show the width.
    let shifted = fixed(|a| {
        a.movd(xmm1, eax)?;
        a.pslld(xmm0, xmm1)
    });
    assert_eq!(shifted.integer_operations, 4);
}

#[test]
fn packed_integers() {
    let ops = |w: Work| (w.integer_operations, w.packed_integer_operations, w.mix.int_vector);
    assert_eq!(ops(fixed(|a| a.paddb(xmm0, xmm1))), (16, 16, 1));
    assert_eq!(ops(fixed(|a| a.vpaddq(ymm0, ymm1, ymmword_ptr(rsi)))), (4, 4, 1));
    assert_eq!(ops(fixed(|a| a.vpsllvd(zmm0, zmm1, zmm2))), (16, 16, 1));
    // Eight products and four sums.
    assert_eq!(ops(fixed(|a| a.pmaddwd(xmm0, xmm1))), (12, 12, 1));
    // Sixteen products, added to four sums one by one.
    assert_eq!(ops(fixed(|a| a.vpdpbusd(xmm0, xmm1, xmm2))), (32, 32, 1));
    assert_eq!(ops(fixed(|a| a.vpmadd52luq(zmm0, zmm1, zmm2))), (16, 16, 1));
    assert_eq!(ops(fixed(|a| a.psadbw(xmm0, xmm1))), (16, 16, 1));
    assert_eq!(ops(fixed(|a| a.aesenc(xmm0, xmm1))), (1, 1, 0));
    // Logic has the width of the other operations in the block: 16 + 16 + 16, else 32 bits.
    let bytes = fixed(|a| {
        a.pcmpgtb(xmm0, xmm1)?;
        a.pand(xmm0, xmm2)?;
        a.paddb(xmm3, xmm0)
    });
    assert_eq!(ops(bytes), (48, 48, 3));
    assert_eq!(ops(fixed(|a| a.vpternlogq(ymm0, ymm1, ymm2, 0x96))), (8, 8, 1));
    // Constants, rearrangements and widening are not operations.
    let none = fixed(|a| {
        a.pxor(xmm0, xmm0)?;
        a.pcmpeqd(xmm1, xmm1)?;
        a.pshufb(xmm2, xmm3)?;
        a.pmovzxbw(xmm2, xmm3)?;
        a.punpcklbw(xmm2, xmm0)?;
        a.pmovmskb(eax, xmm2)
    });
    assert_eq!(none.integer_operations, 0);
}

#[test]
fn bytes_of_the_stack_and_of_implicit_operands() {
    let bytes = |w: Work| (w.bytes_loaded, w.bytes_stored);
    assert_eq!(bytes(fixed(|a| a.push(rbx))), (0, 8));
    assert_eq!(bytes(fixed(|a| a.push(qword_ptr(rdi)))), (8, 8));
    assert_eq!(bytes(fixed(|a| a.pop(rbx))), (8, 0));
    assert_eq!(bytes(fixed(|a| a.call(0x2000))), (0, 8));
    assert_eq!(bytes(fixed(|a| a.call(qword_ptr(rax)))), (8, 8));
    assert_eq!(bytes(fixed(|a| a.ret())), (8, 0));
    assert_eq!(bytes(fixed(|a| a.leave())), (8, 0));
    assert_eq!(bytes(fixed(|a| a.movsq())), (8, 8));
    assert_eq!(bytes(fixed(|a| a.cmpsb())), (2, 0));
    assert_eq!(bytes(fixed(|a| a.add(dword_ptr(rdi), eax))), (4, 4));
    assert_eq!(bytes(fixed(|a| a.cmp(byte_ptr(rdi), 3))), (1, 0));
    assert_eq!(bytes(fixed(|a| a.bt(dword_ptr(rdi), 3))), (4, 0));
    assert_eq!(bytes(fixed(|a| a.cmpxchg16b(xmmword_ptr(rdi)))), (16, 16));
    assert_eq!(bytes(fixed(|a| a.cmovl(eax, dword_ptr(rdi)))), (4, 0));
    assert_eq!(bytes(fixed(|a| a.setl(byte_ptr(rdi)))), (0, 1));
    assert_eq!(bytes(fixed(|a| a.fld(tword_ptr(rdi)))), (10, 0));
    assert_eq!(bytes(fixed(|a| a.fxsave(ptr(rdi)))), (0, 512));
    assert_eq!(bytes(fixed(|a| a.xsavec(ptr(rdi)))), (0, 576));
    assert_eq!(bytes(fixed(|a| a.xrstor(ptr(rdi)))), (576, 0));
}

#[test]
fn bytes_of_vectors() {
    let bytes = |w: Work| (w.bytes_loaded, w.bytes_stored, w.bytes_streamed);
    assert_eq!(bytes(fixed(|a| a.vbroadcastsd(ymm0, qword_ptr(rsi)))), (8, 0, 0));
    assert_eq!(bytes(fixed(|a| a.vaddps(zmm0, zmm1, dword_bcst(rsi)))), (4, 0, 0));
    assert_eq!(bytes(fixed(|a| a.vpmovzxbd(ymm0, qword_ptr(rsi)))), (8, 0, 0));
    assert_eq!(bytes(fixed(|a| a.pinsrw(xmm0, word_ptr(rsi), 2))), (2, 0, 0));
    assert_eq!(bytes(fixed(|a| a.vextractf128(xmmword_ptr(rsi), ymm0, 1))), (0, 16, 0));
    assert_eq!(bytes(fixed(|a| a.vmovntpd(ymmword_ptr(rsi), ymm0))), (0, 32, 32));
    assert_eq!(bytes(fixed(|a| a.movnti(dword_ptr(rsi), eax))), (0, 4, 4));
    assert_eq!(bytes(fixed(|a| a.movntdqa(xmm0, xmmword_ptr(rsi)))), (16, 0, 0));
    assert_eq!(bytes(fixed(|a| a.maskmovdqu(xmm0, xmm1))), (0, 16, 16));
    // Masks in vector registers: all lanes, an upper bound.
    assert_eq!(bytes(fixed(|a| a.vmaskmovps(ymm0, ymm1, ymmword_ptr(rsi)))), (32, 0, 0));
    assert_eq!(bytes(fixed(|a| a.vgatherdpd_3(ymm0, qword_ptr(rsi + xmm1 * 8), ymm2))), (32, 0, 0));
    assert_eq!(bytes(fixed(|a| a.vgatherqps_3(xmm0, dword_ptr(rsi + ymm1 * 4), xmm2))), (16, 0, 0));
    assert_eq!(bytes(fixed(|a| a.vgatherqps_3(xmm0, dword_ptr(rsi + xmm1 * 4), xmm2))), (8, 0, 0));
    let none = fixed(|a| {
        a.lea(rax, qword_ptr(rdi + rsi))?;
        a.nop_1(dword_ptr(rax))?;
        a.prefetcht0(byte_ptr(rax))?;
        a.prefetchw(byte_ptr(rax))?;
        a.clflush(byte_ptr(rax))?;
        a.clflushopt(byte_ptr(rax))?;
        a.clwb(byte_ptr(rax))?;
        a.vzeroupper()?;
        a.mfence()
    });
    assert_eq!(bytes(none), (0, 0, 0));
}
