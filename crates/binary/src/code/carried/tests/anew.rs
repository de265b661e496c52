//! Values that are not carried though a place is written and read again: what every iteration can compute
//! itself, what is kept on the stack around calls, constants that are set again.

use super::*;
use crate::facts::LoopCode;

/// b[i] = first + a[i], with a[i] (times a factor) kept for the next iteration as `first`; `before` sets the first one.
fn kept(computes: bool, before: impl Fn(&mut CodeAssembler) -> Written) -> Vec<CarriedValue> {
    carried(|a| {
        before(a)?;
        counted(a, |a| {
            a.movsd_2(xmm1, qword_ptr(rdi + rax))?;
            if computes {
                a.mulsd(xmm1, xmm5)?;
            }
            a.addsd(xmm0, xmm1)?;
            a.movsd_2(qword_ptr(rsi + rax), xmm0)?;
            a.movapd(xmm0, xmm1)
        })
    })
}

#[test]
fn values_that_every_iteration_can_make_are_no_dependence() {
    let load = |a: &mut CodeAssembler| a.movsd_2(xmm0, qword_ptr(rdi + rax - 8));
    assert_eq!(kind(&kept(false, load), "xmm0"), None, "a[i - 1]");
    let compute = |a: &mut CodeAssembler| {
        load(a)?;
        a.mulsd(xmm0, xmm5)
    };
    assert_eq!(kind(&kept(true, compute), "xmm0"), None, "a[i - 1] * f");
    assert_eq!(kind(&kept(false, compute), "xmm0"), Some((Forwarded, None)));
}

#[test]
fn scalars_that_wrap_around_are_forwarded() {
    let last = |a: &mut CodeAssembler| a.movsd_2(xmm0, qword_ptr(rdi + rcx - 8));
    assert_eq!(kind(&kept(false, last), "xmm0"), Some((Forwarded, None)), "x = a[n - 1]");
    assert_eq!(kind(&kept(false, |_| Ok(())), "xmm0"), Some((Forwarded, None)), "an argument");
    let overwritten = |a: &mut CodeAssembler| {
        a.movsd_2(xmm0, qword_ptr(rdi + rax - 8))?;
        a.movsd_2(qword_ptr(rdi + rax - 8), xmm5)
    };
    assert_eq!(kind(&kept(false, overwritten), "xmm0"), Some((Forwarded, None)), "stored to since");
    let index = carried(|a| {
        a.mov(rbx, rcx)?;
        counted(a, |a| {
            a.movsd_2(xmm1, qword_ptr(rdi + rbx))?;
            a.movsd_2(qword_ptr(rsi + rax), xmm1)?;
            a.mov(rbx, rax)
        })
    });
    assert_eq!(kind(&index, "rbx"), Some((Forwarded, None)), "{index:?}");
}

/// Spilled registers: a pointer that advances, and a value carried unchanged.
#[test]
fn variables_of_the_frame_are_followed_like_registers() {
    let all = carried(|a| {
        counted(a, |a| {
            a.mov(rbx, qword_ptr(rsp + 8))?;
            a.movsd_2(xmm0, qword_ptr(rbx))?;
            a.add(rbx, 16)?;
            a.mov(qword_ptr(rsp + 8), rbx)?;
            a.mulsd(xmm0, qword_ptr(rsp + 16))?;
            a.movsd_2(qword_ptr(rsp + 16), xmm0)
        })
    });
    assert_eq!(kind(&all, "[rsp+0x8]"), Some((Induction, None)), "{all:?}");
    assert_ne!(kind(&all, "[rsp+0x10]").map(|k| k.0), Some(Induction), "{all:?}");
    assert!(kind(&all, "[rsp+0x10]").is_some());
}

/// `x = f(x)` leaves the value in xmm0: no instruction of the loop names it.
#[test]
fn values_that_go_round_through_calls() {
    let of = |takes: bool| {
        let mut a = CodeAssembler::new(64).unwrap();
        let (mut top, mut callee) = (a.create_label(), a.create_label());
        let mut write = || -> Written {
            a.set_label(&mut top)?;
            a.mov(edi, ebx)?;
            a.call(callee)?;
            a.sub(ebx, 1)?;
            a.jne(top)?;
            a.ret()?;
            a.set_label(&mut callee)?;
            if !takes {
                a.cvtsi2sd(xmm0, edi)?;
            }
            a.mulsd(xmm0, xmm0)?;
            a.ret()
        };
        write().unwrap();
        let code = a.assemble(BASE).unwrap();
        let split = BASE + code.windows(1).position(|w| w == [0xc3]).unwrap() as u64 + 1;
        let functions = vec![info(BASE, split), info(split, BASE + code.len() as u64)];
        let caller = functions[0].clone();
        analyze_function(&Bytes(code, functions), &caller).unwrap().loops[0].carried.clone().unwrap()
    };
    assert_eq!(kind(&of(true), "xmm0").map(|k| k.0), Some(Recurrence), "{:?}", of(true));
    assert_eq!(kind(&of(false), "xmm0"), None);
    assert_eq!(kind(&of(false), "ebx"), Some((Induction, None)));
}

/// Writes a function; its own label is passed in.
type Callee = dyn Fn(&mut CodeAssembler, CodeLabel) -> Written;

/// A loop up to `rsi` around a call: of the function `callee`, or through a pointer.
fn around_a_call(after: impl Fn(&mut CodeAssembler) -> Written, callee: Option<&Callee>) -> LoopCode {
    let mut a = CodeAssembler::new(64).unwrap();
    let (mut top, mut function) = (a.create_label(), a.create_label());
    let mut write = || -> Written {
        a.set_label(&mut top)?;
        a.movsd_2(xmm0, qword_ptr(r12 + rbx))?;
        if callee.is_some() {
            a.call(function)?
        } else {
            a.call(rbp)?
        }
        after(&mut a)?;
        a.add(rbx, 8)?;
        a.cmp(rbx, rsi)?;
        a.jne(top)?;
        a.ret()?;
        a.set_label(&mut function)?;
        match callee {
            Some(callee) => callee(&mut a, function)?,
            None => a.nop()?,
        }
        a.ret()
    };
    write().unwrap();
    let result =
        a.assemble_options(BASE, iced_x86::BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS).unwrap();
    let split = result.label_ip(&function).unwrap();
    let code = result.inner.code_buffer;
    let functions = vec![info(BASE, split), info(split, BASE + code.len() as u64)];
    let caller = functions[0].clone();
    analyze_function(&Bytes(code, functions), &caller).unwrap().loops.remove(0)
}

/// Values that a compiler which knows the function keeps in caller-saved registers.
#[test]
fn a_called_function_leaves_registers_alone_that_it_does_not_write() {
    let stores = |a: &mut CodeAssembler| a.movsd_2(qword_ptr(r14 + rbx), xmm0);
    let ends_by_data = |callee: &Callee| {
        let code = around_a_call(stores, Some(callee));
        assert_eq!(kind(code.carried.as_ref().unwrap(), "rbx"), Some((Induction, None)));
        !code.ends.unwrap().data.is_empty()
    };
    assert!(!ends_by_data(&|a, _| a.mulsd(xmm0, xmm0)));
    assert!(ends_by_data(&|a, _| a.mov(rsi, rdi)));
    // What it calls, or jumps to, may write the register.
    assert!(ends_by_data(&|a, own| {
        let mut end = a.create_label();
        a.test(edi, edi)?;
        a.je(end)?;
        a.call(own)?;
        a.set_label(&mut end)?;
        a.nop()
    }));
    assert!(ends_by_data(&|a, _| a.jmp(qword_ptr(r15))));
}

/// A sum in the register of a first argument, around a call outside the binary: whether the function takes it
/// is not known.
#[test]
fn what_an_unknown_function_takes_is_not_known() {
    let adds = |a: &mut CodeAssembler| a.addsd(xmm1, xmm0);
    let all = around_a_call(adds, None).carried.unwrap();
    assert_eq!(kind(&all, "xmm1").map(|k| k.0), Some(Unclear), "{all:?}");
}

/// A loop that calls a function on some paths, keeps `xmm10` (a sum) and `rdi` on the stack meanwhile, and
/// then sets `xmm8` and `xmm9` again.
fn with_a_call(a: &mut CodeAssembler, again: impl FnOnce(&mut CodeAssembler) -> Written) -> Written {
    let (mut top, mut behind, mut function) = (a.create_label(), a.create_label(), a.create_label());
    a.sub(rsp, 40)?;
    a.pxor(xmm9, xmm9)?;
    a.mov(r8, 0x3ff0_0000_0000_0000u64)?;
    a.movq(xmm8, r8)?;
    a.set_label(&mut top)?;
    a.movsd_2(xmm1, qword_ptr(rdi + rbx))?;
    a.ucomisd(xmm1, xmm9)?;
    a.ja(behind)?;
    a.mov(qword_ptr(rsp + 8), rdi)?;
    a.movsd_2(qword_ptr(rsp + 16), xmm10)?;
    a.call(function)?;
    a.mov(rdi, qword_ptr(rsp + 8))?;
    a.movsd_2(xmm10, qword_ptr(rsp + 16))?;
    again(a)?;
    a.movsd_2(xmm1, qword_ptr(rdi + rbx))?;
    a.set_label(&mut behind)?;
    a.mulsd(xmm1, xmm8)?;
    a.addsd(xmm10, xmm1)?;
    a.add(rbx, 8)?;
    a.cmp(rbx, 800)?;
    a.jne(top)?;
    a.add(rsp, 40)?;
    a.ret()?;
    a.set_label(&mut function)?;
    a.ret()
}

#[test]
fn what_is_kept_on_the_stack_around_a_call_and_constants_are_not_handed_over() {
    let all = carried(|a| {
        with_a_call(a, |a| {
            a.pxor(xmm9, xmm9)?;
            a.mov(rax, 0x3ff0_0000_0000_0000u64)?;
            a.movq(xmm8, rax)
        })
    });
    assert_eq!(kind(&all, "xmm10"), reduction("+"));
    assert_eq!(kind(&all, "rbx"), Some((Induction, None)));
    for place in ["xmm8", "xmm9", "rdi", "r8"] {
        assert_eq!(kind(&all, place), None, "{all:?}");
    }
    // Another constant on that path is carried.
    let all = carried(|a| {
        with_a_call(a, |a| {
            a.pxor(xmm9, xmm9)?;
            a.mov(rax, 0x4000_0000_0000_0000u64)?;
            a.movq(xmm8, rax)
        })
    });
    assert!(kind(&all, "xmm8").is_some() && kind(&all, "xmm9").is_none(), "{all:?}");
}
