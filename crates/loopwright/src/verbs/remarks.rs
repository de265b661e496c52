//! `loopwright remarks`: compilers' reports, read from files, or asked for again.

use crate::args::{Cli, RemarksArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::state;
use crate::terminal::{Console, print, style};
use loopwright_analysis::asking::{Wanted, wanted_units};
use loopwright_analysis::facts::Facts;
use loopwright_experiment::Experiment;
use loopwright_remarks::command::{CompileCommand, database};
use loopwright_remarks::parse::parse_file;
use loopwright_remarks::reask::{self, UnitRequest, reask};
use loopwright_remarks::remark::Remark;
use std::path::PathBuf;

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
        store(&mut experiment, &found, console)?;
        found
    } else {
        let found = read(&args.files)?;
        store(&mut Experiment::create_or_open(&cli.experiment)?, &found, console)?;
        found
    };
    if args.json {
        print(&loopwright_report::json::document("remarks", &remarks)?)?;
    } else {
        print(&loopwright_report::remarks(&remarks, &style(cli)))?;
    }
    Ok(0)
}

/// Asks the compilers about the hot loops of the latest survey and stores what they say. Compilers that
/// cannot be asked are a note, not a failure: everything else is there already.
pub fn ask_compilers(cli: &Cli, experiment: &mut Experiment, console: &Console) -> Result<(), Failure> {
    let found = ask(cli, experiment, From::default(), console)?;
    if !found.is_empty() {
        experiment.add_remarks(&found)?;
    }
    Ok(())
}

/// What the user gives to ask with.
#[derive(Default)]
struct From {
    commands: Vec<CompileCommand>,
    compilers: Vec<PathBuf>,
}

fn ask(cli: &Cli, experiment: &Experiment, from: From, console: &Console) -> Result<Vec<Remark>, Failure> {
    let facts = Facts::load(experiment, &experiment.latest()?)?;
    let analysis = loopwright_analysis::analyse(&facts);
    let Wanted { units, without_unit } = wanted_units(&facts, &analysis, WORTH_ASKING);
    let requests: Vec<UnitRequest> = units
        .into_iter()
        .map(|unit| UnitRequest {
            file: PathBuf::from(unit.file),
            directory: Some(PathBuf::from(unit.directory)),
            arguments: None,
            producer: unit.producer,
            built: std::fs::metadata(&unit.module).and_then(|data| data.modified()).ok(),
        })
        .collect();
    if without_unit > 0 && requests.is_empty() {
        console.note(
            "the hot loops come from code without debug information, so compilers cannot be asked why; \
             compile with -g, or collect their reports with `loopwright build -- make`",
        );
    }
    let bar = console.bar("asking the compilers", requests.len() as u64);
    interrupt::install()?;
    let options = reask::Options {
        commands: from.commands,
        compilers: from.compilers,
        source_roots: cli.source_root.clone(),
        stop: Some(&INTERRUPTED),
        ..reask::Options::default()
    };
    let answers = reask(&requests, &options, &|done, _, _| bar.set_position(done as u64));
    bar.finish_and_clear();
    // One is an example of the others: a program from elsewhere misses hundreds of sources.
    if let Some((first, more)) = answers.warnings.split_first() {
        let more =
            if more.is_empty() { String::new() } else { format!(" (and {} more like this)", more.len()) };
        console.note(&format!("{first}{more}"));
    }
    Ok(answers.remarks)
}

/// Reads report files; the first that cannot be read ends it, before anything is stored.
fn read(files: &[PathBuf]) -> Result<Vec<Remark>, Failure> {
    let mut remarks = Vec::new();
    for file in files {
        remarks.extend(parse_file(file)?);
    }
    Ok(loopwright_remarks::condense::condense(remarks))
}

fn store(experiment: &mut Experiment, remarks: &[Remark], console: &Console) -> Result<(), Failure> {
    if !remarks.is_empty() {
        experiment.add_remarks(remarks)?;
    }
    console.note(&format!(
        "{} remarks stored in {}; `loopwright show` joins them with the loops",
        remarks.len(),
        experiment.path().display()
    ));
    Ok(())
}
