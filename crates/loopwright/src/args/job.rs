//! The arguments of `loopwright job`.

use super::RankChoice;
use super::ranks::choice;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Where the collector belongs in a command.
pub const HERE: &str = "{}";

#[derive(Debug, Args)]
pub struct JobArgs {
    /// Make these runs only, in this order; without it a survey, counts, and of the others those that the survey shows to be worth it.
    #[arg(long, value_enum, value_name = "RUNS", value_delimiter = ',')]
    pub runs: Vec<JobRun>,
    /// Collect only these ranks: 0,8-15, one-per-node, or sample:16 (that number, evenly spaced).
    #[arg(long, value_name = "WHICH", value_parser = choice)]
    pub ranks: Option<RankChoice>,
    /// Call a barrier before each collective call while calls of MPI are counted, so that waiting for other ranks is timed apart (see
    /// `loopwright comm`).
    #[arg(long, conflicts_with = "ranks")]
    pub barriers: bool,
    /// Show all rows of the tables.
    #[arg(long)]
    pub all: bool,
    /// Print JSON instead of the tables.
    #[arg(long)]
    pub json: bool,
    /// Folder of separate debug files, in addition to the system's folders.
    #[arg(long, value_name = "DIR")]
    pub debug_dir: Vec<PathBuf>,
    /// The program and its arguments, behind its launcher, if it has one: `{}` is then where the ranks' program begins.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// A run of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JobRun {
    /// Samples.
    Survey,
    /// Exact counts of loops.
    Tripcounts,
    /// Calls of MPI.
    Comm,
    /// Input and output.
    Io,
    /// Allocations.
    Heap,
}

/// For runs whose results another command shows.
#[derive(Clone, Copy, Debug, Args)]
pub struct Shown {
    /// Store what was collected and show nothing of it.
    #[arg(long, hide = true)]
    pub collect_only: bool,
}
