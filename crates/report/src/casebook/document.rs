//! The document that the casebook's page shows and `case report --json` writes.

use loopwright_casebook::record::{CaseRecord, HitRate, SCHEMA};
use loopwright_casebook::sources::TrackSources;
use schemars::JsonSchema;
use serde::Serialize;

/// What `loopwright case report --json FILE` writes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CasebookDocument<'a> {
    /// Version of the contract (1).
    schema: u32,
    /// Version of the program that wrote it.
    version: &'a str,
    /// When (RFC 3339, UTC).
    generated: String,
    /// The cases, and how the advice did on them.
    casebook: CasebookContents<'a>,
}

/// All cases.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CasebookContents<'a> {
    /// How often the advice was right, over all cases.
    hit_rate: HitRate,
    /// By their order.
    cases: Vec<&'a CaseRecord>,
    /// What the stages are written as, for each case and language.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sources: Vec<TrackSources>,
}

impl<'a> CasebookDocument<'a> {
    /// The document of these cases.
    pub fn new(
        version: &'a str,
        generated: String,
        cases: Vec<&'a CaseRecord>,
        sources: Vec<TrackSources>,
    ) -> Self {
        let hit_rate = HitRate::of(cases.iter().copied());
        Self { schema: SCHEMA, version, generated, casebook: CasebookContents { hit_rate, cases, sources } }
    }
}
