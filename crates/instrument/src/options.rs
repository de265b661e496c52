//! Options of a counting or tracing run, and what it reports while it runs.

use loopwright_binary::image::Images;
use loopwright_launch::StartOptions;
use loopwright_patterns::facts::Hierarchy;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Which modules are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Modules {
    /// The program itself, and programs that it executes.
    #[default]
    Program,
    /// The program, and these modules.
    Named(Vec<PathBuf>),
    /// Only these modules.
    Only(Vec<PathBuf>),
    /// All modules but the dynamic loader and the kernel's own code.
    All,
}

/// The choice of what is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The modules that are counted.
    pub modules: Modules,
    /// Only the functions that hold these addresses (ELF addresses of the module), in whatever module.
    pub functions: Option<Vec<(PathBuf, u64)>>,
    /// Modules of which only the functions that hold these addresses are counted, if they are counted at all.
    pub partly: Vec<(PathBuf, Vec<u64>)>,
}

/// How to count. `CountOptions::default()` is what `loopwright tripcounts` does.
#[derive(Clone, Debug)]
pub struct CountOptions {
    /// How the program is started.
    pub start: StartOptions,
    /// What is counted.
    pub choice: Choice,
    /// Emit counters; false only moves the code, to measure the cost of moving.
    pub counting: bool,
    /// How long to wait for processes that outlive the program.
    pub grace: Duration,
    /// Set by the caller to end the run as a survey ends: the program is asked to end (`SIGINT`, unless it
    /// shares a terminal and has it already), the second time it is killed. What was counted is returned.
    pub stop: Option<Arc<AtomicBool>>,
    /// Files that other runs of the same command have opened.
    pub images: Images,
}

impl Default for CountOptions {
    fn default() -> Self {
        Self {
            start: StartOptions::default(),
            choice: Choice::default(),
            counting: true,
            grace: Duration::from_secs(2),
            stop: None,
            images: Images::default(),
        }
    }
}

/// How to trace. `TraceOptions::default()` chooses no loop.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Modules of which, besides the functions of chosen loops, only those that hold these addresses are followed.
    pub partly: Vec<(PathBuf, Vec<u64>)>,
    /// How the program is started.
    pub start: StartOptions,
    /// Loops to be traced.
    pub loops: Vec<LoopChoice>,
    /// Analyse strides, footprints, cache behaviour, sharing, branches.
    pub strides: bool,
    /// Analyse dependences.
    pub dependences: bool,
    /// Caches to simulate.
    pub hierarchies: Vec<Hierarchy>,
    /// Bytes of a cache line.
    pub line_bytes: u32,
    /// Trace everything that the loops do, not only bursts of it.
    pub exhaustive: bool,
    /// Most bytes for the trace.
    pub memory: u64,
    /// How long to wait for processes that outlive the program.
    pub grace: Duration,
    /// Set by the caller to end the run as a survey ends: the program is asked to end (`SIGINT`, unless it
    /// shares a terminal and has it already), the second time it is killed. What was traced is returned.
    pub stop: Option<Arc<AtomicBool>>,
    /// Files that other runs of the same command have opened.
    pub images: Images,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            partly: Vec::new(),
            start: StartOptions::default(),
            loops: Vec::new(),
            strides: true,
            dependences: true,
            hierarchies: Vec::new(),
            line_bytes: 64,
            exhaustive: false,
            memory: 64 << 20,
            grace: Duration::from_secs(2),
            stop: None,
            images: Images::default(),
        }
    }
}

/// Progress of a tracing run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TraceStatus {
    /// Wall-clock time since the program began to run.
    pub elapsed: Duration,
    /// Bursts that were traced.
    pub bursts: u64,
    /// Accesses in them.
    pub accesses: u64,
    /// Chosen loops that ran.
    pub loops_seen: u32,
    /// Chosen loops.
    pub loops_chosen: u32,
}

/// Receives the progress of a tracing run, on the collector's thread: an observer must return at once.
pub trait TraceObserver {
    /// The program is prepared and runs.
    fn started(&mut self, pid: u32) {
        let _ = pid;
    }
    /// Some time has passed (several times a second).
    fn tick(&mut self, status: &TraceStatus) {
        let _ = status;
    }
}

impl TraceObserver for Quiet {}

/// Progress of a counting run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CountStatus {
    /// Wall-clock time since the program began to run.
    pub elapsed: Duration,
    /// Modules that are counted.
    pub modules: u32,
    /// Functions that are counted.
    pub functions: u32,
}

/// Receives the progress of a run, on the collector's thread: an observer must return at once.
pub trait Observer {
    /// The program is prepared and runs.
    fn started(&mut self, pid: u32) {
        let _ = pid;
    }
    /// Some time has passed (several times a second).
    fn tick(&mut self, status: &CountStatus) {
        let _ = status;
    }
}

/// An observer that ignores all reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Observer for Quiet {}

/// A loop to be traced.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopChoice {
    /// File that holds it.
    pub module: PathBuf,
    /// Entry address of its function (ELF address).
    pub function: u64,
    /// Address of its header (ELF address).
    pub header: u64,
}

/// Whether a path, as given, names a mapped file.
pub fn same_file(a: &Path, b: &str) -> bool {
    a == Path::new(b) || std::fs::canonicalize(a).is_ok_and(|a| a == Path::new(b))
}
