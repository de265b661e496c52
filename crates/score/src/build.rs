//! Building the two versions of a pair.

use crate::pair::{Description, Pair};
use anyhow::{Context as _, Result, bail};
use loopwright_casebook::program::typed;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Which version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// The ordinary program.
    Before,
    /// The expert's.
    After,
}

/// Builds a version into `folder`, with `more` flags behind its own.
///
/// # Errors
/// When the compiler cannot be started or fails: the command and its first error.
pub fn build(pair: &Pair, version: Version, more: &[String], folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let executable = folder.join(match version {
        Version::Before => "before",
        Version::After => "after",
    });
    compile(&command(pair, version, more, &executable)?, folder)?;
    Ok(executable)
}

/// Runs a compiler in a folder, where it may leave files beside its output.
///
/// # Errors
/// When it cannot be started or fails: the command and its first error.
pub fn compile(words: &[String], folder: &Path) -> Result<()> {
    let line = typed(words);
    let output = Command::new(&words[0])
        .args(&words[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", words[0]))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let error = text.lines().find(|line| line.contains("error")).or(text.lines().next());
        bail!("{line}: {}: {}", output.status, error.unwrap_or_default().trim());
    }
    Ok(())
}

fn command(pair: &Pair, version: Version, more: &[String], executable: &Path) -> Result<Vec<String>> {
    let Description { compiler, before_flags, after_flags, libraries, .. } = &pair.description;
    let (source, flags) = match version {
        Version::Before => (&pair.before, before_flags),
        Version::After => (&pair.after, after_flags),
    };
    let split = |flags: &str| {
        shlex::split(flags).with_context(|| format!("{}: unbalanced quotes: {flags}", pair.name))
    };
    let mut words = vec![compiler.clone()];
    if compiler == "rustc" {
        words.push("--edition=2021".to_owned());
    }
    words.extend(split(flags)?);
    words.extend(more.iter().cloned());
    words.push(source.to_string_lossy().into_owned());
    words.extend(["-o".to_owned(), executable.to_string_lossy().into_owned()]);
    if compiler != "rustc" {
        words.extend(split(libraries)?);
    }
    Ok(words)
}
