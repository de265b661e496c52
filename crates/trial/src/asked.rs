//! What is asked of a session, how far it is, and why it cannot go on.

use crate::change::Kind;
use crate::fault::Fault;
use crate::metric::Measure;
use loopwright_answers::Check;
use loopwright_remarks::build::step::Step;
use regex::bytes::Regex;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What is asked for.
pub struct Asked<'a> {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs: a real path.
    pub directory: PathBuf,
    /// Files there that are not copied: those of the experiment.
    pub leave: Vec<PathBuf>,
    /// Standard input, with the place at which it begins; nothing where there is none.
    pub input: Option<(File, u64)>,
    /// The commands of the user's builds.
    pub steps: Vec<Step>,
    /// Files that the program writes and that belong to its answer.
    pub outputs: Vec<PathBuf>,
    /// How answers are compared.
    pub check: Check,
    /// Lines of the answer that match one of these are not compared.
    pub ignore: Vec<Regex>,
    /// What of runs is compared; by itself CPU time, and elapsed time of programs that keep several CPUs busy.
    pub measure: Option<Measure>,
    /// A shell command of the user that accepts an answer by its status 0.
    pub verify: Option<String>,
    /// Which kinds of changes are tried.
    pub kinds: Vec<Kind>,
    /// Single changes that are tried, too, by their names in the table.
    pub names: Vec<String>,
    /// Most time for all; where none is given, what the program's runs ask for ([`crate::budget`]).
    pub budget: Option<Duration>,
    /// Most bytes of the copied folder, and of each file that a run writes.
    pub disk: u64,
    /// Set when the user stops.
    pub stop: &'a AtomicBool,
}

impl Asked<'_> {
    /// Whether a change of this kind is asked for.
    pub fn wants(&self, kind: Kind, change: &str) -> bool {
        self.kinds.contains(&kind) || self.names.iter().any(|name| name == change)
    }

    /// Whether one may be.
    pub(crate) fn may_have(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind) || !self.names.is_empty()
    }
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    /// The unchanged program is built and run.
    Unchanged,
    /// A change is built or run: its name, its number and the number of all.
    Trying(&'a str, usize, usize),
    /// What is to be tried, and the most time that it may take.
    Planned(usize, Duration),
    /// The best changes together.
    Together,
}

/// Why nothing could be tried.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Error {
    #[error(
        "no command of a build makes {program}; build it with `loopwright build -- make` (or cmake, ninja, .., after a clean) into \
         the same experiment"
    )]
    NotOfABuild { program: String },
    #[error(
        "no command of a build makes {program}, nor a program that its arguments name; build the program with `loopwright build -- \
         make` (or cmake, ninja, .., after a clean) into the same experiment, and name it by its path (`./prog`)"
    )]
    NeitherOfABuild { program: String },
    #[error(
        "{program} is a script (it begins with `#!`), and no argument of it names a program that a build made; name the program \
         itself, with what the script gives it"
    )]
    Script { program: String },
    #[error(
        "{launcher} gives the same answer without {program}, so that it starts another program; name the one that it starts, or try \
         that one by itself"
    )]
    NotStarted { launcher: String, program: String },
    #[error(
        "no change of this program is named {name}, or a check has ruled it out; `--only` takes advice, options, environment, and names that the table of \
         `loopwright try` or `loopwright show recommendations` has"
    )]
    NoChange { name: String },
    #[error("{program} is not found; name it as you would to run it")]
    NoProgram { program: String },
    #[error(
        "the commands of the build do not make the program again: {why}; build it again under `loopwright build`"
    )]
    NotBuilt { why: String },
    #[error(
        "the unchanged program is built again before anything is tried, and {name} did not end within {seconds} s; give more time with \
         --budget"
    )]
    SlowBuild { name: String, seconds: u64 },
    #[error(
        "the program that the commands of the build make gives another answer than {program}; build it again under `loopwright \
         build`"
    )]
    OtherAnswer { program: String },
    #[error("{program} {how}, so that no change of it can be judged")]
    Fails { program: String, how: String },
    #[error(
        "nothing of the answer can be compared: the program prints nothing, or something else in each run; name the files that it \
         writes with --output, or a command that accepts its answer with --verify"
    )]
    NothingToCompare,
    #[error(
        "the working folder holds more than {most} MiB, and the program is tried in a copy of it; start it from a folder with only \
         what it reads, or allow more with --disk"
    )]
    TooLarge { most: u64 },
    #[error(
        "no line that {program} prints has a number where --metric {pattern} looks for one; give an expression with one group, as in \
         self-reported:'time = ([0-9.]+)'"
    )]
    NoFigure { program: String, pattern: String },
    #[error("no compiler of C and C++ is named {name} here; on the search path are {installed}")]
    NoCompiler { name: String, installed: String },
    #[error(
        "{program} is compiled by rustc, which has no option that reorders or fuses floating-point operations; `reproduce` compares \
         builds of C, C++ and Fortran"
    )]
    NoOptions { program: String },
    #[error(
        "jobs cannot open the program's standard input again; give it a whole file (`< file`) that all nodes see"
    )]
    InputOfJobs,
    #[error(
        "no job of the scheduler measured anything: {why}; `sbatch` takes more options by --sbatch, and all nodes must see the project"
    )]
    Scheduler { why: String },
    #[error("stopped before anything was tried")]
    Stopped,
    #[error("{0}")]
    System(#[from] io::Error),
}

/// Nothing can be tried where the program itself is not built.
impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotBuilt(why) => Self::NotBuilt { why },
            Fault::Slow(name, seconds) => Self::SlowBuild { name, seconds },
            Fault::Why(why) => Self::NotBuilt { why: why.to_string() },
            Fault::Stopped => Self::Stopped,
            Fault::Io(cause) => Self::System(cause),
        }
    }
}

impl Error {
    /// The user can ask otherwise.
    pub fn is_misuse(&self) -> bool {
        matches!(
            self,
            Self::NotOfABuild { .. }
                | Self::NeitherOfABuild { .. }
                | Self::NotStarted { .. }
                | Self::Script { .. }
                | Self::NoProgram { .. }
                | Self::NoChange { .. }
                | Self::NothingToCompare
                | Self::SlowBuild { .. }
                | Self::TooLarge { .. }
                | Self::NoCompiler { .. }
                | Self::NoOptions { .. }
                | Self::NoFigure { .. }
                | Self::InputOfJobs
        )
    }
}
