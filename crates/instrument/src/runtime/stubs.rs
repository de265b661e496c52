//! Code that the program runs on our behalf: finding a thread's counter area, and asking the tool.
//!
//! Both preserve all registers and flags, use only the stack below the red zone and make only plain system
//! calls. A thread that asks waits for an answer, but never for ever: it looks every 50 ms whether the
//! tool is still there.

use super::areas::{CONTROL, IDENTITY, NUMBER, OWNER, STRIDE, TABLE};
use super::control::{Request, word};
use crate::emit::body::ThreadCheck;
use iced_x86::code_asm::*;
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};

const SYS_MMAP: u32 = libc::SYS_mmap as u32;
const SYS_MADVISE: u32 = libc::SYS_madvise as u32;
const SYS_GETPID: u32 = libc::SYS_getpid as u32;
const SYS_GETTID: u32 = libc::SYS_gettid as u32;
const SYS_FUTEX: u32 = libc::SYS_futex as u32;
const SYS_KILL: u32 = libc::SYS_kill as u32;
const SYS_SCHED_YIELD: u32 = libc::SYS_sched_yield as u32;
const SYS_ARCH_PRCTL: u32 = libc::SYS_arch_prctl as u32;
const SYS_RT_SIGPROCMASK: u32 = libc::SYS_rt_sigprocmask as u32;
const SYS_EXECVE: u32 = libc::SYS_execve as u32;
const ARCH_SET_GS: u32 = 0x1001;
const MADV_WIPEONFORK: u32 = 18;
const PAGE: u32 = 4096;

/// Registers that a system call or these routines change.
const SAVED: [AsmRegister64; 11] = [rax, rcx, rdx, rbx, rsi, rdi, rbp, r8, r9, r10, r11];

fn save(a: &mut CodeAssembler) -> Result<(), IcedError> {
    for r in SAVED {
        a.push(r)?;
    }
    a.pushfq()
}

fn restore(a: &mut CodeAssembler) -> Result<(), IcedError> {
    a.popfq()?;
    for r in SAVED.into_iter().rev() {
        a.pop(r)?;
    }
    Ok(())
}

/// What the routines know of the process.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Where the shared memory is.
    pub base: u64,
    /// Areas of threads in it.
    pub areas: u64,
    /// Number of the program image, for the areas' identity.
    pub image: u32,
    /// The processor and kernel allow `wrgsbase`.
    pub has_fsgsbase: bool,
    /// How threads are recognised.
    pub check: ThreadCheck,
}

/// The routine that points the GS base to the running thread's area, claiming a free one at need.
pub fn claim(at: u64, process: &Process) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    save(&mut a)?;
    let (mut look, mut next, mut take, mut found) =
        (a.create_label(), a.create_label(), a.create_label(), a.create_label());
    match process.check {
        ThreadCheck::FsBase => a.rdfsbase(r8)?,
        ThreadCheck::SelfPointer => a.mov(r8, qword_ptr(0).fs())?,
    }
    a.mov(eax, SYS_GETPID)?;
    a.syscall()?;
    a.mov(esi, eax)?;
    a.mov(r9, process.base)?;
    a.mov(rbp, process.base + CONTROL)?;
    a.xor(ebx, ebx)?;
    a.set_label(&mut look)?;
    a.mov(rax, qword_ptr(r9 + rbx * 8 + TABLE as i32))?;
    a.test(rax, rax)?;
    a.jz(take)?;
    a.cmp(rax, rsi)?;
    a.jne(next)?;
    a.cmp(qword_ptr(rbp + OWNER), r8)?;
    a.je(found)?;
    a.set_label(&mut next)?;
    a.add(rbp, STRIDE as i32)?;
    a.inc(rbx)?;
    a.cmp(rbx, process.areas as i32)?;
    a.jb(look)?;
    // All taken: rbp is the area for nobody.
    a.mov(dword_ptr(r9 + word::FULL as i32), 1)?;
    a.jmp(found)?;
    a.set_label(&mut take)?;
    a.lock().cmpxchg(qword_ptr(r9 + rbx * 8 + TABLE as i32), rsi)?;
    a.jne(look)?;
    a.mov(qword_ptr(rbp + IDENTITY), rsi)?;
    a.mov(qword_ptr(rbp + IDENTITY + 16), process.image as i32)?;
    a.lea(rax, qword_ptr(rbx + 1))?;
    a.mov(qword_ptr(rbp + NUMBER), rax)?;
    // A private page for the owner, wiped in children.
    a.mov(kept(), r8)?;
    a.mov(eax, SYS_MMAP)?;
    a.mov(rdi, rbp)?;
    a.mov(esi, PAGE)?;
    a.mov(edx, (libc::PROT_READ | libc::PROT_WRITE) as u32)?;
    a.mov(r10d, (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED) as u32)?;
    a.mov(r8, -1i64)?;
    a.xor(r9d, r9d)?;
    a.syscall()?;
    a.mov(eax, SYS_MADVISE)?;
    a.mov(rdi, rbp)?;
    a.mov(esi, PAGE)?;
    a.mov(edx, MADV_WIPEONFORK)?;
    a.syscall()?;
    a.mov(qword_ptr(rbp + OWNER), kept())?;
    a.mov(eax, SYS_GETTID)?;
    a.syscall()?;
    a.mov(qword_ptr(rbp + IDENTITY + 8), rax)?;
    a.set_label(&mut found)?;
    if process.has_fsgsbase {
        a.wrgsbase(rbp)?;
    } else {
        a.mov(eax, SYS_ARCH_PRCTL)?;
        a.mov(edi, ARCH_SET_GS)?;
        a.mov(rsi, rbp)?;
        a.syscall()?;
    }
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// The register that keeps the FS base over system calls: rbx is free once an area is taken.
fn kept() -> AsmRegister64 {
    rbx
}

/// Where the lazy routine stands in a module's cache.
pub const LAZY: u64 = 1024;
/// Where the routine that asks for room in the trace stands.
pub const ROOM: u64 = 2816;
/// Bytes of an entry stub.
pub const STUB: u64 = 32;
/// Offset in a stub of what runs while the function waits for its first call.
pub const WAITING: u64 = 6;
/// Offset in a stub behind its call of the lazy routine.
const BEHIND_CALL: u64 = WAITING + 5 + 5;

/// The stub that a function's entry jumps to: on to wherever the slot says, at first to the request.
pub fn entry(at: u64, slot: u64, lazy: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    let mut start = a.create_label();
    a.set_label(&mut start)?;
    // Relative to the instruction pointer, so that its length does not depend on the address.
    let through = MemoryOperand::with_base_displ(Register::RIP, slot as i64);
    a.add_instruction(Instruction::with1(Code::Jmp_rm64, through)?)?;
    a.lea(rsp, qword_ptr(rsp - 128))?;
    a.call(lazy)?;
    a.lea(rsp, qword_ptr(rsp + 128))?;
    a.jmp(start)?;
    let mut code = a.assemble(at)?;
    code.resize(STUB as usize, 0xcc);
    Ok(code)
}

/// The routine that asks for a function to be turned to its copy. When nobody answers, the function goes on
/// in its original.
pub fn lazy(at: u64, process: &Process, module: u32, stubs: u64, slots: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    let mut answered = a.create_label();
    save(&mut a)?;
    // Which function: by the address that the stub called from.
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
    a.add(rcx, rbp)?; // what it held
    a.cmp(qword_ptr(rax), rcx)?;
    a.jne(answered)?;
    a.mov(rcx, qword_ptr(rax + 8))?;
    a.mov(qword_ptr(rax), rcx)?;
    a.set_label(&mut answered)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// The routine that makes a request and waits for the answer; called with the stack pointer below the
/// red zone and the argument in a register.
pub fn ask(at: u64, process: &Process, kind: Request, argument: AsmRegister64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    save(&mut a)?;
    a.mov(rbp, argument)?;
    request(&mut a, process, kind)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// The routine that asks for room in the trace, for the area that the thread uses.
pub fn room(at: u64, process: &Process) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    save(&mut a)?;
    a.mov(rbp, qword_ptr(NUMBER as u64).gs())?;
    request(&mut a, process, Request::Room)?;
    restore(&mut a)?;
    a.ret()?;
    a.assemble(at)
}

/// Makes a request with the argument in rbp, which it keeps, as it keeps rbx. Signals wait meanwhile: a
/// handler might make a request itself, and find the lock taken by the thread that it interrupted.
fn request(a: &mut CodeAssembler, process: &Process, kind: Request) -> Result<(), IcedError> {
    let mut lock = a.create_label();
    let mut again = a.create_label();
    let mut mine = a.create_label();
    let mut posted = a.create_label();
    let mut wait = a.create_label();
    let mut answered = a.create_label();
    let mut release = a.create_label();
    let mut done = a.create_label();
    a.mov(rbx, process.base)?;
    a.push(-1)?; // all signals
    a.push(0)?; // room for the old mask
    a.mov(eax, SYS_RT_SIGPROCMASK)?;
    a.mov(edi, libc::SIG_SETMASK)?;
    a.lea(rsi, qword_ptr(rsp + 8))?;
    a.mov(rdx, rsp)?;
    a.mov(r10d, 8)?;
    a.syscall()?;
    a.set_label(&mut lock)?;
    a.mov(r8d, TRIES)?;
    a.set_label(&mut again)?;
    a.cmp(dword_ptr(rbx + word::CLOSED as i32), 0)?;
    a.jne(done)?;
    a.xor(eax, eax)?;
    a.mov(ecx, 1)?;
    a.lock().cmpxchg(dword_ptr(rbx + word::LOCK as i32), ecx)?;
    a.je(mine)?;
    a.mov(eax, SYS_SCHED_YIELD)?;
    a.syscall()?;
    a.dec(r8d)?;
    a.jnz(again)?;
    tool_is_gone(a)?;
    a.jne(lock)?;
    a.mov(dword_ptr(rbx + word::CLOSED as i32), 1)?;
    a.jmp(done)?;
    a.set_label(&mut mine)?;
    a.mov(eax, SYS_GETPID)?;
    a.syscall()?;
    a.mov(dword_ptr(rbx + word::PROCESS as i32), eax)?;
    a.mov(eax, SYS_GETTID)?;
    a.syscall()?;
    a.mov(dword_ptr(rbx + word::THREAD as i32), eax)?;
    a.mov(qword_ptr(rbx + word::ARGUMENT as i32), rbp)?;
    a.mov(dword_ptr(rbx + word::KIND as i32), kind.code())?;
    a.mov(dword_ptr(rbx + word::IMAGE as i32), process.image)?;
    a.set_label(&mut posted)?;
    a.mov(dword_ptr(rbx + word::REPLY as i32), 0)?;
    a.mov(eax, 1)?;
    a.xchg(dword_ptr(rbx + word::STATE as i32), eax)?;
    a.mov(eax, SYS_FUTEX)?;
    a.lea(rdi, qword_ptr(rbx + word::STATE as i32))?;
    a.mov(esi, libc::FUTEX_WAKE as u32)?;
    a.mov(edx, i32::MAX)?;
    a.syscall()?;
    a.set_label(&mut wait)?;
    a.mov(eax, dword_ptr(rbx + word::REPLY as i32))?;
    a.test(eax, eax)?;
    a.jnz(answered)?;
    // A timeout of 50 ms on the stack.
    a.push(50_000_000)?;
    a.push(0)?;
    a.mov(eax, SYS_FUTEX)?;
    a.lea(rdi, qword_ptr(rbx + word::REPLY as i32))?;
    a.mov(esi, libc::FUTEX_WAIT as u32)?;
    a.xor(edx, edx)?;
    a.mov(r10, rsp)?;
    a.syscall()?;
    a.lea(rsp, qword_ptr(rsp + 16))?;
    tool_is_gone(a)?;
    a.jne(wait)?;
    a.mov(dword_ptr(rbx + word::CLOSED as i32), 1)?;
    a.jmp(release)?;
    a.set_label(&mut answered)?;
    a.cmp(eax, 2)?;
    a.jne(release)?;
    // The tool wants a system call made from here.
    let call = word::CALL as i32;
    a.mov(rax, qword_ptr(rbx + call))?;
    a.mov(rdi, qword_ptr(rbx + call + 8))?;
    a.mov(rsi, qword_ptr(rbx + call + 16))?;
    a.mov(rdx, qword_ptr(rbx + call + 24))?;
    a.mov(r10, qword_ptr(rbx + call + 32))?;
    a.mov(r8, qword_ptr(rbx + call + 40))?;
    a.mov(r9, qword_ptr(rbx + call + 48))?;
    a.syscall()?;
    a.mov(qword_ptr(rbx + call + 56), rax)?;
    a.jmp(posted)?;
    a.set_label(&mut release)?;
    a.mov(dword_ptr(rbx + word::THREAD as i32), 0)?;
    a.mov(dword_ptr(rbx + word::STATE as i32), 0)?;
    a.mov(dword_ptr(rbx + word::LOCK as i32), 0)?;
    a.set_label(&mut done)?;
    a.mov(eax, SYS_RT_SIGPROCMASK)?;
    a.mov(edi, libc::SIG_SETMASK)?;
    a.mov(rsi, rsp)?;
    a.xor(edx, edx)?;
    a.mov(r10d, 8)?;
    a.syscall()?;
    a.lea(rsp, qword_ptr(rsp + 16))
}

/// Tries for the lock before a look whether the tool is still there.
const TRIES: u32 = 1000;

/// Sets the zero flag when the tool's process has ended.
fn tool_is_gone(a: &mut CodeAssembler) -> Result<(), IcedError> {
    a.mov(eax, SYS_KILL)?;
    a.mov(edi, dword_ptr(rbx + word::TOOL as i32))?;
    a.xor(esi, esi)?;
    a.syscall()?;
    a.cmp(eax, -libc::ESRCH)
}

/// The hook of the loader's notice of new modules: asks, then returns as the notice function does.
pub fn modules_hook(at: u64, ask: u64) -> Result<Vec<u8>, IcedError> {
    let mut a = CodeAssembler::new(64)?;
    a.lea(rsp, qword_ptr(rsp - 128))?;
    a.call(ask)?;
    a.lea(rsp, qword_ptr(rsp + 128))?;
    a.ret()?;
    a.assemble(at)
}

/// The hook of `execve`: announces it and makes the call; when that fails says so and goes on in the
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
    use iced_x86::{Decoder, DecoderOptions, FlowControl};

    /// The lazy routine finds the function by the address that its stub called from.
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
            assert_eq!(list[0].ip_rel_memory_address(), slot);
            assert_eq!(list[1].ip(), at + WAITING);
            assert_eq!(list[2].flow_control(), FlowControl::Call);
            assert_eq!((list[2].near_branch_target(), list[2].next_ip()), (lazy, at + BEHIND_CALL));
            assert_eq!(list[4].near_branch_target(), at);
        }
    }
}
