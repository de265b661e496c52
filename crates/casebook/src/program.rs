//! Runs a built program: with its arguments, its environment, a time limit and a check for Ctrl-C.

use crate::error::Error;
use crate::launch::{ENVIRONMENT, Launcher};
use crate::output::{Printed, parse};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A program that is ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What starts it on several ranks, where it has some.
    pub launcher: Option<Launcher>,
    /// Path of the program.
    pub executable: PathBuf,
    /// Arguments after the program's name.
    pub arguments: Vec<String>,
    /// Variables that are added to its environment.
    pub environment: BTreeMap<String, String>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// From its start to its end, in seconds; of a simulated program those of the compared part, the only ones that are known.
    pub elapsed: f64,
    /// What it printed.
    pub printed: Printed,
}

impl Program {
    /// The command as a user would type it.
    pub fn command_line(&self) -> String {
        self.variables() + &typed(&[self.launched_by(), &self.own()].concat())
    }

    /// The variables as a user would type them before a command.
    pub(crate) fn variables(&self) -> String {
        self.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect()
    }

    /// Itself with its arguments, as in its own folder.
    pub(crate) fn beside(&self) -> Vec<String> {
        let name = self.executable.file_name().map(|name| name.to_string_lossy().into_owned());
        std::iter::once(format!("./{}", name.unwrap_or_default()))
            .chain(self.arguments.iter().cloned())
            .collect()
    }

    /// Itself with its arguments.
    pub(crate) fn own(&self) -> Vec<String> {
        let executable = self.executable.to_string_lossy().into_owned();
        std::iter::once(executable).chain(self.arguments.iter().cloned()).collect()
    }

    /// The launcher's words; none without one.
    pub(crate) fn launched_by(&self) -> &[String] {
        self.launcher.as_ref().map_or(&[], |launcher| &launcher.words)
    }

    /// Runs it once.
    ///
    /// # Errors
    /// When it cannot be started, fails, takes longer than `limit` or prints no results; when `stop` is set.
    pub fn run(&self, limit: Duration, stop: &AtomicBool) -> Result<Run, Error> {
        let mut command = started(self.launched_by(), &self.own(), &self.environment);
        let start = Instant::now();
        let finished = finish(&mut command, &self.command_line(), limit, stop)?;
        let elapsed = start.elapsed().as_secs_f64();
        let failed = |cause: String| Error::Program { command: self.command_line(), cause };
        if !finished.status.success() {
            return Err(failed(format!("{}{}", finished.status, last_line(&finished.errors))));
        }
        let printed = parse(&finished.output).map_err(failed)?;
        let simulated = self.launcher.as_ref().is_some_and(|launcher| launcher.simulated);
        Ok(Run { elapsed: if simulated { printed.seconds } else { elapsed }, printed })
    }
}

/// The command of these words with these variables, on each rank that the launcher's words start; by itself without any.
pub(crate) fn started(
    launcher: &[String],
    words: &[String],
    environment: &BTreeMap<String, String>,
) -> Command {
    let mut all = launcher.iter().chain(words);
    let mut command = Command::new(all.next().map_or("", String::as_str));
    command.args(all).envs(environment);
    if !launcher.is_empty() {
        command.envs(ENVIRONMENT);
    }
    command
}

/// Words as a user would type them.
pub fn typed(words: &[String]) -> String {
    // Only a NUL cannot be quoted, and an argument cannot contain one.
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// The last line of a program's standard error, to append to its status.
pub(crate) fn last_line(text: &str) -> String {
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.map(|line| format!(": {}", line.trim())).unwrap_or_default()
}

/// A process that has ended.
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Runs a command to its end and collects what it prints.
pub(crate) fn finish(
    command: &mut Command,
    name: &str,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<Finished, Error> {
    let failed = |cause: String| Error::Program { command: name.to_owned(), cause };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| failed(format!("cannot be started: {e}")))?;
    // Threads empty both pipes: a program that fills one would wait for ever.
    let output = child.stdout.take().map(collect);
    let errors = child.stderr.take().map(collect);
    let status = wait(&mut child, limit, stop).map_err(|e| failed(e.to_string()))?;
    let joined = |thread: Option<std::thread::JoinHandle<String>>| {
        thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    };
    // Ctrl-C reaches the whole group: the program has ended by it, too.
    if stop.load(Ordering::SeqCst) {
        return Err(Error::Stopped);
    }
    let Some(status) = status else {
        return Err(failed(format!("did not end within {} seconds and was killed", limit.as_secs())));
    };
    Ok(Finished { status, output: joined(output), errors: joined(errors) })
}

fn collect<R: Read + Send + 'static>(mut pipe: R) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The child's status; `None` when it was killed because of the time limit or `stop`.
fn wait(child: &mut Child, limit: Duration, stop: &AtomicBool) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    // Short waits first, so that a short program's time is not rounded up by much.
    let mut nap = Duration::from_micros(50);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit || stop.load(Ordering::SeqCst) {
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(1));
    }
}
