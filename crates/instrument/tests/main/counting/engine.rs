//! Runs programs plainly and counted, and returns everything that can be compared between the two runs.
//!
//! Each counted run has a collector process of its own (this test executable, started for one test): the
//! engine traces and reaps, and must not meet the children of other tests. It can be killed, too.

use loopwright_instrument::facts::Counts;
use loopwright_instrument::injected::Injected;
use loopwright_instrument::traced::Patterns;
use loopwright_instrument::{
    Choice, CountOptions, InjectChoice, InjectOptions, LoopChoice, Modules, Quiet, TraceOptions,
};
use loopwright_launch::{StartOptions, Stream};
use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// The variable that carries the request to a collector process.
const REQUEST: &str = "LOOPWRIGHT_COUNTING_REQUEST";

/// The observable results of a run.
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

/// A run and the facts that it printed.
#[derive(Debug)]
pub struct Run {
    /// The results to compare.
    pub outcome: Outcome,
    /// Facts that the run itself printed.
    pub facts: String,
}

/// The request to a collector process.
#[derive(Serialize, Deserialize)]
struct Request {
    command: Vec<String>,
    directory: PathBuf,
    stdout: PathBuf,
    stderr: PathBuf,
    result: PathBuf,
    modules: Vec<PathBuf>,
    /// Trace these loops of the program, instead of counting.
    traced: Option<Traced>,
    /// Inject operations into these loops of the program, function and header of each, instead of counting.
    injected: Option<Vec<(u64, u64)>>,
}

/// Loops to trace, and how.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Traced {
    /// Function and header of each.
    pub loops: Vec<(u64, u64)>,
    /// The same in libraries.
    pub libraries: Vec<(PathBuf, Vec<(u64, u64)>)>,
    /// Trace everything that they do.
    pub exhaustive: bool,
}

/// Runs a program without the engine.
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

/// The same; on failure, the collector's message.
pub fn try_counted(
    program: &Path,
    arguments: &[String],
    modules: &[PathBuf],
) -> Result<(Run, Counts), String> {
    let mut started = Started::new(program, arguments, modules, None);
    let ended = started.collector.wait().unwrap();
    started.finish(ended.success())
}

/// Runs a program traced; on failure, the collector's message.
pub fn traced(program: &Path, arguments: &[String], how: &Traced) -> Result<(Run, Patterns), String> {
    let mut started = Started::new(program, arguments, &[], Some(how.clone()));
    let ended = started.collector.wait().unwrap();
    let (folder, status) = (started.folder.path().to_owned(), |p: &Patterns| p.exit_status);
    let (patterns, read) = started.results::<Patterns>(ended.success())?;
    Ok((run(&read("stdout"), &read("stderr"), status(&patterns), &folder), patterns))
}

/// Runs a program with injected operations; on failure, the collector's message.
pub fn injected(
    program: &Path,
    arguments: &[String],
    loops: &[(u64, u64)],
) -> Result<(Run, Injected), String> {
    let mut started = Started::with(&[], program, arguments, &[], None, Some(loops.to_vec()));
    let ended = started.collector.wait().unwrap();
    let (injected, read) = started.results::<Injected>(ended.success())?;
    let folder = started.folder.path().to_owned();
    Ok((run(&read("stdout"), &read("stderr"), injected.exit_status, &folder), injected))
}

/// A counted run in progress.
pub struct Started {
    /// The collector's process.
    pub collector: Child,
    folder: tempfile::TempDir,
    beside: tempfile::TempDir,
}

impl Started {
    /// Starts a collector that starts the program.
    pub fn new(program: &Path, arguments: &[String], modules: &[PathBuf], traced: Option<Traced>) -> Self {
        Self::under(&[], program, arguments, modules, traced)
    }

    /// The same under limits of resources, which the program inherits.
    pub fn under(
        limits: &[(Resource, u64)],
        program: &Path,
        arguments: &[String],
        modules: &[PathBuf],
        traced: Option<Traced>,
    ) -> Self {
        Self::with(limits, program, arguments, modules, traced, None)
    }

    fn with(
        limits: &[(Resource, u64)],
        program: &Path,
        arguments: &[String],
        modules: &[PathBuf],
        traced: Option<Traced>,
        injected: Option<Vec<(u64, u64)>>,
    ) -> Self {
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
            traced,
            injected,
        };
        let mut collector = Command::new(std::env::current_exe().unwrap());
        let limits = limits.to_vec();
        // SAFETY: the closure runs between fork and exec and makes system calls only.
        unsafe {
            collector.pre_exec(move || {
                for &(resource, most) in &limits {
                    setrlimit(resource, most, most)?;
                }
                Ok(())
            })
        };
        let collector = collector
            .args(["--exact", "counting::engine::one_counted_run", "--nocapture"])
            .env(REQUEST, serde_json::to_string(&request).unwrap())
            .stdin(Stdio::null())
            .stdout(File::create(beside.path().join("collector")).unwrap())
            .stderr(File::create(beside.path().join("complaints")).unwrap())
            .spawn()
            .unwrap();
        Self { collector, folder, beside }
    }

    /// The program's working directory.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What the program has printed so far.
    pub fn printed(&self) -> String {
        std::fs::read_to_string(self.beside.path().join("stdout")).unwrap_or_default()
    }

    /// The results, once the collector has ended successfully.
    pub fn finish(self, well: bool) -> Result<(Run, Counts), String> {
        let (counts, read) = self.results::<Counts>(well)?;
        let run = run(&read("stdout"), &read("stderr"), counts.exit_status, self.folder.path());
        Ok((run, counts))
    }

    /// Reads the collector's output with the other results.
    fn results<T: serde::de::DeserializeOwned>(
        &self,
        well: bool,
    ) -> Result<(T, impl Fn(&str) -> Vec<u8>), String> {
        let beside = self.beside.path().to_owned();
        let read = move |name: &str| std::fs::read(beside.join(name)).unwrap_or_default();
        let said = || {
            let said =
                String::from_utf8_lossy(&[read("collector"), read("complaints")].concat()).into_owned();
            let plain = |line: &&str| !line.starts_with("test ") && !line.trim().is_empty();
            said.lines().filter(plain).take(12).collect::<Vec<_>>().join("\n")
        };
        if !well {
            return Err(format!("the collector failed:\n{}", said()));
        }
        let results = serde_json::from_slice(&read("counts"))
            .map_err(|error| format!("the collector left no results ({error}):\n{}", said()))?;
        Ok((results, read))
    }
}

/// A collector process: carries out [`REQUEST`]. Without a request there is nothing to do.
#[test]
fn one_counted_run() {
    let Ok(request) = std::env::var(REQUEST) else { return };
    let request: Request = serde_json::from_str(&request).unwrap();
    let command: Vec<OsString> = request.command.iter().map(OsString::from).collect();
    let results = match (&request.traced, &request.injected) {
        (Some(traced), _) => serde_json::to_vec(&trace(&command, &request, traced)),
        (None, Some(loops)) => serde_json::to_vec(&inject(&command, &request, loops)),
        (None, None) => serde_json::to_vec(&count(&command, &request)),
    };
    std::fs::write(&request.result, results.unwrap()).unwrap();
}

fn trace(command: &[OsString], request: &Request, traced: &Traced) -> Patterns {
    let program = PathBuf::from(&request.command[0]).canonicalize().unwrap();
    let mut loops = Vec::new();
    for (module, headers) in traced.libraries.iter().chain([&(program, traced.loops.clone())]) {
        let choice =
            |&(function, header): &(u64, u64)| LoopChoice { module: module.clone(), function, header };
        loops.extend(headers.iter().map(choice));
    }
    let options = TraceOptions {
        start: start(request),
        loops,
        exhaustive: traced.exhaustive,
        ..TraceOptions::default()
    };
    loopwright_instrument::trace(command, &options, &mut Quiet).unwrap_or_else(|e| panic!("{e}"))
}

/// Versions change at every second iteration, with short rests between groups of rounds: for some iterations, or for some entries of
/// every second loop, whose entries are said to be short. Walks are short.
fn inject(command: &[OsString], request: &Request, loops: &[(u64, u64)]) -> Injected {
    let module = PathBuf::from(&request.command[0]).canonicalize().unwrap();
    let choice = |(number, &(function, header)): (usize, &(u64, u64))| InjectChoice {
        at: LoopChoice { module: module.clone(), function, header },
        seconds_per_iteration: 5e-6,
        seconds: 0.1,
        entries: vec![(header, if number.is_multiple_of(2) { 5e-6 } else { 1e-6 })],
        rare_calls: false,
    };
    let options = InjectOptions {
        start: start(request),
        loops: loops.iter().enumerate().map(choice).collect(),
        cache_bytes: vec![1 << 12, 1 << 14, 1 << 17],
        window_seconds: 10e-6,
        ..InjectOptions::default()
    };
    loopwright_instrument::inject(command, &options, &mut || {}, &mut |_| {})
        .unwrap_or_else(|e| panic!("{e}"))
}

fn start(request: &Request) -> StartOptions {
    let file = |path: &Path| Stream::File(Arc::new(File::create(path).unwrap()));
    StartOptions {
        directory: Some(request.directory.clone()),
        environment: Vec::new(),
        stdin: Stream::Null,
        stdout: file(&request.stdout),
        stderr: file(&request.stderr),
    }
}

fn count(command: &[OsString], request: &Request) -> Counts {
    let modules = match &request.modules[..] {
        [] => Modules::Program,
        named => Modules::Named(named.to_vec()),
    };
    let options = CountOptions {
        start: start(request),
        choice: Choice { modules, ..Choice::default() },
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
    let (facts, stderr) = crate::counting::expected::Expected::split(&text(stderr));
    let files = std::fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        (path.file_name().unwrap().into(), std::fs::read(&path).unwrap())
    });
    Run { outcome: Outcome { stdout: text(stdout), stderr, status, files: files.collect() }, facts }
}
