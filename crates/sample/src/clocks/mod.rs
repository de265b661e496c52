//! What the operating system reports about the program's time, beside the samples: when its threads ran,
//! waited for a CPU or were blocked, in which system call, and how much of the machine other programs used.
//!
//! Samples see only user code where the kernel forbids more, and never see a thread that does not run. These clocks need
//! no privilege: context switches recorded by perf_event ([`timeline`]), `/proc/PID/task/TID` ([`watch`]) and `/proc/stat`
//! ([`load`]).

pub mod call;
pub mod kernel_side;
pub mod load;
pub mod timeline;
pub mod watch;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The clocks of one survey.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clocks {
    /// How many CPUs ran the program's threads; absent where context switches were not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<Running>,
    /// Of each thread, in the order of the recording's threads.
    pub threads: Vec<ThreadClock>,
    /// Where threads were blocked.
    pub waits: Vec<Wait>,
    /// Whether the threads ran or were blocked, at the moments when all of them were examined.
    pub together: Together,
    /// Kernel functions in which samples were taken, by the user stack that entered the kernel.
    pub kernel: Vec<KernelSample>,
    /// Where kernel samples were not allowed: samples of the instruction after a system call, by stack.
    pub boundaries: Vec<Boundary>,
    /// System calls whose kernel time was sampled, by stack; only the ptrace sampler sees the number.
    pub calls: Vec<SampledCall>,
    /// CPU use of the whole machine during the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
}

/// How many CPUs ran threads of the program, exactly, from its context switches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Running {
    /// Width of a bin.
    pub bin_ns: u64,
    /// For each bin of the run the pairs (CPUs, nanoseconds during which exactly that number ran the program); idle time is
    /// left out.
    pub bins: Vec<Vec<(u32, u64)>>,
}

/// Where one thread's time went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThreadClock {
    /// From its creation to its end, or the survey's.
    pub lifetime_ns: u64,
    /// Time on a CPU, from its context switches or the scheduler's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ran_ns: Option<u64>,
    /// The part of `running_ns` in user code, from the kernel's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_ns: Option<u64>,
    /// The part of `running_ns` in the kernel, from the kernel's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_ns: Option<u64>,
    /// Time in which it was ready to run, but waited for a CPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delayed_ns: Option<u64>,
}

impl ThreadClock {
    /// Time neither on a CPU nor waiting for one; absent unless both are known.
    pub fn blocked_ns(&self) -> Option<u64> {
        Some(self.lifetime_ns.saturating_sub(self.ran_ns?).saturating_sub(self.delayed_ns?))
    }
}

/// What a blocked thread waits for, as far as its system call and that call's file show it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum WaitKind {
    /// Another thread: a mutex, a condition, a barrier, the end of a thread (`futex`).
    Thread,
    /// A point in time.
    Sleep,
    /// A disk or a file on it.
    Storage,
    /// A socket.
    Network,
    /// A pipe.
    Pipe,
    /// A terminal.
    Terminal,
    /// The first of several events (`poll`, `epoll_wait`, `select`).
    Event,
    /// A child process.
    Child,
    /// A signal.
    Signal,
    /// Memory: a page that must be read or waited for, outside of any system call.
    Page,
    /// Anything else.
    #[default]
    Other,
}

/// Time in which a thread was blocked in one call from one stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Index into the recording's threads.
    pub thread: u32,
    /// Index into the recording's stacks; absent where the stack could not be read.
    pub stack: Option<u32>,
    /// Number of the system call; absent outside of one.
    pub call: Option<u32>,
    /// What it waits for.
    pub kind: WaitKind,
    /// The thread's blocked time in the intervals at whose ends it was seen there.
    pub blocked_ns: u64,
    /// How often it was seen there.
    pub seen: u32,
    /// Time of the moments at which no thread of the program ran or was ready and this wait was nearest to the cause.
    pub held_up_ns: u64,
}

/// What the threads did together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Together {
    /// Time that the observations represent.
    pub seen_ns: u64,
    /// The part of it in which no thread ran or was ready to.
    pub all_blocked_ns: u64,
    /// Number of observations.
    pub looks: u32,
}

/// Samples in one kernel function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSample {
    /// The user stack that entered the kernel.
    pub stack: u32,
    /// The function's name in the kernel's symbol table.
    pub function: String,
    /// Number of samples.
    pub samples: u32,
}

/// Samples of the instruction after a `syscall` instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Boundary {
    /// Index into the recording's stacks.
    pub stack: u32,
    /// Number of samples.
    pub samples: u32,
}

/// Samples within one system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledCall {
    /// Index into the recording's stacks.
    pub stack: u32,
    /// Number of the call.
    pub call: u32,
    /// CPU time that the samples represent.
    pub time_ns: u64,
}

/// CPU use of the machine during the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Load {
    /// CPUs online.
    pub cpus: u32,
    /// Wall-clock time observed.
    pub elapsed_seconds: f64,
    /// CPU time of all programs, the surveyed one and the collector included.
    pub busy_seconds: f64,
    /// CPU time that the hypervisor gave to other virtual machines.
    pub stolen_seconds: f64,
}
