//! Which verb of the workbench advises on the stages of a case, as `[advice]` states it.

use crate::launch::Launch;
use serde::Deserialize;

/// What advises on the stages of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Advisor {
    /// The verb.
    pub verb: Verb,
    /// The advice needs traces.
    pub deep: bool,
    /// Options of the verb.
    pub with: Vec<String>,
}

/// A verb that advises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// On loops and the build.
    #[default]
    Advise,
    /// On allocations.
    Heap,
    /// On input and output.
    Io,
    /// On communication.
    Comm,
    /// On the order of ranks: it takes what a program says that its ranks send to each other.
    Place,
}

impl Verb {
    /// Its name on the command line, which is also that of what it collects.
    pub fn name(self) -> &'static str {
        match self {
            Self::Advise => "advise",
            Self::Heap => "heap",
            Self::Io => "io",
            Self::Comm => "comm",
            Self::Place => "place",
        }
    }
}

impl Advisor {
    /// The verb's options.
    pub(crate) fn options(&self) -> Vec<String> {
        let deep = self.deep.then(|| "--deep".to_owned());
        deep.into_iter().chain(self.with.iter().cloned()).collect()
    }

    /// What is wrong with it in a case that is started so.
    pub(crate) fn fault(&self, launch: Option<&Launch>) -> Option<String> {
        if self.deep && self.verb != Verb::Advise {
            return Some(format!("[advice] has `deep`, an option of `advise`, for `{}`", self.verb.name()));
        }
        let simulated = launch.is_some_and(Launch::is_simulated);
        // Ranks of a simulation are threads of one process: no collector can tell them apart.
        if simulated != (self.verb == Verb::Place) {
            return Some("[advice] of a case with a `platform` under [launch] is that of `place`, and of no other case".into());
        }
        (self.verb == Verb::Comm && launch.is_none())
            .then(|| "[advice] is that of `comm`: [launch] has to say how many ranks there are".to_owned())
    }
}
