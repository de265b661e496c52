//! Code that the program runs for the tool: it finds a thread's counter area, and sends requests.
//!
//! Both preserve all registers and flags and use only the stack below the red zone. A thread may be killed, or
//! interrupted by a signal whose handler makes a request, too, at any instruction: a request holds nothing but its own
//! slot ([`super::control`]). No system call is made where the thread may be under seccomp, except those that the tool
//! orders; otherwise the thread sleeps until it is answered. It never waits for ever: the kernel marks the tool's end.

use super::areas::{NUMBER, OWNER, REFUSED, REFUSED_PLACES};
use super::control::{DIED, Request, SLOT_BYTES, SLOT_COUNT, block, slot, word};
use crate::emit::body::ThreadCheck;
use iced_x86::IcedError;
use iced_x86::code_asm::*;

const SYS_GETTID: u32 = libc::SYS_gettid as u32;
const SYS_RT_SIGPROCMASK: u32 = libc::SYS_rt_sigprocmask as u32;
/// `_NSIG / 8` of the kernel.
const SIGNAL_SET_BYTES: u32 = 8;
const SYS_FUTEX: u32 = libc::SYS_futex as u32;
const SYS_SCHED_YIELD: u32 = libc::SYS_sched_yield as u32;
const SYS_ARCH_PRCTL: u32 = libc::SYS_arch_prctl as u32;
const SYS_EXECVE: u32 = libc::SYS_execve as u32;
const ARCH_SET_GS: u32 = 0x1001;

/// Registers that a system call or these routines change.
const SAVED: [AsmRegister64; 13] = [rax, rcx, rdx, rbx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13];

fn save(a: &mut CodeAssembler) -> Result<(), IcedError> {
    for r in SAVED {
        a.push(r)?;
    }
    a.pushfq()?;
    a.cld()
}

fn restore(a: &mut CodeAssembler) -> Result<(), IcedError> {
    a.popfq()?;
    for r in SAVED.into_iter().rev() {
        a.pop(r)?;
    }
    Ok(())
}

/// The facts about the process that the routines contain.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Address of the page of requests.
    pub control: u64,
    /// Address of the shared area for threads without their own.
    pub unowned: u64,
    /// Number of the program image, for the areas' identity.
    pub image: u32,
    /// The processor and kernel allow `wrgsbase`.
    pub has_fsgsbase: bool,
    /// How threads are recognised.
    pub check: ThreadCheck,
}

/// Loads the value that identifies the running thread.
fn own_base(a: &mut CodeAssembler, to: AsmRegister64, process: &Process) -> Result<(), IcedError> {
    match process.check {
        ThreadCheck::FsBase => a.rdfsbase(to),
        ThreadCheck::SelfPointer => a.mov(to, qword_ptr(0).fs()),
    }
}

/// The routine that points the GS base to the running thread's area, or to the shared one where it cannot
/// have its own: then it notes that in a page that is private to the process, and makes no further requests.
pub fn claim(at: u64, process: &Process) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    let (mut refused, mut set, mut over) = (a.create_label(), a.create_label(), a.create_label());
    save(&mut a)?;
    if !process.has_fsgsbase {
        // Without the instruction this takes a system call.
        a.mov(rbx, process.control)?;
        a.cmp(dword_ptr(rbx + word::DOUBT as i32), 0)?;
        a.jne(over)?;
    }
    refused_place(&mut a, process)?;
    a.cmp(qword_ptr(rbx), rcx)?;
    a.je(refused)?;
    request(&mut a, process, Request::Area)?;
    a.test(rax, rax)?;
    a.jnz(set)?;
    refused_place(&mut a, process)?;
    a.mov(qword_ptr(rbx), rcx)?;
    a.set_label(&mut refused)?;
    a.mov(rax, process.unowned)?;
    a.set_label(&mut set)?;
    if process.has_fsgsbase {
        a.wrgsbase(rax)?;
    } else {
        a.mov(rsi, rax)?;
        a.mov(eax, SYS_ARCH_PRCTL)?;
        a.mov(edi, ARCH_SET_GS)?;
        a.syscall()?;
    }
    a.set_label(&mut over)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// Loads the thread's FS base to rcx, and to rbx the place where a refusal is noted for it.
fn refused_place(a: &mut CodeAssembler, process: &Process) -> Result<(), IcedError> {
    own_base(a, rcx, process)?;
    a.mov(rbx, rcx)?;
    a.shr(rbx, 12)?;
    a.and(ebx, REFUSED_PLACES as i32 - 1)?;
    a.shl(rbx, 3)?;
    a.mov(rax, process.unowned + (OWNER + REFUSED) as u64)?;
    a.add(rbx, rax)
}

/// Offset of the lazy routine in a module's cache.
pub const LAZY: u64 = 1024;
/// Offset of the routine that requests room in the trace.
pub const ROOM: u64 = 2816;
/// Bytes of an entry stub.
pub const STUB: u64 = 32;
/// Offset in a stub of the code that runs while the function waits for its first call.
pub const WAITING: u64 = 6;
/// Offset in a stub after its call of the lazy routine.
const BEHIND_CALL: u64 = WAITING + 5 + 5;

/// The stub that a function's entry jumps to: it continues at the slot's target, at first the request. `None` where the
/// slot or the lazy routine is out of reach. There is one for each function of a module, so that nothing is assembled:
///
/// ```text
///  0  jmp  [rip + slot]
///  6  lea  rsp, [rsp - 128]
/// 11  call lazy
/// 16  lea  rsp, [rsp + 128]
/// 24  jmp  0
/// ```
pub fn entry(at: u64, slot: u64, lazy: u64) -> Option<[u8; STUB as usize]> {
    const CODE: [u8; 26] = [
        0xff, 0x25, 0, 0, 0, 0, //
        0x48, 0x8d, 0x64, 0x24, 0x80, //
        0xe8, 0, 0, 0, 0, //
        0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0, //
        0xeb, 0xe6,
    ];
    let mut code = [0xcc; STUB as usize];
    code[..CODE.len()].copy_from_slice(&CODE);
    // Displacements count from the end of their instruction.
    for (behind, target) in [(WAITING, slot), (BEHIND_CALL, lazy)] {
        let distance = i32::try_from(target.wrapping_sub(at + behind) as i64).ok()?;
        let end = behind as usize;
        code[end - size_of::<i32>()..end].copy_from_slice(&distance.to_le_bytes());
    }
    Some(code)
}

/// The routine that requests a function's redirection to its copy. Without an answer, the function continues
/// in its original.
pub fn lazy(at: u64, process: &Process, module: u32, stubs: u64, slots: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    let mut answered = a.create_label();
    save(&mut a)?;
    // The function follows from the address that the stub called from.
    a.mov(rbp, qword_ptr(rsp + 8 * (SAVED.len() as i32 + 1)))?;
    a.mov(rax, stubs + BEHIND_CALL)?;
    a.sub(rbp, rax)?;
    a.shr(rbp, STUB.trailing_zeros())?;
    a.mov(rax, u64::from(module) << 32)?;
    a.or(rbp, rax)?;
    request(&mut a, process, Request::Function)?;
    a.mov(ebp, ebp)?;
    a.shl(rbp, 4)?;
    a.mov(rax, slots)?;
    a.add(rax, rbp)?; // the slot
    a.shl(rbp, 1)?;
    a.mov(rcx, stubs + WAITING)?;
    a.add(rcx, rbp)?; // its previous value
    a.cmp(qword_ptr(rax), rcx)?;
    a.jne(answered)?;
    a.mov(rcx, qword_ptr(rax + 8))?;
    a.mov(qword_ptr(rax), rcx)?;
    a.set_label(&mut answered)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// The routine that makes a request and waits for the answer; called with the stack pointer below the red
/// zone and the argument in a register.
pub fn ask(at: u64, process: &Process, kind: Request, argument: AsmRegister64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    save(&mut a)?;
    a.mov(rbp, argument)?;
    request(&mut a, process, kind)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// The routine that requests room in the trace, for the area that the thread uses.
pub fn room(at: u64, process: &Process) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    save(&mut a)?;
    a.mov(rbp, qword_ptr(NUMBER as u64).gs())?;
    request(&mut a, process, Request::Room)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// Makes a request with its arguments in rbp, which it keeps, and rsi; returns the tool's answer in rax, 0 without one.
fn request(a: &mut CodeAssembler, process: &Process, kind: Request) -> Result<(), IcedError> {
    let (mut search, mut next, mut posted) = (a.create_label(), a.create_label(), a.create_label());
    let (mut no_yield, mut wait, mut spin) = (a.create_label(), a.create_label(), a.create_label());
    let (mut order, mut over) = (a.create_label(), a.create_label());
    a.lea(rsp, qword_ptr(rsp - block::BYTES as i32))?;
    a.mov(qword_ptr(rsp + block::TICKET), 0)?;
    a.mov(qword_ptr(rsp + block::DONE), 0)?;
    a.mov(qword_ptr(rsp + block::RESULT), 0)?;
    a.mov(qword_ptr(rsp + block::QUIET), 0)?;
    a.mov(r12, process.control)?;
    a.cmp(dword_ptr(r12 + word::CLOSED as i32), 0)?;
    a.jne(over)?;
    own_base(a, rax, process)?;
    a.mov(qword_ptr(rsp + block::OWNER), rax)?;
    a.mov(qword_ptr(rsp + block::ARGUMENT), rbp)?;
    a.mov(qword_ptr(rsp + block::SECOND), rsi)?;
    a.mov(dword_ptr(rsp + block::KIND), kind.code())?;
    a.mov(dword_ptr(rsp + block::IMAGE), process.image)?;
    a.mov(qword_ptr(rsp + block::THREAD), 0)?;
    if matches!(kind, Request::Area | Request::Exec | Request::ExecFailed) {
        let mut unknown = a.create_label();
        a.cmp(dword_ptr(r12 + word::DOUBT as i32), 0)?;
        a.jne(unknown)?;
        a.mov(eax, SYS_GETTID)?;
        a.syscall()?;
        a.mov(qword_ptr(rsp + block::THREAD), rax)?;
        a.set_label(&mut unknown)?;
    }
    // The set of all signals is stored where the order's number will be kept.
    let mut noisy = a.create_label();
    a.cmp(dword_ptr(r12 + word::DOUBT as i32), 0)?;
    a.jne(noisy)?;
    a.mov(qword_ptr(rsp + block::KEPT), -1)?;
    a.lea(rsi, qword_ptr(rsp + block::KEPT))?;
    a.lea(rdx, qword_ptr(rsp + block::BLOCKED))?;
    set_mask(a)?;
    a.mov(qword_ptr(rsp + block::QUIET), 1)?;
    a.set_label(&mut noisy)?;
    a.mov(ebx, 1)?;
    a.lock().xadd(qword_ptr(r12 + word::TICKETS as i32), rbx)?;
    a.inc(rbx)?;
    a.mov(qword_ptr(rsp + block::TICKET), rbx)?;
    // Ticket and address, in rcx:rbx, go into the first free slot from that of the ticket's number on.
    a.set_label(&mut search)?;
    a.mov(rcx, qword_ptr(NUMBER as u64).gs())?;
    a.shl(rcx, 48)?;
    a.or(rcx, rsp)?;
    a.mov(r10d, ebx)?;
    a.mov(r9d, SLOT_COUNT as u32)?;
    a.set_label(&mut next)?;
    a.and(r10d, SLOT_COUNT as i32 - 1)?;
    a.imul_3(r13, r10, SLOT_BYTES as i32)?;
    a.lea(r13, qword_ptr(r12 + r13 + word::SLOTS as i32))?;
    a.xor(eax, eax)?;
    a.xor(edx, edx)?;
    a.lock().cmpxchg16b(xmmword_ptr(r13))?;
    a.je(posted)?;
    a.inc(r10d)?;
    a.dec(r9d)?;
    a.jnz(next)?;
    // All slots are taken.
    a.pause()?;
    a.test(dword_ptr(r12 + word::ALIVE as i32), DIED as i32)?;
    a.jnz(over)?;
    a.cmp(dword_ptr(r12 + word::CLOSED as i32), 0)?;
    a.jne(over)?;
    a.cmp(dword_ptr(r12 + word::DOUBT as i32), 0)?;
    a.jne(no_yield)?;
    a.mov(eax, SYS_SCHED_YIELD)?;
    a.syscall()?;
    a.set_label(&mut no_yield)?;
    a.jmp(search)?;
    a.set_label(&mut posted)?;
    ring(a)?;
    a.mov(r9d, SPINS)?;
    a.set_label(&mut wait)?;
    a.mov(r10d, dword_ptr(r13 + slot::BELL as i32))?;
    a.cmp(qword_ptr(r13 + slot::TICKET as i32), rbx)?;
    a.jne(over)?;
    a.mov(eax, dword_ptr(r13 + slot::ORDER as i32))?;
    a.cmp(eax, dword_ptr(rsp + block::DONE))?;
    a.jne(order)?;
    a.test(dword_ptr(r12 + word::ALIVE as i32), DIED as i32)?;
    a.jnz(over)?;
    a.cmp(dword_ptr(r12 + word::DOUBT as i32), 0)?;
    a.jne(spin)?;
    a.dec(r9d)?;
    a.jns(spin)?;
    // Until the slot's bell changes, at most 50 ms.
    a.push(50_000_000)?;
    a.push(0)?;
    a.mov(eax, SYS_FUTEX)?;
    a.lea(rdi, qword_ptr(r13 + slot::BELL as i32))?;
    a.mov(esi, libc::FUTEX_WAIT as u32)?;
    a.mov(edx, r10d)?;
    a.mov(r10, rsp)?;
    a.syscall()?;
    a.lea(rsp, qword_ptr(rsp + 16))?;
    a.set_label(&mut spin)?;
    a.pause()?;
    a.jmp(wait)?;
    a.set_label(&mut order)?;
    // An order is 0 only between two requests in this slot; then the ticket differs, too.
    a.test(eax, eax)?;
    a.jz(spin)?;
    a.mov(dword_ptr(rsp + block::KEPT), eax)?;
    let call = slot::CALL as i32;
    a.mov(rax, qword_ptr(r13 + call))?;
    a.mov(rdi, qword_ptr(r13 + call + 8))?;
    a.mov(rsi, qword_ptr(r13 + call + 16))?;
    a.mov(rdx, qword_ptr(r13 + call + 24))?;
    a.mov(r10, qword_ptr(r13 + call + 32))?;
    a.mov(r8, qword_ptr(r13 + call + 40))?;
    a.mov(r9, qword_ptr(r13 + call + 48))?;
    a.syscall()?;
    a.mov(qword_ptr(rsp + block::RESULT), rax)?;
    a.mov(eax, dword_ptr(rsp + block::KEPT))?;
    a.mov(dword_ptr(rsp + block::DONE), eax)?;
    ring(a)?;
    a.mov(r9d, SPINS)?;
    a.jmp(wait)?;
    a.set_label(&mut over)?;
    a.mov(qword_ptr(rsp + block::TICKET), 0)?;
    let mut restored = a.create_label();
    a.cmp(dword_ptr(rsp + block::QUIET), 0)?;
    a.je(restored)?;
    a.lea(rsi, qword_ptr(rsp + block::BLOCKED))?;
    a.xor(edx, edx)?;
    set_mask(a)?;
    a.set_label(&mut restored)?;
    a.mov(rax, qword_ptr(rsp + block::RESULT))?;
    a.lea(rsp, qword_ptr(rsp + block::BYTES as i32))
}

/// Blocks exactly the signals of the set at rsi; rdx is where those blocked before are written, or 0.
fn set_mask(a: &mut CodeAssembler) -> Result<(), IcedError> {
    a.mov(eax, SYS_RT_SIGPROCMASK)?;
    a.mov(edi, libc::SIG_SETMASK)?;
    a.mov(r10d, SIGNAL_SET_BYTES)?;
    a.syscall()
}

/// Number of checks for the answer before the thread sleeps: some microseconds.
const SPINS: u32 = 50;

/// Signals an event; wakes the tool where that is allowed.
fn ring(a: &mut CodeAssembler) -> Result<(), IcedError> {
    let mut awake = a.create_label();
    a.lock().inc(dword_ptr(r12 + word::DOORBELL as i32))?;
    a.cmp(dword_ptr(r12 + word::DOUBT as i32), 0)?;
    a.jne(awake)?;
    a.cmp(dword_ptr(r12 + word::SLEEPING as i32), 0)?;
    a.je(awake)?;
    a.mov(eax, SYS_FUTEX)?;
    a.lea(rdi, qword_ptr(r12 + word::DOORBELL as i32))?;
    a.mov(esi, libc::FUTEX_WAKE as u32)?;
    a.mov(edx, 1)?;
    a.syscall()?;
    a.set_label(&mut awake)?;
    a.nop()
}

/// The hook of a function of the C library by which a program may put itself under seccomp: records that,
/// where the argument is one of `wanted`, and continues in the function (`original`, the first instructions
/// that the jump overwrote, and `rest`).
pub fn seccomp_hook(
    at: u64,
    process: &Process,
    wanted: &[i32],
    original: &[iced_x86::Instruction],
    rest: u64,
) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    let (mut doubt, mut on) = (a.create_label(), a.create_label());
    // At a call of a function of the C library r11 and the flags are free (System V ABI).
    a.mov(r11, process.control)?;
    for &value in wanted {
        a.cmp(edi, value)?;
        a.je(doubt)?;
    }
    a.jmp(on)?;
    a.set_label(&mut doubt)?;
    a.mov(dword_ptr(r11 + word::DOUBT as i32), 1)?;
    a.set_label(&mut on)?;
    for i in original {
        a.add_instruction(*i)?;
    }
    a.jmp(rest)?;
    a.assemble(at)
}

/// The hook of `mprotect`: when it makes code writable in a stretch of the table at `watched` (pairs of first
/// address and end, up to a zero), it makes a request before it continues in the original function.
pub fn writable_hook(
    at: u64,
    watched: u64,
    ask: u64,
    original: &[iced_x86::Instruction],
    rest: u64,
) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    let (mut next, mut skip, mut hit, mut on) =
        (a.create_label(), a.create_label(), a.create_label(), a.create_label());
    // The system call that follows overwrites rax, rcx and r11; the flags are not read before (the function
    // sets them when it tests the result).
    a.test(edx, libc::PROT_WRITE)?;
    a.jz(on)?;
    a.mov(r11, watched)?;
    a.lea(rax, qword_ptr(rdi + rsi))?;
    a.set_label(&mut next)?;
    a.mov(rcx, qword_ptr(r11))?;
    a.test(rcx, rcx)?;
    a.jz(on)?;
    a.cmp(rax, rcx)?;
    a.jbe(skip)?;
    a.cmp(rdi, qword_ptr(r11 + 8))?;
    a.jb(hit)?;
    a.set_label(&mut skip)?;
    a.add(r11, 16)?;
    a.jmp(next)?;
    a.set_label(&mut hit)?;
    a.lea(rsp, qword_ptr(rsp - 128))?;
    a.call(ask)?;
    a.lea(rsp, qword_ptr(rsp + 128))?;
    a.set_label(&mut on)?;
    for i in original {
        a.add_instruction(*i)?;
    }
    a.jmp(rest)?;
    a.assemble(at)
}

/// The hook of the loader's notice of new modules: makes a request, then returns as the notice function does.
pub fn modules_hook(at: u64, ask: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    a.lea(rsp, qword_ptr(rsp - 128))?;
    a.call(ask)?;
    a.lea(rsp, qword_ptr(rsp + 128))?;
    a.ret()?;
    a.assemble(at)
}

/// The hook of `execve`: announces it and makes the call; when that fails, reports it and continues in the
/// original function (`original`, the first instructions that the jump overwrote, and `rest`), which then
/// fails in its own way.
pub fn exec_hook(
    at: u64,
    ask: u64,
    failed: u64,
    original: &[iced_x86::Instruction],
    rest: u64,
) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    a.lea(rsp, qword_ptr(rsp - 128))?;
    a.call(ask)?;
    for r in [rax, rcx, r11] {
        a.push(r)?;
    }
    a.mov(eax, SYS_EXECVE)?;
    a.syscall()?;
    for r in [r11, rcx, rax] {
        a.pop(r)?;
    }
    a.call(failed)?;
    a.lea(rsp, qword_ptr(rsp + 128))?;
    for i in original {
        a.add_instruction(*i)?;
    }
    a.jmp(rest)?;
    a.assemble(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, FlowControl, Register};

    /// The lazy routine finds the function from the address that its stub called from.
    #[test]
    fn stubs_have_their_parts_where_the_routines_expect_them() {
        for (at, slot, lazy) in [
            (0x7000_0000u64, 0x6fff_0000, 0x6ffe_0000),
            (0x7fff_1234_0000, 0x7fff_1000_0000, 0x7fff_1233_0000),
        ] {
            let code = entry(at, slot, lazy).unwrap();
            assert_eq!(code.len() as u64, STUB);
            let list: Vec<_> =
                Decoder::with_ip(64, &code, at, DecoderOptions::NONE).into_iter().take(5).collect();
            let text: Vec<String> = list.iter().map(|i| format!("{:?} {}", i.code(), i.len())).collect();
            let expected = ["Jmp_rm64 6", "Lea_r64_m 5", "Call_rel32_64 5", "Lea_r64_m 8", "Jmp_rel8_64 2"];
            assert_eq!(text, expected);
            for (i, room) in [(1, -128i64), (3, 128)] {
                assert_eq!((list[i].op0_register(), list[i].memory_base()), (Register::RSP, Register::RSP));
                assert_eq!(list[i].memory_displacement64() as i64, room);
            }
            assert_eq!(list[0].ip_rel_memory_address(), slot);
            assert_eq!(list[1].ip(), at + WAITING);
            assert_eq!(list[2].flow_control(), FlowControl::Call);
            assert_eq!((list[2].near_branch_target(), list[2].next_ip()), (lazy, at + BEHIND_CALL));
            assert_eq!(list[4].near_branch_target(), at);
        }
        assert_eq!(entry(0x7000_0000, 0x2_0000_0000, 0x6ffe_0000), None);
    }
}
