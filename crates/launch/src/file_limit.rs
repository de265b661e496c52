//! A limit on the size of files (`ulimit -f`) is the program's, not the end of the collector.
//!
//! Who writes beyond the limit gets SIGXFSZ, which ends the process, or, where that is ignored, the error EFBIG
//! (setrlimit(2)): only the latter can be reported. The program gets back what the caller had set.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What the signal did before it was ignored.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

/// Lets writes beyond the limit fail instead of ending this process. For the start of a command.
pub fn survive_file_limit() {
    // SAFETY: `SIG_IGN` is a valid disposition, and no handler of this process is replaced.
    let before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    if before != libc::SIG_ERR {
        BEFORE.store(before, Ordering::Relaxed);
    }
}

/// In a forked child that becomes the program: the signal does what it did.
pub(crate) fn put_back() {
    // SAFETY: async-signal-safe; the disposition is one that `signal` returned, and exec makes a handler the default.
    unsafe { libc::signal(libc::SIGXFSZ, BEFORE.load(Ordering::Relaxed)) };
}
