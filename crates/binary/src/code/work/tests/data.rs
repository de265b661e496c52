//! Scalar integer operations: data against addresses and loop control.

use super::fixed;
use iced_x86::IcedError;
use iced_x86::code_asm::*;

fn operations(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> u64 {
    let w = fixed(write);
    assert_eq!(w.mix.integer, w.integer_operations, "one each");
    w.integer_operations
}

#[test]
fn loop_control_is_none() {
    // Copies an array.
    let copy = operations(|a| {
        a.mov(eax, dword_ptr(rsi + rcx * 4))?;
        a.mov(dword_ptr(rdi + rcx * 4), eax)?;
        a.inc(rcx)?;
        a.cmp(rcx, rdx)?;
        a.jne(0x1000)
    });
    assert_eq!(copy, 0);
    let down = operations(|a| {
        a.add(rdi, 4)?;
        a.sub(ecx, 1)?;
        a.jne(0x1000)
    });
    assert_eq!(down, 0);
    // A step that a register holds.
    let strided = operations(|a| {
        a.mov(dword_ptr(rdi), 0)?;
        a.add(rdi, rdx)?;
        a.cmp(rdi, rsi)?;
        a.jb(0x1000)
    });
    assert_eq!(strided, 0);
    let list = operations(|a| {
        a.mov(rdi, qword_ptr(rdi + 8))?;
        a.test(rdi, rdi)?;
        a.jne(0x1000)
    });
    assert_eq!(list, 0);
}

#[test]
fn work_on_elements_counts() {
    let sum = operations(|a| {
        a.add(eax, dword_ptr(rdi + rcx * 4))?;
        a.inc(rcx)?;
        a.cmp(rcx, rdx)?;
        a.jne(0x1000)
    });
    assert_eq!(sum, 1);
    // hash = (hash ^ byte) * prime + 7
    let hash = operations(|a| {
        a.movzx(edx, byte_ptr(rdi))?;
        a.xor(eax, edx)?;
        a.imul_3(eax, eax, 16_777_619)?;
        a.add(eax, 7)?;
        a.inc(rdi)?;
        a.cmp(rdi, rsi)?;
        a.jne(0x1000)
    });
    assert_eq!(hash, 3);
    // n odd: 3 n + 1; steps up by one.
    let collatz = operations(|a| {
        a.lea(rax, qword_ptr(rax + rax * 2 + 1))?;
        a.shr(rax, 1)?;
        a.inc(ecx)?;
        a.cmp(rax, 1)?;
        a.jne(0x1000)
    });
    assert_eq!(collatz, 3, "lea, shift, comparison of what was computed");
    let in_memory = operations(|a| {
        a.inc(dword_ptr(rdi + rax * 4))?;
        a.shl(qword_ptr(rsi), 3)
    });
    assert_eq!(in_memory, 2);
}

#[test]
fn addresses_are_none() {
    let indexed = operations(|a| {
        a.movsxd(rax, ecx)?;
        a.imul_2(rax, r8)?;
        a.add(rax, r9)?;
        a.lea(rdx, qword_ptr(rdi + rax * 8))?;
        a.movsd_2(xmm0, qword_ptr(rdx))
    });
    assert_eq!(indexed, 0);
    // A histogram: masking the byte is address work, the increment is not.
    let histogram = operations(|a| {
        a.movzx(eax, byte_ptr(rsi))?;
        a.and(eax, 63)?;
        a.add(dword_ptr(rdi + rax * 4), 1)
    });
    assert_eq!(histogram, 1);
    // An index that is also stored is data.
    let stored = operations(|a| {
        a.add(eax, edx)?;
        a.mov(ecx, dword_ptr(rdi + rax * 4))?;
        a.mov(dword_ptr(rsi), eax)
    });
    assert_eq!(stored, 1);
    let frame = operations(|a| {
        a.push(rbp)?;
        a.mov(rbp, rsp)?;
        a.and(rsp, -32)?;
        a.sub(rsp, 64)?;
        a.lea(rdi, qword_ptr(rsp + 8))?;
        a.xor(eax, eax)?;
        a.call(0x2000)
    });
    assert_eq!(frame, 0);
}

#[test]
fn comparisons() {
    // A value against an element.
    assert_eq!(
        operations(|a| {
            a.cmp(eax, dword_ptr(rdi + rcx * 4))?;
            a.jl(0x1000)
        }),
        1
    );
    // A loaded element against a limit.
    assert_eq!(
        operations(|a| {
            a.mov(eax, dword_ptr(rdi + rcx * 4))?;
            a.cmp(eax, edx)?;
            a.jl(0x1000)
        }),
        1
    );
    // Maximum, carry chain, condition as a number.
    assert_eq!(
        operations(|a| {
            a.cmp(eax, edx)?;
            a.cmovl(eax, edx)
        }),
        1
    );
    assert_eq!(
        operations(|a| {
            a.add(rax, rdx)?;
            a.adc(rcx, 0)?;
            a.cmp(rax, rsi)?;
            a.sbb(rcx, 0)
        }),
        4
    );
    assert_eq!(
        operations(|a| {
            a.test(edi, edi)?;
            a.setg(al)
        }),
        1
    );
    // The end of a vector search.
    assert_eq!(
        operations(|a| {
            a.pmovmskb(eax, xmm0)?;
            a.test(eax, eax)?;
            a.jne(0x1000)
        }),
        1
    );
}

/// Unoptimised code: s += a[i] * x with everything on the stack, then i++ and i < n.
#[test]
fn unoptimised_code() {
    let body = operations(|a| {
        a.mov(eax, dword_ptr(rbp - 4))?;
        a.cdqe()?;
        a.lea(rdx, qword_ptr(rax * 4))?;
        a.mov(rax, qword_ptr(rbp - 24))?;
        a.add(rax, rdx)?;
        a.mov(eax, dword_ptr(rax))?;
        a.imul_2(eax, dword_ptr(rbp - 28))?;
        a.add(dword_ptr(rbp - 8), eax)?;
        a.add(dword_ptr(rbp - 4), 1)
    });
    assert_eq!(body, 2);
    let clang = operations(|a| {
        a.mov(eax, dword_ptr(rbp - 4))?;
        a.add(eax, 1)?;
        a.mov(dword_ptr(rbp - 4), eax)?;
        a.jmp(0x1000)
    });
    assert_eq!(clang, 0);
    let test = operations(|a| {
        a.mov(eax, dword_ptr(rbp - 4))?;
        a.cmp(eax, dword_ptr(rbp - 32))?;
        a.jl(0x1000)
    });
    assert_eq!(test, 0);
}

#[test]
fn other_scalar_operations() {
    let all = operations(|a| {
        a.popcnt(rax, rdi)?;
        a.bswap(rax)?;
        a.mul(rdx)?;
        a.div(rcx)?;
        a.not(rax)?;
        a.crc32(eax, edx)?;
        a.rol(eax, 5)?;
        a.mov(dword_ptr(rsi), eax)
    });
    assert_eq!(all, 7);
}
