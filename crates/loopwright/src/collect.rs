//! What the collections of a run have in common: where they are stored, alone or as one rank of a job, and how the
//! program's end is reported. Each step is stored before the next begins, so nothing already collected is lost.

use crate::args::Cli;
use crate::failure::Failure;
use crate::gathering::{self, LATEST, reading};
use crate::interrupt;
use crate::terminal::Console;
use loopwright_binary::image::{DebugSearch, Images};
use loopwright_experiment::describe::{Described, describe_wanted};
use loopwright_experiment::{Collected, Error, Experiment, MachineRecord, Part, Phase, RunId, Wanted};
use loopwright_sample::recording::{Outcome, Rank, Target};
use std::path::PathBuf;

/// One run of a program under a collector: the file that it goes into, what is stored, and what is said of its end.
pub struct Collection<'a> {
    cli: &'a Cli,
    machine: &'a MachineRecord,
    console: &'a Console,
    images: &'a Images,
    into: Into,
}

/// Where what is collected goes.
enum Into {
    /// The experiment.
    Experiment {
        experiment: Experiment,
        /// It was made for this collection.
        new: bool,
    },
    /// This rank's part of it. A part is small, but for counts of large programs.
    Part(Box<Part>, Rank),
}

/// What a run left in the experiment.
pub struct Ran {
    /// The program and how it ended.
    pub target: Target,
    /// False when another rank of the job merges and reports.
    pub reports: bool,
    /// The state that shows it: others may write into the experiment at the same time.
    pub state: String,
}

impl<'a> Collection<'a> {
    /// Begins one after the phase `before`. A place that cannot be written to is found out before the program runs, not after.
    pub fn begin(
        cli: &'a Cli,
        machine: &'a MachineRecord,
        images: &'a Images,
        console: &'a Console,
        before: Phase,
    ) -> Result<Self, Failure> {
        interrupt::install()?;
        console.costs.end(before);
        let into = match crate::ranks::own() {
            Some(rank) => Into::Part(Box::new(Part::begin(&cli.experiment, &rank, machine)?), rank),
            None => {
                let new = !cli.experiment.exists();
                Into::Experiment { experiment: Experiment::create_or_open(&cli.experiment)?, new }
            }
        };
        Ok(Self { cli, machine, console, images, into })
    }

    /// Goes on with what was collected. Where that failed, a file that was made for it goes, too.
    pub fn with<T, E>(self, collected: Result<T, E>) -> Result<(Self, T), E> {
        match collected {
            Ok(collected) => Ok((self, collected)),
            Err(error) => {
                if let Into::Experiment { experiment, new: true } = self.into {
                    experiment.discard_empty();
                }
                Err(error)
            }
        }
    }

    /// Stores what was collected; a rank keeps it until it knows what it wants of its binaries.
    pub fn add<T: Collected>(&mut self, collected: &T, target: &Target) -> Result<RunId, Failure> {
        let run = match &mut self.into {
            Into::Experiment { experiment, .. } => {
                experiment.add(collected, Some(target), Some(self.machine))?
            }
            Into::Part(part, _) => part.add(collected, target),
        };
        self.console.costs.stored(run);
        Ok(run)
    }

    /// Stores what the binaries say of a run, with the sources of its code; what `before` describes is not described again. A
    /// rank only says what it wants to know of them: whoever merges asks once for all.
    pub fn describe(
        &mut self,
        run: RunId,
        wanted: Vec<Wanted>,
        before: &[&Described],
    ) -> Result<Vec<Described>, Failure> {
        self.console.costs.end(Phase::Store);
        let experiment = match &mut self.into {
            Into::Experiment { experiment, .. } => experiment,
            Into::Part(part, _) => {
                part.want(run, wanted);
                return Ok(Vec::new());
            }
        };
        let (described, texts) = reading(self.console, self.images, &self.cli.source_root, |how| {
            let described = describe_wanted(&wanted, before, how.images, how.progress);
            let texts = how.texts(&described);
            (described, texts)
        });
        self.console.costs.end(Phase::ReadBinaries);
        experiment.together::<_, Error>(|experiment| {
            for module in &described {
                let Described { position, identity, facts, functions, .. } = module;
                experiment.add_code(run, *position, identity, facts, functions)?;
            }
            experiment.add_sources(run, &texts)
        })?;
        Ok(described)
    }

    /// Closes the experiment; one rank of a job merges the parts of all. Says how the program ended when that is not the usual way.
    pub fn end(self, target: Target) -> Result<Ran, Failure> {
        let console = self.console;
        let state = match self.into {
            Into::Experiment { .. } => Some(LATEST.to_owned()),
            Into::Part(part, rank) => {
                let delivered = part.deliver()?;
                gathering::finish(self.cli, delivered, &rank, self.images, console)?
            }
        };
        console.costs.end(Phase::Store);
        note_outcome(&target, console);
        Ok(Ran { target, reports: state.is_some(), state: state.unwrap_or_else(|| LATEST.to_owned()) })
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
