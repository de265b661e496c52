//! Why a program or a module of it runs without counters, and the one place where that becomes a sentence. Errors of the
//! operating system are kept as it words them.

use serde::{Deserialize, Serialize};

/// Why a program image could not be prepared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Unready {
    /// Its code is not that of 64-bit x86.
    #[error("it is a 32-bit program")]
    ThirtyTwoBit,
    /// Without a loader, threads are recognised by their FS base.
    #[error("a static program needs the FSGSBASE instructions (Linux 5.9 on a processor since 2012)")]
    NoFsgsbase,
    /// System calls of the tracer would be filtered.
    #[error("it is under seccomp filters that loopwright is not under")]
    Seccomp,
    /// It was gone before its first instruction.
    #[error("it ended at once")]
    Ended,
    /// It could not be traced.
    #[error("{0}")]
    System(String),
    /// A step of its preparation failed.
    #[error("{step} ({error})")]
    Failed {
        /// The step.
        step: Step,
        /// The system's error.
        error: String,
    },
}

/// A step in the preparation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Writing to its memory.
    #[error("its memory cannot be written")]
    Memory,
    /// Reading its registers.
    #[error("its registers cannot be read")]
    Registers,
    /// Finding its file.
    #[error("its path cannot be read")]
    Path,
    /// Letting signals of the tracer through.
    #[error("its signals cannot be prepared")]
    Signals,
    /// Sharing the counters' memory.
    #[error("the counters' memory cannot be mapped into it; raise `ulimit -v`")]
    SharedMemory,
    /// Waiting until its loader is done.
    #[error("its loader cannot be followed")]
    Loader,
    /// Undoing [`Step::Signals`].
    #[error("its signals cannot be restored")]
    RestoreSignals,
    /// Reading its mappings.
    #[error("its mappings cannot be read")]
    Mappings,
    /// Detaching.
    #[error("it cannot be let go")]
    Detach,
}

impl Step {
    /// The failure of this step.
    pub fn failed(self, error: &std::io::Error) -> Unready {
        Unready::Failed { step: self, error: error.to_string() }
    }
}

/// Why a module could not be instrumented or hooked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// Its file cannot be read, or its code not be encoded or written.
    #[error("{0}")]
    System(String),
    /// The program that mapped it is not known.
    #[error("of an unknown program")]
    UnknownProgram,
    /// The code that hooks call is not in this build of the tool.
    #[error("this build of loopwright has no hooks")]
    NoHandler,
    /// Jumps reach 2 GiB.
    #[error("no {kib} KiB of free addresses within 2 GiB of the module")]
    NoAddresses {
        /// Wanted.
        kib: u64,
    },
    /// The kernel refuses the mapping.
    #[error("the code cache cannot be mapped ({0})")]
    CacheUnmapped(String),
    /// Other mappings took every place.
    #[error("no place for the code cache")]
    NoPlace,
    /// All of the code cache's addresses are used.
    #[error("it is full")]
    CacheFull,
    /// The kernel refuses writing to the code cache.
    #[error("its code cache cannot be written ({0})")]
    CacheUnwritten(String),
    /// More routines than room for them.
    #[error("its routines are too long")]
    RoutinesTooLong,
    /// The kernel refuses the counters' memory.
    #[error("its counters cannot be mapped ({0})")]
    CountersUnmapped(String),
    /// Its own code cannot be changed.
    #[error("the kernel forbids writing its code ({0}; sealed memory, or proc_mem.force_override)")]
    CodeUnwritable(String),
    /// The loader announces new libraries in another way.
    #[error(
        "this loader's notice of new libraries is not known: libraries that the program opens later are not counted"
    )]
    UnknownNotice,
    /// The C library executes programs in another way.
    #[error("this C library's execve is not known: programs that it executes are not counted")]
    UnknownExecve,
    /// The rooms for hooks are used up.
    #[error("there are more routines than rooms")]
    TooManyRoutines,
    /// A hook does not fit into its room.
    #[error("a routine is too long")]
    RoutineTooLong,
}

impl From<std::io::Error> for Obstacle {
    fn from(error: std::io::Error) -> Self {
        Self::System(error.to_string())
    }
}

impl From<iced_x86::IcedError> for Obstacle {
    fn from(error: iced_x86::IcedError) -> Self {
        Self::System(error.to_string())
    }
}
