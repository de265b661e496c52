//! `loopwright remarks`: compilers' reports, read from files, or asked for again.

use crate::args::{Cli, RemarksArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::state;
use crate::terminal::{Console, print, style};
use loopwright_analysis::asking::{Wanted, wanted_units};
use loopwright_analysis::model::Analysis;
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_remarks::command::{CompileCommand, database};
use loopwright_remarks::parse::parse_file;
use loopwright_remarks::reask::{self, Reasked, UnitRequest, reask};
use loopwright_remarks::remark::Remark;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// Loops below this share are not worth a compiler run.
const WORTH_ASKING: f64 = 0.005;

pub fn run(cli: &Cli, args: &RemarksArgs, console: &Console) -> Result<u8, Failure> {
    let remarks = if args.files.is_empty() {
        let mut experiment = state::open(&cli.experiment)?;
        let commands = match &args.build {
            Some(folder) => database::read(&database::find(folder).ok_or_else(|| {
                Failure::misuse(format!(
                    "{} holds no compile_commands.json; CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                    folder.display()
                ))
            })?)?,
            None => Vec::new(),
        };
        let from = From { commands, compilers: args.compiler.clone() };
        let found = ask(cli, &experiment, from, console)?;
        store(&mut experiment, found, console)?
    } else {
        let found = read(&args.files)?;
        store(&mut Experiment::create_or_open(&cli.experiment)?, found, console)?
    };
    if args.json {
        print(&loopwright_report::json::document("remarks", &remarks)?)?;
    } else {
        print(&loopwright_report::remarks(&remarks, &style(cli)))?;
    }
    Ok(0)
}

/// What is to be asked of compilers.
pub struct Questions {
    requests: Vec<UnitRequest>,
    /// There are hot loops, and none of them has debug information.
    without_units: bool,
}

impl Questions {
    /// About the hot loops of a state.
    pub fn about(facts: &Facts, analysis: &Analysis) -> Self {
        let Wanted { units, without_unit } = wanted_units(facts, analysis, WORTH_ASKING);
        let requests: Vec<UnitRequest> = units
            .into_iter()
            .map(|unit| UnitRequest {
                file: PathBuf::from(unit.file),
                directory: Some(PathBuf::from(unit.directory)),
                arguments: None,
                producer: unit.producer,
                built: std::fs::metadata(&unit.module).and_then(|data| data.modified()).ok(),
                share: unit.share,
            })
            .collect();
        Self { without_units: without_unit > 0 && requests.is_empty(), requests }
    }

    /// Asks them.
    fn ask(&self, options: &reask::Options, progress: &(dyn Fn(usize, usize, &Path) + Sync)) -> Reasked {
        reask(&self.requests, options, progress)
    }
}

/// Says what could not be asked.
fn note(answers: &Reasked, questions: &Questions, console: &Console) {
    if questions.without_units {
        console.note(
            "the hot loops come from code without debug information, so compilers cannot be asked why; \
             compile with -g, or collect their reports with `loopwright build -- make`",
        );
    }
    // One is an example of the others: a program from elsewhere misses hundreds of sources.
    if let Some((first, more)) = answers.warnings.split_first() {
        let more =
            if more.is_empty() { String::new() } else { format!(" (and {} more like this)", more.len()) };
        console.note(&format!("{first}{more}"));
    }
}

/// What the user gives to ask with.
struct From {
    commands: Vec<CompileCommand>,
    compilers: Vec<PathBuf>,
}

/// Asks the compilers about the hot loops of the latest survey.
fn ask(cli: &Cli, experiment: &Experiment, from: From, console: &Console) -> Result<Vec<Remark>, Failure> {
    let facts = Facts::load(experiment, &experiment.latest()?)?;
    let questions = Questions::about(&facts, &loopwright_analysis::analyse(&facts));
    let bar = console.bar("asking the compilers", questions.requests.len() as u64);
    interrupt::install()?;
    let options = reask::Options {
        commands: from.commands,
        compilers: from.compilers,
        source_roots: cli.source_root.clone(),
        stop: Some(&INTERRUPTED),
        ..reask::Options::default()
    };
    let answers = questions.ask(&options, &|done, _, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    note(&answers, &questions, console);
    Ok(answers.remarks)
}

/// Compilers that are asked while the program runs again.
pub struct Asking<'scope> {
    questions: Arc<Questions>,
    answers: ScopedJoinHandle<'scope, Reasked>,
}

/// Set once nothing but the compilers' answers is missing; a command asks once.
static HURRY: AtomicBool = AtomicBool::new(false);

/// How long all questions may take together.
const ALL_QUESTIONS: Duration = Duration::from_secs(20);
/// How long units are waited for that explain little, once nothing else is left to do.
const PATIENCE: Duration = Duration::from_millis(500);
/// A unit that explains this share of the time is waited for until `ALL_QUESTIONS` is over.
const WORTH_WAITING: f64 = 0.05;

impl<'scope> Asking<'scope> {
    /// Begins to ask.
    pub fn begin<'env>(scope: &'scope Scope<'scope, 'env>, cli: &Cli, questions: Questions) -> Self {
        let questions = Arc::new(questions);
        let haste = reask::Haste { total: ALL_QUESTIONS, hurry: &HURRY, worth_waiting: WORTH_WAITING };
        let options = reask::Options {
            source_roots: cli.source_root.clone(),
            stop: Some(&INTERRUPTED),
            haste: Some(haste),
            aside: true,
            ..reask::Options::default()
        };
        let asked = Arc::clone(&questions);
        let answers = scope.spawn(move || asked.ask(&options, &|_, _, _| ()));
        Self { questions, answers }
    }

    /// Takes the answers and stores them. Compilers that cannot be asked are a note, not a failure: everything else is
    /// there already.
    pub fn finish(self, experiment: &mut Experiment, console: &Console) -> Result<(), Failure> {
        let progress = console.progress("asking the compilers");
        let since = Instant::now();
        while !self.answers.is_finished() && since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        HURRY.store(true, Ordering::Relaxed);
        let answers = self.answers.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        progress.finish_and_clear();
        note(&answers, &self.questions, console);
        if !answers.remarks.is_empty() {
            experiment.add(&answers.remarks, None, None)?;
        }
        Ok(())
    }
}

/// Reads report files; the first that cannot be read ends it, before anything is stored.
fn read(files: &[PathBuf]) -> Result<Vec<Remark>, Failure> {
    let mut remarks = Vec::new();
    for file in files {
        remarks.extend(parse_file(file)?);
    }
    Ok(loopwright_remarks::condense::condense(remarks))
}

fn store(
    experiment: &mut Experiment,
    remarks: Vec<Remark>,
    console: &Console,
) -> Result<Vec<Remark>, Failure> {
    if !remarks.is_empty() {
        experiment.add(&remarks, None, None)?;
    }
    console.note(&format!(
        "{} remarks stored in {}; `loopwright show` joins them with the loops",
        remarks.len(),
        experiment.path().display()
    ));
    Ok(remarks)
}
