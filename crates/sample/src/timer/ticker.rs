//! The timer of the ptrace sampler: a child that stops itself at each tick.
//!
//! The sampler must sleep in `wait4` to answer the program's events at once, and the kernel wakes it there
//! only for children and signals. A signal would have to be taken from the caller's process; a child that
//! sleeps and stops itself needs none.

use std::io;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::accounting::monotonic_ns;
use crate::error::Error;

/// A ticking child of the calling thread; ended when dropped.
#[derive(Debug)]
pub struct Ticker {
    pid: libc::pid_t,
    due: Due,
}

/// When the next tick is due, in memory that the child shares: it runs late where others keep the CPUs.
#[derive(Debug)]
struct Due(NonNull<AtomicU64>);

impl Due {
    fn new() -> io::Result<Self> {
        // SAFETY: a new anonymous mapping at an address of the kernel's choice.
        let page = unsafe {
            libc::mmap(
                null_mut(),
                size_of::<AtomicU64>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(page.cast()).map(Self).ok_or_else(|| io::Error::other("no address"))
    }

    fn word(&self) -> &AtomicU64 {
        // SAFETY: the mapping is aligned to a page, holds one such word, of which all-zero is a value, and lasts as long as `self`.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Due {
    fn drop(&mut self) {
        // SAFETY: our own mapping, to which nothing refers any more.
        unsafe { libc::munmap(self.0.as_ptr().cast(), size_of::<AtomicU64>()) };
    }
}

impl Ticker {
    /// Starts ticking.
    pub fn start(frequency_hz: u32) -> Result<Self, Error> {
        let refused = |call, remedy| move |source| Error::System { call, source, remedy };
        let due = Due::new().map_err(refused("mmap", "raise the limit of memory (`ulimit -v`)"))?;
        let period_ns = 1_000_000_000 / u64::from(frequency_hz.max(1));
        // SAFETY: the child calls only async-signal-safe functions on its own copies, and writes to the shared word.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            let remedy = "raise the limit of processes (`ulimit -u`) or of memory";
            return Err(refused("fork", remedy)(io::Error::last_os_error()));
        }
        if pid == 0 {
            // SAFETY: async-signal-safe calls with plain numbers and valid pointers, in the forked child,
            // which never returns from here.
            unsafe {
                // Ends with the sampler's thread, however that ends.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
                // By default the kernel may wake it 50 us late.
                libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0);
                // The terminal's signals are for the program; this child outlives them.
                for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGTSTP] {
                    libc::signal(signal, libc::SIG_IGN);
                }
                let own = libc::getpid();
                let mut random = monotonic_ns() | 1;
                loop {
                    // Xorshift (Marsaglia 2003, "Xorshift RNGs"): no tick is in step with what the program or the scheduler repeats.
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    let at = monotonic_ns() + period_ns / 2 + random % period_ns;
                    due.word().store(at, Ordering::Relaxed);
                    let at = libc::timespec {
                        tv_sec: (at / 1_000_000_000) as libc::time_t,
                        tv_nsec: (at % 1_000_000_000) as libc::c_long,
                    };
                    libc::clock_nanosleep(
                        libc::CLOCK_MONOTONIC,
                        libc::TIMER_ABSTIME,
                        &raw const at,
                        null_mut(),
                    );
                    libc::kill(own, libc::SIGSTOP);
                }
            }
        }
        Ok(Self { pid, due })
    }

    /// When the tick that has come was due.
    pub fn due_ns(&self) -> u64 {
        self.due.word().load(Ordering::Relaxed)
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
