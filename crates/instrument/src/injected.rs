//! The results of a run with injected operations. Stored in the experiment.

use crate::reason::Reason;
use crate::traced::TracedModule;
use crate::warning::Warning;
use loopwright_vocabulary::{Resource, VectorWidth};
use serde::{Deserialize, Serialize};

/// The result of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Injected {
    /// Modules with chosen loops; other facts refer to them by index.
    pub modules: Vec<TracedModule>,
    /// Chosen loops that ran in versions.
    pub loops: Vec<InjectedLoop>,
    /// Chosen loops that did not, and why.
    pub left: Vec<LeftLoop>,
    /// Ticks of the time-stamp counter in a second.
    pub ticks_per_second: f64,
    /// What makes the facts incomplete.
    pub warnings: Vec<Warning>,
    /// Exit status of the program as the shell would show it (128 + signal when killed).
    pub exit_status: i32,
    /// Signal that ended the program.
    pub signal: Option<i32>,
    /// The run ended before the program did.
    pub interrupted: bool,
    /// Seconds from the start of the program to its end, preparation excluded.
    pub elapsed_seconds: f64,
    /// Seconds spent reading and rewriting code before the program's first instruction.
    pub setup_seconds: f64,
    /// Seconds in which a thread of the program waited for code at first calls.
    pub waiting_seconds: f64,
}

/// The versions of one loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InjectedLoop {
    /// Index of the module.
    pub module: u32,
    /// Entry address of the function.
    pub function: u64,
    /// Address of the loop's header.
    pub header: u64,
    /// Address of the header of the loop at which versions changed: the same, or that of a loop around.
    pub unit: u64,
    /// Threads that ran it in versions.
    pub threads: u32,
    /// The number of iterations until a change was kept in memory, which costs some cycles an iteration where
    /// those are few.
    pub counted_in_memory: bool,
    /// Windows that were recorded.
    pub windows: u32,
    /// Windows that something else made longer (an interrupt, another thread on the core); not used.
    pub dropped: u32,
    /// Another hardware thread used the core in most windows, so that these had to be used: how long instructions that wait for
    /// nothing took then (the median), as a multiple of what they take alone.
    pub core_shared: Option<f64>,
    /// The loop without operations.
    pub plain: Timing,
    /// The loop with operations of one kind, by kind and number.
    pub versions: Vec<VersionTiming>,
    /// Iterations run other functions, too, and not only a few of them; their time and what they use is part of it.
    pub calls: bool,
    /// An iteration jumps through a table or a pointer.
    pub jumps: bool,
    /// Places in an iteration at which operations were injected.
    pub places: u32,
    /// Integer multiplications of an iteration that passes all instructions of the loop.
    pub multiplications: u32,
    /// Resources that instructions of the loop use; all that functions can use, where it calls any.
    pub used: Vec<Resource>,
    /// How often an iteration uses some of them at most, in operations; empty where that is not known.
    pub uses: Vec<(Resource, u32)>,
    /// Ticks of an operation that only waits for its own kind, on this machine.
    pub costs: Vec<OperationCost>,
}

/// A median with its bootstrap interval (95 %).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Lower end.
    pub low: f64,
    /// Median.
    pub median: f64,
    /// Upper end.
    pub high: f64,
    /// Windows.
    pub windows: u32,
}

/// One version.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VersionTiming {
    /// What its operations occupy.
    pub resource: Resource,
    /// Operations in an iteration.
    pub count: u32,
    /// Time of an iteration, as a multiple of that of the plain version at about the same moment.
    pub ratio: Timing,
}

/// What an operation costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationCost {
    /// What it occupies.
    pub resource: Resource,
    /// Width of floating-point operations.
    pub width: VectorWidth,
    /// Ticks of the time-stamp counter.
    pub ticks: f64,
}

/// A chosen loop without versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftLoop {
    /// Path of the module.
    pub module: String,
    /// Address of the loop's header.
    pub header: u64,
    /// The reason.
    pub reason: NotInjected,
}

/// Why a loop has no versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum NotInjected {
    /// The requested address is not that of a loop.
    #[error("no loop begins at this address in its function as it was prepared")]
    NoSuchLoop,
    /// Part of it runs in its original place.
    #[error("part of its code stays in its original place")]
    NotMoved,
    /// Its code is left as it is.
    #[error("{0}")]
    Left(Reason),
    /// A reason of experiments that are older than versions with calls.
    #[error("it calls other code, which could run it again in another version")]
    Calls,
    /// The same of computed jumps.
    #[error("it jumps through a table or a pointer")]
    ComputedJump,
    #[error("it is entered in several places")]
    /// A thread could arrive in its middle without a version.
    SeveralEntries,
    #[error("it reads the time-stamp counter itself")]
    /// It would see the time that operations take.
    ReadsClock,
    /// A reason of experiments that are older than versions that save them.
    #[error("it carries status flags from one iteration to the next")]
    FlagsInUse,
    /// Another chosen loop is in the same nest.
    #[error("another loop of the same nest is measured")]
    NestMeasured,
    /// Versions of other loops would alternate in it, too.
    #[error("loops of functions that it calls take most of its time: what binds these is measured")]
    Callees,
    /// Entering a version would cost more than an entry.
    #[error(
        "an entry of it takes {nanoseconds:.0} ns, in which the change of versions cannot be told from the loop"
    )]
    ShortEntries {
        /// Time of an entry.
        nanoseconds: f64,
    },
    /// Its versions would take too much memory.
    #[error("it has {instructions} instructions, too many to copy once for each version")]
    TooLong {
        /// Instructions of the loop.
        instructions: usize,
    },
    /// Too few windows for a statement.
    #[error("it ran too briefly: {windows} windows of the {needed} that are needed")]
    TooBrief {
        /// Windows that were recorded.
        windows: u32,
        /// Windows that a statement needs.
        needed: u32,
    },
    /// It is not known how long an iteration takes.
    #[error("the time of an iteration is not known: its iterations were not counted, or it was not sampled")]
    NoTime,
}
