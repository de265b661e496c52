//! The whole of a counting run, from the command to the facts.

use crate::error::Error;
use crate::facts::Counts;
use crate::harvest;
use crate::options::{CountOptions, CountStatus, Observer};
use crate::runtime::control::Shared;
use crate::runtime::session::{Session, Unready};
use crate::runtime::tracee::{Stop, Tracee};
use loopwright_launch::Held;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Runs a command to its end and counts what its code executes.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, whatever was counted is returned.
pub fn count(
    command: &[OsString],
    options: &CountOptions,
    observer: &mut dyn Observer,
) -> Result<Counts, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Architecture);
    }
    let shared = Shared::new().map_err(|source| Error::Memory { source })?;
    let mut session = Session::new(shared, options.choice.clone(), options.counting);
    // Children whose parent ends stay below this process, which may trace its descendants.
    // SAFETY: changes an attribute of this process only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    let held = loopwright_launch::hold(command, &options.start)?;
    let begin = Instant::now();
    start(&mut session, &held, options)?;
    let setup = begin.elapsed();
    let pid = held.pid;
    observer.started(pid as u32);
    let begin = Instant::now();
    let end = wait_for(&mut session, pid, options, observer, begin);
    let mut counts = Counts {
        setup_seconds: setup.as_secs_f64(),
        elapsed_seconds: end.elapsed.as_secs_f64(),
        waiting_seconds: session.waiting.as_secs_f64(),
        exit_status: end.status,
        signal: end.signal,
        interrupted: end.interrupted,
        warnings: std::mem::take(&mut session.warnings),
        ..Counts::default()
    };
    session.shared.close();
    let programs: Vec<String> = session.images.iter().map(|i| i.program.clone()).collect();
    harvest::harvest(&session.shared, &session.instances, &programs, &mut counts);
    if session.shared.ran_out_of_areas() {
        let most = session.shared.area_count();
        counts.warnings.push(format!(
            "the program had more than {most} threads and processes over time: those beyond were not counted"
        ));
    }
    Ok(counts)
}

/// Lets the child become the program and prepares it.
fn start(session: &mut Session, held: &Held, options: &CountOptions) -> Result<(), Error> {
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
                let failure = held.failure(options.start.directory.as_deref());
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
struct End {
    elapsed: Duration,
    status: i32,
    signal: Option<i32>,
    interrupted: bool,
}

/// Answers requests until the program ends and its processes have, too.
fn wait_for(
    session: &mut Session,
    pid: i32,
    options: &CountOptions,
    observer: &mut dyn Observer,
    begin: Instant,
) -> End {
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
    let stopped = || options.stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed));
    let mut end = End { elapsed: Duration::ZERO, status: 0, signal: None, interrupted: false };
    let mut last_tick = Instant::now();
    loop {
        if let Some(asked) = session.shared.next_request(5) {
            session.answer(asked);
            continue;
        }
        if let Ok(elapsed) = ended.try_recv() {
            end.elapsed = elapsed;
            break;
        }
        if stopped() {
            end.elapsed = begin.elapsed();
            end.interrupted = true;
            return end;
        }
        if last_tick.elapsed() > Duration::from_millis(100) {
            session.shared.free_dead_lock();
            last_tick = Instant::now();
            let functions = session.instances.iter().map(|i| i.functions.len() as u32).sum();
            let modules = session.instances.len() as u32;
            observer.tick(&CountStatus { elapsed: begin.elapsed(), modules, functions });
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
    let patience = Instant::now();
    while session.shared.has_living_processes() {
        if let Some(asked) = session.shared.next_request(5) {
            session.answer(asked);
        }
        if stopped() || patience.elapsed() > options.grace {
            session.warnings.push(
                "processes that the program left behind still run: their counts are those up to now"
                    .to_owned(),
            );
            end.interrupted = true;
            break;
        }
    }
    end
}

fn zeroed_info() -> libc::siginfo_t {
    // SAFETY: all-zero is a valid value of this plain structure.
    unsafe { std::mem::zeroed() }
}
