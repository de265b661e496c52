//! Where time went that no sample of user code sees: waiting, the kernel, other programs. See docs/json.md for each key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use loopwright_sample::clocks::WaitKind;

/// Where the elapsed time of the run went, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ElapsedFacts {
    /// A CPU ran the program.
    pub running_seconds: f64,
    /// None did, although a thread was ready: other programs had the CPUs.
    pub ready_seconds: f64,
    /// Every thread of the program was blocked.
    pub blocked_seconds: f64,
    /// Waits that held the program up meanwhile, by descending time.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub held_up: Vec<WaitFacts>,
    /// How often the threads were looked at to know that.
    pub looks: u32,
}

/// Blocked time in one system call, asked for by one function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WaitFacts {
    /// What is waited for.
    pub kind: WaitKind,
    /// The system call; absent for a page of memory.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// The C library's function that was called (`pthread_mutex_lock`); absent where the code makes the call itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub through: Option<String>,
    /// The function that called it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub function: Option<String>,
    /// That function's module, base name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub module: Option<String>,
    /// Time: of the elapsed time for `held_up`, of the threads' for `waits`.
    pub seconds: f64,
    /// Share of the elapsed time for `held_up`, of the thread's blocked time for `waits`.
    pub share: f64,
    /// Looks at which a thread was seen there.
    pub seen: u32,
}

impl WaitFacts {
    /// The name that a reader knows it by: the library's function, else the system call.
    pub fn name(&self) -> &str {
        self.through.as_deref().or(self.call.as_deref()).unwrap_or("a page of memory")
    }
}

/// Time in the kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelFacts {
    /// CPU time in the kernel.
    pub seconds: f64,
    /// Share of the program's CPU time.
    pub share: f64,
    /// Kernel code was sampled; else the time is the operating system's account.
    pub sampled: bool,
    /// Functions of the kernel by descending samples, where it shows their names.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<KernelFunction>,
    /// User functions that asked the kernel, by descending share.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub callers: Vec<KernelCaller>,
}

/// A kernel function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelFunction {
    /// Name.
    pub function: String,
    /// Share of the kernel's samples.
    pub share: f64,
}

/// Who asked the kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelCaller {
    /// The system call, where it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// The user function that entered the kernel (the C library's `write`).
    pub function: String,
    /// The function that called it, where it is the C library's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caller: Option<String>,
    /// Share: of the kernel's time where that was sampled, else of the entries seen.
    pub share: f64,
    /// What the share is of.
    pub by: KernelEvidence,
}

/// How it is known who asked the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KernelEvidence {
    /// Samples of kernel time.
    Time,
    /// Samples of the instruction behind a system call: they follow the number of calls, not their time.
    Calls,
}

/// What other programs did to the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadFacts {
    /// CPUs that other programs used on average; the collector's own time is not among them.
    pub other_cpus: f64,
    /// Share of the CPUs' time that the hypervisor gave to other virtual machines.
    pub stolen_share: f64,
    /// Time that the program's threads waited for a CPU, over their time on one and waiting for one.
    pub ready_share: f64,
    /// The elapsed time says little of the program: other programs took CPU time that it waited for.
    pub busy: bool,
}

impl LoadFacts {
    /// What kept the program from its CPUs, in words.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![
            format!("other programs used {:.1} CPUs", self.other_cpus),
            format!("threads waited for a CPU during {:.0} % of their time", 100.0 * self.ready_share),
        ];
        if self.stolen_share >= 0.005 {
            words.push(format!("other virtual machines took {:.0} % of the CPUs", 100.0 * self.stolen_share));
        }
        words
    }
}
