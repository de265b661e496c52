//! Which processes get Ctrl-C.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Whether this process, and so its children, is in the foreground of a terminal, which then sends Ctrl-C to
/// all of them.
pub(crate) fn shares_the_terminal() -> bool {
    let Ok(terminal) = File::open("/dev/tty") else { return false };
    // SAFETY: both calls take plain numbers; the descriptor is open.
    unsafe { libc::tcgetpgrp(terminal.as_raw_fd()) == libc::getpgrp() }
}
