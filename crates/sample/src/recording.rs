//! The data of a survey: plain values, independent of how they were sampled.

use crate::clocks::Clocks;
use crate::warning::Warning;
use serde::{Deserialize, Serialize};

/// One survey of one process tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recording {
    /// The command and how it ended.
    pub target: Target,
    /// How samples were taken and what was lost.
    pub sampler: Sampler,
    /// Processes seen, in order of appearance.
    pub processes: Vec<Process>,
    /// Threads seen, in order of appearance.
    pub threads: Vec<Thread>,
    /// Mapped files (and pseudo modules) that samples refer to.
    pub modules: Vec<Module>,
    /// Distinct code addresses.
    pub frames: Vec<Frame>,
    /// Calling contexts: a forest, every node after its parent.
    pub stacks: Vec<StackNode>,
    /// Samples by ascending time.
    pub samples: Vec<Sample>,
    /// What the operating system reports about the time, beside the samples.
    pub clocks: Clocks,
}

/// The command that was run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Target {
    /// Program and arguments as given.
    pub command: Vec<String>,
    /// Host name of the machine that ran it.
    pub host: String,
    /// Working directory of the command.
    pub directory: String,
    /// Resolved path of the main executable (the interpreter for a script).
    pub executable: String,
    /// Unix time of the start, seconds.
    pub started_unix: f64,
    /// Wall-clock time, in seconds.
    pub elapsed_seconds: f64,
    /// User CPU time of the process tree (`wait4`), in seconds.
    pub user_seconds: f64,
    /// System CPU time of the process tree, in seconds.
    pub system_seconds: f64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Peak resident set of the largest process in bytes.
    pub peak_resident_bytes: u64,
    /// Voluntary context switches.
    pub voluntary_switches: u64,
    /// Involuntary context switches.
    pub involuntary_switches: u64,
    /// How the main process ended.
    pub outcome: Outcome,
    /// CPUs in the affinity mask at the start.
    pub cpus_allowed: u32,
    /// MPI (or batch system) rank and size from the environment.
    pub rank: Option<Rank>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Not known (collection was cut short).
    #[default]
    Unknown,
    /// Exited with this status.
    Exited(i32),
    /// Killed by this signal.
    Signalled(i32),
    /// The collection was interrupted (Ctrl-C) and the program ended or was left running.
    Interrupted,
}

/// Position in a parallel job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rank {
    /// Rank, from 0.
    pub rank: u32,
    /// Number of ranks.
    pub size: u32,
    /// Launcher (`openmpi`, `mpich`, `slurm`, ...).
    pub launcher: String,
    /// Identifies the job: equal for all its ranks.
    pub job: String,
}

/// The source of the samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SamplerKind {
    /// Hardware cycle counter through perf_event.
    HardwareCycles,
    /// The kernel's CPU clock through perf_event.
    #[default]
    CpuClock,
    /// Per-thread timers, where perf_event is forbidden.
    Timer,
}

/// How call stacks were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallStacks {
    /// Unwind tables over copies of the stack.
    #[default]
    Dwarf,
    /// Chains of frame pointers.
    FramePointer,
    /// None: only the sampled address.
    None,
}

/// Properties of the sampling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sampler {
    /// Source of samples.
    pub kind: SamplerKind,
    /// Requested samples per second of CPU time.
    pub frequency_hz: u32,
    /// How call stacks were taken.
    pub call_stacks: CallStacks,
    /// Kernel code is sampled too (allowed by perf_event_paranoid).
    pub kernel: bool,
    /// Samples lost (buffer overruns).
    pub lost: u64,
    /// Samples throttled by the kernel (count of throttle records).
    pub throttled: u64,
    /// Stacks that ended before the thread's first function, as a share of all.
    pub truncated_share: f64,
    /// CPU time that the collector itself used while the program ran.
    pub collector_seconds: f64,
    /// What limits the results.
    pub warnings: Vec<Warning>,
}

/// A process of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Parent, when it is part of the tree.
    pub parent: Option<u32>,
    /// Path of the program that it runs last.
    pub executable: String,
    /// The name that the kernel reports.
    pub name: String,
}

/// A thread that was sampled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Process id.
    pub pid: u32,
    /// Thread id.
    pub tid: u32,
    /// The name that the kernel reports.
    pub name: String,
}

/// The kind of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleKind {
    /// The executable of the command's own process.
    Main,
    /// A shared library or another executable.
    File,
    /// The kernel's page of user code.
    Vdso,
    /// Kernel code.
    Kernel,
    /// Code without a file (just-in-time compilers), named by `/tmp/perf-PID.map` where it exists.
    Anonymous,
}

/// A mapped file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Path, or a name in brackets.
    pub path: String,
    /// The kind of module.
    pub kind: ModuleKind,
    /// Build id in hexadecimal.
    pub build_id: Option<String>,
}

/// A code address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    /// Index into `modules`; absent when the address belongs to no known mapping.
    pub module: Option<u32>,
    /// ELF virtual address within the module (run-time address without one). For a caller's frame this is the
    /// return address minus one, so that it is within the call instruction.
    pub address: u64,
    /// Name, where only the collector could know it (kernel symbol, just-in-time code).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub symbol: Option<String>,
}

/// A node of the calling-context forest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StackNode {
    /// The caller's node.
    pub parent: Option<u32>,
    /// Index into `frames`.
    pub frame: u32,
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Nanoseconds since the start of the run.
    pub time_ns: u64,
    /// Index into `threads`.
    pub thread: u32,
    /// Number of the CPU.
    pub cpu: u32,
    /// Index into `stacks`: the innermost user frame.
    pub stack: u32,
    /// CPU time that this sample represents, in nanoseconds.
    pub weight_ns: u32,
    /// The CPU was in the kernel on behalf of `stack`.
    pub kernel: bool,
}
