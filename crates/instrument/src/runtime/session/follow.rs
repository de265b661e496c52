//! Following a thread into the program that it executes.

use super::Session;
use crate::runtime::control::{Asked, Request};
use crate::runtime::tracee::{Memory, Stop, Tracee};
use std::os::unix::fs::MetadataExt;

impl Session {
    /// Whether the program about to be executed may be traced: tracing would take away the rights that a
    /// set-user-id file gives.
    pub(super) fn may_follow(&self, asked: Asked) -> bool {
        let path = Memory::of(asked.process).ok().and_then(|m| read_string(&m, asked.argument));
        let Some(path) = path else { return false };
        let seen = if path.starts_with('/') { path } else { format!("/proc/{}/cwd/{path}", asked.process) };
        let Ok(meta) = std::fs::metadata(&seen) else { return false };
        meta.mode() & 0o6000 == 0 && !has_capabilities(&seen)
    }

    /// Follows a thread through its exec; returns when it runs the new program, or did not get there.
    pub(super) fn follow(&mut self, mut tracee: Tracee) {
        loop {
            match tracee.wait(false) {
                Ok(Some(Stop::Exec)) => {
                    if let Err(reason) = self.arrive(&mut tracee) {
                        self.warnings.push(format!("a child program is not counted: {reason}"));
                        let _ = tracee.detach(0);
                    }
                    return;
                }
                Ok(Some(Stop::Gone)) | Err(_) => return reap(&tracee),
                Ok(Some(Stop::Signal(signal))) => drop(tracee.resume(signal)),
                Ok(Some(_)) => drop(tracee.resume(0)),
                Ok(None) => {
                    if let Some(asked) = self.shared.next_request(1) {
                        if asked.request == Request::ExecFailed && asked.thread == tracee.thread {
                            let_go(&tracee);
                            self.shared.release();
                            return;
                        }
                        // Within the time of the request that led here.
                        self.serve(asked);
                    }
                }
            }
        }
    }
}

/// Detaches from a running thread.
fn let_go(tracee: &Tracee) {
    if tracee.interrupt().is_err() {
        return;
    }
    let signal = match tracee.wait(true) {
        Ok(Some(Stop::Gone)) | Err(_) => return reap(tracee),
        Ok(Some(Stop::Signal(signal))) => signal,
        Ok(_) => 0,
    };
    // It may have been killed meanwhile; then there is nobody to let go.
    let _ = tracee.detach(signal);
}

/// Takes the exit status of a traced process that is not our child, so that its parent can.
fn reap(tracee: &Tracee) {
    let mut status = 0;
    let parent = std::fs::read_to_string(format!("/proc/{}/stat", tracee.thread)).ok().and_then(|s| {
        let rest = s.rsplit_once(')')?.1;
        rest.split_whitespace().nth(1)?.parse::<u32>().ok()
    });
    if parent != Some(std::process::id()) {
        // SAFETY: waits without blocking for a thread that we trace.
        unsafe { libc::waitpid(tracee.thread, &raw mut status, libc::__WALL | libc::WNOHANG) };
    }
}

fn read_string(memory: &Memory, address: u64) -> Option<String> {
    let mut text = Vec::new();
    while text.len() < 4096 {
        let at = address + text.len() as u64;
        // Not beyond the page, which may be the last one mapped.
        let chunk = memory.read(at, (64 - (at % 64)) as usize).ok()?;
        match chunk.iter().position(|b| *b == 0) {
            Some(end) => {
                text.extend_from_slice(&chunk[..end]);
                return String::from_utf8(text).ok();
            }
            None => text.extend_from_slice(&chunk),
        }
    }
    None
}

/// Whether the file gives capabilities (capabilities(7), "File capabilities").
fn has_capabilities(path: &str) -> bool {
    let Ok(path) = std::ffi::CString::new(path) else { return true };
    // SAFETY: both strings end with NUL; no buffer is passed, only the size is asked for.
    let size =
        unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    size > 0
}
