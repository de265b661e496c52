//! The command line: one definition from which parsing, help, completions and manual pages come.

mod case;
mod comm;
mod energy;
mod hints;
mod job;
mod manual;
mod part;
mod placing;
mod ranks;
mod reproducing;
mod trying;
mod tuning;

pub use case::*;
pub use comm::*;
pub use energy::*;
pub use job::*;
pub use manual::write as write_manual;
pub use part::*;
pub use placing::*;
pub use ranks::*;
pub use reproducing::*;
pub use trying::*;
pub use tuning::*;

use clap::{Args, Parser, Subcommand, ValueEnum};
use loopwright_patterns::facts::Hierarchy;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The experiment that commands use by default.
pub const EXPERIMENT: &str = "loopwright.lw";

/// The help heading of the options that every verb has.
const GENERAL: &str = "General options";

/// How far is my program from what this machine can do, which loop holds it back, and what do I change?
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "Start with:  loopwright advise -- ./my_program its arguments")]
pub struct Cli {
    /// Experiment file for the results.
    #[arg(
        short,
        long,
        global = true,
        env = "LOOPWRIGHT_EXPERIMENT",
        default_value = EXPERIMENT,
        value_name = "FILE",
        help_heading = GENERAL
    )]
    pub experiment: PathBuf,
    /// When to use colour.
    #[arg(long, global = true, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN", help_heading = GENERAL)]
    pub color: ColourChoice,
    /// No progress and no notes on standard error.
    #[arg(short, long, global = true, help_heading = GENERAL)]
    pub quiet: bool,
    /// A folder whose sources may be read in addition to those of the folder of compilation; SARIF names files relative
    /// to the first one (by default the current folder).
    #[arg(long, global = true, value_name = "FOLDER", help_heading = GENERAL)]
    pub source_root: Vec<PathBuf>,
    /// Print the time of the tool itself, phase by phase; `advise` also shows machine, samples, counts and changes that gain
    /// little, `tripcounts` lists every loop, and all code that was not counted with the reason.
    #[arg(short, long, global = true, help_heading = GENERAL)]
    pub verbose: bool,
    #[command(subcommand)]
    pub verb: Verb,
}

impl Cli {
    /// The command line of this process; ends the process with a message when it is invalid.
    pub fn of_process() -> Self {
        Self::try_parse().unwrap_or_else(|error| hints::with_hint(error, std::env::args_os()).exit())
    }

    /// The experiment, unless it is the default one.
    pub fn named_experiment(&self) -> Option<&Path> {
        Some(self.experiment.as_path()).filter(|path| *path != Path::new(EXPERIMENT))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Survey a program, show what limits it and recommend what to change.
    #[command(after_help = "Example:  loopwright advise -- ./solver input.dat
          loopwright advise --deep -- ./solver input.dat
          loopwright advise -- python3 simulate.py
          mpirun -n 4 loopwright advise -- ./solver")]
    Advise(AdviseArgs),
    /// Sample a program: where does its time go?
    #[command(after_help = "Example:  loopwright survey --rate 2000 -- ./solver input.dat")]
    Survey(SurveyArgs),
    /// Count exactly how often loops iterate and what they do: instructions, FLOP, bytes.
    #[command(after_help = "Example:  loopwright tripcounts -- ./solver input.dat
          loopwright tripcounts --loops 12,14 -- ./solver input.dat
          loopwright tripcounts --all -- python3 simulate.py")]
    Tripcounts(TripcountsArgs),
    /// How do loops access memory? Strides, cache lines used, footprints, simulated caches, false sharing, mispredictions.
    #[command(after_help = "Example:  loopwright map -- ./solver input.dat
          loopwright map --loops 12,14 -- ./solver input.dat
          loopwright map --cache 12x64:full --cache 32K:8+1M:16 -- ./solver input.dat")]
    Map(MapArgs),
    /// Which iterations of a loop depend on each other? Is it safe to vectorise, or to run in parallel?
    #[command(after_help = "Example:  loopwright dependencies -- ./solver input.dat
          loopwright dependencies --loops 12 --exhaustive -- ./solver small.dat")]
    Dependencies(DependenciesArgs),
    /// What binds the hot loops: which unit of the core, latency, or memory? Measured, without hardware counters.
    #[command(after_help = "Example:  loopwright bottlenecks -- ./solver input.dat
          loopwright bottlenecks --loops 12 -- ./solver input.dat")]
    Bottlenecks(BottlenecksArgs),
    /// How far is each loop from the machine's ceilings? Survey and counts joined; runs what is missing.
    #[command(after_help = "Example:  loopwright roofline -- ./solver input.dat
          loopwright roofline           (of earlier results)")]
    Roofline(RooflineArgs),
    /// Describe this machine: topology, features, what disturbs measurements; with --measure its ceilings, or its network.
    #[command(after_help = "Example:  loopwright machine --measure
          mpirun -n 2 loopwright machine --measure --network")]
    Machine(MachineArgs),
    /// Run a build and collect the compilers' reports about loops; the project's files are not changed.
    #[command(after_help = "Example:  loopwright build -- make -j4")]
    Build(BuildArgs),
    /// Try the advice: build the changed program apart, check that its answer is the same, measure it beside the unchanged one.
    #[command(after_help = "Example:  loopwright build -- make && loopwright advise -- ./solver input.dat
          loopwright try -- ./solver input.dat
          loopwright try --budget 30m --check numbers:rel=1e-9 --output result.txt --patch best.patch -- ./solver")]
    Try(TryArgs),
    /// Search for the best build: compilers, options, link-time optimisation, profiles, settings, with the same answer.
    #[command(after_help = "Example:  loopwright build -- make && loopwright tune -- ./solver input.dat
          loopwright tune --fp reassoc --check numbers:rel=1e-9 --output result.txt -- ./solver
          loopwright tune --emit make > best.mk")]
    Tune(TuneArgs),
    /// Which options, files and functions change the digits of the answer from one build to another, and what keeps them?
    #[command(
        after_help = "Example:  loopwright build -- make && loopwright reproduce --bad '-Ofast -march=native' -- ./solver input.dat
          loopwright reproduce --good -O2 --bad 'clang-19 -O3' --check numbers:rel=1e-12 --output result.txt -- ./solver
          loopwright reproduce -- ./solver      (the project's own options against strict ones)"
    )]
    Reproduce(ReproduceArgs),
    /// How much energy does the program take, where does it go, and with which number of threads is it least?
    #[command(after_help = "Example:  loopwright energy -- ./solver input.dat
          loopwright energy --threads 1,2,4,8 -- ./solver input.dat
          loopwright energy --idle-watts 90 --core-watts 3.5 -- ./solver input.dat   (without counters)
          loopwright energy --calibrate    (once, where the counters can be read)")]
    Energy(EnergyArgs),
    /// What do the ranks of an MPI program call, from where, with which bytes, how long, and how evenly? Exact counts, all languages.
    #[command(after_help = "Example:  mpirun -n 4 loopwright comm -- ./solver input.dat
          srun -n 64 loopwright comm --barriers -- ./solver input.dat   (times waiting apart)
          loopwright show matrix --csv > messages.csv")]
    Comm(CommArgs),
    /// Which files does the program read and write, from where, in which pieces, and how long does it take? Exact counts.
    #[command(after_help = "Example:  loopwright io -- ./solver input.dat
          srun -n 64 loopwright io -- ./solver input.dat
          loopwright show io --csv > files.csv")]
    Io(HookedArgs),
    /// Where does the program allocate memory, how much, how often, and what is never freed? Exact counts; live bytes by samples.
    #[command(after_help = "Example:  loopwright heap -- ./solver input.dat
          srun -n 64 loopwright heap -- ./solver input.dat
          loopwright show heap --csv > places.csv")]
    Heap(HookedArgs),
    /// A parallel job as a whole: runs it once for each thing to be known, and shows what to change in which order.
    #[command(after_help = "Example:  loopwright job -- mpirun -n 4 {} ./solver input.dat
          loopwright job -e job.lw --ranks one-per-node -- srun -n 64 {} ./solver input.dat
          loopwright job --runs comm,io -- mpiexec -n 4 {} ./solver input.dat
          loopwright job -- ./solver input.dat      (without a launcher)")]
    Job(JobArgs),
    /// Which rank of a parallel job belongs on which node? From its communication matrix, with the files for its launcher.
    #[command(
        after_help = "Example:  loopwright place --nodes 16 --cores 16      (after `mpirun .. loopwright comm`)
          loopwright place --matrix matrix.csv --nodes 16 --cores 16
          loopwright place --matrix matrix.csv --nodes 16 --cores 16 --for slurm,openmpi --output order
          salloc -N 16 loopwright place --matrix matrix.csv --for slurm   (nodes, cores and hosts are those of the job)
          loopwright place --matrix matrix.csv --current hosts.txt --bandwidth 12.5"
    )]
    Place(PlaceArgs),
    /// Read compiler reports, or run the compiler again for its messages on the hot loops of the experiment.
    #[command(after_help = "Example:  loopwright remarks build/*.opt.yaml
          loopwright remarks            (runs the compiler again, with the flags in the binary's debug information)")]
    Remarks(RemarksArgs),
    /// Show results.
    #[command(after_help = "Example:  loopwright show
          loopwright show source        (of the hottest loop)
          loopwright show loop 12
          loopwright show loops --json
          loopwright show --from 10s --for 30s --region solve")]
    Show(ShowArgs),
    /// Write everything about a state into one page to read, one document for programs, or tables for data frames.
    #[command(after_help = "Example:  loopwright report --html report.html
          loopwright report --state before-padding --html before.html
          loopwright report --json - | jq .sources[0].file
          loopwright report --parquet fleet/monday        (tables for DuckDB, polars, Dask, Spark)")]
    Report(ReportArgs),
    /// Explain a reason, a trait, a column or a rule of advice (without a name: list all).
    #[command(after_help = "Example:  loopwright explain fp-reduction-order
          loopwright explain \"Eff. %\"")]
    Explain(ExplainArgs),
    /// Merge what the ranks of a parallel job left beside an experiment, and say which have not delivered.
    #[command(
        after_help = "Example:  loopwright merge            (after a job was killed; `show` merges by itself)
          loopwright merge job.lw"
    )]
    Merge(MergeArgs),
    /// Save the latest results under a name.
    #[command(after_help = "Example:  loopwright snapshot before-padding")]
    Snapshot(SnapshotArgs),
    /// Compare two states: snapshots, `latest`, or `run:N`; works across rebuilds.
    #[command(after_help = "Example:  loopwright compare before-padding latest")]
    Compare(CompareArgs),
    /// A gate for builds: fails when loops are no longer vectorised or execute more than in another state.
    #[command(after_help = "Example:  loopwright check --against release-1.2")]
    Check(CheckArgs),
    /// Worked optimisations: build, verify and measure their stages, and compare the advice with them.
    #[command(after_help = "Example:  loopwright case list
          loopwright case run matmul
          loopwright case advise matmul")]
    Case(CaseArgs),
    /// Print a completion script for a shell.
    #[command(
        after_help = "Example:  loopwright completions bash > ~/.local/share/bash-completion/completions/loopwright"
    )]
    Completions {
        /// Shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder.
    #[command(after_help = "Example:  loopwright man ~/.local/share/man/man1")]
    Man {
        /// Folder.
        folder: PathBuf,
    },
}

impl Verb {
    /// The choice of ranks, and the command that the other ranks become.
    pub fn chosen_ranks(&self) -> Option<(&RankChoice, &[OsString])> {
        let (which, command) = match self {
            Self::Advise(args) => (&args.which, &args.command),
            Self::Survey(args) => (&args.which, &args.command),
            Self::Tripcounts(args) => (&args.which, &args.command),
            Self::Map(MapArgs { tracing, .. }) | Self::Dependencies(DependenciesArgs { tracing }) => {
                (&tracing.which, &tracing.command)
            }
            Self::Bottlenecks(args) => (&args.which, &args.command),
            Self::Roofline(args) => (&args.which, &args.command),
            Self::Comm(CommArgs { run, .. }) | Self::Io(run) | Self::Heap(run) => (&run.which, &run.command),
            _ => return None,
        };
        which.ranks.as_ref().map(|choice| (choice, command.as_slice()))
    }
}

/// How to sample.
#[derive(Clone, Debug, Args)]
pub struct Sampling {
    /// Samples per second of CPU time.
    #[arg(long, default_value_t = loopwright_sample::options::DEFAULT_FREQUENCY_HZ, value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub rate: u32,
    /// How call stacks are taken.
    #[arg(long, value_enum, default_value_t = CallStackChoice::Auto, value_name = "HOW")]
    pub call_stacks: CallStackChoice,
    /// Bytes of stack copied with each sample; deeper stacks need more.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1024..=64_000))]
    pub stack_bytes: Option<u32>,
    /// Sample with timers even where perf_event is allowed.
    #[arg(long)]
    pub timer: bool,
    /// Folder of separate debug files, in addition to the system's folders.
    #[arg(long, value_name = "DIR")]
    pub debug_dir: Vec<PathBuf>,
    /// Exit with the program's own status.
    #[arg(long)]
    pub propagate_exit: bool,
}

impl Sampling {
    /// By default.
    pub fn usual(debug_dir: &[PathBuf]) -> Self {
        Self {
            rate: loopwright_sample::options::DEFAULT_FREQUENCY_HZ,
            call_stacks: CallStackChoice::Auto,
            stack_bytes: None,
            timer: false,
            debug_dir: debug_dir.to_vec(),
            propagate_exit: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CallStackChoice {
    /// Unwind tables where they exist.
    Auto,
    /// Unwind tables over copies of the stack.
    Dwarf,
    /// Frame pointers (cheaper; the program must be compiled with -fno-omit-frame-pointer).
    Fp,
    /// None: self time only.
    None,
}

#[derive(Debug, Args)]
pub struct AdviseArgs {
    #[command(flatten)]
    pub which: WhichRanks,
    #[command(flatten)]
    pub sampling: Sampling,
    /// Do not measure the machine's ceilings when they are not cached.
    #[arg(long)]
    pub no_measure: bool,
    /// Run the program only once, sampled; count nothing.
    #[arg(long)]
    pub once: bool,
    /// Run the program twice more: trace the hot loops (access patterns, dependences) and inject operations into them (what binds
    /// them).
    #[arg(long, conflicts_with = "once")]
    pub deep: bool,
    /// Do not run the compiler again to learn why loops are not vectorised.
    #[arg(long)]
    pub no_compiler: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct SurveyArgs {
    #[command(flatten)]
    pub which: WhichRanks,
    #[command(flatten)]
    pub shown: Shown,
    #[command(flatten)]
    pub sampling: Sampling,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct TripcountsArgs {
    #[command(flatten)]
    pub which: WhichRanks,
    #[command(flatten)]
    pub shown: Shown,
    /// Count only these loops of the experiment, with all pieces of their source loops.
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with_all = ["all", "module"])]
    pub loops: Vec<u32>,
    /// Count in all modules, not only in the program and where the survey saw time.
    #[arg(long, conflicts_with = "module")]
    pub all: bool,
    /// Count in the program and in this library (name or path) instead of where the survey saw time.
    #[arg(long, value_name = "NAME")]
    pub module: Vec<String>,
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

/// Source loops that are traced by default.
pub const HOT_LOOPS: u32 = 5;

/// What is traced, and how.
#[derive(Debug, Args)]
pub struct Tracing {
    #[command(flatten)]
    pub which: WhichRanks,
    /// Trace these loops of the experiment, with all pieces of their source loops.
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "hot")]
    pub loops: Vec<u32>,
    /// Trace this number of source loops, those with most self time.
    #[arg(long, value_name = "N", default_value_t = HOT_LOOPS, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub hot: u32,
    /// Trace everything that the loops execute instead of bursts; the program may take many times as long.
    #[arg(long)]
    pub exhaustive: bool,
    /// Most memory for the trace.
    #[arg(long, value_name = "SIZE", default_value = "64M", value_parser = trace_memory)]
    pub trace_memory: u64,
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

#[derive(Debug, Args)]
pub struct MapArgs {
    #[command(flatten)]
    pub tracing: Tracing,
    /// Simulate this cache in addition to the machine's own: LINESxBYTES:WAYS or SIZE:WAYS, levels joined by `+`.
    #[arg(long, value_name = "SPEC", value_parser = loopwright_patterns::cache::parse)]
    pub cache: Vec<Hierarchy>,
}

#[derive(Debug, Args)]
pub struct DependenciesArgs {
    #[command(flatten)]
    pub tracing: Tracing,
}

#[derive(Debug, Args)]
pub struct BottlenecksArgs {
    #[command(flatten)]
    pub which: WhichRanks,
    #[command(flatten)]
    pub sampling: Sampling,
    /// Measure these loops of the experiment, with all pieces of their source loops.
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "hot")]
    pub loops: Vec<u32>,
    /// Measure this number of source loops, those with most self time.
    #[arg(long, value_name = "N", default_value_t = HOT_LOOPS, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub hot: u32,
    /// Do not measure the machine's ceilings when they are not cached: bandwidths are then not weighed.
    #[arg(long)]
    pub no_measure: bool,
    /// Do not trace how the loops use memory: bandwidths and the latency of memory are then not weighed.
    #[arg(long)]
    pub no_trace: bool,
    /// Do not run the program once more under the processor's counters (`perf stat`) where these work.
    #[arg(long)]
    pub no_counters: bool,
    /// Take this as the time of an iteration instead of what was sampled and counted: for tests of loops that run briefly.
    #[arg(long, hide = true, value_name = "N")]
    pub iteration_ns: Option<f64>,
    /// Nanoseconds from one change of versions to the next.
    #[arg(long, hide = true, value_name = "N", default_value_t = 40_000)]
    pub window_ns: u32,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct RooflineArgs {
    #[command(flatten)]
    pub which: WhichRanks,
    #[command(flatten)]
    pub sampling: Sampling,
    /// Do not measure the machine's ceilings when they are not cached.
    #[arg(long)]
    pub no_measure: bool,
    /// All loops, also those with almost no time.
    #[arg(long)]
    pub all: bool,
    /// The program and its arguments; without it, earlier results are shown.
    #[arg(last = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct MachineArgs {
    /// Measure peak arithmetic, bandwidths and latencies (at most 30 s) and store them.
    #[arg(long)]
    pub measure: bool,
    /// Measure instead what messages between ranks take (10 s), under a launcher: latency, bandwidth, eager limit, barrier. A small
    /// program is compiled for that.
    #[arg(long, requires = "measure")]
    pub network: bool,
    /// The C compiler of the launcher's MPI; by default the one that MPICC names, or else `mpicc`.
    #[arg(long, value_name = "PROGRAM", requires = "network")]
    pub mpicc: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct BuildArgs {
    /// The build command.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct RemarksArgs {
    /// Reports: GCC -fopt-info text or optimisation records, clang YAML or -Rpass text, Intel .optrpt.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Take compile commands from this folder's compile_commands.json and run the compilers again.
    #[arg(long, value_name = "DIR")]
    pub build: Option<PathBuf>,
    /// A compiler that may be run, in addition to those on PATH; compilers in its folder come first.
    #[arg(long, value_name = "PROGRAM")]
    pub compiler: Vec<PathBuf>,
    /// Print the remarks as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// The answer on one screen (default).
    Advice,
    /// All loops with all columns.
    Loops,
    /// Everything about one loop.
    Loop,
    /// The source around a loop, with samples and remarks.
    Source,
    /// The instructions of a loop, with samples.
    Asm,
    /// Counts: trip counts and work of all loops, and the code that was not counted.
    Counts,
    /// Loops under the machine's ceilings.
    Roofline,
    /// How traced loops access memory.
    Map,
    /// The dependences of traced loops.
    Dependencies,
    /// What binds the loops into which operations were injected.
    Bottlenecks,
    /// Functions.
    Functions,
    /// The top-down tree of functions and loops.
    Tree,
    /// Threads and ranks.
    Threads,
    /// Modules: executables and libraries.
    Modules,
    /// Recommendations in full.
    Recommendations,
    /// What `try` measured: predicted and measured gains, answers.
    Trials,
    /// What `tune` measured: builds and settings, and the best of them.
    Tune,
    /// What `reproduce` found: what changes the answer from one build to another.
    Reproduce,
    /// Joules of the run, of its loops, and with other numbers of threads.
    Energy,
    /// Calls of MPI by place, their bytes, time and imbalance.
    Comm,
    /// Messages from rank to rank.
    Matrix,
    /// Files, and the calls that read and write them.
    Io,
    /// Allocations by place, and the live heap.
    Heap,
    /// The job as a whole: the time of its ranks by what they do, ranks that are alike, what to change first.
    Job,
    /// The runs and snapshots of the experiment.
    Runs,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// What to show.
    #[arg(value_enum, default_value_t = View::Advice)]
    pub view: View,
    /// Loop id, for `loop`, `source` and `asm`; the hottest loop when left out.
    pub id: Option<u32>,
    /// Print JSON (schema in docs/json.md).
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print CSV.
    #[arg(long)]
    pub csv: bool,
    /// All rows, also those without noticeable time; changes that gain little; how it was measured.
    #[arg(long)]
    pub all: bool,
    /// A snapshot, `latest`, or `run:N`.
    #[arg(long, default_value = "latest", value_name = "STATE")]
    pub state: String,
    #[command(flatten)]
    pub part: PartArgs,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Write the page, one file that needs no other file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the contents of the page as JSON (schema in docs/json.md); `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the recommendations as a SARIF log, which code hosts show at the source lines; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write tables for data frames and SQL into this folder, a Parquet file each (columns and queries in docs/fleet.md); other files
    /// in it stay.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["from", "length", "region"])]
    pub parquet: Option<PathBuf>,
    /// An earlier state to compare with: a snapshot, `run:N`, or another experiment file (optionally FILE:STATE).
    #[arg(long, value_name = "STATE", conflicts_with_all = ["from", "length", "region"])]
    pub against: Option<String>,
    /// A snapshot, `latest`, or `run:N`.
    #[arg(long, default_value = "latest", value_name = "STATE")]
    pub state: String,
    #[command(flatten)]
    pub part: PartArgs,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Reason or trait, as shown in the column "Why not, traits"; the heading of a column; a rule's id.
    pub reason: Option<String>,
}

#[derive(Debug, Args)]
pub struct SnapshotArgs {
    /// Name.
    pub name: String,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// First state: a snapshot, `latest`, `run:N`, or another experiment file (optionally FILE:STATE).
    pub before: String,
    /// Second state.
    #[arg(default_value = "latest")]
    pub after: String,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// State to compare with: a snapshot, `run:N`, or another experiment file (optionally FILE:STATE).
    #[arg(long, value_name = "STATE")]
    pub against: String,
    /// State to check.
    #[arg(default_value = "latest")]
    pub state: String,
    /// Fail when instructions or bytes grow by more than this part of the whole program's, in percent.
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = tolerance)]
    pub tolerance: f64,
    /// Fail also when a loop is slower by more than this factor, beyond the sampling error (1.1: 10 %).
    #[arg(long, value_name = "FACTOR", value_parser = factor)]
    pub slower: Option<f64>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// A share of the program, given in percent.
fn tolerance(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('%').trim_end().parse::<f64>() {
        Ok(value) if (0.0..=100.0).contains(&value) => Ok(value / 100.0),
        _ => Err("a percentage from 0 to 100 is wanted, such as 1 or 0.5".to_owned()),
    }
}

/// A factor by which something is slower.
fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 1.0 && value.is_finite() => Ok(value),
        _ => Err("a factor above 1 is wanted, such as 1.1 for 10 % slower".to_owned()),
    }
}

/// The memory of a trace.
fn trace_memory(text: &str) -> Result<u64, String> {
    size(text, 1 << 20, 1 << 34).ok_or_else(|| "a size from 1M to 16G is wanted, such as 64M".to_owned())
}

/// A folder that may be copied.
fn size_of_folder(text: &str) -> Result<u64, String> {
    size(text, 1 << 20, 1 << 44).ok_or_else(|| "a size from 1M to 16384G is wanted, such as 1G".to_owned())
}

/// A size in bytes, with K, M or G for powers of 1024.
fn size(text: &str, least: u64, most: u64) -> Option<u64> {
    let plain = text.trim().trim_end_matches('B').trim_end_matches('i');
    let (digits, unit) = match plain.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&plain[..at], 1 << 10),
        Some((at, 'm' | 'M')) => (&plain[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&plain[..at], 1 << 30),
        _ => (plain, 1),
    };
    let number: u64 = digits.trim().parse().ok()?;
    number.checked_mul(unit).filter(|bytes| (least..=most).contains(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn sizes_of_the_trace_are_read_within_limits() {
        assert_eq!(trace_memory("64M"), Ok(64 << 20));
        assert_eq!(trace_memory("2GiB"), Ok(2 << 30));
        assert_eq!(trace_memory("1048576"), Ok(1 << 20));
        assert_eq!(trace_memory("2048k"), Ok(2 << 20));
        for wrong in
            ["", "64", "M", "-1M", "17G", "99999999999999999999", "18446744073709551615G", "64X", "ÄM"]
        {
            assert!(trace_memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_shows_an_example() {
        for verb in Cli::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("loopwright {}", verb.get_name())), "{}: {help}", verb.get_name());
        }
    }
}
