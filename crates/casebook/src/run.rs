//! From a case's sources to its record: builds, verifies, measures, asks the workbench.

use crate::advice::Workbench;
use crate::case::{Case, Stage};
use crate::ceiling::Work;
use crate::compilers::Family;
use crate::error::Error;
use crate::found_by::FoundBy;
use crate::gains::measured;
use crate::held::hold;
use crate::measure::{Rounds, Sample, interleaved};
use crate::prepare::{Prepared, Task, prepare};
use crate::program::Program;
use crate::record::{CaseRecord, Ladder, Pictures, SCHEMA, Search, StageRecord};
use crate::verify::faults;
use loopwright_machine::{Ceilings, Machine};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The size of a case's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The measured size.
    Full,
    /// The size for tests.
    Smoke,
}

impl Input {
    /// Its name in the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Smoke => "smoke",
        }
    }
}

/// The steps to perform for a case.
#[derive(Clone, Debug)]
pub struct Options {
    /// Size.
    pub input: Input,
    /// How to time it, if at all.
    pub measure: Option<Rounds>,
    /// The workbench to ask about every stage from which another one comes.
    pub advise: Option<Workbench>,
    /// Most time of a program; a slower one is killed.
    pub limit: Duration,
    /// The folder of programs, experiments and records.
    pub results: PathBuf,
}

/// The environment of the harness.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// The description of this machine.
    pub machine: &'a Machine,
    /// Its ceilings, where they were measured.
    pub ceilings: Option<&'a Ceilings>,
    /// Its compilers.
    pub families: &'a [Family],
}

/// Performs the steps of `options` for a case. `progress` gets the present step's text, its number and the
/// number of steps.
///
/// A wrong stage does not end it: its record states the error. Ctrl-C (`stop`) ends it early with the results so far.
///
/// # Errors
/// When nothing can be done at all: no compiler, no folder for results; when `stop` was set before anything
/// was measured.
pub fn run(
    case: &Case,
    options: &Options,
    host: &Host<'_>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<CaseRecord, Error> {
    let prepared = match prepare(case, options, host, stop, progress) {
        Err(Error::LeftOut { cause, .. }) => return Ok(record(case, options, host, Vec::new(), vec![cause])),
        other => other?,
    };
    let Prepared { folder, mut ladders, tasks: mut work } = prepared;
    let mut notes = Vec::new();

    if let Some(rounds) = &options.measure {
        let done = measure_all(case, &mut work, rounds, options.limit, stop, progress);
        if let Err(error) = done {
            notes.push(format!("the measurement ended early: {error}"));
        }
    }
    for index in 0..work.len() {
        let one = &work[index];
        let samples = |stage: Option<usize>| {
            let same = |w: &&Task<'_>| w.ladder == one.ladder && Some(w.index) == stage;
            work.iter().find(same).map(|w| w.samples.as_slice()).filter(|samples| !samples.is_empty())
        };
        let first = case.first_of(one.index);
        let first = samples(Some(first)).filter(|_| first != one.index);
        let from = one.stage.from.filter(|_| !one.stage.fresh);
        let amount = amount(case, one);
        let result = measured(&one.samples, samples(from), first, &amount, host.machine, host.ceilings);
        let ladder = &mut ladders[one.ladder];
        ladder.rounds = ladder.rounds.max(one.samples.len());
        ladder.stages[one.index].measured = result;
    }
    if let Some(workbench) = &options.advise {
        match advise_all(case, &work, &mut ladders, workbench, stop, progress) {
            Err(Error::Stopped) => notes.push("the advice ended early".into()),
            other => notes.extend(other?),
        }
    }
    draw(&work, &mut ladders, options.limit, stop, &mut notes);
    hold(&mut ladders);
    let here = [folder.as_path(), case.folder.as_path()];
    ladders.iter_mut().flat_map(|ladder| &mut ladder.stages).for_each(|stage| shorten(stage, &here));
    notes.iter_mut().for_each(|note| *note = without(note, &here));
    if stop.load(Ordering::SeqCst) && ladders.iter().all(|ladder| ladder.rounds == 0) {
        return Err(Error::Stopped);
    }
    Ok(record(case, options, host, ladders, notes))
}

fn record(
    case: &Case,
    options: &Options,
    host: &Host<'_>,
    ladders: Vec<Ladder>,
    notes: Vec<String>,
) -> CaseRecord {
    CaseRecord {
        schema: SCHEMA,
        case: case.name.clone(),
        order: case.order,
        title: case.title.clone(),
        source: case.source.clone(),
        problem: case.problem.clone(),
        input: options.input.name().into(),
        processor: host.machine.processor.name.clone(),
        cpus: host.machine.topology.allowed.len(),
        compare: case.compare.clone(),
        ladders,
        notes,
    }
}

/// Times every right stage.
fn measure_all(
    case: &Case,
    work: &mut [Task<'_>],
    rounds: &Rounds,
    limit: Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<(), Error> {
    let mut pairs = Vec::new();
    for (index, one) in work.iter().enumerate() {
        let from = |w: &Task<'_>| w.ladder == one.ladder && Some(w.index) == one.stage.from;
        pairs.extend(work.iter().position(from).map(|from| (from, index)));
    }
    let programs = &*work;
    let samples = interleaved(programs.len(), &pairs, rounds, |round, which| {
        let one = &programs[which];
        progress(&format!("measuring {}, round {}", case.name, round + 1), round, rounds.most);
        let run = one.program.run(limit, stop)?;
        // A result that changes from run to run (a race) would be timed as if it were right.
        let reference = one.printed.as_ref().map(|printed| &printed.results);
        let wrong = reference.map(|r| faults(&run.printed.results, r, &case.expectations(one.index)));
        match wrong.unwrap_or_default().first() {
            None => Ok(Sample { seconds: run.printed.seconds, elapsed: run.elapsed }),
            Some(fault) => Err(Error::Program {
                command: one.program.command_line(),
                cause: format!("its result changed from one run to the next: {fault}"),
            }),
        }
    })?;
    for (one, samples) in work.iter_mut().zip(samples) {
        one.samples = samples;
    }
    Ok(())
}

fn amount(case: &Case, one: &Task<'_>) -> Work {
    let printed = one.printed.as_ref();
    Work {
        flop: printed.and_then(|p| p.flop),
        bytes: printed.and_then(|p| p.bytes),
        working_set: printed.and_then(|p| p.working_set),
        element: case.element,
        threads: one.stage.build.threads(),
    }
}

/// Asks about every stage that a rung starts from; returns the failures, in words.
fn advise_all(
    case: &Case,
    work: &[Task<'_>],
    ladders: &mut [Ladder],
    workbench: &Workbench,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Vec<String>, Error> {
    let advised = |stage: &Stage| stage.is_rung() && stage.found_by.is_none();
    let leads_on = |index: usize| case.stages.iter().any(|s| advised(s) && s.from == Some(index));
    let asked: Vec<&Task<'_>> = work.iter().filter(|one| leads_on(one.index)).collect();
    let mut notes = Vec::new();
    for (step, one) in asked.iter().enumerate() {
        progress(&format!("advising on {}", one.stage.name), step, asked.len());
        let measured = ladders[one.ladder].stages[one.index].measured.as_ref();
        let elapsed = measured.map(|measured| measured.elapsed.median);
        match workbench.ask(&one.program, &case.advisor, elapsed, &one.folder, stop) {
            Ok((advice, missing)) => {
                notes.extend(missing.map(|missing| format!("advice on {}: {missing}", one.stage.name)));
                ladders[one.ladder].stages[one.index].advice = Some(advice);
            }
            Err(Error::Stopped) => return Err(Error::Stopped),
            Err(error) => notes.push(format!("no advice on {}: {error}", one.stage.name)),
        }
    }
    notes.extend(search_all(work, ladders, workbench, stop, progress)?);
    Ok(notes)
}

/// Runs the searches that lead to stages, on the stages that these come from; returns the failures, in words.
fn search_all(
    work: &[Task<'_>],
    ladders: &mut [Ladder],
    workbench: &Workbench,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let mut done: Vec<(usize, usize, &FoundBy, Search)> = Vec::new();
    for (step, one) in work.iter().enumerate() {
        let Some(found_by) = &one.stage.found_by else { continue };
        let before = |w: &&Task<'_>| w.ladder == one.ladder && Some(w.index) == one.stage.from;
        let Some(from) = work.iter().find(before) else { continue };
        // Stages that come from the same one may be what one search leads to.
        let known =
            done.iter().find(|(l, i, with, _)| (*l, *i, *with) == (from.ladder, from.index, found_by));
        let search = match known {
            Some((.., search)) => search.clone(),
            None => {
                let verb = found_by.verb();
                progress(&format!("{verb} on {}", from.stage.name), step, work.len());
                let commands = &ladders[from.ladder].stages[from.index].commands;
                match workbench.search(found_by, commands, &from.program, &from.folder, stop) {
                    Ok(search) => search,
                    Err(Error::Stopped) => return Err(Error::Stopped),
                    Err(error) => {
                        notes.push(format!("no {verb} on {}: {error}", from.stage.name));
                        continue;
                    }
                }
            }
        };
        done.push((from.ladder, from.index, found_by, search.clone()));
        ladders[one.ladder].stages[one.index].search = Some(search);
    }
    Ok(notes)
}

/// Makes the programs that can draw write their pictures, in the first ladder: they are the same in the others.
fn draw(
    work: &[Task<'_>],
    ladders: &mut [Ladder],
    limit: Duration,
    stop: &AtomicBool,
    notes: &mut Vec<String>,
) {
    for one in work.iter().filter(|one| one.stage.pictures && one.ladder == 0) {
        let file = one.folder.join("pictures.json");
        let mut program = one.program.clone();
        program.arguments.extend(["--pictures".into(), file.to_string_lossy().into_owned()]);
        let drawn = program.run(limit, stop).map_err(|e| e.to_string()).and_then(|_| {
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            serde_json::from_str::<Pictures>(&text).map_err(|e| format!("{}: {e}", file.display()))
        });
        match drawn {
            Ok(pictures) => ladders[one.ladder].stages[one.index].pictures = Some(pictures),
            Err(cause) => notes.push(format!("no pictures of {}: {cause}", one.stage.name)),
        }
    }
}

/// Names files of the case and its results relative to their folders, so that a record contains no paths of
/// the machine.
fn shorten(stage: &mut StageRecord, folders: &[&Path]) {
    let texts = stage.commands.iter_mut().chain(&mut stage.run).chain(&mut stage.wrong);
    texts.for_each(|text| *text = without(text, folders));
}

fn without(text: &str, folders: &[&Path]) -> String {
    folders.iter().fold(text.to_owned(), |text, folder| text.replace(&format!("{}/", folder.display()), ""))
}

/// A built and verified stage that can run with different numbers of threads.
#[derive(Clone, Debug)]
pub struct Ready {
    program: Program,
}

impl Ready {
    /// The program with `threads` threads: OpenMP's, OpenBLAS's and MKL's numbers are set.
    pub fn with_threads(&self, threads: u32) -> Program {
        let mut program = self.program.clone();
        for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            program.environment.insert(name.into(), threads.to_string());
        }
        program
    }
}

/// Builds one stage and the first one with the first family that can, and verifies it.
///
/// # Errors
/// When it cannot be built here or is wrong.
pub fn program(
    case: &Case,
    stage: usize,
    input: Input,
    results: &Path,
    host: &Host<'_>,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<Ready, Error> {
    let options = Options { input, measure: None, advise: None, limit, results: results.to_owned() };
    let mut short = case.clone();
    short.stages.truncate(stage + 1);
    let host = Host { families: &host.families[..host.families.len().min(1)], ..*host };
    let Prepared { ladders, tasks, .. } = prepare(&short, &options, &host, stop, &mut |_, _, _| ())?;
    if let Some(task) = tasks.into_iter().find(|task| task.index == stage) {
        return Ok(Ready { program: task.program });
    }
    let record = ladders.first().map(|ladder| &ladder.stages[stage]);
    let cause = match record.map(|record| (&record.wrong, &record.left_out)) {
        Some((Some(wrong), _)) => wrong.clone(),
        Some((None, Some(reason))) => format!("it {reason}"),
        _ => "it was not built".into(),
    };
    Err(Error::Program { command: case.stages[stage].name.clone(), cause })
}
