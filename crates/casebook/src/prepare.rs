//! Prepares the verified programs of a case: plans ladders, builds stages, verifies results.

use crate::build::{build, languages, write_support};
use crate::case::{Case, Stage};
use crate::compilers::{Family, has_library};
use crate::error::Error;
use crate::measure::Sample;
use crate::output::Printed;
use crate::program::Program;
use crate::record::{Ladder, StageRecord};
use crate::run::{Host, Input, Options};
use crate::verify::faults;
use loopwright_machine::Machine;
use loopwright_vocabulary::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A stage of one ladder in preparation.
pub(crate) struct Task<'a> {
    pub(crate) ladder: usize,
    pub(crate) index: usize,
    pub(crate) stage: &'a Stage,
    pub(crate) folder: PathBuf,
    pub(crate) program: Program,
    pub(crate) printed: Option<Printed>,
    pub(crate) samples: Vec<Sample>,
}

/// The stages that can be measured, and the result for the others.
pub(crate) struct Prepared<'a> {
    /// The case's folder among the results.
    pub(crate) folder: PathBuf,
    /// Every stage, with its error or why it was left out.
    pub(crate) ladders: Vec<Ladder>,
    /// Stages that were built and give right results.
    pub(crate) tasks: Vec<Task<'a>>,
}

/// Plans, builds and verifies a case.
pub(crate) fn prepare<'a>(
    case: &'a Case,
    options: &Options,
    host: &Host<'_>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Prepared<'a>, Error> {
    let folder = options.results.join(&case.name);
    std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    let folder = folder.canonicalize().map_err(Error::file(&folder))?;
    let support = folder.join("support");
    write_support(&support)?;

    let found = families(case, host)?;
    let (mut ladders, chosen) = ladders(case, &found)?;
    let mut tasks = plan(case, options, host, &mut ladders, &chosen, &folder);
    progress("building", 0, tasks.len());
    build_all(case, &tasks, &mut ladders, &chosen, &support, stop)?;
    tasks.retain(|task| ladders[task.ladder].stages[task.index].wrong.is_none());
    verify_all(case, &mut tasks, &mut ladders, options.limit, stop, progress)?;
    tasks.retain(|task| task.printed.is_some());
    Ok(Prepared { folder, ladders, tasks })
}

/// Families of compilers, each with what else its ladder is made with.
type Families = Vec<(Family, Option<String>)>;

/// The families that build a case: all of this machine, or the one that is behind the compiler of an MPI.
fn families(case: &Case, host: &Host<'_>) -> Result<Families, Error> {
    let Some(launch) = &case.launch else {
        return Ok(host.families.iter().map(|family| (family.clone(), None)).collect());
    };
    let left_out = |cause| Error::LeftOut { case: case.name.clone(), cause };
    let mpi = launch.installed().map_err(left_out)?;
    if !host.families.iter().any(|family| family.name == mpi.family.name) {
        return Err(left_out(format!(
            "left out: it is built by {} only, which is behind the MPI's compiler",
            mpi.family.name
        )));
    }
    Ok(vec![(mpi.family, Some(mpi.version))])
}

/// Empty ladders for every track and family that can be built, and the family of each.
fn ladders<'a>(case: &Case, families: &'a Families) -> Result<(Vec<Ladder>, Vec<&'a Family>), Error> {
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
        for (family, launcher) in families {
            let mut needed = BTreeSet::new();
            for stage in case.stages.iter().filter(|stage| stage.is_built_by(&family.name)) {
                needed.extend(of(stage)?);
            }
            // None: the case has nothing for this family.
            if needed.is_empty() || !family.compiles(&needed) {
                continue;
            }
            let compilers = needed.iter().filter_map(|language| family.compiler(*language));
            let mut versions: Vec<String> =
                compilers.map(|compiler| &compiler.version).chain(launcher).cloned().collect();
            // SimGrid's compiler and its launcher say the same.
            versions.dedup();
            ladders.push(Ladder {
                track: track.clone(),
                family: family.name.clone(),
                versions,
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

/// Fills the ladders with their stages; returns those that this machine can build and run as tasks.
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
                launcher: case
                    .launch
                    .as_ref()
                    .map(|launch| launch.launcher(stage.build.hosts.as_deref(), &case.folder)),
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
                expected: stage.expected(),
                because: stage.because.clone(),
                commands: Vec::new(),
                run: None,
                threads: stage.build.threads(),
                left_out,
                wrong: None,
                results: BTreeMap::new(),
                measured: None,
                advice: None,
                search: None,
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

/// Builds all programs, as many at the same time as there are CPUs.
fn build_all(
    case: &Case,
    work: &[Task<'_>],
    ladders: &mut [Ladder],
    chosen: &[&Family],
    support: &Path,
    stop: &AtomicBool,
) -> Result<(), Error> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let tracks: Vec<Option<String>> = ladders.iter().map(|ladder| ladder.track.clone()).collect();
    let tracks = &tracks;
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

/// Runs every program once and compares its results with the first stage's. The runs also warm the file caches.
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
