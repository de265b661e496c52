//! Follows threads into the programs that they execute.

use super::Session;
use crate::obstacle::Unready;
use crate::runtime::askers::Asked;
use crate::runtime::askers::Askers;
use crate::runtime::tracee::{Memory, Stop, Tracee};
use crate::warning::Warning;
use std::os::unix::fs::MetadataExt;

/// A traced thread that has announced that it executes a program.
#[derive(Debug)]
pub(super) struct Following {
    process: i32,
    tracee: Tracee,
}

/// The result of handling one thread.
enum Step {
    Waits,
    Arrived,
    Gone,
}

impl Session {
    /// Begins to trace the requesting thread.
    pub(super) fn begin_following(&mut self, asked: &Asked) {
        if !self.may_follow(asked) {
            return;
        }
        let Some((process, thread)) = Askers::thread(asked) else {
            return self.warn_of(asked.process, Warning::UnknownThread);
        };
        match Tracee::seize(thread) {
            Ok(tracee) => self.following.push(Following { process, tracee }),
            Err(e) => self.warn_of(process, Warning::NotFollowed { process, error: e.to_string() }),
        }
    }

    /// The exec failed: the thread continues with its present program.
    pub(super) fn end_following(&mut self, asked: &Asked) {
        let thread = Askers::thread(asked);
        let is = |f: &Following| match thread {
            Some((_, thread)) => f.tracee.thread == thread,
            None => f.process == asked.process,
        };
        if let Some(k) = self.following.iter().position(is) {
            let_go(&self.following.swap_remove(k).tracee);
        }
    }

    /// Whether threads are followed at the moment: [`Session::attend`] is due soon.
    pub fn is_following(&self) -> bool {
        !self.following.is_empty()
    }

    /// Handles the stops of the followed threads.
    pub fn attend(&mut self) {
        let mut k = 0;
        while k < self.following.len() {
            match self.step(k) {
                Step::Waits => k += 1,
                Step::Arrived => {
                    let Following { mut tracee, .. } = self.following.swap_remove(k);
                    if let Err(why) = self.arrive(&mut tracee) {
                        self.warn_of(tracee.thread, Warning::ChildNotCounted(why));
                        let _ = tracee.detach(0);
                    }
                }
                Step::Gone => reap(&self.following.swap_remove(k).tracee),
            }
        }
    }

    fn step(&mut self, k: usize) -> Step {
        let following = &mut self.following[k];
        let tracee = &mut following.tracee;
        loop {
            match tracee.wait(false) {
                Ok(Some(Stop::Exec)) => return Step::Arrived,
                // A thread that executes a program takes the place of its process's first one.
                Ok(Some(Stop::Gone)) if tracee.thread != following.process => {
                    tracee.thread = following.process;
                }
                Ok(Some(Stop::Gone)) | Err(_) => return Step::Gone,
                Ok(Some(Stop::Signal(signal))) => drop(tracee.resume(signal)),
                Ok(Some(_)) => drop(tracee.resume(0)),
                Ok(None) => return Step::Waits,
            }
        }
    }

    /// Detaches from all followed threads.
    pub(super) fn let_all_go(&mut self) {
        for following in self.following.drain(..) {
            let_go(&following.tracee);
        }
    }

    /// Whether the program about to be executed may be traced: tracing would remove the rights that a
    /// set-user-id file gives.
    fn may_follow(&self, asked: &Asked) -> bool {
        let path = self.askers.memory(asked.process).and_then(|m| read_string(&m, asked.argument));
        let Some(path) = path else { return false };
        // As the process sees it: it may have another root.
        let from = if path.starts_with('/') { "root" } else { "cwd/" };
        let seen = format!("/proc/{}/{from}{path}", asked.process);
        let Ok(meta) = std::fs::metadata(&seen) else { return false };
        meta.mode() & 0o6000 == 0 && !has_capabilities(&seen)
    }

    /// From the exec event to the program's first instruction, then prepares it.
    pub fn arrive(&mut self, tracee: &mut Tracee) -> Result<(), Unready> {
        let failed = |e: std::io::Error| Unready::System(e.to_string());
        tracee.resume_to_system_call(0).map_err(failed)?;
        loop {
            match tracee.wait(true).map_err(failed)? {
                Some(Stop::SystemCall) => break,
                Some(Stop::Gone) => return Err(Unready::Ended),
                Some(Stop::Signal(s)) => drop(tracee.resume_to_system_call(s)),
                _ => drop(tracee.resume_to_system_call(0)),
            }
        }
        self.prepare(tracee)
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
    // It may have been killed meanwhile; then there is no thread to detach from.
    let _ = tracee.detach(signal);
}

/// Collects the exit status of a traced process that is not our child, so that its parent can.
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
    // SAFETY: both strings end with NUL; no buffer is passed, only the size is requested.
    let size =
        unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    size > 0
}
