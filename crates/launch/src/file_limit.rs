//! A limit on the size of files (`ulimit -f`) applies to the program; it must not end the collector.
//!
//! A process that writes beyond the limit gets SIGXFSZ, which ends it, or, where that is ignored, the error EFBIG
//! (setrlimit(2)): only the latter can be reported. The program gets the disposition that the caller had set.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The signal's disposition before it was ignored.
static BEFORE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);

/// Makes writes beyond the limit fail instead of ending this process. Called at the start of a command.
pub fn survive_file_limit() {
    // SAFETY: `SIG_IGN` is a valid disposition, and no handler of this process is replaced.
    let before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    if before != libc::SIG_ERR {
        BEFORE.store(before, Ordering::Relaxed);
    }
}

/// Restores the disposition, in a process that becomes the program.
pub(crate) fn put_back() {
    // SAFETY: async-signal-safe; the disposition is one that `signal` returned, and exec makes a handler the default.
    unsafe { libc::signal(libc::SIGXFSZ, BEFORE.load(Ordering::Relaxed)) };
}
