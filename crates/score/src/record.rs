//! The results of a pair: plain data that is stored as JSON.

use crate::half::Half;
use anyhow::{Context as _, Result, ensure};
use loopwright_casebook::record::{Estimate, Fired};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the format.
pub const SCHEMA: u32 = 1;

/// A scored pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRecord {
    /// Version of the record (1).
    pub schema: u32,
    /// The pair.
    pub pair: String,
    /// Its half.
    pub half: Half,
    /// The processor's name.
    pub processor: String,
    /// What went wrong: nothing below is known then.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub failed: Option<String>,
    /// Time of the slow version over that of the fast one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<Estimate>,
    /// What is recommended for the slow version, each id once, best first.
    #[serde(default)]
    pub recommendations: Vec<Fired>,
    /// Recommendations that are flags, carried out.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub trials: Vec<Trial>,
}

/// The slow version with other flags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The recommendation.
    pub id: String,
    /// The flags that were added.
    pub flags: String,
    /// Why it was not measured: it was not built, failed, or gave another answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<String>,
    /// Time without the flags over time with them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<Estimate>,
}

impl PairRecord {
    /// Where the record of a pair is.
    pub fn path(results: &Path, pair: &str) -> PathBuf {
        results.join(format!("{pair}.json"))
    }

    /// Reads the record of a pair; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be read or is of another version.
    pub fn read(results: &Path, pair: &str) -> Result<Option<Self>> {
        let file = Self::path(results, pair);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e).with_context(|| format!("cannot read {}", file.display())),
        };
        let record: Self =
            serde_json::from_str(&text).with_context(|| format!("{} is no record", file.display()))?;
        ensure!(
            record.schema == SCHEMA,
            "{} has the form {}, this program reads {SCHEMA}; run `loopwright-score run {pair}` again",
            file.display(),
            record.schema
        );
        Ok(Some(record))
    }

    /// Writes it, replacing an earlier one at once.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn write(&self, results: &Path) -> Result<()> {
        let file = Self::path(results, &self.pair);
        let failed = || format!("cannot write {}", file.display());
        std::fs::create_dir_all(results).with_context(failed)?;
        let part = file.with_extension("part");
        std::fs::write(&part, serde_json::to_string_pretty(self)? + "\n").with_context(failed)?;
        std::fs::rename(&part, &file).with_context(failed)
    }
}
