//! The timer of the ptrace sampler: a child that stops itself at each tick.
//!
//! The sampler must sleep in `wait4` to answer the program's events at once, and the kernel wakes it there
//! only for children and signals. A signal would have to be taken from the caller's process; a child that
//! sleeps and stops itself needs none.

use std::io;

use crate::error::Error;

/// A ticking child of the calling thread; ended when dropped.
#[derive(Debug)]
pub struct Ticker {
    pid: libc::pid_t,
}

impl Ticker {
    /// Starts ticking.
    pub fn start(frequency_hz: u32) -> Result<Self, Error> {
        let period = libc::timespec {
            tv_sec: libc::time_t::from(frequency_hz <= 1),
            tv_nsec: if frequency_hz <= 1 { 0 } else { 1_000_000_000 / libc::c_long::from(frequency_hz) },
        };
        // SAFETY: the child calls only async-signal-safe functions on its own copy of `period`.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            return Err(Error::System {
                call: "fork",
                source: io::Error::last_os_error(),
                remedy: "raise the limit of processes (`ulimit -u`) or of memory",
            });
        }
        if pid == 0 {
            // SAFETY: async-signal-safe calls with plain numbers and a valid pointer, in the forked child,
            // which never returns from here.
            unsafe {
                // Ends with the sampler's thread, however that ends.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
                // The terminal's signals are for the program; this child outlives them.
                for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGTSTP] {
                    libc::signal(signal, libc::SIG_IGN);
                }
                let own = libc::getpid();
                loop {
                    libc::nanosleep(&raw const period, std::ptr::null_mut());
                    libc::kill(own, libc::SIGSTOP);
                }
            }
        }
        Ok(Self { pid })
    }

    /// The child's process id, which separates it from the program's processes in `wait4`.
    pub fn pid(&self) -> libc::pid_t {
        self.pid
    }

    /// Resumes it until the next tick; `false` when it has died.
    pub fn resume(&self) -> bool {
        // SAFETY: signals our own child, which has not been reaped unless it died.
        unsafe { libc::kill(self.pid, libc::SIGCONT) == 0 }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        // SAFETY: ends and reaps our own child.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            libc::waitpid(self.pid, std::ptr::null_mut(), 0);
        }
    }
}
