//! What the collections of a run have in common: where they are stored, alone or as one rank of a job, and how the
//! program's end is reported. Each step is stored before the next begins, so nothing already collected is lost.

use crate::args::Cli;
use crate::failure::Failure;
use crate::interrupt;
use crate::terminal::Console;
use loopwright_binary::image::{DebugSearch, Images};
use loopwright_experiment::describe::Described;
use loopwright_experiment::{Collected, Experiment, MachineRecord, Phase, RunId};
use loopwright_files::regular;
use loopwright_files::sources::Granted;
use loopwright_sample::recording::{Outcome, Rank, Target};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Source files larger than this are generated; they are read from disk when shown.
const LARGEST_SOURCE: u64 = 4 << 20;

/// One run of a program under a collector: the file that it goes into, what is stored, and what is said of its end.
pub struct Collection<'a> {
    cli: &'a Cli,
    machine: &'a MachineRecord,
    console: &'a Console,
    /// The experiment, or this rank's part of it.
    experiment: Experiment,
    rank: Option<Rank>,
    /// It was made for this collection.
    new: bool,
}

/// What a run left in the experiment.
pub struct Ran {
    /// The program and how it ended.
    pub target: Target,
    /// False when another rank of the job merges and reports.
    pub reports: bool,
}

impl<'a> Collection<'a> {
    /// Begins one after the phase `before`. A place that cannot be written to is found out before the program runs, not after.
    pub fn begin(
        cli: &'a Cli,
        machine: &'a MachineRecord,
        console: &'a Console,
        before: Phase,
    ) -> Result<Self, Failure> {
        interrupt::install()?;
        console.costs.end(before);
        let rank = crate::ranks::own();
        let new = rank.is_some() || !cli.experiment.exists();
        let experiment = match &rank {
            Some(rank) => Experiment::create_part(&cli.experiment, rank)?,
            None => Experiment::create_or_open(&cli.experiment)?,
        };
        Ok(Self { cli, machine, console, experiment, rank, new })
    }

    /// Goes on with what was collected. Where that failed, a file that was made for it goes, too.
    pub fn with<T, E>(self, collected: Result<T, E>) -> Result<(Self, T), E> {
        match collected {
            Ok(collected) => Ok((self, collected)),
            Err(error) => {
                if self.new {
                    self.experiment.discard_empty();
                }
                Err(error)
            }
        }
    }

    /// Stores what was collected.
    pub fn add<T: Collected>(&mut self, collected: &T, target: &Target) -> Result<RunId, Failure> {
        let run = self.experiment.add(collected, Some(target), Some(self.machine))?;
        self.console.costs.stored(run);
        Ok(run)
    }

    /// Stores what the binaries say of a run, with the sources of its code. `describe` reports how many of how many functions
    /// are done.
    pub fn describe(
        &mut self,
        run: RunId,
        describe: impl FnOnce(&(dyn Fn(usize, usize) + Sync)) -> Vec<Described>,
    ) -> Result<Vec<Described>, Failure> {
        self.console.costs.end(Phase::Store);
        let bar = self.console.bar("reading loops from the binaries", 1);
        let described = describe(&|done, known| {
            bar.set_length(known as u64);
            bar.set_position(done as u64);
        });
        bar.finish_and_clear();
        self.console.costs.end(Phase::ReadBinaries);
        self.add_code(run, &described)?;
        Ok(described)
    }

    fn add_code(&mut self, run: RunId, described: &[Described]) -> Result<(), Failure> {
        let mut sources = BTreeSet::new();
        let mut folders = BTreeSet::new();
        for module in described {
            sources.extend(module.files().cloned());
            folders.extend(module.folders().map(Path::new));
        }
        // Users pass experiments on: a file that a line table names but that is not the program's is not stored.
        let granted = Granted::new(&self.cli.source_root, folders);
        let texts = sources.into_iter().filter_map(|path| {
            let real = granted.source(Path::new(&path)).ok()?;
            let bytes = regular::read(&real, LARGEST_SOURCE).ok()?;
            Some((path, String::from_utf8_lossy(&bytes).into_owned()))
        });
        let texts: Vec<(String, String)> = texts.collect();
        self.experiment.together(|experiment| {
            for module in described {
                let Described { position, identity, facts, functions, .. } = module;
                experiment.add_code(run, *position, identity, facts, functions)?;
            }
            experiment.add_sources(run, &texts)?;
            Ok(())
        })
    }

    /// Closes the experiment; the first rank of a job merges the parts of all. Says how the program ended when that is not the
    /// usual way.
    pub fn end(self, target: Target) -> Result<Ran, Failure> {
        let console = self.console;
        let reports = self.deliver()?;
        console.costs.end(Phase::Store);
        note_outcome(&target, console);
        Ok(Ran { target, reports })
    }

    /// False when another rank reports.
    fn deliver(self) -> Result<bool, Failure> {
        let Some(rank) = self.rank else { return Ok(true) };
        self.experiment.finish_part()?;
        if rank.rank != 0 {
            return Ok(false);
        }
        let missing = crate::ranks::gather(&self.cli.experiment, &rank, self.console)?;
        if missing > 0 {
            self.console.note(&format!(
                "{missing} of {} ranks have not delivered; `loopwright show` merges what arrives later",
                rank.size
            ));
        }
        Ok(true)
    }
}

/// The files that one command reads, with their debug information, which is looked for in these folders, too.
pub fn images(folders: &[PathBuf]) -> Images {
    Images::new(folders.iter().fold(DebugSearch::system(), |search, folder| search.with_directory(folder)))
}

/// How a counted or traced program ended.
pub fn outcome(interrupted: bool, signal: Option<i32>, status: i32) -> Outcome {
    match signal {
        _ if interrupted => Outcome::Interrupted,
        Some(signal) => Outcome::Signalled(signal),
        None => Outcome::Exited(status),
    }
}

/// The status that `--propagate-exit` passes on, as a shell would report it.
pub fn propagated(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Exited(status) => status.clamp(0, 255) as u8,
        Outcome::Signalled(signal) => (128 + signal).clamp(0, 255) as u8,
        Outcome::Interrupted => 130,
        Outcome::Unknown => 1,
    }
}

/// Says how the program ended when that is not the usual way.
fn note_outcome(target: &Target, console: &Console) {
    let how = match target.outcome {
        Outcome::Exited(0) => return,
        Outcome::Exited(status) => format!("the program exited with status {status}"),
        Outcome::Signalled(signal) => format!("the program was killed by signal {signal}"),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Unknown => "the program's end was not seen".to_owned(),
    };
    console.note(&format!("{how}; what was collected until then is kept"));
}
