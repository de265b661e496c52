//! Small loops of each kind, as compilers write them.

mod anew;

use super::super::analyze_function;
use super::super::source::CodeSource;
use crate::facts::{CarriedKind, CarriedValue, FunctionInfo, FunctionOrigin};
use iced_x86::code_asm::*;

const BASE: u64 = 0x1000;

struct Bytes(Vec<u8>, Vec<FunctionInfo>);

impl CodeSource for Bytes {
    fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
        self.0.get(start.checked_sub(BASE)? as usize..end.checked_sub(BASE)? as usize)
    }
    fn data(&self, _: u64, _: usize) -> Option<&[u8]> {
        None
    }
    fn is_read_only(&self, _: u64) -> bool {
        true
    }
    fn function_at(&self, address: u64) -> Option<&FunctionInfo> {
        self.1.iter().find(|f| f.address <= address && address < f.end)
    }
}

fn info(address: u64, end: u64) -> FunctionInfo {
    FunctionInfo {
        name: "f".into(),
        linkage_name: None,
        address,
        end,
        parts: vec![],
        origin: FunctionOrigin::Symtab,
    }
}

type Written = Result<(), iced_x86::IcedError>;

/// The carried values of the outermost loop.
fn carried(write: impl FnOnce(&mut CodeAssembler) -> Written) -> Vec<CarriedValue> {
    let mut a = CodeAssembler::new(64).unwrap();
    write(&mut a).unwrap();
    let code = a.assemble(BASE).unwrap();
    let whole = info(BASE, BASE + code.len() as u64);
    let code = analyze_function(&Bytes(code, vec![]), &whole).unwrap();
    code.loops[0].carried.clone().unwrap()
}

fn kind(all: &[CarriedValue], place: &str) -> Option<(CarriedKind, Option<String>)> {
    all.iter().find(|v| v.place == place).map(|v| (v.kind, v.operation.clone()))
}

fn reduction(operation: &str) -> Option<(CarriedKind, Option<String>)> {
    Some((CarriedKind::Reduction, Some(operation.to_owned())))
}

use CarriedKind::{Forwarded, Induction, PointerChase, Recurrence, Unclear};

/// A loop over `rax` with a body.
fn counted(a: &mut CodeAssembler, body: impl FnOnce(&mut CodeAssembler) -> Written) -> Written {
    let mut top = a.create_label();
    a.set_label(&mut top)?;
    body(a)?;
    a.add(rax, 8)?;
    a.cmp(rax, rcx)?;
    a.jne(top)?;
    a.ret()
}

#[test]
fn sums_products_and_counters() {
    let all = carried(|a| {
        counted(a, |a| {
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.movsd_2(xmm1, qword_ptr(rdi + rax))?;
            a.mulsd(xmm1, qword_ptr(rsi + rax))?;
            a.subsd(xmm3, xmm1)?; // a sum of products, subtracted
            a.mulsd(xmm2, qword_ptr(rsi + rax))?;
            a.maxsd(xmm4, xmm1)?;
            a.and(rdx, qword_ptr(rdi + rax))?;
            a.xor(rbx, qword_ptr(rdi + rax))?;
            a.lea(r8, qword_ptr(r8 + 24))
        })
    });
    assert_eq!(kind(&all, "rax"), Some((Induction, None)));
    assert_eq!(kind(&all, "r8"), Some((Induction, None)));
    for (place, operation) in
        [("xmm0", "+"), ("xmm3", "+"), ("xmm2", "*"), ("xmm4", "max"), ("rdx", "&"), ("rbx", "^")]
    {
        assert_eq!(kind(&all, place), reduction(operation), "{place}");
    }
    assert_eq!(all.len(), 8, "{all:?}");
    let sum = all.iter().find(|v| v.place == "xmm0").unwrap();
    assert!(sum.floating && !sum.memory && sum.distance == 1 && sum.copies == 1);
}

#[test]
fn partial_sums_that_are_stored_are_no_reduction() {
    let stored = carried(|a| {
        counted(a, |a| {
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.movsd_2(qword_ptr(rsi + rax), xmm0)
        })
    });
    assert_eq!(kind(&stored, "xmm0"), Some((Recurrence, None)));
    // The same through a copy.
    let copied = carried(|a| {
        counted(a, |a| {
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.movapd(xmm1, xmm0)?;
            a.sqrtsd(xmm1, xmm1)?;
            a.movsd_2(qword_ptr(rsi + rax), xmm1)
        })
    });
    assert_eq!(kind(&copied, "xmm0"), Some((Recurrence, None)));
    // A sum that restarts in some iterations.
    let anew = carried(|a| {
        counted(a, |a| {
            let mut on = a.create_label();
            a.cmp(qword_ptr(rsi + rax), 0)?;
            a.jne(on)?;
            a.xor(edx, edx)?;
            a.set_label(&mut on)?;
            a.add(rdx, qword_ptr(rdi + rax))
        })
    });
    assert_eq!(kind(&anew, "rdx"), Some((Recurrence, None)));
}

#[test]
fn string_instructions_advance_their_pointers() {
    let all = carried(|a| counted(a, |a| a.movsq()));
    assert_eq!(kind(&all, "rsi"), Some((Induction, None)), "{all:?}");
    assert_eq!(kind(&all, "rdi"), Some((Induction, None)), "{all:?}");
}

#[test]
fn polynomials_and_generators_are_recurrences() {
    let all = carried(|a| {
        counted(a, |a| {
            a.mulsd(xmm0, xmm5)?; // Horner: p = p * x + a[i]
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.imul_3(edx, edx, 1_664_525)?; // a linear congruential generator
            a.add(edx, 1_013_904_223)?;
            a.vfmadd213sd(xmm1, xmm2, qword_ptr(rdi + rax))?; // as a factor
            a.vfmadd231sd(xmm3, xmm2, qword_ptr(rdi + rax)) // as the addend
        })
    });
    assert_eq!(kind(&all, "xmm0"), Some((Recurrence, None)));
    assert_eq!(kind(&all, "edx"), Some((Recurrence, None)));
    assert_eq!(kind(&all, "xmm1"), Some((Recurrence, None)));
    assert_eq!(kind(&all, "xmm3"), reduction("+"));
}

#[test]
fn lists_are_chased() {
    let all = carried(|a| {
        let mut top = a.create_label();
        a.set_label(&mut top)?;
        a.addsd(xmm0, qword_ptr(rdi + 8))?;
        a.mov(rdi, qword_ptr(rdi))?;
        a.test(rdi, rdi)?;
        a.jne(top)?;
        a.ret()
    });
    assert_eq!(kind(&all, "rdi"), Some((PointerChase, None)));
    assert_eq!(kind(&all, "xmm0"), reduction("+"));
}

/// `if (a[i] > m) m = a[i]`, and with another value assigned.
#[test]
fn conditional_maxima() {
    let branch = |value: AsmRegisterXmm| {
        carried(move |a| {
            counted(a, |a| {
                let mut on = a.create_label();
                a.movsd_2(xmm1, qword_ptr(rdi + rax))?;
                a.movsd_2(xmm2, qword_ptr(rsi + rax))?;
                a.comisd(xmm1, xmm0)?;
                a.jbe(on)?;
                a.movapd(xmm0, value)?;
                a.set_label(&mut on)
            })
        })
    };
    assert_eq!(kind(&branch(xmm1), "xmm0"), reduction("min/max"));
    assert_eq!(kind(&branch(xmm2), "xmm0"), Some((Recurrence, None)));
    let moved = carried(|a| {
        counted(a, |a| {
            a.mov(rbx, qword_ptr(rdi + rax))?;
            a.cmp(rdx, rbx)?;
            a.cmovl(rdx, rbx)
        })
    });
    assert_eq!(kind(&moved, "rdx"), reduction("min/max"));
}

/// Counters and sums in the frame, as without optimisation: `for (i = 0; i < n; i++) if (a[i] > m) m = a[i]; s += a[i]`.
#[test]
fn unoptimised_code() {
    let of = |other: i32| {
        carried(move |a| {
            let (mut top, mut on) = (a.create_label(), a.create_label());
            let element = |a: &mut CodeAssembler, array: i32| {
                a.mov(eax, dword_ptr(rbp - 4))?;
                a.cdqe()?;
                a.lea(rdx, qword_ptr(rax * 8))?;
                a.mov(rax, qword_ptr(rbp - array))?;
                a.add(rax, rdx)?;
                a.movsd_2(xmm0, qword_ptr(rax))
            };
            a.set_label(&mut top)?;
            element(a, 40)?;
            a.comisd(xmm0, qword_ptr(rbp - 16))?;
            a.jbe(on)?;
            element(a, other)?;
            a.movsd_2(qword_ptr(rbp - 16), xmm0)?;
            a.set_label(&mut on)?;
            element(a, 40)?;
            a.movsd_2(xmm1, qword_ptr(rbp - 24))?;
            a.addsd(xmm0, xmm1)?;
            a.movsd_2(qword_ptr(rbp - 24), xmm0)?;
            a.add(dword_ptr(rbp - 4), 1)?;
            a.mov(eax, dword_ptr(rbp - 4))?;
            a.cmp(eax, dword_ptr(rbp - 8))?;
            a.jl(top)?;
            a.ret()
        })
    };
    let all = of(40);
    assert_eq!(kind(&all, "[rbp-0x4]"), Some((Induction, None)));
    assert_eq!(kind(&all, "[rbp-0x18]"), reduction("+"));
    assert_eq!(kind(&all, "[rbp-0x10]"), reduction("min/max"));
    assert!(all.iter().all(|v| v.memory), "{all:?}");
    assert_eq!(kind(&of(48), "[rbp-0x10]"), Some((Recurrence, None)), "another array's element is kept");
}

/// `*s += a[i]`: the compiler keeps the sum in a register and stores it each time, or, without optimisation, loads the
/// pointer each time.
#[test]
fn sums_behind_pointers() {
    let stored = carried(|a| {
        counted(a, |a| {
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.movsd_2(qword_ptr(rsi), xmm0)
        })
    });
    assert_eq!(kind(&stored, "xmm0"), reduction("+"));
    let pointer = carried(|a| {
        a.mov(rbp, rsp)?;
        counted(a, |a| {
            a.mov(rdx, qword_ptr(rbp - 24))?;
            a.movsd_2(xmm0, qword_ptr(rdx))?;
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.mov(rdx, qword_ptr(rbp - 24))?;
            a.movsd_2(qword_ptr(rdx), xmm0)
        })
    });
    assert_eq!(kind(&pointer, "[rdx]"), reduction("+"), "{pointer:?}");
}

/// The destination of a gather is merged with what it held, unless all lanes are taken.
#[test]
fn gathers_of_all_lanes_take_nothing_from_their_destination() {
    #[derive(Clone, Copy)]
    enum Mask {
        Ones,
        Copied,
        Compared,
        Agreed,
        Overwritten,
    }
    let of = |mask: Mask| {
        carried(move |a| {
            counted(a, |a| {
                a.vmovdqu(ymm5, ymmword_ptr(rsi + rax))?;
                match mask {
                    Mask::Ones => a.kxnorb(k1, k1, k1)?,
                    Mask::Copied => a.kmovb(k1, k2)?,
                    Mask::Compared => a.vpcmpgtd(k1, ymm5, ymm6)?,
                    Mask::Agreed => {
                        a.vpcmpgtd(k2, ymm5, ymm6)?;
                        a.kxnorb(k1, k2, k3)?;
                    }
                    Mask::Overwritten => {
                        a.kxnorb(k1, k1, k1)?;
                        a.vpcmpgtd(k1, ymm5, ymm6)?;
                    }
                }
                a.vgatherdpd(zmm1.k1(), qword_ptr(rdi + ymm5 * 8))?;
                a.vmovupd(zmmword_ptr(rdx + rax * 2), zmm1)
            })
        })
    };
    for mask in [Mask::Ones, Mask::Copied] {
        assert_eq!(of(mask).iter().filter(|v| v.kind != Induction).count(), 0, "{:?}", of(mask));
    }
    for mask in [Mask::Compared, Mask::Agreed, Mask::Overwritten] {
        assert!(of(mask).iter().any(|v| v.place == "zmm1"), "{:?}", of(mask));
    }
}

#[test]
fn values_that_rotate_through_registers() {
    // a[i + 2] = a[i] + b[i] with a[i] and a[i + 1] kept in registers.
    let rotating = carried(|a| {
        counted(a, |a| {
            a.movapd(xmm2, xmm0)?;
            a.addsd(xmm2, qword_ptr(rsi + rax))?;
            a.movsd_2(qword_ptr(rdi + rax), xmm2)?;
            a.movapd(xmm0, xmm1)?;
            a.movapd(xmm1, xmm2)
        })
    });
    let both: Vec<_> = rotating.iter().filter(|v| v.kind == Recurrence).collect();
    assert_eq!(
        both.iter().map(|v| (v.distance, v.copies)).collect::<Vec<_>>(),
        [(2, 1), (2, 1)],
        "{rotating:?}"
    );
    // Unrolled: each register on its own.
    let unrolled = carried(|a| {
        counted(a, |a| {
            a.addsd(xmm0, qword_ptr(rsi + rax))?;
            a.movsd_2(qword_ptr(rdi + rax), xmm0)?;
            a.addsd(xmm1, qword_ptr(rsi + rax + 8))?;
            a.movsd_2(qword_ptr(rdi + rax + 8), xmm1)
        })
    });
    let both: Vec<_> = unrolled.iter().filter(|v| v.kind == Recurrence).collect();
    assert_eq!(both.iter().map(|v| (v.distance, v.copies)).collect::<Vec<_>>(), [(1, 1), (1, 1)]);
    // Four times in one register.
    let four = carried(|a| {
        counted(a, |a| {
            for k in 0..4 {
                a.mulsd(xmm0, xmm5)?;
                a.addsd(xmm0, qword_ptr(rsi + rax + 8 * k))?;
                a.movsd_2(qword_ptr(rdi + rax + 8 * k), xmm0)?;
            }
            Ok(())
        })
    });
    assert_eq!(four.iter().find(|v| v.kind == Recurrence).map(|v| (v.distance, v.copies)), Some((1, 4)));
}

/// The number of exits of the outermost loop that are decided by its data.
fn data_exits(write: impl FnOnce(&mut CodeAssembler) -> Written) -> usize {
    let mut a = CodeAssembler::new(64).unwrap();
    write(&mut a).unwrap();
    let code = a.assemble(BASE).unwrap();
    let whole = info(BASE, BASE + code.len() as u64);
    let code = analyze_function(&Bytes(code, vec![]), &whole).unwrap();
    let ends = code.loops[0].ends.clone().unwrap();
    assert_eq!(ends.unclear, Vec::<u64>::new());
    ends.data.len()
}

#[test]
fn exits_are_counted_or_decided_by_data() {
    let with = |test: fn(&mut CodeAssembler) -> Written| {
        data_exits(move |a| {
            let (mut top, mut out) = (a.create_label(), a.create_label());
            a.set_label(&mut top)?;
            test(a)?;
            a.je(out)?;
            a.add(rax, 8)?;
            a.cmp(rax, rcx)?;
            a.jne(top)?;
            a.set_label(&mut out)?;
            a.ret()
        })
    };
    assert_eq!(with(|a| a.cmp(rax, rdx)), 0, "two limits");
    assert_eq!(with(|a| a.cmp(rax, qword_ptr(rdi + 16))), 0, "a limit in memory");
    assert_eq!(with(|a| a.cmp(qword_ptr(rdi + rax), 7)), 1, "a search");
    assert_eq!(with(|a| a.cmp(dword_ptr(rdi), 0)), 1, "a flag that another thread sets");
    let sum = |a: &mut CodeAssembler| {
        a.add(rbx, qword_ptr(rdi + rax))?;
        a.cmp(rbx, rdx)
    };
    assert_eq!(with(sum), 1, "until a sum is reached");
}

#[test]
fn a_counter_is_one_where_a_path_writes_its_number() {
    let with = |compared: i32| {
        data_exits(move |a| {
            let (mut top, mut first, mut next) = (a.create_label(), a.create_label(), a.create_label());
            a.set_label(&mut top)?;
            a.cmp(rax, compared)?;
            a.je(first)?;
            a.add(rax, 1)?;
            a.jmp(next)?;
            a.set_label(&mut first)?;
            a.mov(eax, 2)?;
            a.set_label(&mut next)?;
            a.cmp(rax, rcx)?;
            a.jne(top)?;
            a.ret()
        })
    };
    assert_eq!(with(1), 0, "1 + 1 is 2");
    assert_eq!(with(5), 1, "it starts again");
}

#[test]
fn counters_are_stored_for_called_functions() {
    let stores = |first: i32, twice: bool, other: bool| {
        let mut a = CodeAssembler::new(64).unwrap();
        let mut write = || -> Written {
            let mut top = a.create_label();
            a.mov(ebx, 1)?;
            a.mov(dword_ptr(rsp + 88), first)?;
            a.set_label(&mut top)?;
            a.add(rbx, 1)?;
            a.add(r12, qword_ptr(rsi))?;
            a.mov(dword_ptr(rsp + 88), if other { r12d } else { ebx })?;
            if twice {
                a.mov(dword_ptr(rsp + 88), r13d)?;
            }
            a.cmp(rbx, rcx)?;
            a.jne(top)?;
            a.ret()
        };
        write().unwrap();
        let code = a.assemble(BASE).unwrap();
        let whole = info(BASE, BASE + code.len() as u64);
        analyze_function(&Bytes(code, vec![]), &whole).unwrap().loops[0].counter_stores.len()
    };
    assert_eq!(stores(1, false, false), 1);
    assert_eq!(stores(7, false, false), 0, "the first iteration finds another value");
    assert_eq!((stores(1, true, false), stores(1, false, true)), (0, 0));
}

#[test]
fn counters_that_pause_are_no_induction() {
    let of = |used: bool| {
        carried(move |a| {
            counted(a, |a| {
                let mut on = a.create_label();
                a.mov(rdx, qword_ptr(rdi + rax))?;
                a.test(rdx, rdx)?;
                a.je(on)?;
                if used {
                    a.mov(qword_ptr(rsi + rbx * 8), rdx)?;
                }
                a.add(rbx, 1)?;
                a.set_label(&mut on)
            })
        })
    };
    assert_eq!(kind(&of(true), "rbx"), Some((Recurrence, None)), "compaction");
    assert_eq!(kind(&of(false), "rbx"), reduction("+"), "counting");
}

#[test]
fn outer_loops_see_what_their_inner_loops_carry() {
    let nest = |reset: bool| {
        carried(move |a| {
            let (mut outer, mut inner) = (a.create_label(), a.create_label());
            a.set_label(&mut outer)?;
            a.xor(eax, eax)?;
            if reset {
                a.pxor(xmm0, xmm0)?;
            }
            a.set_label(&mut inner)?;
            a.addsd(xmm0, qword_ptr(rdi + rax))?;
            a.mulsd(xmm1, qword_ptr(rdi + rax))?;
            a.mov(qword_ptr(r9), rax)?;
            a.add(r9, 8)?;
            a.add(rax, 8)?;
            a.cmp(rax, rcx)?;
            a.jne(inner)?;
            if reset {
                a.movsd_2(qword_ptr(rsi), xmm0)?;
            }
            a.add(rsi, 8)?;
            a.cmp(rsi, rdx)?;
            a.jne(outer)?;
            a.ret()
        })
    };
    let all = nest(true);
    assert_eq!(kind(&all, "xmm0"), None, "it starts anew: {all:?}");
    assert_eq!(kind(&all, "rax"), None);
    assert_eq!(kind(&all, "rsi"), Some((Induction, None)));
    assert_eq!(kind(&all, "xmm1"), reduction("*"));
    assert_eq!(kind(&all, "r9"), Some((Unclear, None)));
    assert_eq!(kind(&nest(false), "xmm0"), reduction("+"));
}

#[test]
fn counters_advance_by_constants() {
    let step = |write: &dyn Fn(&mut CodeAssembler) -> Written| {
        let all = carried(|a| counted(a, |a| write(a)));
        all.iter().find(|v| v.place.ends_with("bx")).and_then(|v| v.step)
    };
    assert_eq!(step(&|a| a.add(rbx, 8)), Some(8));
    assert_eq!(step(&|a| a.add(rbx, -8)), Some(-8));
    assert_eq!(step(&|a| a.sub(rbx, 3)), Some(-3));
    assert_eq!(step(&|a| a.dec(rbx)), Some(-1));
    assert_eq!(step(&|a| a.sub(ebx, -5)), Some(5));
    assert_eq!(step(&|a| a.lea(rbx, qword_ptr(rbx - 16))), Some(-16));
    assert_eq!(step(&|a| a.add(rbx, rsi)), None);
}
