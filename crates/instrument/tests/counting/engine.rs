//! Runs programs plainly and counted, and returns everything that can be told apart about the two runs.
//!
//! Each counted run has a collector process of its own (this test executable, asked for one test): the engine traces
//! and reaps, and must not meet the children of other tests. It can be killed, too.

use loopwright_instrument::facts::Counts;
use loopwright_instrument::{Choice, CountOptions, Modules, Quiet};
use loopwright_launch::{StartOptions, Stream};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// The variable through which a collector process is told what to do.
const REQUEST: &str = "LOOPWRIGHT_COUNTING_REQUEST";

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Standard output.
    pub stdout: String,
    /// Standard error without facts.
    pub stderr: String,
    /// Exit status as a shell shows it.
    pub status: i32,
    /// Files in the working directory, with their contents.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "status {}, printed {:?} and {:?}", self.status, self.stdout, self.stderr)?;
        for (name, bytes) in &self.files {
            write!(f, ", {} of {} bytes", name.display(), bytes.len())?;
        }
        Ok(())
    }
}

/// A run and what it said must be counted.
#[derive(Debug)]
pub struct Run {
    /// What can be compared.
    pub outcome: Outcome,
    /// Facts that the run itself printed.
    pub facts: String,
}

/// What a collector process is to do.
#[derive(Serialize, Deserialize)]
struct Request {
    command: Vec<String>,
    directory: PathBuf,
    stdout: PathBuf,
    stderr: PathBuf,
    result: PathBuf,
    modules: Vec<PathBuf>,
}

/// Runs a program as it is.
pub fn plainly(program: &Path, arguments: &[String]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let status = shell_status(output.status);
    run(&output.stdout, &output.stderr, status, folder.path())
}

/// Runs a program counted: all of its functions, and those of these modules.
pub fn counted(program: &Path, arguments: &[String], modules: &[PathBuf]) -> (Run, Counts) {
    try_counted(program, arguments, modules)
        .unwrap_or_else(|reason| panic!("{}: {reason}", program.display()))
}

/// The same; what the collector said when it failed.
pub fn try_counted(
    program: &Path,
    arguments: &[String],
    modules: &[PathBuf],
) -> Result<(Run, Counts), String> {
    let mut started = Started::new(program, arguments, modules);
    let ended = started.collector.wait().unwrap();
    started.finish(ended.success())
}

/// A counted run under way.
pub struct Started {
    /// The collector's process.
    pub collector: Child,
    folder: tempfile::TempDir,
    beside: tempfile::TempDir,
}

impl Started {
    /// Starts a collector that starts the program.
    pub fn new(program: &Path, arguments: &[String], modules: &[PathBuf]) -> Self {
        let (folder, beside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut command = vec![program.to_str().unwrap().to_owned()];
        command.extend_from_slice(arguments);
        let request = Request {
            command,
            directory: folder.path().to_owned(),
            stdout: beside.path().join("stdout"),
            stderr: beside.path().join("stderr"),
            result: beside.path().join("counts"),
            modules: modules.to_vec(),
        };
        let collector = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "engine::one_counted_run", "--nocapture"])
            .env(REQUEST, serde_json::to_string(&request).unwrap())
            .stdin(Stdio::null())
            .stdout(File::create(beside.path().join("collector")).unwrap())
            .stderr(File::create(beside.path().join("complaints")).unwrap())
            .spawn()
            .unwrap();
        Self { collector, folder, beside }
    }

    /// What the program has printed so far.
    pub fn printed(&self) -> String {
        std::fs::read_to_string(self.beside.path().join("stdout")).unwrap_or_default()
    }

    /// The results, once the collector has ended well.
    pub fn finish(self, well: bool) -> Result<(Run, Counts), String> {
        let read = |name: &str| std::fs::read(self.beside.path().join(name)).unwrap_or_default();
        let said = || {
            let said =
                String::from_utf8_lossy(&[read("collector"), read("complaints")].concat()).into_owned();
            let plain = |line: &&str| !line.starts_with("test ") && !line.trim().is_empty();
            said.lines().filter(plain).take(12).collect::<Vec<_>>().join("\n")
        };
        if !well {
            return Err(format!("the collector failed:\n{}", said()));
        }
        let counts: Counts = serde_json::from_slice(&read("counts"))
            .map_err(|error| format!("the collector left no counts ({error}):\n{}", said()))?;
        let run = run(&read("stdout"), &read("stderr"), counts.exit_status, self.folder.path());
        Ok((run, counts))
    }
}

/// A collector process: does what [`REQUEST`] says. Without a request there is nothing to do.
#[test]
fn one_counted_run() {
    let Ok(request) = std::env::var(REQUEST) else { return };
    let request: Request = serde_json::from_str(&request).unwrap();
    let command: Vec<OsString> = request.command.iter().map(OsString::from).collect();
    let counts = count(&command, &request);
    std::fs::write(&request.result, serde_json::to_vec(&counts).unwrap()).unwrap();
}

fn count(command: &[OsString], request: &Request) -> Counts {
    let file = |path: &Path| Stream::File(Arc::new(File::create(path).unwrap()));
    let modules = match &request.modules[..] {
        [] => Modules::Program,
        named => Modules::Named(named.to_vec()),
    };
    let options = CountOptions {
        start: StartOptions {
            directory: Some(request.directory.clone()),
            environment: Vec::new(),
            stdin: Stream::Null,
            stdout: file(&request.stdout),
            stderr: file(&request.stderr),
        },
        choice: Choice { modules, functions: None },
        ..CountOptions::default()
    };
    loopwright_instrument::count(command, &options, &mut Quiet).unwrap_or_else(|e| panic!("{e}"))
}

fn shell_status(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn run(stdout: &[u8], stderr: &[u8], status: i32, folder: &Path) -> Run {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (facts, stderr) = crate::expected::Expected::split(&text(stderr));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().into(), std::fs::read(&path).unwrap())
    });
    Run { outcome: Outcome { stdout: text(stdout), stderr, status, files: files.collect() }, facts }
}
