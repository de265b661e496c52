//! The run of the program under perf.
//!
//! perf starts the program, so its end is known as perf passes it on: the status, and 0 for a program that a signal killed.

use super::TopDown;
use super::tool::{self, Perf};
use crate::Error;
use loopwright_files::regular;
use loopwright_launch::{StartOptions, hold, resolve, shares_the_terminal};
use object::Object;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// Exit status that perf passed on.
    pub status: i32,
    /// The user asked to stop.
    pub interrupted: bool,
    /// Wall-clock time.
    pub elapsed: Duration,
}

/// How often the program's end and requests to stop are looked for.
const NAP: Duration = Duration::from_millis(5);

/// Runs `command` to its end under the counters. `tick` reports progress.
///
/// # Errors
/// When perf, or a file for what it writes, cannot be started or made.
pub fn measure(
    perf: &Perf,
    command: &[OsString],
    options: &RunOptions,
    tick: &mut dyn FnMut(Duration),
) -> Result<(TopDown, Ended), Error> {
    let (executable, build_id) = program(command, &options.start)?;
    let output = tempfile::NamedTempFile::new().map_err(|source| Error::System {
        call: "creat",
        source,
        remedy: "make room in the temporary folder, or name another one in TMPDIR",
    })?;
    let mut words = vec![perf.path.clone().into_os_string()];
    words.extend(tool::arguments(&perf.ask, output.path()));
    words.extend(command.iter().cloned());
    let begin = Instant::now();
    let held = hold(&words, &options.start)?;
    let pid = held.pid;
    held.release(options.start.directory.as_deref())?;
    let (status, interrupted) = wait(pid, options, begin, tick);
    let written = tool::read(output.path());
    let top_down = TopDown {
        executable,
        build_id,
        perf_version: perf.version.clone(),
        asked: perf.ask.clone(),
        readings: written.readings,
        user_only: written.user_only,
    };
    Ok((top_down, Ended { status, interrupted, elapsed: begin.elapsed() }))
}

/// Real path and build id of the program, which say later whether it was built again.
fn program(command: &[OsString], start: &StartOptions) -> Result<(String, Option<String>), Error> {
    let path = std::env::var_os("PATH");
    let first = command.first().map(OsString::as_os_str).unwrap_or_default();
    let found = resolve(first, path.as_deref(), start.directory.as_deref())?;
    let found = match &start.directory {
        Some(directory) => directory.join(found),
        None => found,
    };
    let real = found.canonicalize().unwrap_or(found);
    Ok((real.to_string_lossy().into_owned(), build_id(&real)))
}

fn build_id(path: &Path) -> Option<String> {
    let cache = object::ReadCache::new(regular::open(path).ok()?);
    let file = object::File::parse(&cache).ok()?;
    file.build_id().ok().flatten().map(crate::perf::records::hexadecimal)
}

/// Waits for perf, and passes on what the user asks for.
fn wait(
    pid: libc::pid_t,
    options: &RunOptions,
    begin: Instant,
    tick: &mut dyn FnMut(Duration),
) -> (i32, bool) {
    let mut times = 0;
    loop {
        let mut status = 0;
        // SAFETY: `status` is a live local value, and `pid` our own child, which only this function reaps.
        match unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } {
            0 => {}
            -1 if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => continue,
            -1 => return (-1, times > 0),
            _ if libc::WIFEXITED(status) => return (libc::WEXITSTATUS(status), times > 0),
            _ => return (-1, times > 0),
        }
        if options.stop.as_ref().is_some_and(|stop| stop.swap(false, Ordering::AcqRel)) {
            times += 1;
            pass_on(pid, times);
        }
        tick(begin.elapsed());
        std::thread::sleep(NAP);
    }
}

/// perf waits for the program whatever signal it gets itself, so that the program is asked.
fn pass_on(perf: libc::pid_t, times: u32) {
    // Ctrl-C in a terminal has already reached it.
    if times == 1 && shares_the_terminal() {
        return;
    }
    let signal = if times == 1 { libc::SIGINT } else { libc::SIGKILL };
    let text = std::fs::read_to_string(format!("/proc/{perf}/task/{perf}/children")).unwrap_or_default();
    let children = text.split_whitespace().filter_map(|word| word.parse().ok()).filter(|pid| *pid > 1);
    for child in children.collect::<Vec<libc::pid_t>>() {
        // SAFETY: sends a signal; nothing of this process's memory is involved.
        unsafe { libc::kill(child, signal) };
    }
}
