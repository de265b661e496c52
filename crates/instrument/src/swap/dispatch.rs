//! Code between the callers of a function and its versions: chooses the version of a call and times it.
//!
//! Each thread chooses for itself, in units of sixteen blocks of calls. Within a unit versions follow the sequence of Thue and Morse
//! or its complement, drawn at random: each version has as many calls, and the same share of any course that is linear or has a
//! period of 2, 4 or 8 calls. A second run with the opposite versions at each place balances whatever depends on the arguments. Blocks are as long as the clock needs (it takes some 30 cycles to read), one call where a call is long.
//! Only outermost calls are chosen and timed; a call inside of one, also from a signal handler, runs in the version of that one.
//!
//! A thread's state is in memory of the process, so that a forked child has its own; sums are in memory shared with the tool.
//! Only the stack below the caller's return address is used, and all registers are kept.

use super::registers::Kept;
use iced_x86::code_asm::*;
use iced_x86::{IcedError, Register};

/// Threads that are told apart at a time; calls of others run unchanged.
const THREADS: u64 = 256;
/// Places behind the last one, for threads that meet there.
const SPARE: u64 = 64;
/// Bytes of a thread's state; a power of two.
const STATE_BITS: u32 = 12;
/// Bytes of all states.
pub const STATES: u64 = (THREADS + SPARE) << STATE_BITS;

/// Offsets in a thread's state.
mod state {
    /// The thread pointer; 0 where the place is free.
    pub const THREAD: i32 = 0;
    /// A call is in flight.
    pub const BUSY: i32 = 8;
    pub const RETURN: i32 = 16;
    pub const BEGIN: i32 = 24;
    /// 0 for the unchanged version.
    pub const VERSION: i32 = 32;
    /// Calls that are left in the block.
    pub const LEFT: i32 = 40;
    /// Calls of a block; 0 before the first call.
    pub const CALLS: i32 = 48;
    /// Number of the block in its unit.
    pub const BLOCK: i32 = 56;
    /// Versions of the unit's blocks, one bit each.
    pub const PATTERN: i32 = 64;
    /// Ticks of both versions in the unit.
    pub const SUMS: i32 = 72;
    pub const RANDOM: i32 = 88;
    /// Number of the thread, in the order of first calls.
    pub const NUMBER: i32 = 96;
    /// General registers that are restored.
    pub const GENERAL: i32 = 256;
    /// Vector registers that are restored.
    pub const VECTORS: i32 = 512;
}

/// Offsets in the shared memory.
pub mod sums {
    /// Units that were finished.
    pub const UNITS: u64 = 0;
    /// Threads that called.
    pub const THREADS: u64 = 8;
    /// Calls of both versions.
    pub const CALLS: u64 = 16;
    /// Ticks of both.
    pub const TICKS: u64 = 32;
    /// The first unit: ticks of both versions, calls of a block, number of the thread.
    pub const FIRST: u64 = 64;
    /// Bytes of a unit.
    pub const UNIT: u64 = 32;
    /// Units that are kept.
    pub const MOST: u64 = 1 << 16;
    /// Bytes of all.
    pub const ALL: u64 = FIRST + UNIT * MOST;
}

/// Blocks of a unit.
pub const BLOCKS: u32 = 16;
/// The sequence of Thue and Morse: the parity of the bits of each position.
const THUE_MORSE: i32 = 0x6996;
/// Most calls of a block.
const LONGEST: i32 = 4096;

/// How many calls a block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// As many as take this number of ticks.
    Ticks(u32),
    /// This number.
    Calls(u32),
}

/// What the code connects.
#[derive(Clone, Debug)]
pub struct Between {
    /// Entries of the unchanged and the changed version.
    pub versions: [u64; 2],
    /// Address of the states.
    pub states: u64,
    /// Address of the sums.
    pub sums: u64,
    /// The function calls other code, so that a call inside of one is not only a signal handler's.
    pub calls: bool,
    pub kept: Kept,
    pub blocks: Blocks,
    /// Of the sequence of versions; not 0.
    pub seed: u64,
    /// Versions change places.
    pub opposite: bool,
}

/// Saved registers in the order of pushing.
const SAVED: [AsmRegister64; 4] = [rax, rcx, rdx, r11];

fn save(a: &mut CodeAssembler) -> Result<(), IcedError> {
    SAVED.into_iter().try_for_each(|register| a.push(register))
}

/// Flags stay as they are.
fn restore(a: &mut CodeAssembler) -> Result<(), IcedError> {
    SAVED.into_iter().rev().try_for_each(|register| a.pop(register))
}

/// Where a saved register is on the stack.
fn saved_at(register: Register) -> Option<i32> {
    [Register::R11, Register::RDX, Register::RCX, Register::RAX]
        .iter()
        .position(|known| *known == register)
        .map(|at| 8 * at as i32)
}

/// Finds the thread's state, in r11; changes rax, which then holds the thread pointer, rcx and rdx.
fn find(a: &mut CodeAssembler, states: u64, none: CodeLabel) -> Result<(), IcedError> {
    let (mut probe, mut next, mut found) = (a.create_label(), a.create_label(), a.create_label());
    // The thread pointer is at its own address (psABI, variant II of thread-local storage).
    a.mov(rax, qword_ptr(0).fs())?;
    a.mov(rcx, rax)?;
    a.shr(rcx, 6)?;
    // Multiplicative hashing (Knuth, volume 3, 6.4).
    a.imul_3(ecx, ecx, 0x61c8_8647)?;
    a.shr(ecx, 20)?;
    a.and(ecx, (THREADS - 1) as i32)?;
    a.shl(rcx, STATE_BITS)?;
    a.mov(r11, states)?;
    a.add(r11, rcx)?;
    a.mov(rdx, states + STATES)?;
    a.set_label(&mut probe)?;
    a.cmp(qword_ptr(r11 + state::THREAD), rax)?;
    a.je(found)?;
    a.cmp(qword_ptr(r11 + state::THREAD), 0)?;
    a.jne(next)?;
    a.mov(rcx, rax)?;
    a.xor(eax, eax)?;
    a.lock().cmpxchg(qword_ptr(r11 + state::THREAD), rcx)?;
    a.mov(rax, rcx)?;
    a.je(found)?;
    a.jmp(probe)?;
    a.set_label(&mut next)?;
    a.add(r11, 1 << STATE_BITS)?;
    a.cmp(r11, rdx)?;
    a.jb(probe)?;
    a.jmp(none)?;
    a.set_label(&mut found)?;
    a.zero_bytes()
}

/// Draws the next unit's versions (xorshift, Marsaglia 2003); changes rcx and rdx.
fn draw(a: &mut CodeAssembler, opposite: bool) -> Result<(), IcedError> {
    a.mov(rcx, qword_ptr(r11 + state::RANDOM))?;
    for (left, by) in [(true, 13), (false, 7), (true, 17)] {
        a.mov(rdx, rcx)?;
        if left {
            a.shl(rdx, by)?
        } else {
            a.shr(rdx, by)?
        }
        a.xor(rcx, rdx)?;
    }
    a.mov(qword_ptr(r11 + state::RANDOM), rcx)?;
    a.bt(rcx, 40)?;
    a.sbb(rdx, rdx)?;
    a.xor(rdx, if opposite { !THUE_MORSE } else { THUE_MORSE })?;
    a.mov(qword_ptr(r11 + state::PATTERN), rdx)?;
    a.and(edx, 1)?;
    a.mov(qword_ptr(r11 + state::VERSION), rdx)
}

/// Ticks in rax; changes rdx.
fn ticks(a: &mut CodeAssembler) -> Result<(), IcedError> {
    a.rdtsc()?;
    a.shl(rdx, 32)?;
    a.or(rax, rdx)
}

fn general(register: Register) -> Option<AsmRegister64> {
    Some(match register {
        Register::RSI => rsi,
        Register::RDI => rdi,
        Register::R8 => r8,
        Register::R9 => r9,
        Register::R10 => r10,
        _ => return None,
    })
}

/// Puts registers aside (`back` false), or restores them. Changes rax.
fn keep(a: &mut CodeAssembler, kept: &Kept, back: bool) -> Result<(), IcedError> {
    for (at, register) in (0..).zip(&kept.general) {
        let place = qword_ptr(r11 + state::GENERAL + 8 * at);
        match (general(*register), saved_at(*register), back) {
            (Some(register), _, false) => a.mov(place, register)?,
            (Some(register), _, true) => a.mov(register, place)?,
            (None, Some(on_stack), false) => {
                a.mov(rax, qword_ptr(rsp + on_stack))?;
                a.mov(place, rax)?;
            }
            (None, Some(on_stack), true) => {
                a.mov(rax, place)?;
                a.mov(qword_ptr(rsp + on_stack), rax)?;
            }
            (None, None, _) => {}
        }
    }
    for (at, number) in (0..).zip(&kept.vectors) {
        let place = r11 + state::VECTORS + 64 * at;
        let number = *number as usize;
        match (kept.width, back) {
            (64, false) => a.vmovups(zmmword_ptr(place), ZMM[number])?,
            (64, true) => a.vmovups(ZMM[number], zmmword_ptr(place))?,
            (32, false) if number < 16 => a.vmovups(ymmword_ptr(place), YMM[number])?,
            (32, true) if number < 16 => a.vmovups(YMM[number], ymmword_ptr(place))?,
            (_, false) if number < 16 => a.movups(xmmword_ptr(place), XMM[number])?,
            (_, true) if number < 16 => a.movups(XMM[number], xmmword_ptr(place))?,
            // Callers without EVEX have no values in these.
            _ => {}
        }
    }
    Ok(())
}

const XMM: [AsmRegisterXmm; 16] =
    [xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14, xmm15];
const YMM: [AsmRegisterYmm; 16] =
    [ymm0, ymm1, ymm2, ymm3, ymm4, ymm5, ymm6, ymm7, ymm8, ymm9, ymm10, ymm11, ymm12, ymm13, ymm14, ymm15];
const ZMM: [AsmRegisterZmm; 32] = [
    zmm0, zmm1, zmm2, zmm3, zmm4, zmm5, zmm6, zmm7, zmm8, zmm9, zmm10, zmm11, zmm12, zmm13, zmm14, zmm15,
    zmm16, zmm17, zmm18, zmm19, zmm20, zmm21, zmm22, zmm23, zmm24, zmm25, zmm26, zmm27, zmm28, zmm29, zmm30,
    zmm31,
];

/// The code; its first instruction is where the function's entry jumps to.
pub fn code(at: u64, between: &Between) -> Result<Vec<u8>, IcedError> {
    /// Where the return address is while registers are saved.
    const RETURN: i32 = 8 * SAVED.len() as i32;
    let mut assembler = CodeAssembler::new(64)?;
    let a = &mut assembler;
    let [unchanged, changed] = between.versions;
    let mut back = a.create_label();
    let (mut nested, mut untimed, mut ready) = (a.create_label(), a.create_label(), a.create_label());
    save(a)?;
    find(a, between.states, untimed)?;
    a.cmp(qword_ptr(r11 + state::BUSY), 0)?;
    a.jne(nested)?;
    // Callers of local functions may align the stack less than the convention asks for, if the unchanged version allows it.
    a.lea(rcx, qword_ptr(rsp + RETURN))?;
    a.and(ecx, 15)?;
    a.cmp(ecx, 8)?;
    a.jne(untimed)?;
    // From here on a signal handler's call is one inside of this one.
    a.mov(qword_ptr(r11 + state::BUSY), 1)?;
    a.cmp(qword_ptr(r11 + state::CALLS), 0)?;
    a.jne(ready)?;
    let first = match between.blocks {
        Blocks::Calls(calls) => calls.clamp(1, LONGEST as u32) as i32,
        Blocks::Ticks(_) => 1,
    };
    a.mov(qword_ptr(r11 + state::CALLS), first)?;
    a.mov(qword_ptr(r11 + state::LEFT), first)?;
    a.mov(rcx, between.sums)?;
    a.mov(eax, 1)?;
    a.lock().xadd(qword_ptr(rcx + sums::THREADS as i32), rax)?;
    a.mov(qword_ptr(r11 + state::NUMBER), rax)?;
    // Seeds of threads differ in many bits; none is 0, where the generator would stay.
    a.imul_3(rax, rax, 0x61c8_8647)?;
    a.mov(rcx, between.seed | 1 << 63)?;
    a.xor(rax, rcx)?;
    a.mov(qword_ptr(r11 + state::RANDOM), rax)?;
    draw(a, between.opposite)?;
    a.set_label(&mut ready)?;
    a.mov(rcx, qword_ptr(rsp + RETURN))?;
    a.mov(qword_ptr(r11 + state::RETURN), rcx)?;
    a.lea(rcx, ptr(back))?;
    a.mov(qword_ptr(rsp + RETURN), rcx)?;
    keep(a, &between.kept, false)?;
    ticks(a)?;
    a.mov(qword_ptr(r11 + state::BEGIN), rax)?;
    a.lfence()?;
    leave_to(a, unchanged, changed)?;

    a.set_label(&mut nested)?;
    if between.calls {
        leave_to(a, unchanged, changed)?;
    } else {
        // A signal handler: its compiler may rely on what the unchanged version leaves alone.
        restore(a)?;
        a.jmp(unchanged)?;
    }
    a.set_label(&mut untimed)?;
    restore(a)?;
    a.jmp(unchanged)?;

    a.set_label(&mut back)?;
    a.lea(rsp, qword_ptr(rsp - 8))?;
    save(a)?;
    finish(a, between)?;
    a.mov(rcx, qword_ptr(r11 + state::RETURN))?;
    a.mov(qword_ptr(rsp + RETURN), rcx)?;
    a.mov(qword_ptr(r11 + state::BUSY), 0)?;
    restore(a)?;
    a.ret()?;
    assembler.assemble(at)
}

/// Restores the registers and continues in the thread's version.
fn leave_to(a: &mut CodeAssembler, unchanged: u64, changed: u64) -> Result<(), IcedError> {
    let mut other = a.create_label();
    a.cmp(qword_ptr(r11 + state::VERSION), 0)?;
    restore(a)?;
    a.jne(other)?;
    a.jmp(unchanged)?;
    a.set_label(&mut other)?;
    a.jmp(changed)
}

/// Adds up a call that has returned and chooses the version of the next one. Leaves the state in r11.
fn finish(a: &mut CodeAssembler, between: &Between) -> Result<(), IcedError> {
    let (mut lost, mut begin) = (a.create_label(), a.create_label());
    let (mut done, mut unit, mut full) = (a.create_label(), a.create_label(), a.create_label());
    a.lfence()?;
    ticks(a)?;
    a.push(rax)?;
    find(a, between.states, lost)?;
    a.pop(rax)?;
    a.jmp(begin)?;
    // A thread that called has a state: where its pointer changed in the call there is nowhere to return to.
    a.set_label(&mut lost)?;
    a.ud2()?;
    a.set_label(&mut begin)?;
    a.sub(rax, qword_ptr(r11 + state::BEGIN))?;
    a.mov(rcx, qword_ptr(r11 + state::VERSION))?;
    a.add(qword_ptr(r11 + rcx * 8 + state::SUMS), rax)?;
    a.mov(rdx, between.sums)?;
    a.lock().add(qword_ptr(rdx + rcx * 8 + sums::TICKS as i32), rax)?;
    a.lock().inc(qword_ptr(rdx + rcx * 8 + sums::CALLS as i32))?;
    keep(a, &between.kept, true)?;
    a.dec(qword_ptr(r11 + state::LEFT))?;
    a.jne(done)?;
    a.mov(rcx, qword_ptr(r11 + state::BLOCK))?;
    a.inc(rcx)?;
    a.cmp(ecx, BLOCKS as i32)?;
    a.je(unit)?;
    a.mov(qword_ptr(r11 + state::BLOCK), rcx)?;
    a.mov(rdx, qword_ptr(r11 + state::PATTERN))?;
    a.shr(rdx, cl)?;
    a.and(edx, 1)?;
    a.mov(qword_ptr(r11 + state::VERSION), rdx)?;
    a.mov(rcx, qword_ptr(r11 + state::CALLS))?;
    a.mov(qword_ptr(r11 + state::LEFT), rcx)?;
    a.jmp(done)?;

    a.set_label(&mut unit)?;
    a.mov(rdx, between.sums)?;
    a.mov(ecx, 1)?;
    a.lock().xadd(qword_ptr(rdx + sums::UNITS as i32), rcx)?;
    a.cmp(rcx, sums::MOST as i32)?;
    a.jae(full)?;
    a.shl(rcx, sums::UNIT.ilog2())?;
    a.lea(rdx, qword_ptr(rdx + rcx + sums::FIRST as i32))?;
    for (from, to) in [(state::SUMS, 0), (state::SUMS + 8, 8), (state::CALLS, 16), (state::NUMBER, 24)] {
        a.mov(rax, qword_ptr(r11 + from))?;
        a.mov(qword_ptr(rdx + to), rax)?;
    }
    a.set_label(&mut full)?;
    a.mov(rcx, qword_ptr(r11 + state::CALLS))?;
    if let Blocks::Ticks(ticks) = between.blocks {
        adapt(a, ticks.saturating_mul(BLOCKS))?;
    }
    a.mov(qword_ptr(r11 + state::CALLS), rcx)?;
    a.mov(qword_ptr(r11 + state::LEFT), rcx)?;
    for word in [state::BLOCK, state::SUMS, state::SUMS + 8] {
        a.mov(qword_ptr(r11 + word), 0)?;
    }
    draw(a, between.opposite)?;
    a.set_label(&mut done)?;
    a.zero_bytes()
}

/// Doubles or halves the number of calls in rcx. Changes rax and rdx.
fn adapt(a: &mut CodeAssembler, unit_ticks: u32) -> Result<(), IcedError> {
    let (mut long, mut set) = (a.create_label(), a.create_label());
    a.mov(rax, qword_ptr(r11 + state::SUMS))?;
    a.add(rax, qword_ptr(r11 + state::SUMS + 8))?;
    a.mov(edx, unit_ticks)?;
    a.cmp(rax, rdx)?;
    a.jae(long)?;
    a.cmp(ecx, LONGEST)?;
    a.jae(long)?;
    a.add(rcx, rcx)?;
    a.jmp(set)?;
    a.set_label(&mut long)?;
    // Shorter blocks only where they are long enough for certain.
    a.mov(edx, unit_ticks.saturating_mul(4))?;
    a.cmp(rax, rdx)?;
    a.jbe(set)?;
    a.shr(rcx, 1)?;
    a.jne(set)?;
    a.mov(ecx, 1)?;
    a.set_label(&mut set)?;
    a.zero_bytes()
}
