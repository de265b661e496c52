//! What spoils or explains a measurement on this machine.
use crate::topology::Topology;
use crate::tree::Tree;
use serde::{Deserialize, Serialize};

/// What a condition means for a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Worth knowing.
    Neutral,
    /// Spoils measurements or hides what they could show.
    Bad,
    /// Cannot be read.
    Unknown,
}

/// One condition of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// Stable name ("transparent-huge-pages").
    pub id: String,
    /// What it is, in a few words.
    pub title: String,
    /// What was found.
    pub value: String,
    /// What that means.
    pub verdict: Verdict,
    /// Why it matters to a measurement.
    pub explain: String,
    /// What to do about it, when something is to be done.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remedy: Option<String>,
}

pub(crate) fn read(_tree: &Tree, _topology: &Topology, _hypervisor: Option<&str>) -> Vec<Condition> {
    Vec::new()
}
