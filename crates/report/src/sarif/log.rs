//! The part of the SARIF 2.1.0 object model that a log of recommendations uses (OASIS Standard, chapter 3).
//!
//! Own types: the crate that offers the whole model generates its source with a chain of build dependencies, and makes
//! every absent list a choice of the caller. Names are those of the standard; what is absent has no key.

use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A log with one run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    pub version: &'static str,
    pub runs: Vec<Run>,
}

/// One run of the tool (3.14).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run {
    pub tool: Tool,
    pub automation_details: AutomationDetails,
    pub invocations: Vec<Invocation>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub original_uri_base_ids: BTreeMap<&'static str, ArtifactLocation>,
    pub column_kind: &'static str,
    pub results: Vec<RunResult>,
}

/// The tool (3.18).
#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub driver: Driver,
}

/// The tool's one component (3.19).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub name: &'static str,
    pub version: &'static str,
    pub semantic_version: &'static str,
    pub rules: Vec<Rule>,
}

/// What a class of results is about: a reportingDescriptor (3.49).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    pub id: String,
    pub name: String,
    pub short_description: Described,
    pub full_description: Described,
    pub help: Described,
    pub default_configuration: Configuration,
    pub properties: Map<String, Value>,
}

/// How a rule reports (3.50).
#[derive(Debug, Serialize)]
pub(super) struct Configuration {
    pub level: Level,
}

/// A text of a rule: a multiformatMessageString (3.12). Unlike a [`Message`] it takes no arguments here, so its braces
/// stay as they are: code hosts print it unchanged.
#[derive(Debug, Serialize)]
pub(super) struct Described {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

/// A message to the user (3.11); made by [`super::message`], which escapes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Message {
    pub text: String,
}

/// How grave a result is (3.27.10). Slow code is never an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Note,
    Warning,
}

/// Distinguishes logs of different programs at a code host (3.17).
#[derive(Debug, Serialize)]
pub(super) struct AutomationDetails {
    pub id: String,
}

/// How the tool ran (3.20).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_execution_notifications: Vec<Notification>,
}

/// What limits the results (3.58).
#[derive(Debug, Serialize)]
pub(super) struct Notification {
    pub level: Level,
    pub message: Message,
}

/// A recommendation (3.27).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult {
    pub rule_id: String,
    pub rule_index: usize,
    pub level: Level,
    pub message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_locations: Vec<Location>,
    pub partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<f64>,
    pub properties: Map<String, Value>,
}

/// A place (3.28).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
}

/// A place in a file (3.29).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
}

/// A file (3.4).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri_base_id: Option<&'static str>,
}

/// A line, and a column where it is known (3.30).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_column: Option<u32>,
}

/// A function or a module (3.33).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fully_qualified_name: Option<String>,
    pub kind: &'static str,
}
