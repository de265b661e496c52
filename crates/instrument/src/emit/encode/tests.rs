use super::*;
use iced_x86::{Decoder, DecoderOptions, MemoryOperand, Register};
use loopwright_binary::image::{DebugSearch, Image};
use std::collections::HashMap;

const AT: u64 = 0x10_0000;

fn decoded(bytes: &[u8], at: u64) -> Vec<Instruction> {
    Decoder::with_ip(64, bytes, at, DecoderOptions::NONE).into_iter().collect()
}

/// `branch` over that many bytes of `nop`s.
fn over(code: Code, bytes: usize) -> Vec<Instruction> {
    let mut w = Writer::new();
    let behind = w.label();
    w.branch(code, behind.address());
    for _ in 0..bytes {
        w.plain(Code::Nopd);
    }
    w.place(behind);
    w.plain(Code::Retnq);
    w.finish();
    let encoded = encode(&w, AT).unwrap();
    let code = decoded(&encoded.bytes, AT);
    let last = code.last().unwrap();
    assert_eq!(last.mnemonic(), iced_x86::Mnemonic::Ret);
    assert_eq!(encoded.address(behind.address()), Some(last.ip()));
    code
}

#[test]
fn branches_are_short_exactly_where_they_reach() {
    for code in [Code::Jmp_rel32_64, Code::Jne_rel32_64] {
        for bytes in 120..136 {
            let list = over(code, bytes);
            assert_eq!(list[0].near_branch_target(), list.last().unwrap().ip());
            assert_eq!(list[0].len() == 2, bytes <= 127, "{bytes}");
        }
    }
    // A call has one form.
    assert_eq!(over(Code::Call_rel32_64, 3)[0].len(), 5);
}

#[test]
fn a_loop_instruction_that_does_not_reach_goes_by_way_of_a_jump() {
    for code in [Code::Loop_rel8_64_RCX, Code::Jrcxz_rel8_64] {
        let near = over(code, 100);
        assert_eq!((near[0].code(), near[0].near_branch_target()), (code, near.last().unwrap().ip()));
        let far = over(code, 300);
        // Taken: to the near jump; not taken: over it.
        assert_eq!((far[0].code(), far[0].near_branch_target()), (code, far[2].ip()));
        assert_eq!((far[1].code(), far[1].near_branch_target()), (Code::Jmp_rel8_64, far[3].ip()));
        assert_eq!(
            (far[2].code(), far[2].near_branch_target()),
            (Code::Jmp_rel32_64, far.last().unwrap().ip())
        );
    }
}

#[test]
fn a_branch_that_grows_pushes_others_out_of_reach() {
    // Each jump just reaches its target until the one in between grows.
    let mut w = Writer::new();
    let labels: Vec<_> = (0..40).map(|_| w.label()).collect();
    for label in &labels {
        w.jump(label.address());
    }
    for _ in 0..128 {
        w.plain(Code::Nopd);
    }
    for label in labels.iter().rev() {
        w.place(*label);
        w.plain(Code::Clc);
    }
    w.finish();
    let encoded = encode(&w, AT).unwrap();
    let list = decoded(&encoded.bytes, AT);
    for (i, label) in list.iter().zip(&labels) {
        assert_eq!(Some(i.near_branch_target()), encoded.address(label.address()));
    }
    assert_eq!(list.len(), 40 + 128 + 40);
}

#[test]
fn data_keeps_its_address_and_what_is_out_of_reach_is_refused() {
    let data = AT + 0x1234_5678;
    let mut w = Writer::new();
    w.read(Code::Mov_r64_rm64, Register::RAX, MemoryOperand::with_base_displ(Register::RIP, data as i64));
    // The displacement is followed by an immediate.
    let at = MemoryOperand::with_base_displ(Register::RIP, data as i64);
    w.memory_immediate(Code::Cmp_rm32_imm32, at, 77);
    w.read(Code::Lea_r32_m, Register::ECX, MemoryOperand::with_base_displ(Register::EIP, 0x8765_4321));
    w.finish();
    let list = decoded(&encode(&w, AT).unwrap().bytes, AT);
    let meant: Vec<u64> = list.iter().map(Instruction::ip_rel_memory_address).collect();
    assert_eq!(meant, [data, data, 0x8765_4321]);
    assert_eq!(list[1].immediate32(), 77);
    let why = |at: u64| encode(&w, at).map(|e| e.bytes).unwrap_err();
    assert_eq!(why(AT + 0x1_0000_0000), Unencodable::DataTooFar);
    let mut w = Writer::new();
    w.jump(AT);
    w.finish();
    assert!(encode(&w, AT + 0x1_0000_0000).is_err());
}

#[test]
fn code_in_front_of_its_file_is_no_label() {
    // The first address of a file is often 0, and its copies are below.
    let below = 0u64.wrapping_sub(0x1_0000);
    let mut w = Writer::new();
    w.call(below.wrapping_sub(0x2000));
    w.jump(0x40);
    w.read(Code::Lea_r64_m, Register::RAX, MemoryOperand::with_base_displ(Register::RIP, below as i64));
    w.finish();
    let list = decoded(&encode(&w, below).unwrap().bytes, below);
    assert_eq!(list[0].near_branch_target(), below.wrapping_sub(0x2000));
    assert_eq!(list[1].near_branch_target(), 0x40);
    assert_eq!(list[2].ip_rel_memory_address(), below);
}

/// A copy that ends where its file begins, or extends over the first address.
#[test]
fn addresses_wrap() {
    for first in 0..80u64 {
        let at = 0u64.wrapping_sub(first);
        let mut w = Writer::new();
        let top = w.label();
        w.align();
        w.place(top);
        w.offset(Register::RAX, Register::RAX, 1);
        w.call(0x2000);
        w.branch(Code::Loop_rel8_64_RCX, 0x4000);
        w.jump(top.address());
        w.read(Code::Lea_r64_m, Register::RAX, MemoryOperand::with_base_displ(Register::RIP, 0x3000));
        w.finish();
        let encoded = encode(&w, at).unwrap();
        let begin = encoded.address(w.resolve(top.address())).unwrap();
        assert_eq!(begin % 32, 0);
        let skipped = begin.wrapping_sub(at) as usize;
        let list = decoded(&encoded.bytes[skipped..], begin);
        assert_eq!(list[1].near_branch_target(), 0x2000, "{first}");
        let back = list.iter().find(|i| i.near_branch_target() == begin && i.is_jmp_short_or_near());
        assert!(back.is_some(), "{first}");
        let out = list.iter().find(|i| i.near_branch_target() == 0x4000 && i.is_jmp_short_or_near());
        assert!(out.is_some(), "{first}");
        assert_eq!(list.last().unwrap().ip_rel_memory_address(), 0x3000, "{first}");
    }
}

#[test]
fn loops_are_aligned_and_only_no_operations_fill() {
    for first in 0..40 {
        let mut w = Writer::new();
        for _ in 0..first {
            w.plain(Code::Clc);
        }
        let head = w.label();
        w.align();
        w.place(head);
        w.one(Code::Inc_rm64, Register::RAX);
        w.branch(Code::Jne_rel32_64, head.address());
        w.finish();
        let encoded = encode(&w, AT + 7).unwrap();
        assert_eq!(encoded.address(head.address()).unwrap() % ALIGNMENT, 0);
        let fills = |i: &Instruction| matches!(i.mnemonic(), iced_x86::Mnemonic::Nop);
        let rest: Vec<_> = decoded(&encoded.bytes, AT + 7).into_iter().filter(|i| !fills(i)).collect();
        assert_eq!(rest.len(), first + 2);
        assert_eq!(rest[first + 1].near_branch_target(), rest[first].ip());
    }
}

#[test]
fn prefixes_and_transactions_are_kept() {
    let mut w = Writer::new();
    let label = w.label();
    let mut bound = Instruction::with_branch(Code::Jmp_rel32_64, label.address()).unwrap();
    bound.set_has_repne_prefix(true); // `bnd jmp`
    w.push(bound);
    w.push(Instruction::with_xbegin(64, label.address()).unwrap());
    w.place(label);
    w.plain(Code::Retnq);
    w.finish();
    let list = decoded(&encode(&w, AT).unwrap().bytes, AT);
    assert!(list[0].has_repne_prefix() && list[0].len() == 3);
    assert_eq!(list[1].code(), Code::Xbegin_rel32);
    assert!(list[..2].iter().all(|i| i.near_branch_target() == list[2].ip()));
}

/// This executable's own code, moved: the same instructions, with the same targets, at another address.
#[test]
fn real_code_means_the_same_at_another_place() {
    let image = Image::open(&std::env::current_exe().unwrap(), &DebugSearch::none()).unwrap();
    let (mut moved, mut branches) = (0, 0);
    for function in image.unnamed_functions().iter().step_by(7) {
        let Some(bytes) = image.code(function.address, function.end) else { continue };
        let original = decoded(bytes, function.address);
        if original.iter().any(Instruction::is_invalid) {
            continue;
        }
        let mut w = Writer::new();
        let labels: HashMap<u64, Label> = original.iter().map(|i| (i.ip(), w.label())).collect();
        for i in &original {
            w.place(labels[&i.ip()]);
            let mut i = *i;
            if is_branch(&i)
                && let Some(label) = labels.get(&i.near_branch_target())
            {
                i.set_near_branch64(label.address());
            }
            w.push(i);
        }
        w.finish();
        let encoded = encode(&w, image.lowest_address().wrapping_sub(0x10_0003)).unwrap();
        let copy = decoded(&encoded.bytes, image.lowest_address().wrapping_sub(0x10_0003));
        assert_eq!(copy.len(), original.len(), "{:#x}", function.address);
        for (was, is) in original.iter().zip(&copy) {
            assert_eq!(encoded.address(labels[&was.ip()].address()), Some(is.ip()));
            let mut expected = *was;
            if is_branch(was) {
                let target = was.near_branch_target();
                let target = labels.get(&target).map_or(Some(target), |l| encoded.address(l.address()));
                assert_eq!(Some(is.near_branch_target()), target);
                expected = leading_to(*was, is.code(), is.near_branch_target());
                branches += 1;
            }
            // All operands; displacements as the addresses that they refer to.
            assert_eq!(*is, expected, "at {:#x}", was.ip());
            moved += 1;
        }
    }
    assert!(moved > 10_000 && branches > 1_000, "{moved} {branches}");
}
