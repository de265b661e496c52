//! The search that leads to a stage, as a case states it.

use serde::Deserialize;

/// The verb that leads to a stage, as `[stage.found_by]` states it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase", deny_unknown_fields)]
pub enum FoundBy {
    /// The search for the best build.
    Tune {
        /// Options of the verb.
        #[serde(default)]
        with: Vec<String>,
        /// Options and settings (`NAME=value`), one of which the best candidate has to have.
        finds: Vec<String>,
    },
    /// The search for what changes an answer.
    Reproduce {
        /// Options of the verb.
        #[serde(default)]
        with: Vec<String>,
        /// What it has to name.
        finds: Place,
    },
}

/// A function of a source.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Name of the source.
    pub file: String,
    /// Name of the function, without its arguments.
    pub function: String,
}

impl FoundBy {
    /// The verb.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Tune { .. } => "tune",
            Self::Reproduce { .. } => "reproduce",
        }
    }

    /// Options of the verb.
    pub(crate) fn with(&self) -> &[String] {
        match self {
            Self::Tune { with, .. } | Self::Reproduce { with, .. } => with,
        }
    }

    /// What it has to find, in words: any of these.
    pub fn expected(&self) -> Vec<String> {
        match self {
            Self::Tune { finds, .. } => finds.clone(),
            Self::Reproduce { finds, .. } => vec![named(&finds.file, &finds.function)],
        }
    }

    /// What is wrong with it.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match self {
            Self::Tune { finds, .. } if finds.is_empty() => Some("`finds` is empty"),
            _ => None,
        }
    }

    /// Where the verb's result is in its JSON.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::Tune { .. } => "tuning",
            Self::Reproduce { .. } => "reproduction",
        }
    }
}

/// A function of a source, as what was found and what is expected have it.
pub(crate) fn named(file: &str, function: &str) -> String {
    format!("{file}: {function}")
}
