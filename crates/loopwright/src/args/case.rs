//! The arguments of `loopwright case`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct CaseArgs {
    /// Folder that holds the cases.
    #[arg(long, global = true, env = "LOOPWRIGHT_CASEBOOK", default_value = "casebook", value_name = "DIR")]
    pub casebook: PathBuf,
    /// Folder for programs, experiments and records.
    #[arg(long, global = true, default_value = "casebook-results", value_name = "DIR")]
    pub results: PathBuf,
    #[command(subcommand)]
    pub verb: CaseVerb,
}

#[derive(Debug, Subcommand)]
pub enum CaseVerb {
    /// All cases, one per line.
    #[command(after_help = "Example:  loopwright case list")]
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// What a case teaches, its stages, its sources.
    #[command(after_help = "Example:  loopwright case show matmul")]
    Show {
        /// The case.
        name: String,
    },
    /// Build every stage with every compiler, verify, measure, get advice: the ladder.
    #[command(after_help = "Example:  loopwright case run matmul
          loopwright case run --smoke              (every case, small, not timed)")]
    Run(RunArgs),
    /// Which recommendations fire on each stage, which were expected, and the hit rate.
    #[command(after_help = "Example:  loopwright case advise matmul
          loopwright case advise --recorded        (of recorded runs)")]
    Advise(CaseAdviseArgs),
    /// Which split of the machine into instances and threads gives the most runs per second.
    #[command(after_help = "Example:  loopwright case throughput monte-carlo")]
    Throughput(ThroughputArgs),
    /// Write recorded runs as a page, as one document for programs, or as chapters in Markdown.
    #[command(after_help = "Example:  loopwright case report --html casebook.html
          loopwright case report matmul --json -")]
    Report(CaseReportArgs),
}

/// Which cases, and with which compilers.
#[derive(Debug, Args)]
pub struct Cases {
    /// Cases; all by default.
    pub names: Vec<String>,
    /// Only this family of compilers (gcc, clang).
    #[arg(long, value_name = "FAMILY", value_parser = ["gcc", "clang"])]
    pub compiler: Option<String>,
    /// The small inputs that tests use.
    #[arg(long)]
    pub smoke: bool,
    /// A program that takes longer is killed.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Do not measure the machine's ceilings when they are not cached.
    #[arg(long)]
    pub no_measure: bool,
    /// The records as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub cases: Cases,
    /// Do not run `loopwright advise`.
    #[arg(long)]
    pub no_advice: bool,
    /// Verify only; time nothing.
    #[arg(long)]
    pub no_timing: bool,
    /// No new round of a case begins after this time; at least five are made.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub budget: u64,
    /// Most rounds.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(5..))]
    pub rounds: u16,
}

#[derive(Debug, Args)]
pub struct CaseAdviseArgs {
    #[command(flatten)]
    pub cases: Cases,
    /// Run nothing: show recorded runs.
    #[arg(long)]
    pub recorded: bool,
}

#[derive(Debug, Args)]
pub struct ThroughputArgs {
    /// The case.
    pub name: String,
    /// Its stage; by default the last one.
    #[arg(long)]
    pub stage: Option<String>,
    /// Family of compilers (gcc, clang).
    #[arg(long, value_name = "FAMILY", value_parser = ["gcc", "clang"])]
    pub compiler: Option<String>,
    /// Rounds over all splits.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// The small input that tests use.
    #[arg(long)]
    pub smoke: bool,
    /// A program that takes longer is killed.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// As JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CaseReportArgs {
    /// Cases; by default all recorded ones.
    pub names: Vec<String>,
    /// Write a page to read.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write one document for programs.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a chapter per case and a table of contents into this folder.
    #[arg(long, value_name = "DIR")]
    pub markdown: Option<PathBuf>,
}
