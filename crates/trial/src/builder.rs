//! The two kinds of builds, with what each can try.

use crate::cargo::{self, CargoShop};
use crate::change::{Candidate, Kind};
use crate::fault::Fault;
use crate::loops::Chooser;
use crate::rebuild::Workshop;
use crate::settings::setting_sets;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::Analysis;
use loopwright_experiment::trials::Part;
use std::path::{Path, PathBuf};

/// Whatever builds the program.
pub(crate) enum Builder<'a> {
    /// Single commands of compilers.
    Commands(Workshop<'a>),
    /// Cargo.
    Cargo(CargoShop<'a>),
}

impl Builder<'_> {
    /// Builds the program with these changes.
    pub fn build(&mut self, parts: &[Part]) -> Result<PathBuf, Fault> {
        match self {
            Self::Commands(workshop) => workshop.build(parts),
            Self::Cargo(shop) => shop.build(parts),
        }
    }

    /// The program whose run gives the profile for these changes, where they need one.
    pub fn trainer(&mut self, parts: &[Part]) -> Result<Option<PathBuf>, Fault> {
        match self {
            Self::Commands(workshop) => workshop.trainer(parts),
            Self::Cargo(_) => Ok(None),
        }
    }
}

/// Everything to try: recommendations in their order, then sets of options and settings. Each set of parts is tried once.
pub(crate) fn candidates(
    analysis: &Analysis,
    builder: &Builder,
    program: &Path,
    cards: &[Recommendation],
    kinds: &[Kind],
) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = Vec::new();
    let (advice, options) = (kinds.contains(&Kind::Advice), kinds.contains(&Kind::Options));
    match builder {
        Builder::Commands(workshop) => {
            let chooser = Chooser::new(analysis, workshop);
            all.extend(cards.iter().filter(|_| advice).flat_map(|card| chooser.of_card(card)));
            all.extend(Some(&chooser).filter(|_| options).map(Chooser::option_sets).into_iter().flatten());
        }
        Builder::Cargo(_) => {
            all.extend(cards.iter().filter(|_| advice).flat_map(cargo::of_card));
            all.extend(Some(()).filter(|()| options).map(|()| cargo::option_sets()).into_iter().flatten());
        }
    }
    if kinds.contains(&Kind::Environment) {
        all.extend(setting_sets(analysis, program));
    }
    let mut seen: Vec<Vec<Part>> = Vec::new();
    all.retain(|candidate| match &candidate.parts {
        Ok(parts) if seen.contains(parts) => false,
        Ok(parts) => {
            seen.push(parts.clone());
            true
        }
        Err(_) => true,
    });
    all
}
