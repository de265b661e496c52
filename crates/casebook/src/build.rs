//! Builds a stage with a family of compilers.

use crate::case::{Case, Stage};
use crate::compilers::{Family, language_of};
use crate::error::Error;
use crate::program::{finish, last_line, typed};
use loopwright_vocabulary::Language;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Most time for a compiler.
const LIMIT: Duration = Duration::from_secs(300);

const HEADER: &str = include_str!("../support/case.h");
const MODULE: &str = include_str!("../support/case_support.f90");
const MODULE_NAME: &str = "case_support.f90";

/// A built stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Path of the program that the stage's compiler wrote.
    pub executable: PathBuf,
    /// The build commands as a user would type them.
    pub commands: Vec<String>,
}

/// The languages of a stage's sources.
///
/// # Errors
/// When a source is in an unknown language.
pub fn languages(stage: &Stage, track: Option<&str>) -> Result<BTreeSet<Language>, String> {
    let sources = stage.build.sources.of(track);
    sources
        .iter()
        .map(|source| {
            language_of(source)
                .ok_or_else(|| format!("{}: sources end in .c, .cpp, .f90 or .f", source.display()))
        })
        .collect()
}

/// Writes the files that every program may include into `folder`.
///
/// # Errors
/// When it cannot be written.
pub fn write_support(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    for (name, text) in [("case.h", HEADER), (MODULE_NAME, MODULE)] {
        let file = folder.join(name);
        // Not written again where it is right: programs built with it then stay newer.
        if std::fs::read_to_string(&file).ok().as_deref() != Some(text) {
            std::fs::write(&file, text).map_err(Error::file(&file))?;
        }
    }
    Ok(())
}

/// Builds a stage into `folder`; `support` is the folder that [`write_support`] wrote.
///
/// # Errors
/// When a compiler fails: its command and its last message.
pub fn build(
    case: &Case,
    stage: &Stage,
    track: Option<&str>,
    family: &Family,
    support: &Path,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<Built, Error> {
    std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    let bad = |cause: String| Error::BadCase { file: case.folder.join(crate::case::FILE), cause };
    let languages = languages(stage, track).map_err(bad)?;
    let own = if family.name == "gcc" { &stage.build.gcc } else { &stage.build.clang };
    let mut sources: Vec<PathBuf> =
        stage.build.sources.of(track).iter().map(|source| case.folder.join(source)).collect();
    if languages.contains(&Language::Fortran) {
        sources.insert(0, support.join(MODULE_NAME));
    }

    let mut commands = Vec::new();
    let mut run = |words: Vec<String>| {
        let line = typed(&words);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        let finished = finish(&mut command, &line, LIMIT, stop)?;
        commands.push(line.clone());
        if finished.status.success() {
            return Ok(());
        }
        let first_error = finished.errors.lines().find(|line| line.contains("error")).map(str::trim);
        let cause = first_error.map_or_else(|| last_line(&finished.errors), |line| format!(": {line}"));
        Err(Error::Program { command: line, cause: format!("{}{cause}", finished.status) })
    };

    let mut objects = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        let language = language_of(source).unwrap_or(Language::C);
        let object = folder.join(format!("{index}.o"));
        let mut words = vec![command_of(family, language)?];
        words.push("-g".into());
        words.extend(stage.build.flags.iter().chain(own).cloned());
        if language == Language::Fortran {
            // gfortran writes modules where -J says, flang where -module-dir does; both read them from there.
            let option = if family.name == "gcc" { "-J" } else { "-module-dir" };
            words.extend([option.into(), shown(folder)]);
        } else {
            words.extend(["-I".into(), shown(support)]);
        }
        words.extend(["-c".into(), shown(source), "-o".into(), shown(&object)]);
        run(words)?;
        objects.push(shown(&object));
    }
    // The linker's driver adds the run-time library of the richest language.
    let language = languages.last().copied().unwrap_or(Language::C);
    let executable = folder.join(&stage.name);
    let mut words = vec![command_of(family, language)?];
    words.extend(stage.build.flags.iter().chain(own).cloned());
    words.extend(objects);
    words.extend(["-o".into(), shown(&executable)]);
    words.extend(stage.build.link.iter().cloned());
    run(words)?;
    Ok(Built { executable, commands })
}

fn command_of(family: &Family, language: Language) -> Result<String, Error> {
    family.compiler(language).map(|compiler| compiler.command.clone()).ok_or_else(|| Error::Program {
        command: family.name.clone(),
        cause: format!("has no compiler for {} here", language.name()),
    })
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
