//! Finds perf and what it can count here.
//!
//! perf is a program that users install: one is taken only from an absolute folder of `PATH`, never from the current one, where a
//! file may have come with the program that is analysed.

use super::ask::{self, Ask};
use super::reading::{self, SEPARATOR, Written};
use loopwright_files::regular;
use loopwright_launch::resolve;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// perf with what it can count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Perf {
    /// The program.
    pub path: PathBuf,
    /// What `perf --version` says, without the first two words.
    pub version: String,
    /// What it is asked for.
    pub ask: Ask,
}

/// Why there is no top-down analysis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// There is no perf.
    #[error("perf is not in PATH; install it (linux-perf, linux-tools or perf, by distribution)")]
    NotInstalled,
    /// Distributions install a script that asks for the package of the running kernel.
    #[error("{} does not run here; install the package of this kernel (linux-tools-$(uname -r) on Ubuntu)", path.display())]
    DoesNotRun {
        /// The program.
        path: PathBuf,
    },
    /// The operating system, or the machine, shows no counters.
    #[error("perf cannot count instructions here")]
    NoCounters,
    /// There are counters, but no parts of slots.
    #[error(
        "perf {version} has no top-down metrics for this processor; Intel's cores, AMD's since Zen 4 (perf since 6.2) and \
         Arm's Neoverse have them"
    )]
    NoTopDown {
        /// Of perf.
        version: String,
    },
}

/// A try runs an empty command: perf's start takes some hundredths of a second.
const PATIENCE: Duration = Duration::from_secs(10);
/// What perf writes of one command is a few KiB.
const LONGEST_OUTPUT: u64 = 256 << 10;
/// What every counter has, in user mode, which is the least that is allowed.
const PROBE: &str = "instructions:u";

/// Looks for perf in `search_path` (`PATH`) and tries it.
///
/// # Errors
/// What is missing, with what to do.
pub fn find(search_path: Option<&OsStr>) -> Result<Perf, Missing> {
    find_with(search_path, Path::new(ask::DRIVERS))
}

pub(super) fn find_with(search_path: Option<&OsStr>, drivers: &Path) -> Result<Perf, Missing> {
    let path = in_absolute_folders(search_path).ok_or(Missing::NotInstalled)?;
    let Some(version) = version(&path) else { return Err(Missing::DoesNotRun { path }) };
    let counts = attempt(&path, &Ask::Events(PROBE.to_owned()));
    if counts.is_none_or(|written| written.events == 0) {
        return Err(Missing::NoCounters);
    }
    // A short command may end before all events had their turn, so their values do not count here.
    let works = |ask: &Ask| {
        attempt(&path, ask).is_some_and(|written| {
            let waiting = !written.usual && !written.uncounted.is_empty();
            (waiting || !written.readings.is_empty()) && written.unsupported.is_empty()
        })
    };
    match ask::possible(drivers).into_iter().find(works) {
        Some(ask) => Ok(Perf { path, version, ask }),
        None => Err(Missing::NoTopDown { version }),
    }
}

/// The first program of this name in the absolute folders of the path that are not the current one.
fn in_absolute_folders(search_path: Option<&OsStr>) -> Option<PathBuf> {
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok();
    let trusted = |folder: &PathBuf| folder.is_absolute() && folder.canonicalize().ok() != current;
    let mut folders = std::env::split_paths(search_path?).filter(trusted);
    folders.find_map(|folder| resolve(folder.join("perf").as_os_str(), None, None).ok())
}

/// `perf version 6.8.12` without its first two words; none when it does not run.
fn version(path: &Path) -> Option<String> {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stderr(Stdio::null());
    let output = tempfile::tempfile().ok()?;
    command.stdout(output.try_clone().ok()?);
    if !ends_well(&mut command) {
        return None;
    }
    use std::io::{Read, Seek};
    let (mut text, mut output) = (String::new(), output);
    output.rewind().ok()?;
    output.take(1_000).read_to_string(&mut text).ok()?;
    let words = text.lines().next()?.strip_prefix("perf version")?.trim();
    let plain: String = words.chars().filter(|c| !c.is_control()).take(80).collect();
    (!plain.is_empty()).then_some(plain)
}

/// What perf says of an empty command; none when it refuses.
fn attempt(path: &Path, ask: &Ask) -> Option<Written> {
    let output = tempfile::NamedTempFile::new().ok()?;
    let mut command = Command::new(path);
    command.args(arguments(ask, output.path())).args(["--", "/bin/sh", "-c", ":"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ends_well(&mut command).then(|| read(output.path()))
}

/// The arguments of perf up to what it counts.
pub(super) fn arguments(ask: &Ask, output: &Path) -> Vec<OsString> {
    let mut all: Vec<OsString> = vec!["stat".into(), "-x".into(), SEPARATOR.to_string().into()];
    all.extend(["-o".into(), output.into()]);
    all.extend(ask.arguments());
    all
}

/// What perf wrote.
pub(super) fn read(output: &Path) -> Written {
    regular::read(output, LONGEST_OUTPUT).map(|bytes| reading::parse(&bytes)).unwrap_or_default()
}

/// Runs a short command to its end; false when it fails or takes too long.
fn ends_well(command: &mut Command) -> bool {
    // A group of its own: what it started ends with it.
    let Ok(mut child) = command.process_group(0).spawn() else { return false };
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                if let Ok(group) = libc::pid_t::try_from(child.id()) {
                    // SAFETY: a signal to the group that our own child leads, which was not reaped yet; no memory is involved.
                    unsafe { libc::kill(-group, libc::SIGKILL) };
                }
                let _ = child.wait();
                return false;
            }
        }
    }
}
