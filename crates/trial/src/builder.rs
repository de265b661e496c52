//! The kinds of builds, with what each can try.

use crate::asked::{Asked, Error};
use crate::cargo::{self, CargoShop};
use crate::change::{Candidate, Kind, variables};
use crate::fault::{self, Fault};
use crate::loops::{Chooser, HOT};
use crate::rebuild::Workshop;
use crate::runner::{Ran, Runner};
use crate::rustc::RustcShop;
use crate::settings::{loaded, setting_sets};
use loopwright_advise::Recommendation;
use loopwright_analysis::model::Analysis;
use loopwright_experiment::trials::{End, Part};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Whatever builds the program.
pub(crate) enum Builder<'a> {
    /// Single commands of compilers.
    Commands(Workshop<'a>),
    /// Cargo.
    Cargo(CargoShop<'a>),
    /// One command of rustc.
    Rustc(RustcShop<'a>),
}

impl Builder<'_> {
    /// Builds the program with these changes.
    pub fn build(&mut self, parts: &[Part]) -> Result<PathBuf, Fault> {
        match self {
            Self::Commands(workshop) => workshop.build(parts),
            Self::Cargo(shop) => shop.build(parts),
            Self::Rustc(shop) => shop.build(parts),
        }
    }

    /// Most time of each compiler and linker from now on.
    pub fn limit(&mut self, time: Duration) {
        match self {
            Self::Commands(workshop) => workshop.limits.time = time,
            Self::Cargo(shop) => shop.limits.time = time,
            Self::Rustc(shop) => shop.limits.time = time,
        }
    }

    /// The program with these changes; where they need a profile, the one that gathers it is built and run first.
    pub fn made(&mut self, runner: &mut Runner, parts: &[Part]) -> Result<Made, Error> {
        let trained = match self.trainer(parts) {
            Ok(Some(trainer)) => match runner.run(&trainer, &variables(parts))? {
                Ran::Well(..) => Ok(()),
                Ran::Badly(end) => return Ok(Made::Ended(end)),
                Ran::Stopped => return Ok(Made::Stopped),
            },
            Ok(None) => Ok(()),
            Err(fault) => Err(fault),
        };
        Made::of(trained.and_then(|()| self.build(parts)))
    }

    /// The program whose run gives the profile for these changes, where they need one.
    fn trainer(&mut self, parts: &[Part]) -> Result<Option<PathBuf>, Fault> {
        match self {
            Self::Commands(workshop) => workshop.trainer(parts),
            Self::Cargo(_) | Self::Rustc(_) => Ok(None),
        }
    }
}

/// A version of the program, or why there is none.
pub(crate) enum Made {
    Version(PathBuf),
    /// There is nothing to run; how it ended.
    Ended(End),
    /// The user stopped.
    Stopped,
}

impl Made {
    /// What came out of a build.
    pub fn of(built: Result<PathBuf, Fault>) -> Result<Self, Error> {
        Ok(match built {
            Ok(version) => Self::Version(version),
            Err(Fault::Stopped) => Self::Stopped,
            Err(Fault::Io(cause)) => return Err(cause.into()),
            Err(Fault::NotBuilt(error)) => Self::Ended(End::NotBuilt { error }),
            Err(Fault::Slow(name, seconds)) => {
                Self::Ended(End::NotBuilt { error: fault::too_slow(&name, seconds) })
            }
            Err(Fault::Why(why)) => Self::Ended(End::LeftAlone { why }),
        })
    }
}

/// Everything to try: recommendations in their order, then sets of options and settings; of all that the kinds and the single changes
/// that are asked for. Each set of parts is tried once.
pub(crate) fn candidates(
    analysis: &Analysis,
    builder: &mut Builder,
    program: &Path,
    cards: &[Recommendation],
    asked: &Asked,
) -> Vec<Candidate> {
    let (advice, options) = match builder {
        Builder::Commands(workshop) => {
            let chooser = Chooser::new(analysis, workshop);
            let advice: Vec<_> = cards.iter().flat_map(|card| chooser.of_card(card)).collect();
            let options = if asked.may_have(Kind::Options) { chooser.option_sets() } else { Vec::new() };
            (advice, options)
        }
        Builder::Cargo(_) | Builder::Rustc(_) => {
            if let Builder::Cargo(shop) = builder {
                let hot = analysis.loops.iter().filter(|of| of.main_module && of.self_share >= HOT);
                shop.narrow(hot.filter_map(|of| of.file.as_deref()));
            }
            (cards.iter().flat_map(cargo::of_card).collect(), cargo::option_sets())
        }
    };
    let busy = analysis.program.cpu_seconds / analysis.program.elapsed_seconds;
    let settings = setting_sets(busy, &loaded(analysis), program);
    let all = [(Kind::Advice, advice), (Kind::Options, options), (Kind::Environment, settings)];
    let chosen = all.into_iter().flat_map(|(kind, all)| {
        all.into_iter().filter(move |candidate| asked.wants(kind, &candidate.change))
    });
    let mut seen: Vec<Vec<Part>> = Vec::new();
    let mut chosen: Vec<Candidate> = chosen.collect();
    chosen.retain(|candidate| match &candidate.parts {
        Ok(parts) if seen.contains(parts) => false,
        Ok(parts) => {
            seen.push(parts.clone());
            true
        }
        Err(_) => true,
    });
    chosen
}
