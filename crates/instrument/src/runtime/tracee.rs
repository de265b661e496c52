//! A stopped thread: its registers and memory, and system calls executed in it.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Registers as ptrace shows them.
pub type Registers = libc::user_regs_struct;

/// Why a thread stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It has executed another program.
    Exec,
    /// At the exit of a system call.
    SystemCall,
    /// A signal is about to be delivered.
    Signal(i32),
    /// Another stop that ptrace reports (`PTRACE_INTERRUPT`, group stop).
    Other,
    /// It has ended. Its status can still be waited for when it is our child.
    Gone,
}

/// A thread that this process traces.
#[derive(Debug)]
pub struct Tracee {
    /// Thread id (that of the process after an exec).
    pub thread: i32,
    memory: Memory,
}

/// The memory of a process, written regardless of its protection.
#[derive(Debug)]
pub struct Memory(File);

impl Memory {
    /// Opens the memory of a process.
    pub fn of(process: i32) -> io::Result<Self> {
        let path = format!("/proc/{process}/mem");
        Ok(Self(std::fs::OpenOptions::new().read(true).write(true).open(path)?))
    }

    /// Opens the memory of a thread: the process still has it after its first thread has ended.
    pub fn of_thread(process: i32, thread: i32) -> io::Result<Self> {
        let path = format!("/proc/{process}/task/{thread}/mem");
        Ok(Self(std::fs::OpenOptions::new().read(true).write(true).open(path)?))
    }

    /// The same memory, for another owner.
    pub fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    /// Reads `length` bytes.
    pub fn read(&self, address: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, address)?;
        Ok(bytes)
    }

    /// Reads a word.
    pub fn word(&self, address: u64) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.0.read_exact_at(&mut bytes, address)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, address)
    }
}

/// The C libraries declare the request differently.
#[cfg(target_env = "musl")]
type Request = libc::c_int;
#[cfg(not(target_env = "musl"))]
type Request = libc::c_uint;

fn ptrace(request: Request, thread: i32, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: the callers pass, by request, either plain numbers or the address of a structure that lives
    // for the duration of the call.
    let result = unsafe { libc::ptrace(request, thread, address, data) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

impl Tracee {
    /// Begins to trace a thread, without stopping it; it stops when it executes a program.
    pub fn seize(thread: i32) -> io::Result<Self> {
        let options = libc::PTRACE_O_TRACEEXEC | libc::PTRACE_O_TRACESYSGOOD;
        ptrace(libc::PTRACE_SEIZE, thread, 0, options as usize)?;
        Ok(Self { thread, memory: Memory::of(thread)? })
    }

    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Opens the memory again, because exec replaces it.
    pub fn reopen_memory(&mut self) -> io::Result<()> {
        self.memory = Memory::of(self.thread)?;
        Ok(())
    }

    /// Waits for the next stop; with `patient` false, returns `None` if the thread has not stopped yet.
    pub fn wait(&self, patient: bool) -> io::Result<Option<Stop>> {
        // SAFETY: all-zero is a valid siginfo_t; the call overwrites it.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        let mut options = libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT | libc::__WALL;
        if !patient {
            options |= libc::WNOHANG;
        }
        loop {
            // SAFETY: `info` is valid for writing. WNOWAIT leaves an exit status to its parent.
            let result = unsafe { libc::waitid(libc::P_PID, self.thread as u32, &raw mut info, options) };
            if result == 0 {
                break;
            }
            match io::Error::last_os_error() {
                e if e.raw_os_error() == Some(libc::EINTR) => {}
                e if e.raw_os_error() == Some(libc::ECHILD) => return Ok(Some(Stop::Gone)),
                e => return Err(e),
            }
        }
        // SAFETY: waitid filled the fields of SIGCHLD, or left zeros (WNOHANG).
        if unsafe { info.si_pid() } == 0 {
            return Ok(None);
        }
        if !matches!(info.si_code, libc::CLD_TRAPPED | libc::CLD_STOPPED) {
            return Ok(Some(Stop::Gone));
        }
        let mut status = 0;
        // SAFETY: takes the stop that was just seen.
        unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) };
        let signal = libc::WSTOPSIG(status);
        Ok(Some(match (signal, status >> 16) {
            (libc::SIGTRAP, libc::PTRACE_EVENT_EXEC) => Stop::Exec,
            (s, 0) if s == libc::SIGTRAP | 0x80 => Stop::SystemCall,
            (s, 0) => Stop::Signal(s),
            _ => Stop::Other,
        }))
    }

    /// Lets the thread run, delivering `signal` (0 for none).
    pub fn resume(&self, signal: i32) -> io::Result<()> {
        ptrace(libc::PTRACE_CONT, self.thread, 0, signal as usize)
    }

    /// Lets the thread run to the next entry or exit of a system call.
    pub fn resume_to_system_call(&self, signal: i32) -> io::Result<()> {
        ptrace(libc::PTRACE_SYSCALL, self.thread, 0, signal as usize)
    }

    /// Requests a stop.
    pub fn interrupt(&self) -> io::Result<()> {
        ptrace(libc::PTRACE_INTERRUPT, self.thread, 0, 0)
    }

    /// Detaches, delivering `signal`.
    pub fn detach(&self, signal: i32) -> io::Result<()> {
        ptrace(libc::PTRACE_DETACH, self.thread, 0, signal as usize)
    }

    pub fn registers(&self) -> io::Result<Registers> {
        // SAFETY: all-zero is a valid value of this plain structure.
        let mut registers: Registers = unsafe { std::mem::zeroed() };
        ptrace(libc::PTRACE_GETREGS, self.thread, 0, (&raw mut registers) as usize)?;
        Ok(registers)
    }

    pub fn set_registers(&self, registers: &Registers) -> io::Result<()> {
        ptrace(libc::PTRACE_SETREGS, self.thread, 0, std::ptr::from_ref(registers) as usize)
    }

    /// Runs until the breakpoint instruction at one of `addresses`, which is inserted there and removed
    /// again; signals are delivered. The address that was reached, or `None` when the thread ended.
    ///
    /// `SIGTRAP` must not be blocked or ignored ([`super::traps`]): the kernel would change that permanently.
    pub fn run_to(&self, addresses: &[u64]) -> io::Result<Option<u64>> {
        let mut saved = Vec::new();
        for &a in addresses {
            saved.push((a, self.memory.read(a, 1)?));
            self.memory.write(a, &[0xcc])?;
        }
        self.resume(0)?;
        let reached = loop {
            match self.wait(true)? {
                None => {}
                Some(Stop::Gone) => return Ok(None),
                Some(Stop::Signal(libc::SIGTRAP)) => {
                    let mut registers = self.registers()?;
                    let at = registers.rip.wrapping_sub(1);
                    if addresses.contains(&at) {
                        registers.rip = at;
                        self.set_registers(&registers)?;
                        break at;
                    }
                    self.resume(libc::SIGTRAP)?;
                }
                Some(Stop::Signal(signal)) => self.resume(signal)?,
                Some(_) => self.resume(0)?,
            }
        };
        for (a, bytes) in saved {
            self.memory.write(a, &bytes)?;
        }
        Ok(Some(reached))
    }

    /// Signals that the thread blocks: bit `k` is signal `k + 1`.
    pub fn blocked_signals(&self) -> io::Result<u64> {
        let mut mask = 0_u64;
        ptrace(libc::PTRACE_GETSIGMASK, self.thread, size_of::<u64>(), (&raw mut mask) as usize)?;
        Ok(mask)
    }

    /// Sets the blocked signals.
    pub fn block_signals(&self, mask: u64) -> io::Result<()> {
        ptrace(libc::PTRACE_SETSIGMASK, self.thread, size_of::<u64>(), (&raw const mask) as usize)
    }

    /// Executes a system call in the stopped thread, at its own instruction pointer. The thread is stopped
    /// where the call begins and ends, which involves no signal.
    pub fn call(&self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
        /// `syscall`.
        const CODE: [u8; 2] = [0x0f, 0x05];
        let before = self.registers()?;
        let at = before.rip;
        let saved = self.memory.read(at, CODE.len())?;
        self.memory.write(at, &CODE)?;
        let mut r = before;
        r.rip = at;
        r.rax = number as u64;
        r.orig_rax = u64::MAX;
        [r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9] = arguments;
        self.set_registers(&r)?;
        let mut pending = Vec::new();
        // Stops at its beginning, then at its end.
        for _ in 0..2 {
            self.resume_to_system_call(0)?;
            loop {
                match self.wait(true)? {
                    Some(Stop::Gone) => {
                        return Err(io::Error::other("the program ended while it was being prepared"));
                    }
                    Some(Stop::SystemCall) => break,
                    // Delivered after the thread's own registers are restored.
                    Some(Stop::Signal(signal)) => {
                        pending.push(signal);
                        self.resume_to_system_call(0)?;
                    }
                    _ => self.resume_to_system_call(0)?,
                }
            }
        }
        let result = self.registers()?.rax as i64;
        self.memory.write(at, &saved)?;
        self.set_registers(&before)?;
        for signal in pending {
            // SAFETY: sends a signal that was meant for this thread.
            unsafe { libc::syscall(libc::SYS_tkill, self.thread, signal) };
        }
        if (-4095..0).contains(&result) {
            return Err(io::Error::from_raw_os_error(-result as i32));
        }
        Ok(result as u64)
    }
}
