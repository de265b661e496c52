//! Recommendations as a SARIF 2.1.0 log, the format in which code hosts and editors read what analysers found.
//!
//! One result for each recommendation. SARIF's own ideas are used where they fit: a rule is a remedy with how to do it
//! ([`rules`]), `level` is `note` or `warning` (slow code is no error), `rank` is the share of the program's time that
//! the change is predicted to save, related locations are compilers' remarks and the ends of dependences, and what
//! limits the results is a notification. `docs/sarif.md` says what readers make of it.
//!
//! Sources: OASIS Standard "Static Analysis Results Interchange Format (SARIF) Version 2.1.0"; GitHub's "SARIF support
//! for code scanning" for what a host requires beyond it.

mod log;
mod markdown;
mod message;
mod results;
mod rules;
mod uri;

use log::{AutomationDetails, Driver, Invocation, Level, Log, Notification, Run, Tool};
use loopwright_advise::Recommendation;
use loopwright_analysis::model::Analysis;
use loopwright_analysis::place::base_name;
use std::path::PathBuf;

/// Where the schema of this version is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/// How a log is written.
#[derive(Clone, Debug, Default)]
pub struct SarifOptions {
    /// The folder that files are named relative to: the checkout's root, which code hosts expect. An absolute path;
    /// without one every file is named by its absolute path.
    pub source_root: Option<PathBuf>,
}

/// The recommendations as a SARIF log, indented, with a final line break.
///
/// # Errors
/// Only when a value cannot be represented in JSON, which no value of these types is.
pub fn sarif(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    options: &SarifOptions,
) -> Result<String, serde_json::Error> {
    let root = uri::SourceRoot::new(options.source_root.as_deref());
    let rules = rules::rules_of(recommendations);
    let results = results::results_of(analysis, recommendations, &rules, &root);
    let notifications = analysis
        .warnings
        .iter()
        .map(|warning| Notification { level: Level::Warning, message: message::plain(&warning.to_string()) })
        .collect();
    let run = Run {
        tool: Tool {
            driver: Driver {
                name: "loopwright",
                version: env!("CARGO_PKG_VERSION"),
                semantic_version: env!("CARGO_PKG_VERSION"),
                rules,
            },
        },
        automation_details: AutomationDetails { id: automation_id(analysis) },
        invocations: vec![Invocation {
            execution_successful: true,
            tool_execution_notifications: notifications,
        }],
        original_uri_base_ids: root.location().map(|at| (uri::SOURCE_ROOT, at)).into_iter().collect(),
        // Compilers count bytes, which are UTF-16 code units in the indentation before a loop.
        column_kind: "utf16CodeUnits",
        results,
    };
    let log = Log { schema: SCHEMA, version: "2.1.0", runs: vec![run] };
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

/// `loopwright/PROGRAM/`: logs of different programs are kept side by side at a host, a later one of the same program
/// replaces the earlier. The slash at the end says that all of it is the category (3.17.3).
fn automation_id(analysis: &Analysis) -> String {
    let program = analysis.program.command.first().map_or("", |first| base_name(first));
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-._+".contains(c) { c } else { '-' };
    let program: String = program.chars().take(80).map(plain).collect();
    if program.is_empty() { "loopwright/".to_owned() } else { format!("loopwright/{program}/") }
}

#[cfg(test)]
mod tests;
