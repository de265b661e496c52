//! The command `loopwright-score`: arguments, progress and printing.
//!
//! Exit status: 0 done, 1 a failure, 2 misuse.
#![forbid(unsafe_code)]

use anyhow::{Context as _, Result};
use clap::{Args, Parser, Subcommand};
use loopwright_casebook::advice::Workbench;
use loopwright_casebook::measure::Rounds;
use loopwright_score::figures::{Row, figures, row};
use loopwright_score::half::Half;
use loopwright_score::pair::{Pair, pairs};
use loopwright_score::record::PairRecord;
use loopwright_score::run::{Bench, flags};
use loopwright_score::{Misuse, calibrate, causes, judge, table};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Scores loopwright on programs that it was not written for: its advice on pairs of an ordinary program and what an expert made of
/// it, its verdicts on loops of known cause.
#[derive(Debug, Parser)]
#[command(name = "loopwright-score", version)]
struct Cli {
    /// The corpus: a folder with a folder for each pair.
    #[arg(long, global = true, default_value = "corpus")]
    corpus: PathBuf,
    /// Where programs are built and records are kept.
    #[arg(long, global = true, default_value = "target/score")]
    results: PathBuf,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the pairs with their half.
    List,
    /// Build, verify and measure pairs, and ask the workbench about them; prints the table.
    Run(Run),
    /// Print the table of recorded pairs.
    Table(Names),
    /// Print what the open pairs' whole changes gained against the models' predictions, by recommendation.
    Calibrate,
    /// Ask what binds loops of known cause, and print how often the first verdict is right.
    Causes(Causes),
}

#[derive(Debug, Args)]
struct Causes {
    /// Programs (default: all).
    programs: Vec<String>,
    /// The programs: a folder with causes.toml.
    #[arg(long, default_value = "causes")]
    folder: PathBuf,
    /// The workbench (default: beside this command).
    #[arg(long, env = "LOOPWRIGHT")]
    tool: Option<PathBuf>,
    /// Keep this number of other threads busy meanwhile.
    #[arg(long, default_value_t = 0)]
    busy: usize,
}

#[derive(Debug, Args)]
struct Names {
    /// Pairs (default: all).
    pairs: Vec<String>,
    /// Only this half; the closed half is shown in sums.
    #[arg(long, value_parser = half)]
    half: Option<Half>,
    /// Show the closed half's pairs, too: whoever works on rules must not.
    #[arg(long)]
    open_closed: bool,
}

#[derive(Debug, Args)]
struct Run {
    #[command(flatten)]
    names: Names,
    /// The workbench (default: beside this command).
    #[arg(long, env = "LOOPWRIGHT")]
    tool: Option<PathBuf>,
    /// Seconds for measuring one pair beyond its five rounds.
    #[arg(long, default_value_t = 20)]
    budget: u64,
    /// Ask again only where a record exists: gains are kept, recommendations are replaced.
    #[arg(long)]
    advice_only: bool,
    /// Skip pairs that have a record.
    #[arg(long)]
    missing: bool,
}

fn half(text: &str) -> Result<Half, String> {
    [Half::Open, Half::Closed]
        .into_iter()
        .find(|half| half.name() == text)
        .ok_or_else(|| "write `open` or `closed`".to_owned())
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<Misuse>() { 2 } else { 1 })
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    match &cli.verb {
        Verb::List => {
            for pair in pairs(&cli.corpus, &[])? {
                println!(
                    "{}\t{}\t{}\t{}",
                    pair.name,
                    pair.half.name(),
                    pair.description.kind,
                    pair.description.language
                );
            }
            Ok(())
        }
        Verb::Run(run) => {
            measure(cli, run)?;
            print(cli, &run.names)
        }
        Verb::Table(names) => print(cli, names),
        Verb::Calibrate => calibrate(cli),
        Verb::Causes(how) => ask_causes(cli, how),
    }
}

fn selected(cli: &Cli, names: &Names) -> Result<Vec<Pair>> {
    let mut all = pairs(&cli.corpus, &names.pairs)?;
    all.retain(|pair| names.half.is_none_or(|half| pair.half == half));
    Ok(all)
}

fn measure(cli: &Cli, run: &Run) -> Result<()> {
    let all = selected(cli, &run.names)?;
    let stop = stopped_by_ctrl_c()?;
    let bench = Bench {
        workbench: workbench(run.tool.as_ref())?,
        folder: cli.results.clone(),
        rounds: Rounds { budget: Duration::from_secs(run.budget), most: 15, ..Rounds::default() },
        flags: flags(&cli.corpus)?,
        processor: processor(),
        stop: &stop,
    };
    for (at, pair) in all.iter().enumerate() {
        let known = PairRecord::read(&cli.results, &pair.name).ok().flatten();
        if run.missing && known.as_ref().is_some_and(|record| record.failed.is_none()) {
            continue;
        }
        progress(at, all.len(), &pair.name);
        let record = match known.filter(|_| run.advice_only) {
            Some(known) => bench.ask_again(pair, known)?,
            None => bench.score(pair)?,
        };
        record.write(&cli.results)?;
    }
    end_progress();
    Ok(())
}

fn workbench(tool: Option<&PathBuf>) -> Result<Workbench> {
    let executable = match tool {
        Some(tool) => tool.clone(),
        None => std::env::current_exe()?.with_file_name("loopwright"),
    };
    Ok(Workbench { executable, measures: true })
}

fn stopped_by_ctrl_c() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst)).context("cannot handle Ctrl-C")?;
    Ok(stop)
}

fn progress(at: usize, of: usize, name: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K[{}/{of}] {name}", at + 1);
    }
}

fn end_progress() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}

/// Asks about all programs; what one fails with is said, and the others are asked. Ctrl-C prints what was found.
fn ask_causes(cli: &Cli, how: &Causes) -> Result<()> {
    let programs = causes::programs(&how.folder, &how.programs)?;
    let results = std::path::absolute(cli.results.join("causes"))?;
    let folder = std::path::absolute(&how.folder)?;
    let (stop, workbench) = (stopped_by_ctrl_c()?, workbench(how.tool.as_ref())?);
    let busy = causes::Busy::new(how.busy);
    let (mut answers, mut failed) = (Vec::new(), Vec::new());
    for (at, program) in programs.iter().enumerate() {
        progress(at, programs.len(), &program.name);
        match causes::ask(program, &folder, &results, &workbench, &stop) {
            Ok(answer) => answers.push((program.clone(), answer)),
            Err(_) if stop.load(Ordering::SeqCst) => break,
            Err(error) => failed.push(format!("{}: {error:#}", program.name)),
        }
    }
    drop(busy);
    end_progress();
    println!("{}\n\n{}\n{}", processor(), causes::rows(&answers), causes::sums(&answers));
    if !failed.is_empty() {
        anyhow::bail!("{} of {} programs failed:\n{}", failed.len(), programs.len(), failed.join("\n"));
    }
    anyhow::ensure!(!stop.load(Ordering::SeqCst), "stopped; above is what was measured before");
    Ok(())
}

/// The pairs that have a record.
fn recorded<'a>(cli: &Cli, all: &'a [Pair]) -> Result<Vec<(&'a Pair, PairRecord)>> {
    let mut records = Vec::new();
    for pair in all {
        if let Some(record) = PairRecord::read(&cli.results, &pair.name)? {
            records.push((pair, record));
        }
    }
    Ok(records)
}

fn calibrate(cli: &Cli) -> Result<()> {
    let all = selected(cli, &Names { pairs: Vec::new(), half: Some(Half::Open), open_closed: false })?;
    let records = recorded(cli, &all)?;
    let rows: Vec<Row<'_>> = records.iter().map(|(pair, record)| row(pair, record)).collect();
    print!("{}", calibrate::table(&rows));
    Ok(())
}

fn print(cli: &Cli, names: &Names) -> Result<()> {
    let all = selected(cli, names)?;
    let judgements = judge::judgements(&cli.corpus)?;
    let records = recorded(cli, &all)?;
    let rows: Vec<Row<'_>> = records.iter().map(|(pair, record)| row(pair, record)).collect();
    let of = |half: Half| rows.iter().filter(|row| row.pair.half == half).cloned().collect::<Vec<_>>();
    let (open, closed) = (of(Half::Open), of(Half::Closed));
    println!("{}", table::pairs(if names.open_closed { &rows } else { &open }));
    let (open, closed) = (figures(&open, &judgements), figures(&closed, &judgements));
    println!("{}", table::figures(&[("open half", &open), ("closed half", &closed)]));
    println!("By recommendation, both halves:\n\n{}", table::rules(&figures(&rows, &judgements)));
    let missing = all.len() - rows.len();
    if missing > 0 {
        println!(
            "{missing} pairs have no record in {}; try: loopwright-score run --missing",
            cli.results.display()
        );
    }
    Ok(())
}

/// The processor's name, as the kernel gives it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(": "))
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default()
    };
    format!("{}, family {} model {}", name("model name"), name("cpu family"), name("model\t"))
}
