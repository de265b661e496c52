//! The command `loopwright-conformance`: arguments and printing.
//!
//! Exit status: 0 nothing differs, 1 something does, 2 misuse.

#![forbid(unsafe_code)]

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand, ValueEnum};
use loopwright_conformance::generator::build::{Kind, level_here};
use loopwright_conformance::generator::features::Features;
use loopwright_conformance::generator::layout::{self, Addresses};
use loopwright_conformance::generator::make::{self, Recipe};
use loopwright_conformance::generator::model::{Convention, Level};
use loopwright_conformance::hunt::{self, Hunt};
use loopwright_conformance::rows::Bench;
use loopwright_conformance::runner::{Mode, Tool};
use loopwright_conformance::suite::{self, Seeds, Sums};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Compares the behaviour of programs under loopwright with their native behaviour.
#[derive(Debug, Parser)]
#[command(name = "loopwright-conformance", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Generate programs in assembly, run them in all modes, minimise the differing ones.
    Generate(Generate),
    /// Run real programs from the tables, and generated ones, and print a table of the results.
    Run(Run),
}

#[derive(Debug, Args)]
struct Run {
    /// Parts, separated by commas: `generated`, `compiled`, or a table's name (default: all).
    #[arg(long, value_delimiter = ',')]
    part: Vec<String>,
    /// Only rows whose name contains this.
    #[arg(long, default_value = "")]
    row: String,
    /// Number of programs generated in assembly.
    #[arg(long, default_value_t = 2000)]
    count: usize,
    /// Number of programs generated in C.
    #[arg(long, default_value_t = 300)]
    compiled: usize,
    /// First seed of the generated programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of rows that run at the same time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// The folder of the tables.
    #[arg(long, default_value = "crates/conformance/programs")]
    programs: PathBuf,
    #[command(flatten)]
    common: Common,
}

/// The options of both verbs.
#[derive(Debug, Args)]
struct Common {
    /// Modes that are compared with the native run.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "counted,traced,injected,surveyed")]
    mode: Vec<ModeName>,
    /// Scratch space, in which failing programs are kept.
    #[arg(long, default_value = "target/conformance")]
    folder: PathBuf,
    /// The tool under test (default: beside this command).
    #[arg(long, env = "LOOPWRIGHT")]
    tool: Option<PathBuf>,
    /// Seconds after which a run is stopped.
    #[arg(long, default_value_t = 120)]
    limit: u64,
}

#[derive(Debug, Args)]
struct Generate {
    /// First seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of programs.
    #[arg(long, default_value_t = 1)]
    count: usize,
    /// Number of programs per executable.
    #[arg(long, default_value_t = 50)]
    batch: usize,
    /// Features that may be used, separated by commas (default: all).
    #[arg(long)]
    only: Option<String>,
    /// Features that every program uses.
    #[arg(long)]
    with: Option<String>,
    /// Features that are not used.
    #[arg(long)]
    without: Option<String>,
    /// Calling convention of all programs.
    #[arg(long, value_enum)]
    convention: Option<ConventionName>,
    /// Vector instructions (default: those of this machine).
    #[arg(long, value_enum)]
    level: Option<LevelName>,
    /// The kind of the executables.
    #[arg(long, value_enum, default_value = "fixed")]
    kind: KindName,
    /// Arguments for the driver: threads=4, tick=500.
    #[arg(long)]
    driver: Vec<String>,
    /// Most failing programs that are minimised.
    #[arg(long, default_value_t = 5)]
    minimised: usize,
    /// Most attempts for each of them.
    #[arg(long, default_value_t = 400)]
    attempts: usize,
    /// Print the assembly and run nothing.
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeName {
    Counted,
    Traced,
    /// Loops in versions with injected operations.
    Injected,
    Surveyed,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ConventionName {
    Free,
    Known,
    Systemv,
    Go,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum KindName {
    Fixed,
    Static,
    Pie,
    StaticPie,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LevelName {
    Sse2,
    Avx2,
    Avx512,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.verb {
        Verb::Generate(arguments) => generate(&arguments),
        Verb::Run(arguments) => run(&arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("loopwright-conformance: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn features(list: Option<&String>, default: Features) -> Result<Features> {
    list.map_or(Ok(default), |list| Features::parse(list).map_err(anyhow::Error::msg))
}

/// Whether there is no difference.
fn generate(arguments: &Generate) -> Result<bool> {
    let wanted = features(arguments.with.as_ref(), Features::NONE)?;
    let without = features(arguments.without.as_ref(), Features::NONE)?;
    let recipe = Recipe {
        allowed: features(arguments.only.as_ref(), Features::ALL)?.without(without),
        wanted,
        convention: arguments.convention.map(|c| match c {
            ConventionName::Free => Convention::Free,
            ConventionName::Known => Convention::Known,
            ConventionName::Systemv => Convention::SystemV,
            ConventionName::Go => Convention::Go,
        }),
        level: arguments.level.map_or_else(level_here, |level| match level {
            LevelName::Sse2 => Level::Sse2,
            LevelName::Avx2 => Level::Avx2,
            LevelName::Avx512 => Level::Avx512,
        }),
    };
    let kind = match arguments.kind {
        KindName::Fixed => Kind::Fixed,
        KindName::Static => Kind::Static,
        KindName::Pie => Kind::Pie,
        KindName::StaticPie => Kind::StaticPie,
    };
    if arguments.print {
        let addresses = if kind.is_relative() { Addresses::Relative } else { Addresses::Fixed };
        for k in 0..arguments.count {
            let scenario = make::scenario(arguments.seed + k as u64, &recipe);
            println!("# features: {}; {:?}", scenario.features.names().join(" "), scenario.convention);
            print!("{}", layout::scenario(&scenario, k, addresses));
        }
        return Ok(true);
    }
    let hunt = Hunt {
        first: arguments.seed,
        count: arguments.count,
        batch: arguments.batch.max(1),
        recipe,
        kind,
        modes: arguments.common.modes(),
        folder: arguments.common.folder()?,
        tool: arguments.common.tool()?,
        minimised: arguments.minimised,
        questions: arguments.attempts,
        arguments: arguments.driver.clone(),
    };
    let found = hunt::run(&hunt, &mut |difference| {
        let kept = difference.kept.as_ref().map(|k| format!("  {}", k.display())).unwrap_or_default();
        println!("seed {}: {}: {}{kept}", difference.seed, difference.mode.name(), difference.what);
    })?;
    println!("{} compared, {} differ", found.compared, found.differences.len());
    for seed in &found.unsound {
        println!("seed {seed} does not end by itself: not compared");
    }
    Ok(!hunt.tool.is_stopped() && found.differences.is_empty())
}

/// Whether there is no difference.
fn run(arguments: &Run) -> Result<bool> {
    let bench = Bench {
        tool: arguments.common.tool()?,
        folder: arguments.common.folder()?,
        programs: std::path::absolute(&arguments.programs).context("cannot resolve the folder of tables")?,
        modes: arguments.common.modes(),
        jobs: arguments.jobs,
    };
    let wanted = |name: &str| arguments.part.is_empty() || arguments.part.iter().any(|part| part == name);
    let tables = suite::tables(&bench.programs)?;
    for part in &arguments.part {
        let known = part == "generated" || part == "compiled" || tables.iter().any(|t| t.name == *part);
        let names = || tables.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ");
        anyhow::ensure!(known, "unknown part {part}; there are generated, compiled, {}", names());
    }
    suite::data(&bench)?;
    let tell = |line: &str| println!("{line}");
    let stopped = || bench.tool.is_stopped();
    let mut sums = Sums::new();
    if wanted("generated") {
        let seeds = Seeds { first: arguments.seed, count: arguments.count };
        sums.extend(suite::generated(&bench, seeds, &tell)?);
    }
    if wanted("compiled") && !stopped() {
        let seeds = Seeds { first: arguments.seed, count: arguments.compiled };
        sums.extend(suite::compiled(&bench, seeds, &tell)?);
    }
    for table in tables.iter().filter(|t| wanted(&t.name)) {
        if stopped() {
            break;
        }
        let sum = suite::table(&bench, table, &|row| row.name.contains(&arguments.row), &tell)?;
        sums.push((table.title.clone(), sum));
    }
    print!("{}", suite::shown(&sums));
    if stopped() {
        eprintln!("stopped: these are the runs that were compared until then");
    }
    Ok(!stopped() && sums.iter().all(|(_, sum)| sum.different == 0))
}

impl Common {
    fn modes(&self) -> Vec<Mode> {
        let mode = |mode: &ModeName| match mode {
            ModeName::Counted => Mode::Counted,
            ModeName::Traced => Mode::Traced,
            ModeName::Injected => Mode::Injected,
            ModeName::Surveyed => Mode::Surveyed,
        };
        self.mode.iter().map(mode).collect()
    }

    fn folder(&self) -> Result<PathBuf> {
        std::path::absolute(&self.folder).context("cannot resolve the folder")
    }

    fn tool(&self) -> Result<Tool> {
        let path = match &self.tool {
            Some(path) => std::path::absolute(path).context("cannot resolve the tool")?,
            None => std::env::current_exe()
                .context("cannot find this command's file")?
                .with_file_name("loopwright"),
        };
        anyhow::ensure!(
            path.is_file(),
            "{} is not there; build it with cargo build -p loopwright",
            path.display()
        );
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst)).context("cannot handle Ctrl-C")?;
        Ok(Tool { path, limit: Duration::from_secs(self.limit), stop })
    }
}
