//! Functions assembled by hand, with the expected result of each analysis.

use super::source::{CodeSource, GuardedRange};
use super::{Error, Returns, analyze_function, decode};
use crate::facts::{ChainKind, ElementType, FunctionCode, FunctionInfo, FunctionOrigin, Idiom, Isa, Trait};
use iced_x86::code_asm::*;

mod operands;

const BASE: u64 = 0x1000;
const TABLE: u64 = 0x8000;

/// Bytes at [`BASE`] and a table at [`TABLE`].
#[derive(Default)]
struct Bytes {
    code: Vec<u8>,
    table: Vec<u8>,
    guarded: Vec<GuardedRange>,
}

impl CodeSource for Bytes {
    fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
        self.code.get(start.checked_sub(BASE)? as usize..end.checked_sub(BASE)? as usize)
    }
    fn data(&self, address: u64, length: usize) -> Option<&[u8]> {
        let at = address.checked_sub(TABLE)? as usize;
        self.table.get(at..at.checked_add(length)?)
    }
    fn is_read_only(&self, _: u64) -> bool {
        true
    }
    fn guarded_ranges(&self, _: &FunctionInfo) -> Vec<GuardedRange> {
        self.guarded.clone()
    }
}

fn info(length: usize) -> FunctionInfo {
    FunctionInfo {
        name: "f".into(),
        linkage_name: None,
        address: BASE,
        end: BASE + length as u64,
        parts: vec![],
        origin: FunctionOrigin::Symtab,
    }
}

fn analyze(bytes: &Bytes) -> FunctionCode {
    analyze_function(bytes, &info(bytes.code.len())).unwrap()
}

fn assembled(write: impl FnOnce(&mut CodeAssembler) -> Result<(), iced_x86::IcedError>) -> Bytes {
    let mut a = CodeAssembler::new(64).unwrap();
    write(&mut a).unwrap();
    Bytes { code: a.assemble(BASE).unwrap(), ..Bytes::default() }
}

#[test]
fn vectors_that_overlap_do_not_fill_a_stride() {
    let unroll = |displacements: [i32; 4], stride: i32| {
        let code = analyze(&assembled(|a| {
            let mut top = a.create_label();
            a.set_label(&mut top)?;
            for by in displacements {
                a.vaddpd(ymm1, ymm1, ymmword_ptr(rsi + by))?;
            }
            a.add(rsi, stride)?;
            a.cmp(rsi, rdi)?;
            a.jne(top)?;
            a.ret()
        }));
        code.loops[0].vector.as_ref().unwrap().unroll
    };
    assert_eq!(unroll([0, 32, 64, 96], 128), 4);
    assert_eq!(unroll([0, 8, 32, 40], 64), 2, "neighbours of two vectors");
    assert_eq!(unroll([0, 8, 64, 72], 128), 1, "two members of each of two records");
}

#[test]
fn packed_triad() {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.xor(eax, eax)?;
        a.set_label(&mut top)?;
        a.vmovupd(ymm1, ymmword_ptr(rdx + rax))?;
        a.vfmadd213pd(ymm1, ymm0, ymmword_ptr(rsi + rax))?;
        a.vmovupd(ymmword_ptr(rdi + rax), ymm1)?;
        a.add(rax, 32)?;
        a.cmp(rax, 8000)?;
        a.jne(top)?;
        a.ret()
    }));
    let [l] = code.loops.as_slice() else { panic!("{:?}", code.loops) };
    assert!(l.vectorized);
    let v = l.vector.as_ref().unwrap();
    assert_eq!((v.isa, v.bits, v.length, v.unroll), (Isa::FMA, 256, 4, 1));
    assert_eq!(v.types, [ElementType::F64]);
    assert_eq!(l.flop.get(&ElementType::F64), Some(&8));
    assert_eq!((l.bytes_loaded, l.bytes_stored), (64, 32));
    assert_eq!(l.constant_trips, Some(250));
    assert_eq!(l.traits, [Trait::Fma]);
    assert!(l.strides.iter().all(|s| s.bytes == 32));
}

#[test]
fn scalars_in_vector_registers_are_not_packed() {
    // x[i] = (double) fabsf(y[i]): GCC's idiom converts with packed instructions.
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.movss(xmm0, dword_ptr(rsi + rax * 4))?;
        a.andps(xmm0, xmm5)?;
        a.unpcklps(xmm0, xmm0)?;
        a.cvtps2pd(xmm0, xmm0)?;
        a.movsd_2(qword_ptr(rdi + rax * 8), xmm0)?;
        a.inc(rax)?;
        a.cmp(rax, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    assert!(!code.loops[0].vectorized, "{:?}", code.loops[0].vector);
    assert!(code.loops[0].traits.contains(&Trait::FloatWidthConversion));
}

#[test]
fn in_order_sum_is_not_vectorized() {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.movupd(xmm1, xmmword_ptr(rdi))?;
        a.mulpd(xmm1, xmmword_ptr(rsi))?;
        a.addsd(xmm0, xmm1)?;
        a.unpckhpd(xmm1, xmm1)?;
        a.addsd(xmm0, xmm1)?;
        a.add(rdi, 16)?;
        a.add(rsi, 16)?;
        a.cmp(rdi, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    let l = &code.loops[0];
    assert!(!l.vectorized);
    assert!((l.vector.as_ref().unwrap().packed_share - 1.0 / 3.0).abs() < 1e-9);
    let sum = l.chains.iter().find(|c| c.carrier.name() == "xmm0").unwrap();
    assert_eq!((sum.kind, sum.latency_cycles, sum.instructions.len()), (ChainKind::InOrderSum, 8, 2));
}

#[test]
fn a_chain_takes_the_path_through_the_flags() {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.mov(edx, dword_ptr(rdi))?;
        a.add(eax, 1)?;
        a.cmp(eax, edx)?;
        a.cmovg(eax, edx)?; // the smaller of two, and of what is left the smaller of two again
        a.cmp(eax, r8d)?;
        a.cmovg(eax, r8d)?;
        a.add(rdi, 4)?;
        a.cmp(rdi, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    let chain = code.loops[0].chains.iter().find(|c| c.carrier.name() == "eax").unwrap();
    assert_eq!((chain.kind, chain.latency_cycles), (ChainKind::Recurrence, 5));
}

#[test]
fn chains_are_told_apart() {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.addpd(xmm2, xmmword_ptr(rdi + rax))?; // partial sums per lane
        a.mov(rsi, qword_ptr(rsi + 8))?; // list walk
        a.imul_2(ebx, ebx)?; // something else
        a.add(r9, qword_ptr(rdi + rax))?; // integer sum
        a.add(rax, 16)?;
        a.cmp(rax, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    let kind = |r: &str| code.loops[0].chains.iter().find(|c| c.carrier.name() == r).map(|c| c.kind);
    assert_eq!(kind("xmm2"), Some(ChainKind::VectorReduction));
    assert_eq!(kind("rsi"), Some(ChainKind::PointerChase));
    assert_eq!(kind("r9"), Some(ChainKind::IntegerReduction));
    assert_eq!(kind("rax"), Some(ChainKind::Induction));
}

#[test]
fn a_stride_in_the_frame_makes_no_recurrence() {
    let code = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.addsd(xmm1, qword_ptr(rsi))?;
        a.mov(rdx, qword_ptr(rsp + 24))?;
        a.add(rsi, rdx)?;
        a.mov(rdx, qword_ptr(rsp + 32))?;
        a.mov(qword_ptr(rdi + rdx), rbx)?;
        a.sub(ecx, 1)?;
        a.jne(top)?;
        a.ret()
    }));
    let kind = |r: &str| code.loops[0].chains.iter().find(|c| c.carrier.name() == r).map(|c| c.kind);
    assert_eq!(kind("rsi"), Some(ChainKind::Induction));
}

#[test]
fn horizontal_sums_do_not_make_an_outer_loop_vectorized() {
    let code = analyze(&assembled(|a| {
        let (mut outer, mut inner) = (a.create_label(), a.create_label());
        a.set_label(&mut outer)?;
        a.xor(eax, eax)?;
        a.pxor(xmm0, xmm0)?;
        a.set_label(&mut inner)?;
        a.addps(xmm0, xmmword_ptr(rdi + rax))?;
        a.add(rax, 16)?;
        a.cmp(rax, rcx)?;
        a.jne(inner)?;
        a.movaps(xmm1, xmm0)?;
        a.movhlps(xmm1, xmm0)?;
        a.addps(xmm0, xmm1)?;
        a.movss(dword_ptr(rsi), xmm0)?;
        a.add(rsi, 4)?;
        a.dec(edx)?;
        a.jne(outer)?;
        a.ret()
    }));
    let [outer, inner] = code.loops.as_slice() else { panic!() };
    assert!(!outer.vectorized && outer.vector.is_none(), "{:?}", outer.vector);
    assert!(inner.vectorized);
    assert_eq!((inner.parent, inner.depth, outer.innermost), (Some(0), 2, false));
}

#[test]
fn fills_and_copies_are_named() {
    let fill = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.mov(qword_ptr(rdi), 0)?;
        a.add(rdi, 8)?;
        a.cmp(rdi, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    assert_eq!(fill.loops[0].idiom, Some(Idiom::Memset));
    let copy = analyze(&assembled(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.movups(xmm0, xmmword_ptr(rsi + rax))?;
        a.movups(xmmword_ptr(rdi + rax), xmm0)?;
        a.add(rax, 16)?;
        a.cmp(rax, rcx)?;
        a.jne(top)?;
        a.ret()
    }));
    assert_eq!(copy.loops[0].idiom, Some(Idiom::Memcpy));
    assert!(copy.loops[0].vectorized);
}

/// `switch` through a table of 32-bit offsets, as position-independent code has it. The compare allows
/// three entries; the table has four, all of which must be found.
#[test]
fn relative_jump_table() {
    let mut bytes = assembled(|a| {
        let (mut top, mut next) = (a.create_label(), a.create_label());
        a.lea(rdx, qword_ptr(TABLE))?;
        a.set_label(&mut top)?;
        a.mov(ecx, dword_ptr(rdi))?;
        a.cmp(ecx, 2)?;
        a.ja(next)?;
        a.movsxd(rax, dword_ptr(rdx + rcx * 4))?;
        a.add(rax, rdx)?;
        a.jmp(rax)?;
        for k in 0..4 {
            a.add(esi, k)?;
            a.jmp(next)?;
        }
        a.set_label(&mut next)?;
        a.add(rdi, 4)?;
        a.cmp(rdi, r8)?;
        a.jne(top)?;
        a.ret()
    });
    // Where the four cases begin: after `jmp rax`.
    let first = bytes.code.windows(2).position(|w| w == [0xff, 0xe0]).unwrap() as u64 + 2 + BASE;
    let mut at = first;
    for _ in 0..4 {
        bytes.table.extend(((at as i64 - TABLE as i64) as i32).to_le_bytes());
        at += 3 + 2; // add esi, imm8; jmp short
    }
    bytes.table.extend(0x7fff_0000i32.to_le_bytes());
    let code = analyze(&bytes);
    assert!(code.unresolved_jumps.is_empty());
    assert_eq!(code.loops.len(), 1, "all cases lead back");
    assert_eq!(code.loops[0].exits, 1);
}

/// A table some of whose entries lead past a symbol in the middle: control leaves the function there.
#[test]
fn entries_of_other_functions_are_known_to_leave() {
    for checks in [true, false] {
        let mut bytes = assembled(|a| {
            let mut end = a.create_label();
            a.lea(rdx, qword_ptr(TABLE))?;
            if checks {
                a.cmp(ecx, 2)?;
                a.ja(end)?;
            } else {
                a.and(ecx, 3)?;
            }
            a.movsxd(rax, dword_ptr(rdx + rcx * 4))?;
            a.add(rax, rdx)?;
            a.jmp(rax)?;
            a.set_label(&mut end)?;
            for _ in 0..4 {
                a.ret()?;
            }
            Ok(())
        });
        let first = bytes.code.windows(2).position(|w| w == [0xff, 0xe0]).unwrap() as u64 + 2;
        for k in [0, 1, 3] {
            let distance = (BASE + first + k) as i64 - TABLE as i64;
            bytes.table.extend((distance as i32).to_le_bytes());
        }
        // The last one belongs to another function, or all to this one.
        for (length, leaves) in [(first + 3, true), (first + 4, false)] {
            let decoded = decode::decode(&bytes, &info(length as usize), &Returns::default());
            let targets: Vec<u64> = decoded.indirect.values().flatten().copied().collect();
            let expected: Vec<u64> = [0, 1, 3]
                .into_iter()
                .map(|k| first + k)
                .filter(|&at| at < length)
                .map(|at| BASE + at)
                .collect();
            assert_eq!(targets, expected);
            assert_eq!(!decoded.leaving.is_empty(), leaves, "{checks}");
        }
    }
}

#[test]
fn unknown_jumps_are_reported() {
    let code = analyze(&assembled(|a| {
        a.imul_2(rax, rdx)?;
        a.jmp(rax)
    }));
    assert_eq!(code.unresolved_jumps.len(), 1);
}

/// Distances are not pointers: where their table cannot be read, no label whose address is taken explains the jump.
#[test]
fn jumps_by_distances_that_cannot_be_read_are_reported() {
    let code = analyze(&assembled(|a| {
        let mut label = a.create_label();
        a.lea(r8, qword_ptr(label))?;
        a.push(r8)?;
        a.lea(rdx, qword_ptr(TABLE))?;
        a.movsxd(rax, dword_ptr(rdx + rcx * 4))?;
        a.add(rax, rdx)?;
        a.jmp(rax)?;
        a.set_label(&mut label)?;
        a.pop(rax)?;
        a.ret()
    }));
    assert_eq!(code.unresolved_jumps.len(), 1);
}

/// Data between instructions that the code loads from is not code: no jump through a pointer goes there.
#[test]
fn constants_among_the_code_are_no_targets() {
    let code = analyze(&assembled(|a| {
        let (mut top, mut constants) = (a.create_label(), a.create_label());
        a.lea(r8, qword_ptr(constants))?;
        a.set_label(&mut top)?;
        a.add(rax, qword_ptr(r8 + rcx * 8))?;
        a.dec(ecx)?;
        a.jne(top)?;
        a.jmp(rsi)?;
        a.set_label(&mut constants)?;
        // Two bytes each, which would lead back into the loop.
        a.add(dword_ptr(rcx), eax)?;
        a.jmp(top)
    }));
    assert!(code.unresolved_jumps.is_empty());
    assert_eq!(code.loops.len(), 1);
    assert_eq!(code.loops[0].exits, 1, "nothing but the loop's own end");
}

#[test]
fn irreducible_cycles_are_reported_as_such() {
    let code = analyze(&assembled(|a| {
        let (mut one, mut two) = (a.create_label(), a.create_label());
        a.test(edi, edi)?;
        a.jne(two)?;
        a.set_label(&mut one)?;
        a.inc(eax)?;
        a.set_label(&mut two)?;
        a.dec(ecx)?;
        a.jne(one)?;
        a.ret()
    }));
    assert!(code.loops.is_empty());
    assert_eq!(code.irreducible.len(), 1);
    assert_eq!(code.irreducible[0].entries.len(), 2);
}

#[test]
fn functions_without_code_are_an_error() {
    let error = analyze_function(&Bytes::default(), &info(16)).unwrap_err();
    assert!(matches!(error, Error::NoCode { address: BASE, .. }));
}

/// Damaged code: whatever the bytes are, the analysis ends without a panic.
#[test]
fn damaged_code_never_panics() {
    let original = assembled(|a| {
        let (mut outer, mut inner) = (a.create_label(), a.create_label());
        a.lea(rdx, qword_ptr(TABLE))?;
        a.set_label(&mut outer)?;
        a.xor(eax, eax)?;
        a.set_label(&mut inner)?;
        a.vmovups(ymm1, ymmword_ptr(rdi + rax))?;
        a.vfmadd231ps(ymm0, ymm1, ymmword_ptr(rsi + rax))?;
        a.vgatherdpd(ymm4.k1(), qword_ptr(rsi + xmm5 * 8))?;
        a.fld(qword_ptr(rsi))?;
        a.fadd_2(st0, st1)?;
        a.add(rax, 32)?;
        a.cmp(rax, rcx)?;
        a.jne(inner)?;
        a.movsxd(rax, dword_ptr(rdx + rcx * 4))?;
        a.add(rax, rdx)?;
        a.jmp(rax)?;
        a.dec(r8)?;
        a.jne(outer)?;
        a.ret()
    });
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for _ in 0..3000 {
        let mut bytes = Bytes { code: original.code.clone(), ..Bytes::default() };
        for _ in 0..1 + next() % 6 {
            let at = next() as usize % bytes.code.len();
            bytes.code[at] = next() as u8;
        }
        bytes.table = (0..64).map(|_| next() as u8).collect();
        bytes.guarded = vec![GuardedRange {
            start: BASE + next() % 64,
            end: BASE + next() % 128,
            pad: BASE + next() % 96,
        }];
        let mut function = info(bytes.code.len());
        function.parts = vec![(BASE + next() % 200, BASE + next() % 200)];
        let _ = analyze_function(&bytes, &function);
    }
}

/// What replaces the stores of a loop is listed, and only where there are loops.
#[test]
fn other_stores_are_calls_string_instructions_and_the_frame() {
    use crate::facts::OtherStoreKind::{Call, Frame, Repeated};
    let with = |looped: bool, indexed: bool| {
        let code = analyze(&assembled(|a| {
            let mut top = a.create_label();
            a.xor(eax, eax)?;
            a.set_label(&mut top)?;
            a.mov(qword_ptr(rsp + 8), rdx)?;
            a.call(rbx)?;
            a.rep().stosq()?;
            a.add(rax, 1)?;
            if looped {
                a.cmp(rax, 80)?;
                a.jne(top)?;
            }
            if indexed {
                a.lea(rdi, qword_ptr(rsp + 16))?;
            }
            a.ret()
        }));
        let others = code.other_stores.unwrap();
        (others.frame_is_indexed, others.list.iter().map(|s| (s.kind, s.in_loop)).collect::<Vec<_>>())
    };
    assert_eq!(with(false, true), (false, vec![]));
    assert_eq!(with(true, false), (false, vec![(Call, Some(0)), (Repeated, Some(0))]));
    assert_eq!(with(true, true), (true, vec![(Frame, Some(0)), (Call, Some(0)), (Repeated, Some(0))]));
}
