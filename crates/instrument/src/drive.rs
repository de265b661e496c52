//! Starting the program, and answering it until it has ended: what counting and tracing have in common.

use crate::error::Error;
use crate::runtime::control::{Asked, Request};
use crate::runtime::session::{Session, Unready};
use crate::runtime::tracee::{Stop, Tracee};
use loopwright_launch::{Held, StartOptions};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// What a collector does while the program runs.
pub trait Attendant {
    /// Some time has passed: about [`Attendant::pause`] milliseconds, less when the program asked for something.
    fn tick(&mut self, session: &mut Session, elapsed: Duration);

    /// A thread waits for room in the trace.
    fn room(&mut self, session: &mut Session, asked: Asked);

    /// Milliseconds between ticks.
    fn pause(&self) -> u32;
}

/// A program that was started.
pub struct Started {
    /// Its process.
    pub pid: i32,
    /// How long preparing it took.
    pub setup: Duration,
}

/// Starts the command and prepares it.
pub fn start(session: &mut Session, command: &[OsString], options: &StartOptions) -> Result<Started, Error> {
    // Children whose parent ends stay below this process, which may trace its descendants.
    // SAFETY: changes an attribute of this process only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    let held = loopwright_launch::hold(command, options)?;
    let begin = Instant::now();
    prepare(session, &held, options)?;
    Ok(Started { pid: held.pid, setup: begin.elapsed() })
}

/// Lets the child become the program and prepares it.
fn prepare(session: &mut Session, held: &Held, options: &StartOptions) -> Result<(), Error> {
    let give_up = |error: Error| {
        // SAFETY: ends our own child, which has not been waited for.
        unsafe { libc::kill(held.pid, libc::SIGKILL) };
        held.reap();
        error
    };
    let mut tracee = Tracee::seize(held.pid).map_err(|source| give_up(Error::TracingForbidden { source }))?;
    held.open_gate();
    let path = || held.program.clone();
    let broken = |e: io::Error| Error::Prepare { path: path(), reason: e.to_string() };
    loop {
        match tracee.wait(true).map_err(|e| give_up(broken(e)))? {
            Some(Stop::Exec) => break,
            Some(Stop::Gone) => {
                let failure = held.failure(options.directory.as_deref());
                held.reap();
                return Err(failure.map_or_else(
                    || Error::Prepare { path: path(), reason: "it ended before it began".to_owned() },
                    Error::Start,
                ));
            }
            Some(Stop::Signal(signal)) => drop(tracee.resume(signal)),
            _ => drop(tracee.resume(0)),
        }
    }
    session.arrive(&mut tracee).map_err(|why| {
        give_up(match why {
            Unready::ThirtyTwoBit => Error::NotX86_64 { path: path() },
            Unready::Failed(reason) => Error::Prepare { path: path(), reason },
        })
    })
}

/// How the program ended.
pub struct End {
    /// Since it was started.
    pub elapsed: Duration,
    /// As the shell would show it.
    pub status: i32,
    /// What killed it.
    pub signal: Option<i32>,
    /// It, or processes that it left behind, still run.
    pub interrupted: bool,
}

/// When to stop waiting.
pub struct Patience<'a> {
    /// Set from outside.
    pub stop: Option<&'a Arc<AtomicBool>>,
    /// For processes that outlive the program.
    pub grace: Duration,
}

/// Answers requests until the program ends and its processes have, too.
pub fn wait_for(session: &mut Session, pid: i32, patience: &Patience, attendant: &mut dyn Attendant) -> End {
    let begin = Instant::now();
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
        // Leaves the status to be taken below.
        let mut info: libc::siginfo_t = zeroed_info();
        loop {
            // SAFETY: `info` is valid for writing.
            let result = unsafe {
                libc::waitid(libc::P_PID, pid as u32, &raw mut info, libc::WEXITED | libc::WNOWAIT)
            };
            let ended = matches!(info.si_code, libc::CLD_EXITED | libc::CLD_KILLED | libc::CLD_DUMPED);
            if result == 0 && ended
                || result != 0 && io::Error::last_os_error().raw_os_error() != Some(libc::EINTR)
            {
                break;
            }
            // A stop of the traced child is reported, too, although nobody asked.
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = sender.send(begin.elapsed());
    });
    let stopped = || patience.stop.is_some_and(|s| s.load(Ordering::Relaxed));
    let mut end = End { elapsed: Duration::ZERO, status: 0, signal: None, interrupted: false };
    let mut last_look = Instant::now();
    loop {
        if let Some(asked) = session.shared.next_request(attendant.pause()) {
            answer(session, asked, attendant);
            continue;
        }
        attendant.tick(session, begin.elapsed());
        if let Ok(elapsed) = ended.try_recv() {
            end.elapsed = elapsed;
            break;
        }
        if stopped() {
            end.elapsed = begin.elapsed();
            end.interrupted = true;
            return end;
        }
        if last_look.elapsed() > Duration::from_millis(100) {
            session.shared.free_dead_lock();
            last_look = Instant::now();
        }
    }
    let mut status = 0;
    // SAFETY: takes the exit status of our own child.
    unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) };
    if libc::WIFSIGNALED(status) {
        end.signal = Some(libc::WTERMSIG(status));
        end.status = 128 + libc::WTERMSIG(status);
    } else {
        end.status = libc::WEXITSTATUS(status);
    }
    let since = Instant::now();
    while session.shared.has_living_processes() {
        match session.shared.next_request(attendant.pause()) {
            Some(asked) => answer(session, asked, attendant),
            None => attendant.tick(session, begin.elapsed()),
        }
        if stopped() || since.elapsed() > patience.grace {
            session.warnings.push(
                "processes that the program left behind still run: what is shown of them is that up to now"
                    .to_owned(),
            );
            end.interrupted = true;
            break;
        }
    }
    end
}

fn answer(session: &mut Session, asked: Asked, attendant: &mut dyn Attendant) {
    if asked.request == Request::Room {
        let begin = Instant::now();
        attendant.room(session, asked);
        session.shared.release();
        session.waiting += begin.elapsed();
    } else {
        session.answer(asked);
    }
}

fn zeroed_info() -> libc::siginfo_t {
    // SAFETY: all-zero is a valid value of this plain structure.
    unsafe { std::mem::zeroed() }
}
