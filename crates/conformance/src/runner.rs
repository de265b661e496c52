//! Runs a program natively or under the tool and keeps its results.

use anyhow::{Context as _, Result};
use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Without the tool.
    Native,
    /// Under `tripcounts --all`.
    Counted,
    /// Counted, then its loops (or a part of many) traced by `dependencies`.
    Traced,
    /// Counted and surveyed, then its loops (or a part of many) run in versions with injected operations, which change as often
    /// as possible.
    Injected,
    /// Under `survey`.
    Surveyed,
}

impl Mode {
    /// Its name in tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Counted => "counted",
            Self::Traced => "traced",
            Self::Injected => "injected",
            Self::Surveyed => "surveyed",
        }
    }
}

/// Most loops of one program that are traced at once: those of an interpreter with all its libraries would
/// take minutes to describe.
const MOST_TRACED: usize = 120;

/// The tool and the time limit of programs under it.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its executable.
    pub path: PathBuf,
    /// Longer runs are stopped and count as different.
    pub limit: Duration,
    /// Set by Ctrl-C: nothing new is begun, and runs that it ended are not compared.
    pub stop: Arc<AtomicBool>,
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Standard output.
    pub out: Vec<u8>,
    /// Standard error.
    pub err: Vec<u8>,
    /// Exit status, or 128 and the number of the signal.
    pub status: i32,
    /// It was stopped because it took too long.
    pub late: bool,
}

/// A command with the folder that it runs in.
#[derive(Clone, Debug)]
pub struct Job {
    /// Program and arguments.
    pub command: Vec<OsString>,
    /// Where it runs.
    pub folder: PathBuf,
    /// Addresses are the same in every run.
    pub fixed_addresses: bool,
    /// Traced runs trace everything instead of bursts: a hundred times as long for a CPU-bound program.
    pub exhaustive: bool,
}

impl Tool {
    /// Whether the user wants an end.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// What its runs led to; nothing once the user wants an end: Ctrl-C may have ended one of them.
    pub fn unless_stopped<T>(&self, result: Result<T>) -> Result<Option<T>> {
        if self.is_stopped() { Ok(None) } else { result.map(Some) }
    }

    /// Runs a job in one mode. The tool's own files go to `scratch`. `fresh` resets the job's folder between
    /// runs: tracing needs a counted run first.
    ///
    /// # Errors
    /// When a process cannot be started.
    pub fn run(&self, job: &Job, mode: Mode, scratch: &Path, fresh: &dyn Fn() -> Result<()>) -> Result<Deed> {
        fresh()?;
        let experiment = scratch.join("experiment.lw");
        let _ = std::fs::remove_file(&experiment);
        let under = |verb: &[&str]| -> Result<Deed> {
            let mut command = Command::new(&self.path);
            command
                .arg("--quiet")
                .arg("--experiment")
                .arg(&experiment)
                .args(verb)
                .arg("--")
                .args(&job.command);
            self.finish(command, job, scratch)
        };
        match mode {
            Mode::Native => {
                let (program, arguments) = job.command.split_first().context("no command")?;
                let mut command = Command::new(program);
                command.args(arguments);
                self.finish(command, job, scratch)
            }
            Mode::Counted => under(&["tripcounts", "--all", "--propagate-exit"]),
            Mode::Surveyed => under(&["survey", "--propagate-exit"]),
            Mode::Injected => {
                under(&["survey", "--propagate-exit"])?;
                fresh()?;
                under(&["tripcounts", "--all", "--propagate-exit"])?;
                let ids = self.loops(&experiment, scratch)?;
                fresh()?;
                if ids.is_empty() {
                    return under(&["tripcounts", "--all", "--propagate-exit"]);
                }
                // Versions change at every second iteration.
                let often = ["--iteration-ns", "5000", "--window-ns", "10000"];
                let mut verb =
                    vec!["bottlenecks", "--propagate-exit", "--no-measure", "--no-trace", "--no-counters"];
                verb.extend(often);
                verb.extend(["--loops", &ids]);
                under(&verb)
            }
            Mode::Traced => {
                under(&["tripcounts", "--all", "--propagate-exit"])?;
                let ids = self.loops(&experiment, scratch)?;
                fresh()?;
                if ids.is_empty() {
                    return under(&["tripcounts", "--all", "--propagate-exit"]);
                }
                let mut verb = vec!["dependencies", "--propagate-exit", "--loops", &ids];
                verb.extend(job.exhaustive.then_some("--exhaustive"));
                under(&verb)
            }
        }
    }

    /// Numbers of loops of an experiment, separated by commas.
    fn loops(&self, experiment: &Path, scratch: &Path) -> Result<String> {
        let mut command = Command::new(&self.path);
        command.arg("--experiment").arg(experiment).args(["show", "loops", "--json", "--all"]);
        let output = settle(&mut command, scratch).output().context("cannot run the tool")?;
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let list = json["loops"].as_array().into_iter().flatten().filter_map(|l| l["id"].as_u64());
        let ids: Vec<u64> = list.collect();
        // Spread over the list, which begins with the hottest.
        let spread = ids.iter().step_by(ids.len().div_ceil(MOST_TRACED).max(1));
        Ok(spread.map(u64::to_string).collect::<Vec<_>>().join(","))
    }

    fn finish(&self, mut command: Command, job: &Job, scratch: &Path) -> Result<Deed> {
        settle(&mut command, scratch);
        command.current_dir(&job.folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        if job.fixed_addresses {
            // SAFETY: personality is a system call without memory, allowed between fork and exec.
            unsafe {
                command.pre_exec(|| {
                    libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                    Ok(())
                });
            }
        }
        let mut child = command.spawn().with_context(|| format!("cannot start {}", shown(&command)))?;
        let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
        let (status, late) = wait(&mut child, self.limit)?;
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        Ok(Deed { out, err, status, late })
    }
}

/// The environment of every run.
fn settle<'a>(command: &'a mut Command, scratch: &Path) -> &'a mut Command {
    command
        .env("XDG_CACHE_HOME", scratch.join("cache"))
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .env_remove("LOOPWRIGHT_EXPERIMENT")
        .env_remove("COLUMNS")
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|w| w.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Reads a pipe to its end while the program runs, so that the program never waits for its reader.
fn drain(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Waits for the end; kills the whole group when it takes too long.
fn wait(child: &mut Child, limit: Duration) -> Result<(i32, bool)> {
    let started = Instant::now();
    let mut late = false;
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().context("cannot wait for the program")? {
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            return Ok((code, late));
        }
        if !late && started.elapsed() > limit {
            late = true;
            // SAFETY: the group was made for this child and holds its descendants only.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The difference between a native run and one under the tool, if there is one. The tool prints its own
/// results after the program's output.
pub fn difference(native: &Deed, other: &Deed, mode: Mode) -> Option<String> {
    if other.late {
        return Some("does not end".to_owned());
    }
    if native.status != other.status {
        let said = String::from_utf8_lossy(&other.err);
        let last = said.lines().last().unwrap_or_default();
        return Some(format!("ends with {} instead of {} {last}", other.status, native.status));
    }
    let same = |a: &[u8], b: &[u8]| if mode == Mode::Native { a == b } else { b.starts_with(a) };
    if !same(&native.out, &other.out) {
        return Some(first_difference("prints", &native.out, &other.out));
    }
    if !same(&native.err, &other.err) {
        return Some(first_difference("says", &native.err, &other.err));
    }
    None
}

/// The first line that differs.
fn first_difference(what: &str, native: &[u8], other: &[u8]) -> String {
    let (native, other) = (String::from_utf8_lossy(native), String::from_utf8_lossy(other));
    let mut theirs = other.lines();
    for line in native.lines() {
        let their = theirs.next().unwrap_or("nothing");
        if line != their {
            let cut = |s: &str| s.chars().take(100).collect::<String>();
            return format!("{what} `{}` instead of `{}`", cut(their), cut(line));
        }
    }
    format!("{what} other bytes")
}
