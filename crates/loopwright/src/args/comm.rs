//! The arguments of the verbs that hook functions: `loopwright comm`, `io` and `heap`.

use super::{Shown, WhichRanks};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CommArgs {
    /// Call a barrier before each collective call, so that waiting for other ranks is timed apart from the call. The answer stays
    /// the same for programs that keep to the standard; their ranks run more in step. All ranks have to run under the tool: one that
    /// does not call the barrier makes the others wait for ever.
    #[arg(long, conflicts_with = "ranks")]
    pub barriers: bool,
    #[command(flatten)]
    pub run: HookedArgs,
}

/// A run with hooks, and how its tables are shown.
#[derive(Debug, Args)]
pub struct HookedArgs {
    #[command(flatten)]
    pub which: WhichRanks,
    #[command(flatten)]
    pub shown: Shown,
    /// Show all rows of the tables.
    #[arg(long)]
    pub all: bool,
    /// Print JSON instead of the tables.
    #[arg(long)]
    pub json: bool,
    /// Folder of separate debug files, in addition to the system's folders.
    #[arg(long, value_name = "DIR")]
    pub debug_dir: Vec<PathBuf>,
    /// Exit with the program's own status.
    #[arg(long)]
    pub propagate_exit: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}
