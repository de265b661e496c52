//! A pair of programs, as its folder describes it.

use anyhow::{Context as _, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Misuse;
use crate::half::Half;

/// The file that describes a pair.
pub const FILE: &str = "pair.toml";
/// The file that names the recommendations which mean the expert's remedy, for all pairs.
pub const REMEDIES: &str = "remedies.toml";

/// `pair.toml`, as the expert wrote it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// Kind of program (`stencil`, `hashing`).
    pub kind: String,
    /// C, C++, Fortran or Rust.
    pub language: String,
    /// What the program is for.
    pub about: String,
    /// The compiler's command.
    pub compiler: String,
    /// Flags of the slow version.
    pub before_flags: String,
    /// Flags of the fast version.
    pub after_flags: String,
    /// Flags for linking.
    #[serde(default)]
    pub libraries: String,
    /// Arguments of both programs.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Threads that the program uses; with more than one, the time that counts is that on the clock.
    #[serde(default = "one")]
    pub threads: u32,
    /// Largest accepted difference between the answers, see `loopwright_answers::Tolerance::relative`; 0 accepts none.
    #[serde(default)]
    pub tolerance: f64,
    /// The lines that hold the slow version back.
    pub bottleneck: String,
    /// Why they are slow.
    pub why: String,
    /// What the expert changed, and why that helps.
    pub remedy: String,
    /// The gain that the expert measured.
    pub gain: f64,
}

fn one() -> u32 {
    1
}

/// What means the same as the expert's remedy.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    /// Ids of recommendations, each of which leads to the expert's change.
    #[serde(default)]
    pub accepts: Vec<String>,
    /// What is missing where no recommendation can mean it, in a few words.
    #[serde(default)]
    pub wanted: Option<String>,
}

/// A pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The folder's name.
    pub name: String,
    /// The slow version.
    pub before: PathBuf,
    /// The fast version.
    pub after: PathBuf,
    /// Its description.
    pub description: Description,
    /// What means the remedy.
    pub remedy: Remedy,
    /// Its half of the corpus.
    pub half: Half,
}

/// The name of the source file's extension for a language.
fn extension(language: &str) -> Option<&'static str> {
    Some(match language {
        "C" => "c",
        "C++" => "cpp",
        "Fortran" => "f90",
        "Rust" => "rs",
        _ => return None,
    })
}

/// All pairs of a corpus by name; those of `names` only, where there are names.
///
/// # Errors
/// Names the file that cannot be read and what is wrong with it, or the unknown name.
pub fn pairs(corpus: &Path, names: &[String]) -> Result<Vec<Pair>> {
    let remedies = corpus.join(REMEDIES);
    let text =
        std::fs::read_to_string(&remedies).with_context(|| format!("cannot read {}", remedies.display()))?;
    let mut remedies: BTreeMap<String, Remedy> =
        toml::from_str(&text).with_context(|| format!("{} is invalid", remedies.display()))?;
    let entries = std::fs::read_dir(corpus).with_context(|| format!("cannot read {}", corpus.display()))?;
    let mut pairs = Vec::new();
    for entry in entries {
        let folder = entry?.path();
        if folder.join(FILE).is_file() {
            pairs.push(read(&folder, &mut remedies)?);
        }
    }
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(name) = remedies.keys().next() {
        bail!("{REMEDIES} names the pair {name}, which does not exist in {}", corpus.display());
    }
    if let Some(unknown) = names.iter().find(|name| pairs.iter().all(|pair| pair.name != **name)) {
        bail!(Misuse(format!(
            "{unknown} is no pair in {}; their names: loopwright-score list",
            corpus.display()
        )));
    }
    pairs.retain(|pair| names.is_empty() || names.contains(&pair.name));
    ensure!(!pairs.is_empty(), "{} has no folder with a {FILE}", corpus.display());
    Ok(pairs)
}

fn read(folder: &Path, remedies: &mut BTreeMap<String, Remedy>) -> Result<Pair> {
    let file = folder.join(FILE);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let description: Description =
        toml::from_str(&text).with_context(|| format!("{} is invalid", file.display()))?;
    let extension = extension(&description.language).with_context(|| {
        format!("{}: language is C, C++, Fortran or Rust, not {}", file.display(), description.language)
    })?;
    ensure!(description.threads > 0, "{}: threads is 0; a program has at least one", file.display());
    ensure!(description.tolerance >= 0.0, "{}: tolerance is negative or NaN", file.display());
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (before, after) =
        (folder.join(format!("before.{extension}")), folder.join(format!("after.{extension}")));
    let source = std::fs::read(&before).with_context(|| format!("cannot read {}", before.display()))?;
    ensure!(after.is_file(), "{} does not exist", after.display());
    let remedy = remedies.remove(&name).with_context(|| {
        format!("{REMEDIES} has no entry [{name}]; give `accepts` with recommendations or `wanted`")
    })?;
    let said = !remedy.accepts.is_empty() || remedy.wanted.is_some();
    ensure!(said, "{REMEDIES}: [{name}] needs `accepts` or `wanted`");
    Ok(Pair { name, before, after, description, remedy, half: Half::of(&source) })
}
