//! What carrying out single recommendations showed.

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The file of judgements in a corpus.
pub const FILE: &str = "judged.toml";

/// What is wrong with a recommendation, or that nothing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The program got faster.
    Helps,
    /// No difference beyond the noise.
    Neutral,
    /// All of it is true; it was not carried out.
    Sound,
    /// True and of no use: about a test, about what is done already.
    Silly,
    /// The program got slower.
    Slower,
    /// The change is not allowed: it gives another answer.
    Illegal,
    /// A statement in its text is not true.
    False,
}

impl Verdict {
    /// It must not be recommended.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Slower | Self::Illegal | Self::False | Self::Silly)
    }
}

/// One recommendation that somebody carried out or read against the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// The pair.
    pub pair: String,
    /// The recommendation.
    pub id: String,
    /// What was found.
    pub verdict: Verdict,
    /// Time before over time after, where it was measured.
    #[serde(default)]
    pub gain: Option<f64>,
    /// The processor of the measurement.
    #[serde(default)]
    pub processor: Option<String>,
    /// What was changed, or which statement is false.
    pub why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    #[serde(default)]
    judgement: Vec<Judgement>,
}

/// All judgements of a corpus.
///
/// # Errors
/// When the file cannot be read, or says that something was measured as slower without the figure.
pub fn judgements(corpus: &Path) -> Result<Vec<Judgement>> {
    let file = corpus.join(FILE);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let judged: Judged = toml::from_str(&text).with_context(|| format!("{} is invalid", file.display()))?;
    for j in &judged.judgement {
        let measured = j.verdict != Verdict::Slower || (j.gain.is_some() && j.processor.is_some());
        ensure!(measured, "{FILE}: {} {}: `slower` needs `gain` and `processor`", j.pair, j.id);
    }
    Ok(judged.judgement)
}
