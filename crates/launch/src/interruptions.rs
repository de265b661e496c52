//! The user's requests to end a run early. What was collected is kept in any case.

use crate::terminal::shares_the_terminal;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first request asks the program to end, as Ctrl-C does; any further one kills it and its descendants.
pub struct Interruptions<'a> {
    request: Option<&'a AtomicBool>,
    program: libc::pid_t,
    heeded: u32,
}

impl<'a> Interruptions<'a> {
    /// Requests for `program`; whoever has one sets `request`.
    pub fn new(request: Option<&'a AtomicBool>, program: libc::pid_t) -> Self {
        Self { request, program, heeded: 0 }
    }

    /// Passes on a new request, if there is one.
    pub fn heed<I: IntoIterator<Item = libc::pid_t>>(&mut self, descendants: impl FnOnce() -> I) {
        if !self.request.is_some_and(|request| request.swap(false, Ordering::AcqRel)) {
            return;
        }
        self.heeded += 1;
        if self.heeded > 1 {
            for process in [self.program].into_iter().chain(descendants()) {
                signal(process, libc::SIGKILL);
            }
        } else if !shares_the_terminal() {
            // Ctrl-C in a terminal has already reached it.
            signal(self.program, libc::SIGINT);
        }
    }

    /// Whether there has been one.
    pub fn any(&self) -> bool {
        self.heeded > 0
    }
}

/// Sends a signal to one process; to one that has ended, nothing is sent.
pub fn signal(process: libc::pid_t, signal: libc::c_int) {
    // Other numbers are groups of processes, this one's among them.
    if process > 0 {
        // SAFETY: sends a signal; nothing of this process's memory is involved.
        unsafe { libc::kill(process, signal) };
    }
}
