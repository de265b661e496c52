//! A case from its sources to its record: build, verify, measure, ask the workbench.

use crate::advice::{Workbench, rung};
use crate::build::{build, languages, write_support};
use crate::case::{Case, Stage};
use crate::ceiling::Work;
use crate::compilers::{Family, Language, has_library};
use crate::error::Error;
use crate::gains::measured;
use crate::measure::{Rounds, Sample, interleaved};
use crate::output::Printed;
use crate::program::Program;
use crate::record::{CaseRecord, Ladder, Pictures, SCHEMA, StageRecord};
use crate::verify::faults;
use loopwright_machine::{Ceilings, Machine};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Which size of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// What is measured.
    Full,
    /// What tests run.
    Smoke,
}

impl Input {
    /// As the record says it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Smoke => "smoke",
        }
    }
}

/// What to do with a case.
#[derive(Clone, Debug)]
pub struct Options {
    /// Size.
    pub input: Input,
    /// Times it.
    pub measure: Option<Rounds>,
    /// Asks this workbench about every stage that leads on.
    pub advise: Option<Workbench>,
    /// A program that takes longer is killed.
    pub limit: Duration,
    /// Where programs, experiments and records go.
    pub results: PathBuf,
}

/// What the harness runs on.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Its ceilings, where they were measured.
    pub ceilings: Option<&'a Ceilings>,
    /// Its compilers.
    pub families: &'a [Family],
}

/// A stage of one ladder on its way.
struct Task<'a> {
    ladder: usize,
    index: usize,
    stage: &'a Stage,
    folder: PathBuf,
    program: Program,
    printed: Option<Printed>,
    samples: Vec<Sample>,
}

/// Does what `options` say with a case. `progress` is told what is being done, and which of how many steps it is.
///
/// A stage that is wrong does not end it: its record says why. Ctrl-C (`stop`) ends it early with what there is.
///
/// # Errors
/// When nothing can be done at all: no compiler, no place for results; when `stop` was set before anything was
/// measured.
pub fn run(
    case: &Case,
    options: &Options,
    host: &Host<'_>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<CaseRecord, Error> {
    let folder = options.results.join(&case.name);
    std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    let folder = folder.canonicalize().map_err(Error::file(&folder))?;
    let support = folder.join("support");
    write_support(&support)?;

    let (mut ladders, chosen) = ladders(case, host)?;
    let mut notes = Vec::new();
    let mut work = plan(case, options, host, &mut ladders, &chosen, &folder);

    progress("building", 0, work.len());
    build_all(case, &mut work, &mut ladders, &chosen, &support, stop)?;
    work.retain(|w| ladders[w.ladder].stages[w.index].wrong.is_none());

    verify_all(case, &mut work, &mut ladders, options.limit, stop, progress)?;
    work.retain(|w| w.printed.is_some());

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
    Ok(CaseRecord {
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
    })
}

/// Empty ladders for every track and family that can be built, and the family of each.
fn ladders<'a>(case: &Case, host: &Host<'a>) -> Result<(Vec<Ladder>, Vec<&'a Family>), Error> {
    let mut ladders = Vec::new();
    let mut chosen = Vec::new();
    let mut wanted = BTreeSet::new();
    for track in &case.tracks {
        let of = |stage: &Stage| {
            let bad = |cause| Error::BadCase { file: case.folder.join(crate::case::FILE), cause };
            languages(stage, track.as_deref()).map_err(bad)
        };
        for stage in &case.stages {
            wanted.extend(of(stage)?);
        }
        for family in host.families {
            let mut needed = BTreeSet::new();
            for stage in case.stages.iter().filter(|stage| stage.is_built_by(&family.name)) {
                needed.extend(of(stage)?);
            }
            // None: the case says that this family builds nothing of it.
            if needed.is_empty() || !family.compiles(&needed) {
                continue;
            }
            let versions = needed.iter().filter_map(|language| family.compiler(*language));
            ladders.push(Ladder {
                track: track.clone(),
                family: family.name.clone(),
                versions: versions.map(|compiler| compiler.version.clone()).collect(),
                rounds: 0,
                stages: Vec::new(),
            });
            chosen.push(family);
        }
    }
    if ladders.is_empty() {
        let languages = wanted.iter().map(|l: &Language| l.name()).collect::<Vec<_>>().join(" and ");
        return Err(Error::NoCompiler { case: case.name.clone(), languages });
    }
    Ok((ladders, chosen))
}

/// Fills the ladders with their stages; those that this machine can do something with are returned as work.
fn plan<'a>(
    case: &'a Case,
    options: &Options,
    host: &Host<'_>,
    ladders: &mut [Ladder],
    chosen: &[&Family],
    folder: &Path,
) -> Vec<Task<'a>> {
    let mut work = Vec::new();
    let mut libraries: BTreeMap<(String, String), bool> = BTreeMap::new();
    for (ladder_index, ladder) in ladders.iter_mut().enumerate() {
        let family = chosen[ladder_index];
        for (index, stage) in case.stages.iter().enumerate() {
            let has = |library: &str| {
                let key = (family.name.clone(), library.to_owned());
                *libraries.entry(key).or_insert_with(|| has_library(family, library, folder))
            };
            let left_out = left_out(stage, family, host.machine, has);
            let mut arguments = match options.input {
                Input::Full => case.full.clone(),
                Input::Smoke => case.smoke.clone(),
            };
            arguments.extend(stage.build.args.iter().cloned());
            let place = match &ladder.track {
                Some(track) => format!("{track}-{}", family.name),
                None => family.name.clone(),
            };
            let built = folder.join(place).join(&stage.name);
            let program = Program {
                executable: built.join(&stage.name),
                arguments,
                environment: stage.build.env.clone(),
            };
            if left_out.is_none() {
                work.push(Task {
                    ladder: ladder_index,
                    index,
                    stage,
                    folder: built,
                    program,
                    printed: None,
                    samples: Vec::new(),
                });
            }
            ladder.stages.push(StageRecord {
                name: stage.name.clone(),
                title: stage.title.clone(),
                change: stage.change.clone(),
                from: stage.from,
                expected: stage.recommendations.clone(),
                because: stage.because.clone(),
                commands: Vec::new(),
                run: None,
                threads: stage.build.threads(),
                left_out,
                wrong: None,
                results: BTreeMap::new(),
                measured: None,
                advice: None,
                rung: None,
                miss: stage.miss.get(&family.name).cloned(),
                pictures: None,
            });
        }
    }
    work
}

/// Why a stage cannot be built or run here.
fn left_out(
    stage: &Stage,
    family: &Family,
    machine: &Machine,
    mut has_library: impl FnMut(&str) -> bool,
) -> Option<String> {
    if !stage.is_built_by(&family.name) {
        return Some(format!("is built by {} only", stage.compilers.join(" and ")));
    }
    let usable = |id: &String| machine.features.iter().any(|feature| feature.id == *id && feature.usable());
    if let Some(missing) = stage.build.needs.iter().find(|id| !usable(id)) {
        return Some(format!("needs {missing}, which this processor does not have"));
    }
    let missing = stage.build.needs_library.iter().find(|library| !has_library(library))?;
    Some(format!("needs the library {missing}: install its development package (lib{missing}-dev)"))
}

/// Builds everything, as many at a time as there are CPUs.
fn build_all(
    case: &Case,
    work: &mut [Task<'_>],
    ladders: &mut [Ladder],
    chosen: &[&Family],
    support: &Path,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let tracks: Vec<Option<String>> = ladders.iter().map(|ladder| ladder.track.clone()).collect();
    let (work, tracks) = (&*work, &tracks);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(one) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let track = tracks[one.ladder].as_deref();
                    let family = chosen[one.ladder];
                    let built = build(case, one.stage, track, family, support, &one.folder, stop);
                    let place = (one.ladder, one.index);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((place, built));
                }
            });
        }
    });
    for ((ladder, index), result) in results.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let stage = &mut ladders[ladder].stages[index];
        match result {
            Ok(built) => stage.commands = built.commands,
            Err(Error::Program { command, cause }) => {
                stage.wrong = Some(format!("was not built: {cause}"));
                stage.commands = vec![command];
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Runs every program once and holds its results against the first stage's. The runs also warm the caches of files.
fn verify_all(
    case: &Case,
    work: &mut [Task<'_>],
    ladders: &mut [Ladder],
    limit: Duration,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<(), Error> {
    let count = work.len();
    let mut references: Vec<Option<BTreeMap<String, f64>>> = vec![None; ladders.len()];
    for (step, one) in work.iter_mut().enumerate() {
        progress(&format!("verifying {}", one.stage.name), step, count);
        let record = &mut ladders[one.ladder].stages[one.index];
        record.run = Some(one.program.command_line());
        let printed = match one.program.run(limit, stop) {
            Ok(run) => run.printed,
            Err(Error::Program { cause, .. }) => {
                record.wrong = Some(cause);
                continue;
            }
            Err(error) => return Err(error),
        };
        record.results = printed.results.clone();
        if one.index == 0 {
            references[one.ladder] = Some(printed.results.clone());
        }
        let wrong = match &references[one.ladder] {
            Some(reference) => faults(&printed.results, reference, &case.expectations(one.index)),
            None => vec!["the first stage printed nothing to compare with".to_owned()],
        };
        if wrong.is_empty() {
            one.printed = Some(printed);
        } else {
            record.wrong = Some(format!("computes something else: {}", wrong.join("; ")));
        }
    }
    Ok(())
}

/// Times everything that is right.
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

/// Asks about every stage that a rung starts from; what could not be asked, in words.
fn advise_all(
    case: &Case,
    work: &[Task<'_>],
    ladders: &mut [Ladder],
    workbench: &Workbench,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Vec<String>, Error> {
    let leads_on =
        |index: usize| case.stages.iter().any(|stage| stage.is_rung() && stage.from == Some(index));
    let asked: Vec<&Task<'_>> = work.iter().filter(|one| leads_on(one.index)).collect();
    let mut notes = Vec::new();
    for (step, one) in asked.iter().enumerate() {
        progress(&format!("advising on {}", one.stage.name), step, asked.len());
        let experiment = one.folder.join("stage.lw");
        match workbench.advise(&one.program, case.deep, &experiment, stop) {
            Ok(advice) => ladders[one.ladder].stages[one.index].advice = Some(advice),
            Err(Error::Stopped) => return Err(Error::Stopped),
            Err(error) => notes.push(format!("no advice on {}: {error}", one.stage.name)),
        }
    }
    Ok(notes)
}

/// Lets programs that draw draw, in the first ladder: the pictures are the same in the others.
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

/// Names files of the case and its results relative to their folders: a record says nothing of the machine's paths.
fn shorten(stage: &mut StageRecord, folders: &[&Path]) {
    let texts = stage.commands.iter_mut().chain(&mut stage.run).chain(&mut stage.wrong);
    texts.for_each(|text| *text = without(text, folders));
}

fn without(text: &str, folders: &[&Path]) -> String {
    folders.iter().fold(text.to_owned(), |text, folder| text.replace(&format!("{}/", folder.display()), ""))
}

/// Holds the advice of each stage against those that come from it.
pub(crate) fn hold(ladders: &mut [Ladder]) {
    for ladder in ladders {
        for index in 0..ladder.stages.len() {
            let stage = &ladder.stages[index];
            let usable = stage.left_out.is_none() && stage.wrong.is_none() && stage.because.is_none();
            let advice = stage.from.filter(|_| usable).and_then(|from| ladder.stages[from].advice.as_ref());
            let held = advice.map(|advice| rung(&stage.expected, advice, stage.measured.as_ref()));
            ladder.stages[index].rung = held;
        }
    }
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
    let family = &host.families[..host.families.len().min(1)];
    let options = Options { input, measure: None, advise: None, limit, results: results.to_owned() };
    let mut short = case.clone();
    short.stages.truncate(stage + 1);
    short.stages.iter_mut().for_each(|stage| stage.pictures = false);
    let record = run(&short, &options, &Host { families: family, ..*host }, stop, &mut |_, _, _| ())?;
    let broken = |cause: String| Error::Program { command: case.stages[stage].name.clone(), cause };
    let (Some(ladder), Some(family)) = (record.ladders.first(), family.first()) else {
        return Err(broken("no compiler was found".into()));
    };
    let built = &ladder.stages[stage];
    if let Some(cause) = &built.wrong {
        return Err(broken(cause.clone()));
    }
    if let Some(reason) = &built.left_out {
        return Err(broken(format!("it {reason}")));
    }
    let folder = results.join(&case.name);
    let folder = folder.canonicalize().map_err(Error::file(&folder))?;
    let mut ladders = [Ladder { stages: Vec::new(), ..ladder.clone() }];
    let mut tasks = plan(&short, &options, host, &mut ladders, &[family], &folder);
    tasks.pop().map(|task| Ready { program: task.program }).ok_or_else(|| broken("was not built".into()))
}
