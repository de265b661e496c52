//! Opens experiments and picks states, for every verb that shows something.

use crate::args::Cli;
use crate::failure::Failure;
use clap::CommandFactory;
use loopwright_advise::{Recommendation, advise, only_offered};
use loopwright_analysis::facts::Facts;
use loopwright_analysis::model::Analysis;
use loopwright_experiment::{Experiment, State};
use std::path::Path;

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
}

/// Opens the experiment of this command line; parts that ranks left beside it are merged first.
pub fn open(path: &Path) -> Result<Experiment, Failure> {
    let waiting = loopwright_experiment::Parts::beside(path)?;
    if !waiting.complete.is_empty() {
        Experiment::create_or_open(path)?.merge_parts()?;
    }
    Ok(Experiment::open(path)?)
}

/// Loads a state of the experiment of this command line.
pub fn load(cli: &Cli, name: &str) -> Result<Loaded, Failure> {
    load_from(&cli.experiment, name)
}

/// Loads a state of any experiment.
pub fn load_from(path: &Path, name: &str) -> Result<Loaded, Failure> {
    let experiment = open(path)?;
    let state = experiment.named(name)?;
    let facts = Facts::load(&experiment, &state)?;
    let analysis = loopwright_analysis::analyse(&facts);
    Ok(Loaded { experiment, state, facts, analysis })
}

/// Recommendations whose next steps this version can take.
pub fn recommendations(analysis: &Analysis) -> Vec<Recommendation> {
    let command = Cli::command();
    only_offered(advise(analysis), |verb| command.find_subcommand(verb).is_some())
}
