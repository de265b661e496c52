//! Starts the program, and answers it until it has ended: the common part of counting and tracing.

use crate::error::Error;
use crate::obstacle::Unready;
use crate::runtime::askers::Asked;
use crate::runtime::control::Request;
use crate::runtime::process;
use crate::runtime::session::Session;
use crate::runtime::tracee::{Stop, Tracee};
use crate::warning::Warning;
use loopwright_launch::{Held, Interruptions, StartOptions};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// The actions of a collector while the program runs.
pub trait Attendant {
    /// Some time has passed: about [`Attendant::pause`] milliseconds, less when the program made a request.
    fn tick(&mut self, session: &mut Session, elapsed: Duration);

    /// A thread waits for room in the trace.
    fn room(&mut self, session: &mut Session, asked: Asked);

    /// Milliseconds between ticks.
    fn pause(&self) -> u32;
}

/// An attendant that only reports how long the program runs.
pub struct Ticking<'a> {
    tick: &'a mut dyn FnMut(Duration),
    last: Instant,
}

impl<'a> Ticking<'a> {
    /// Calls `tick` several times a second.
    pub fn new(tick: &'a mut dyn FnMut(Duration)) -> Self {
        Self { tick, last: Instant::now() }
    }
}

impl Attendant for Ticking<'_> {
    fn tick(&mut self, _session: &mut Session, elapsed: Duration) {
        if self.last.elapsed() > Duration::from_millis(100) {
            self.last = Instant::now();
            (self.tick)(elapsed);
        }
    }

    fn room(&mut self, _session: &mut Session, _asked: Asked) {}

    fn pause(&self) -> u32 {
        5
    }
}

/// A started program.
pub struct Started {
    /// Its process id.
    pub pid: i32,
    /// Time that its preparation took.
    pub setup: Duration,
}

/// Starts the command and prepares it.
pub fn start(session: &mut Session, command: &[OsString], options: &StartOptions) -> Result<Started, Error> {
    // Children whose parent ends become children of this process, which may trace its descendants.
    // SAFETY: changes an attribute of this process only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    let held = loopwright_launch::hold(command, options)?;
    let begin = Instant::now();
    prepare(session, &held, options)?;
    Ok(Started { pid: held.pid, setup: begin.elapsed() })
}

/// Lets the child execute the program and prepares it.
fn prepare(session: &mut Session, held: &Held, options: &StartOptions) -> Result<(), Error> {
    let give_up = |error: Error| {
        held.abandon();
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
            why => Error::Prepare { path: path(), reason: why.to_string() },
        })
    })
}

/// How the program ended.
#[derive(Debug, Default)]
pub struct End {
    /// Time since it was started.
    pub elapsed: Duration,
    /// Exit status as the shell would show it.
    pub status: i32,
    /// The signal that killed it.
    pub signal: Option<i32>,
    /// It was asked to end early.
    pub interrupted: bool,
    /// Processor time of the program and of the processes that have ended; `None` where some still run.
    pub cpu: Option<Duration>,
    /// Minor faults of the program and of the processes that it waited for.
    pub faults: u64,
    /// Most memory that one of them had in use.
    pub resident_bytes: u64,
    /// Processor time in the system.
    pub system: Duration,
}

/// When to stop waiting.
pub struct Patience<'a> {
    /// Set by the caller: first the program is asked to end, the second time it is killed.
    pub stop: Option<&'a Arc<AtomicBool>>,
    /// How long to wait for processes that outlive the program.
    pub grace: Duration,
}

/// Answers requests until the program ends and its processes have, too.
pub fn wait_for(session: &mut Session, pid: i32, patience: &Patience, attendant: &mut dyn Attendant) -> End {
    let begin = Instant::now();
    let ended = watch(pid, begin);
    let mut interruptions = Interruptions::new(patience.stop.map(Arc::as_ref), pid);
    let mut orphans = Orphans::new(pid);
    let mut end = End::default();
    let mut turns = Turns { begin, ticked: begin };
    loop {
        turns.next(session, attendant);
        if let Ok(elapsed) = ended.try_recv() {
            end.elapsed = elapsed;
            break;
        }
        interruptions.heed(process::descendants);
        orphans.reap();
    }
    let mut status = 0;
    // SAFETY: all-zero is a valid value of this plain structure.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: takes the exit status of our own child; both places are valid for writing.
    unsafe { libc::wait4(pid, &raw mut status, libc::__WALL, &raw mut usage) };
    if libc::WIFSIGNALED(status) {
        end.signal = Some(libc::WTERMSIG(status));
        end.status = 128 + libc::WTERMSIG(status);
    } else {
        end.status = libc::WEXITSTATUS(status);
    }
    orphans.cpu += cpu_time(&usage);
    end.faults = usage.ru_minflt as u64;
    // In KiB (getrusage(2)).
    end.resident_bytes = usage.ru_maxrss as u64 * 1024;
    end.system = time(usage.ru_stime);
    let since = Instant::now();
    let mut left = process::left_behind(session.shared.control.id());
    while !left.is_empty() && since.elapsed() < patience.grace && !interruptions.any() {
        turns.next(session, attendant);
        interruptions.heed(process::descendants);
        orphans.reap();
        left = process::left_behind(session.shared.control.id());
    }
    orphans.last_look = None;
    orphans.reap();
    if left.is_empty() {
        end.cpu = Some(orphans.cpu);
    } else {
        let mut names: Vec<String> = left.iter().filter_map(|p| process::status(*p, *p, "Name")).collect();
        names.sort_unstable();
        names.dedup();
        session.warnings.push(Warning::LeftBehind { processes: left.len(), names });
    }
    end.interrupted = interruptions.any();
    end
}

/// The waiting for requests.
struct Turns {
    begin: Instant,
    /// When the regular work was last done.
    ticked: Instant,
}

impl Turns {
    /// Answers a request; without one, and between requests that leave no pause, does the regular work.
    fn next(&mut self, session: &mut Session, attendant: &mut dyn Attendant) {
        /// A user who asks to end the run notices no such delay.
        const LONGEST: Duration = Duration::from_millis(50);
        let pause = if session.is_following() { 1 } else { attendant.pause() };
        let asked = session.next_request(pause);
        let idle = asked.is_none();
        if let Some(asked) = asked {
            answer(session, asked, attendant);
        }
        if idle || self.ticked.elapsed() > LONGEST {
            self.ticked = Instant::now();
            attendant.tick(session, self.begin.elapsed());
        }
        session.attend();
    }
}

/// Waits for the end of the program in a separate thread and leaves its status to be collected.
fn watch(pid: i32, begin: Instant) -> mpsc::Receiver<Duration> {
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
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
            // A stop of the traced child is reported, too, although this call does not request it.
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = sender.send(begin.elapsed());
    });
    ended
}

/// Collects the exit status of processes that became children of this one, as `init` would: otherwise they
/// would remain visible as zombies.
struct Orphans {
    program: i32,
    /// Children of this process that do not belong to the program.
    own: Vec<i32>,
    last_look: Option<Instant>,
    /// Processor time of the collected processes.
    cpu: Duration,
}

impl Orphans {
    fn new(program: i32) -> Self {
        let me = std::process::id() as i32;
        let own = process::children_of_thread(me, me);
        Self { program, own, last_look: None, cpu: Duration::ZERO }
    }

    fn reap(&mut self) {
        /// Time between two checks.
        const PAUSE: Duration = Duration::from_millis(50);
        if self.last_look.is_some_and(|l| l.elapsed() < PAUSE) {
            return;
        }
        self.last_look = Some(Instant::now());
        let me = std::process::id() as i32;
        // Orphans become children of the first thread; other threads of this process have children of their own.
        for child in process::children_of_thread(me, me) {
            if child == self.program || self.own.contains(&child) || process::is_running(child) {
                continue;
            }
            // SAFETY: all-zero is a valid value of this plain structure.
            let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
            // SAFETY: takes the status of a child that has ended; the place is valid for writing.
            let taken = unsafe {
                libc::wait4(child, std::ptr::null_mut(), libc::WNOHANG | libc::__WALL, &raw mut usage)
            };
            if taken == child {
                self.cpu += cpu_time(&usage);
            }
        }
    }
}

fn cpu_time(usage: &libc::rusage) -> Duration {
    time(usage.ru_utime) + time(usage.ru_stime)
}

fn time(of: libc::timeval) -> Duration {
    Duration::from_secs(of.tv_sec as u64) + Duration::from_micros(of.tv_usec as u64)
}

fn answer(session: &mut Session, asked: Asked, attendant: &mut dyn Attendant) {
    if asked.request == Request::Room {
        let begin = Instant::now();
        attendant.room(session, asked);
        session.release(&asked);
        session.waiting += begin.elapsed();
    } else {
        session.answer(asked);
    }
}

fn zeroed_info() -> libc::siginfo_t {
    // SAFETY: all-zero is a valid value of this plain structure.
    unsafe { std::mem::zeroed() }
}
