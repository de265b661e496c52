//! The run of the program under perf.
//!
//! perf does not start the program: it would give it another environment (`PATH`, `PREFIX`), an open file, and hide the
//! signal that ends it. The program is held before its first instruction, as for a survey, until perf (`-p`) has attached to it; perf
//! counts the threads and processes that it starts, too.

use super::TopDown;
use super::reading::Written;
use super::tool::{self, Perf};
use crate::Error;
use crate::recording::Outcome;
use loopwright_files::regular;
use loopwright_launch::{Interruptions, StartOptions, hold, signal};
use object::Object;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How the run is made.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// How the program is started.
    pub start: StartOptions,
    /// Set by the caller to end the run: first the program is asked to end, the second time it is killed.
    pub stop: Option<Arc<AtomicBool>>,
}

/// How the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How the program ended.
    pub outcome: Outcome,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// How often the program's end and requests to stop are looked for.
const NAP: Duration = Duration::from_millis(5);
/// How long the program is held until perf has attached, and perf has to write what it counted: both take it some hundredths of a
/// second on an idle machine.
const PATIENCE: Duration = Duration::from_secs(5);

/// Runs `command` to its end under the counters. `tick` reports progress.
///
/// # Errors
/// When the program, perf, or a file for what perf writes, cannot be started or made.
pub fn measure(
    perf: &Perf,
    command: &[OsString],
    options: &RunOptions,
    tick: &mut dyn FnMut(Duration),
) -> Result<(TopDown, Ended), Error> {
    let mut top_down =
        TopDown { perf_version: perf.version.clone(), asked: perf.ask.clone(), ..TopDown::default() };
    let mut started = |program: &Path| {
        let real = program.canonicalize().unwrap_or_else(|_| program.to_owned());
        top_down.build_id = build_id(&real);
        top_down.executable = real.to_string_lossy().into_owned();
    };
    let (written, ended) = run(perf, command, options, &mut started, tick)?;
    (top_down.readings, top_down.user_only) = (written.readings, written.user_only);
    Ok((top_down, ended))
}

pub(super) fn run(
    perf: &Perf,
    command: &[OsString],
    options: &RunOptions,
    started: &mut dyn FnMut(&Path),
    tick: &mut dyn FnMut(Duration),
) -> Result<(Written, Ended), Error> {
    let system = |call, source| Error::System {
        call,
        source,
        remedy: "leave the run under counters out (--no-counters), or make room for a process and a temporary file",
    };
    let output = tempfile::NamedTempFile::new().map_err(|source| system("creat", source))?;
    let held = hold(command, &options.start)?;
    let program = match &options.start.directory {
        Some(directory) => directory.join(&held.program),
        None => held.program.clone(),
    };
    started(&program);
    let pid = held.pid;
    let mut attached = match attach(perf, pid, output.path()) {
        Ok(attached) => attached,
        Err(source) => {
            held.abandon();
            return Err(system("fork", source));
        }
    };
    let begin = Instant::now();
    if let Err(error) = held.release(options.start.directory.as_deref()) {
        finish(&mut attached);
        return Err(error.into());
    }
    let outcome = wait(pid, options, begin, tick);
    let elapsed = begin.elapsed();
    finish(&mut attached);
    Ok((tool::read(output.path()), Ended { outcome, elapsed }))
}

fn build_id(path: &Path) -> Option<String> {
    let cache = object::ReadCache::new(regular::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    file.build_id().ok().flatten().map(crate::perf::records::hexadecimal)
}

/// Starts perf for a process, and waits until it counts, or has given up.
fn attach(perf: &Perf, pid: libc::pid_t, output: &Path) -> std::io::Result<Child> {
    let mut command = Command::new(&perf.path);
    command.args(tool::arguments(&perf.ask, output)).arg("-p").arg(pid.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Ctrl-C is for the program: perf ends when that has ended.
    let mut perf = command.process_group(0).spawn()?;
    let begin = Instant::now();
    let mut seen = 0;
    // Twice, as perf may also sleep between opening one counter and the next.
    while seen < 2 && begin.elapsed() < PATIENCE && perf.try_wait()?.is_none() {
        seen = if counts(perf.id()) { seen + 1 } else { 0 };
        std::thread::sleep(NAP);
    }
    Ok(perf)
}

/// The process has counters open, and sleeps: perf does so once all of them count.
fn counts(perf: u32) -> bool {
    let folder = format!("/proc/{perf}");
    let state = std::fs::read_to_string(format!("{folder}/stat")).unwrap_or_default();
    // The state follows the name in brackets (proc(5)).
    if !state.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('S')) {
        return false;
    }
    let Ok(descriptors) = std::fs::read_dir(format!("{folder}/fd")) else { return false };
    let is_counter = |entry: std::io::Result<std::fs::DirEntry>| {
        let target = entry.and_then(|entry| std::fs::read_link(entry.path()));
        target.is_ok_and(|target| target.as_os_str() == "anon_inode:[perf_event]")
    };
    descriptors.into_iter().any(is_counter)
}

/// Makes perf write what it counted, as Ctrl-C does for its users; it looks for the end of a process only each second.
fn finish(perf: &mut Child) {
    // It is not reaped before `try_wait` says so.
    let pid = perf.id() as libc::pid_t;
    if perf.try_wait().is_ok_and(|ended| ended.is_none()) {
        signal(pid, libc::SIGINT);
    }
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        match perf.try_wait() {
            Ok(None) => std::thread::sleep(NAP),
            _ => return,
        }
    }
    signal(pid, libc::SIGKILL);
    let _ = perf.wait();
}

/// Waits for the program, and passes on what the user asks for.
fn wait(pid: libc::pid_t, options: &RunOptions, begin: Instant, tick: &mut dyn FnMut(Duration)) -> Outcome {
    let mut interruptions = Interruptions::new(options.stop.as_deref(), pid);
    loop {
        let mut status = 0;
        // SAFETY: `status` is a live local value, and `pid` our own child, which only this function reaps.
        match unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } {
            0 => {}
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => continue,
            -1 => return Outcome::Unknown,
            _ if interruptions.any() => return Outcome::Interrupted,
            _ if libc::WIFSIGNALED(status) => return Outcome::Signalled(libc::WTERMSIG(status)),
            _ => return Outcome::Exited(libc::WEXITSTATUS(status)),
        }
        // Not reaped yet; perf follows what the program started.
        interruptions.heed(std::iter::empty);
        tick(begin.elapsed());
        std::thread::sleep(NAP);
    }
}
