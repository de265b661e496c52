//! Breakpoints in a program that blocks or ignores `SIGTRAP`, as it may from its first instruction on: both
//! survive `execve`. When a breakpoint is hit all the same, the kernel unblocks the signal and forgets that
//! it was ignored (`force_sig_info_to_task`), and the program would see the change. So the signal is allowed
//! before, and its treatment restored afterwards.

use super::process;
use super::tracee::Tracee;
use std::io;

/// Bit of a signal in the kernel's sets.
const TRAP: u64 = 1 << (libc::SIGTRAP - 1);

/// A program's treatment of `SIGTRAP`.
#[derive(Clone, Copy, Debug)]
pub struct Traps {
    blocked: bool,
    ignored: bool,
}

impl Traps {
    /// Allows the signal in a stopped thread that runs nothing of its program yet.
    ///
    /// # Errors
    /// Also when such a signal already waits to be delivered: allowed, it would kill the program.
    pub fn allow(tracee: &Tracee) -> io::Result<Self> {
        let set = |name| {
            let text = process::status(tracee.thread, tracee.thread, name);
            text.and_then(|t| u64::from_str_radix(&t, 16).ok()).unwrap_or(0)
        };
        if (set("SigPnd") | set("ShdPnd")) & TRAP != 0 {
            return Err(io::Error::other("a SIGTRAP waits to be delivered to it"));
        }
        let mask = tracee.blocked_signals()?;
        if mask & TRAP != 0 {
            tracee.block_signals(mask & !TRAP)?;
        }
        Ok(Self { blocked: mask & TRAP != 0, ignored: set("SigIgn") & TRAP != 0 })
    }

    /// Restores the treatment. The stack below the stack pointer is free.
    pub fn restore(self, tracee: &Tracee) -> io::Result<()> {
        if self.ignored {
            /// `struct sigaction` of the kernel on x86-64: handler, flags, restorer, mask.
            const IGNORE: [u64; 4] = [libc::SIG_IGN as u64, 0, 0, 0];
            let scratch = tracee.registers()?.rsp - 4096;
            let bytes: Vec<u8> = IGNORE.iter().flat_map(|w| w.to_le_bytes()).collect();
            tracee.memory().write(scratch, &bytes)?;
            let arguments = [libc::SIGTRAP as u64, scratch, 0, size_of::<u64>() as u64, 0, 0];
            tracee.call(libc::SYS_rt_sigaction, arguments)?;
        }
        if self.blocked {
            tracee.block_signals(tracee.blocked_signals()? | TRAP)?;
        }
        Ok(())
    }
}
