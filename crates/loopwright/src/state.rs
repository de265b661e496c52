//! Opens experiments and picks states, for every verb that shows something.

use crate::args::{Cli, PartArgs};
use crate::failure::Failure;
use clap::CommandFactory;
use loopwright_advise::{Recommendation, advise, only_offered};
use loopwright_analysis::model::Analysis;
use loopwright_binary::facts::ModuleFacts;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_experiment::{Collected, Describing, Error, Experiment, Facts, MachineRecord, Merged, State};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::traced::Patterns;
use loopwright_machine::Machine;
use loopwright_machine::network::load_network;
use loopwright_remarks::remark::Remark;
use loopwright_sample::recording::Recording;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// A loaded state.
pub struct Loaded {
    /// The experiment it comes from.
    pub experiment: Experiment,
    /// Which runs.
    pub state: State,
    /// Their facts.
    pub facts: Facts,
    /// The joined result.
    pub analysis: Analysis,
    /// What to do, once somebody asks.
    recommendations: OnceCell<Vec<Recommendation>>,
}

impl Loaded {
    fn of(experiment: Experiment, state: State) -> Result<Self, Failure> {
        let facts = Facts::load(&experiment, &state)?;
        let analysis = loopwright_analysis::analyse(&facts);
        Ok(Self { experiment, state, facts, analysis, recommendations: OnceCell::new() })
    }

    /// Only the part that is asked for, if one is.
    pub fn part(mut self, wanted: &PartArgs) -> Result<Self, Failure> {
        if let Some(part) = wanted.part() {
            let excerpt = loopwright_analysis::excerpt::keep(&mut self.facts, &part)
                .map_err(|error| Failure::misuse(error.to_string()))?;
            self.analysis = loopwright_analysis::analyse(&self.facts);
            self.analysis.warnings.insert(0, excerpt.into());
            self.recommendations.take();
        }
        Ok(self)
    }

    /// Joins with ceilings that became known after the runs, when they are of the machine that the runs were made on.
    pub fn with_ceilings(mut self, now: &MachineRecord) -> Self {
        let of_runs = self.facts.machine();
        let lacking = of_runs.is_none_or(|record| record.ceilings.is_none());
        let same = of_runs.is_some_and(|record| same_machine(record, now));
        if lacking && same && now.ceilings.is_some() {
            for record in self.facts.machines_mut() {
                record.ceilings.clone_from(&now.ceilings);
            }
            self.analysis = loopwright_analysis::analyse(&self.facts);
            self.recommendations.take();
        }
        self
    }

    /// Joins with a network that was measured after the runs, when they were made on this machine.
    pub fn with_network(mut self) -> Self {
        let all = &mut self.facts.communication;
        let lacking =
            all.iter().filter_map(|run| run.machine.as_ref()).all(|record| record.network.is_none());
        if all.is_empty() || !lacking {
            return self;
        }
        let machine = Machine::detect();
        let Some(network) = load_network(&machine) else { return self };
        let now = MachineRecord { machine, ceilings: None, network: Some(network) };
        for record in all.iter_mut().filter_map(|run| run.machine.as_mut()) {
            if same_machine(record, &now) {
                Arc::make_mut(record).network.clone_from(&now.network);
            }
        }
        self.analysis = loopwright_analysis::analyse(&self.facts);
        self.recommendations.take();
        self
    }

    /// Recommendations whose next steps this version can take.
    pub fn recommendations(&self) -> &[Recommendation] {
        self.recommendations.get_or_init(|| {
            let command = Cli::command();
            only_offered(advise(&self.analysis), |verb| command.find_subcommand(verb).is_some())
        })
    }
}

/// The CPUs that a process may use differ from run to run; the machine stays the same.
fn same_machine(a: &MachineRecord, b: &MachineRecord) -> bool {
    let (a, b) = (a.machine.summary(), b.machine.summary());
    (a.name, a.cpus, a.isa, a.cache_bytes) == (b.name, b.cpus, b.isa, b.cache_bytes)
}

/// Opens the experiment of this command line; parts that ranks left beside it are merged first.
pub fn open(path: &Path) -> Result<Experiment, Failure> {
    let merged = merge_quietly(path)?;
    // What cannot be read stays where it is, and `loopwright merge` names it again.
    if let Some(error) = merged.unreadable.into_iter().next().filter(|_| !path.exists()) {
        return Err(error.into());
    }
    Ok(Experiment::open(path)?)
}

fn merge_quietly(path: &Path) -> Result<Merged, Error> {
    let images = crate::collect::images(&[]);
    Experiment::merge_parts(path, &Describing { images: &images, roots: &[], progress: &|_, _| {} })
}

/// Loads a state of the experiment of this command line.
pub fn load(cli: &Cli, name: &str) -> Result<Loaded, Failure> {
    load_from(&cli.experiment, name)
}

/// Loads a state of any experiment.
pub fn load_from(path: &Path, name: &str) -> Result<Loaded, Failure> {
    of(open(path)?, name)
}

/// Loads a state of an open experiment.
pub fn of(experiment: Experiment, name: &str) -> Result<Loaded, Failure> {
    let state = experiment.named(name).map_err(|error| match error {
        Error::NoSuch { .. } => Failure::misuse(error.to_string()),
        other => other.into(),
    })?;
    Loaded::of(experiment, state)
}

/// A state of this experiment, or `FILE` or `FILE:STATE` of another one.
pub fn load_side(cli: &Cli, name: &str) -> Result<Loaded, Failure> {
    if Path::new(name).is_file() {
        return load_from(Path::new(name), "latest");
    }
    if let Some((file, state)) = name.split_once(':')
        && Path::new(file).is_file()
    {
        return load_from(Path::new(file), state);
    }
    load(cli, name)
}

/// What is loaded beside a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// All that belongs to it.
    Everything,
    /// Counts.
    Counts,
    /// Nothing.
    Nothing,
}

/// The newest survey of this command in this folder with what belongs to it, if there is one.
pub fn newest_survey(cli: &Cli, command: &[OsString]) -> Result<Option<Loaded>, Failure> {
    newest_survey_with(cli, command, Beside::Everything)
}

/// The same with less beside it: joining what is not needed takes time.
pub fn newest_survey_with(
    cli: &Cli,
    command: &[OsString],
    beside: Beside,
) -> Result<Option<Loaded>, Failure> {
    if !cli.experiment.exists() {
        return Ok(None);
    }
    // Ranks look at the same moment: none of them merges parts then.
    let experiment = match crate::ranks::own() {
        Some(_) => Experiment::open(&cli.experiment)?,
        None => open(&cli.experiment)?,
    };
    let command: Vec<String> = command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let directory = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let newest = experiment
        .runs()?
        .into_iter()
        .rfind(|run| run.kind == Recording::KIND && run.command == command && run.directory == directory);
    let Some(newest) = newest else { return Ok(None) };
    let mut state = experiment.state_of(newest.id)?;
    if beside != Beside::Everything {
        state = state.without::<Patterns>().without::<Vec<Remark>>();
    }
    if beside == Beside::Nothing {
        state = state.without::<Counts>();
    }
    Loaded::of(experiment, state).map(Some)
}

/// Whether a module is still the one that was collected from; where there is no build id, nothing says otherwise.
pub fn is_unchanged(collected: &ModuleFacts) -> bool {
    let Some(then) = &collected.build_id else { return true };
    let Ok(image) = Image::open(Path::new(&collected.path), &DebugSearch::system()) else { return true };
    image.facts().build_id.as_ref().is_none_or(|now| now == then)
}

/// All programs and libraries with time are still those that were surveyed. Counts and traces in the same state may be
/// of earlier builds.
pub fn is_current(loaded: &Loaded) -> bool {
    let mut modules = loaded.facts.surveys.iter().flat_map(|survey| &survey.code);
    modules.all(|module| is_unchanged(&module.facts))
}

/// Addresses of another build lead nowhere.
pub fn must_be_unchanged(collected: &ModuleFacts) -> Result<(), Failure> {
    if is_unchanged(collected) {
        return Ok(());
    }
    Err(Failure::misuse(format!(
        "{} has been rebuilt since it was surveyed, its loops have new numbers; survey it again",
        collected.path
    )))
}

/// No loop has this number.
pub fn unknown_loop(id: u32) -> Failure {
    Failure::misuse(format!("there is no loop {id} in this state; `loopwright show loops --all` lists them"))
}
