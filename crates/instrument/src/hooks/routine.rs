//! The code between the copy of a function and the handler.
//!
//! A copy pushes the word that names its function, and calls. At an entry the registers hold arguments, before a return the
//! results; all others may be changed at both places (psABI for x86-64, section 3.2), and no word below the stack pointer is in
//! use.

use iced_x86::IcedError;
use iced_x86::code_asm::*;

/// Registers that may hold arguments or what goes with a call (the number of vector registers, the static chain).
const ARGUMENTS: [AsmRegister64; 9] = [r11, r10, rax, r9, r8, rcx, rdx, rsi, rdi];
/// Registers that may hold results.
const RESULTS: [AsmRegister64; 2] = [rdx, rax];
/// Offsets from rbp, in words: the saved rbp, the return address to the copy, the pushed word, the caller's return address.
const WORD: i32 = 16;
const CALLER: i32 = 24;

/// Calls the handler with the registers, the caller's stack, the word and what is known of the process.
pub fn enter(at: u64, handler: u64, process: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    a.push(rbp)?;
    a.mov(rbp, rsp)?;
    save(&mut a, &ARGUMENTS)?;
    a.mov(rdi, rsp)?;
    a.lea(rsi, qword_ptr(rbp + CALLER))?;
    a.mov(rdx, qword_ptr(rbp + WORD))?;
    a.mov(rcx, process)?;
    call(&mut a, handler)?;
    restore(&mut a, &ARGUMENTS)?;
    a.assemble(at)
}

/// Calls the handler with the caller's stack, the word, the result and what is known of the process.
pub fn exit(at: u64, handler: u64, process: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    a.push(rbp)?;
    a.mov(rbp, rsp)?;
    save(&mut a, &RESULTS)?;
    a.lea(rdi, qword_ptr(rbp + CALLER))?;
    a.mov(rsi, qword_ptr(rbp + WORD))?;
    a.mov(rdx, rax)?;
    a.mov(rcx, process)?;
    call(&mut a, handler)?;
    restore(&mut a, &RESULTS)?;
    a.assemble(at)
}

fn save(a: &mut CodeAssembler, registers: &[AsmRegister64]) -> Result<(), IcedError> {
    registers.iter().try_for_each(|register| a.push(*register))
}

fn call(a: &mut CodeAssembler, handler: u64) -> Result<(), IcedError> {
    a.and(rsp, -16)?;
    a.mov(rax, handler)?;
    a.call(rax)
}

fn restore(a: &mut CodeAssembler, registers: &[AsmRegister64]) -> Result<(), IcedError> {
    a.lea(rsp, qword_ptr(rbp - 8 * registers.len() as i32))?;
    registers.iter().rev().try_for_each(|register| a.pop(*register))?;
    a.pop(rbp)?;
    a.ret()
}
