//! What this process inherited, as it was before Rust's run time changed it, so that the program inherits the same.
//!
//! Before `main` the run time ignores SIGPIPE and opens `/dev/null` for each standard stream that is closed
//! (library/std/src/sys/pal/unix/mod.rs). A program started from here would then write to nowhere instead of
//! getting EBADF, see its first `open` return 3 instead of the number of the closed stream, and, where its caller
//! ignored SIGPIPE (systemd does), end by the signal instead of getting EPIPE. Functions in `.init_array` run before that.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// Bit `n` is set when descriptor `n` was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// What SIGPIPE did.
static PIPE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

#[used]
#[unsafe(link_section = ".init_array")]
static RECORD: extern "C" fn() = record;

extern "C" fn record() {
    for descriptor in 0..3 {
        // SAFETY: only asks for the flags of a descriptor, which need not be open.
        if unsafe { libc::fcntl(descriptor, libc::F_GETFD) } < 0 {
            CLOSED.fetch_or(1 << descriptor, Ordering::Relaxed);
        }
    }
    // SAFETY: an all-zero `sigaction` is a valid value (no handler, no flags, empty mask).
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: only asks; `action` has room for the answer.
    if unsafe { libc::sigaction(libc::SIGPIPE, std::ptr::null(), &raw mut action) } == 0 {
        PIPE.store(action.sa_sigaction, Ordering::Relaxed);
    }
}

/// Whether standard stream 0, 1 or 2 was closed when this process began.
pub fn was_closed(descriptor: u8) -> bool {
    CLOSED.load(Ordering::Relaxed) & (1 << descriptor) != 0
}

/// In a process that becomes the program: SIGPIPE does what it did.
pub(crate) fn put_back_pipe_signal() {
    // SAFETY: async-signal-safe; a process begins with the default or with the signal ignored, and both are valid.
    unsafe { libc::signal(libc::SIGPIPE, PIPE.load(Ordering::Relaxed)) };
}
