//! Conditions that disturb or explain a measurement on this machine: the state of the operating system, not
//! of the processor.
//!
//! Each condition has a value, a verdict, the reason why it matters and a remedy. Checks are grouped by
//! subject; every check is a function in its group's list, and the lists are all there is to register.
//! Source: the kernel's Documentation/admin-guide (mm, pm, sysctl, perf-security, cgroup).

mod clock;
mod memory;
mod observation;
mod sharing;

use crate::topology::Topology;
use crate::tree::Tree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effect of a condition on a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ConditionVerdict")]
pub enum Verdict {
    /// As it should be.
    Good,
    /// Worth knowing.
    Neutral,
    /// Disturbs measurements or hides what they could show.
    Bad,
    /// Cannot be read.
    Unknown,
}

/// One condition of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Condition {
    /// Stable name ("transparent-huge-pages").
    pub id: String,
    /// Title in a few words.
    pub title: String,
    /// The value found.
    pub value: String,
    /// The verdict on the value.
    pub verdict: Verdict,
    /// Why it matters to a measurement.
    pub explain: String,
    /// The remedy, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub remedy: Option<String>,
}

/// The inputs of the checks.
struct Context<'a> {
    tree: &'a Tree,
    topology: &'a Topology,
    hypervisor: Option<&'a str>,
}

type Check = fn(&Context) -> Condition;

/// The result of a check.
struct Finding {
    value: String,
    verdict: Verdict,
    remedy: Option<String>,
}

impl Finding {
    fn good(value: impl Into<String>) -> Finding {
        Finding { value: value.into(), verdict: Verdict::Good, remedy: None }
    }

    fn neutral(value: impl Into<String>) -> Finding {
        Finding { value: value.into(), verdict: Verdict::Neutral, remedy: None }
    }

    fn bad(value: impl Into<String>, remedy: impl Into<String>) -> Finding {
        Finding { value: value.into(), verdict: Verdict::Bad, remedy: Some(remedy.into()) }
    }

    fn unknown(value: impl Into<String>) -> Finding {
        Finding { value: value.into(), verdict: Verdict::Unknown, remedy: None }
    }

    /// Adds a remedy for better conditions where the present ones are not bad.
    fn or(mut self, remedy: impl Into<String>) -> Finding {
        self.remedy = Some(remedy.into());
        self
    }

    fn condition(self, id: &str, title: &str, explain: &str) -> Condition {
        Condition {
            id: id.to_owned(),
            title: title.to_owned(),
            value: self.value,
            verdict: self.verdict,
            explain: explain.to_owned(),
            remedy: self.remedy,
        }
    }
}

/// Every condition.
pub(crate) fn read(tree: &Tree, topology: &Topology, hypervisor: Option<&str>) -> Vec<Condition> {
    let context = Context { tree, topology, hypervisor };
    [sharing::CHECKS, clock::CHECKS, memory::CHECKS, observation::CHECKS]
        .into_iter()
        .flatten()
        .map(|check| check(&context))
        .collect()
}

/// The choice in brackets of a kernel file such as `always [madvise] never`.
fn chosen(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0)
}

/// Bytes for people: 512 KiB, 1.5 GiB.
fn bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if value.fract() == 0.0 {
        format!("{value} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

#[cfg(test)]
mod tests;
