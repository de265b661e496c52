//! Collects reports while a project builds, without changing the project or its outputs.
//!
//! A folder of links named after every compiler is first on `PATH`; each link leads to the loopwright
//! executable, which recognises by its name that it must act as that compiler ([`wrapper_main`]). It runs the
//! real compiler with the unchanged arguments and then requests the report, or adds the report flags where
//! the object is known to stay identical, and writes one record per source to the output folder. Status,
//! output and signals pass through; commands that compile nothing become the real compiler by `exec`.
//!
//! Compilers called by absolute path (a configured CMake build) are not found through `PATH`: then the
//! build's own compile database is read instead, and questions about its sources are asked afterwards.

mod environment;
mod record;
pub mod step;
mod unwatched;
mod wrapper;

pub use wrapper::{acts_as_compiler, wrapper_main};

use crate::command::{CompileCommand, database};
use crate::compiler::{is_archiver_name, is_compiler_name};
use crate::condense;
use crate::reask::{Options, UnitRequest, reask};
use crate::remark::Remark;
use crate::warning::Warning;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Environment variable that names the output folder to the wrappers.
pub(crate) const FOLDER_VARIABLE: &str = "LOOPWRIGHT_BUILD_DIR";

/// Whether a program of this name is replaced while a build runs.
fn is_watched(name: &str) -> bool {
    is_compiler_name(name) || is_archiver_name(name) || name == step::RUSTC || name == step::CARGO
}

/// Why a build could not be run or its records not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The output folder cannot be written.
    #[error("cannot prepare {path}: {cause}; choose another output folder")]
    Folder {
        /// Path of the output folder.
        path: PathBuf,
        /// The operating system's reason.
        cause: std::io::Error,
    },
    /// The build command does not start.
    #[error("cannot start {program}: {cause}; give the build command as you would type it, after `--`")]
    Start {
        /// The build program as given.
        program: String,
        /// The operating system's reason.
        cause: std::io::Error,
    },
    /// Nothing was given to run.
    #[error("no build command was given; write it after `--`, as in `loopwright build -- make`")]
    NoCommand,
    /// The folder holds no collected build.
    #[error("{0} holds no collected build; make one with `loopwright build -- make`")]
    NoBuild(PathBuf),
}

/// The results of a build.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Remarks of all compilations, condensed.
    pub remarks: Vec<Remark>,
    /// Every compilation seen.
    pub commands: Vec<CompileCommand>,
    /// Every command that made a file, in order; only [`run`] has them.
    pub steps: Vec<step::Step>,
    /// Problems and missing parts.
    pub warnings: Vec<Warning>,
}

/// A build that ran.
#[derive(Debug)]
pub struct Finished {
    /// The build command's own status.
    pub status: ExitStatus,
    /// The results (also of a build that failed).
    pub collected: Collected,
}

/// Runs a build command and collects. `wrapper` is the loopwright executable, whose `main` calls [`wrapper_main`] first.
///
/// Records go to `folder`, which is kept: [`load`] reads it again, and CMake caches may continue to refer to
/// it (its links then act as the plain compilers).
pub fn run(command: &[String], folder: &Path, wrapper: &Path) -> Result<Finished, Error> {
    let (program, arguments) = command.split_first().ok_or(Error::NoCommand)?;
    let folder_error = |cause| Error::Folder { path: folder.to_path_buf(), cause };
    std::fs::create_dir_all(folder).map_err(folder_error)?;
    let folder = folder.canonicalize().map_err(folder_error)?;
    let links = environment::prepare(&folder, wrapper).map_err(folder_error)?;
    record::clear(&folder).and_then(|()| step::clear(&folder)).map_err(folder_error)?;
    let mut build = Command::new(program);
    build.args(arguments);
    environment::set(&mut build, &folder, &links).map_err(folder_error)?;
    let status = build.status().map_err(|cause| Error::Start { program: program.clone(), cause })?;
    let mut collected = record::read_all(&folder).map_err(folder_error)?;
    collected.steps = step::read_noted(&folder);
    // Cargo finds its compilers by itself: its own command is what is repeated. A rustc of an absolute path is not seen.
    if let Ok(directory) = std::env::current_dir() {
        let whole = step::Step::now(directory, command.to_vec());
        let unseen = whole.is_of_rustc() && !collected.steps.iter().any(step::Step::is_of_rustc);
        collected.steps.extend(Some(whole).filter(|whole| whole.is_of_cargo() || unseen));
    }
    if collected.steps.is_empty() {
        collected.steps = unwatched::steps(command, &build_folder(command));
    }
    if collected.commands.is_empty() {
        fall_back(command, &folder, &links.folder, &mut collected);
    }
    Ok(Finished { status, collected })
}

/// Reads the results of an earlier [`run`] from a folder.
pub fn load(folder: &Path) -> Result<Collected, Error> {
    if !record::exists(folder) {
        return Err(Error::NoBuild(folder.to_path_buf()));
    }
    record::read_all(folder).map_err(|cause| Error::Folder { path: folder.to_path_buf(), cause })
}

/// No wrapper was called: asks about the sources of the build's own compile database instead, or gives advice.
fn fall_back(command: &[String], folder: &Path, links: &Path, collected: &mut Collected) {
    let place = build_folder(command);
    let commands = ninja_database(command, &place)
        .or_else(|| database::find(&place).and_then(|path| database::read(&path).ok()))
        .unwrap_or_default();
    let is_of_rust = |step: &step::Step| step.is_of_cargo() || step.is_of_rustc();
    if commands.is_empty() && collected.steps.iter().any(is_of_rust) {
        return;
    }
    if commands.is_empty() {
        collected.warnings.push(Warning::NothingCompiled { wrappers: links.to_path_buf() });
        return;
    }
    let units: Vec<UnitRequest> = commands
        .iter()
        .map(|command| UnitRequest {
            file: command.file.clone(),
            directory: Some(command.directory.clone()),
            arguments: Some(command.arguments.clone()),
            ..UnitRequest::default()
        })
        .collect();
    let answer = reask(&units, &Options::default(), &|_, _, _| {});
    collected.warnings.push(Warning::AskedInstead { answered: answer.answered, of: units.len() });
    collected.warnings.extend(answer.warnings);
    collected.remarks = condense::condense(answer.remarks);
    collected.commands = commands;
    record::keep(folder, collected);
}

/// The folder of the build: `-C DIR` of make and ninja, `--build DIR` of CMake, else the current one.
fn build_folder(command: &[String]) -> PathBuf {
    let mut at = command.iter();
    while let Some(word) = at.next() {
        if word == "-C" || word == "--build" || word == "--directory" {
            if let Some(folder) = at.next() {
                return PathBuf::from(folder);
            }
        } else if let Some(folder) = word.strip_prefix("-C").filter(|folder| !folder.is_empty()) {
            return PathBuf::from(folder);
        }
    }
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

/// The ninja of the build command, or the one of `PATH`.
fn ninja(command: &[String]) -> &str {
    command.first().filter(|program| program.ends_with("ninja")).map_or("ninja", String::as_str)
}

/// Ninja lists its own compile commands, whatever generated its file.
fn ninja_database(command: &[String], place: &Path) -> Option<Vec<CompileCommand>> {
    if !place.join("build.ninja").is_file() {
        return None;
    }
    let output = Command::new(ninja(command)).arg("-C").arg(place).args(["-t", "compdb"]).output().ok()?;
    let text = output.stdout;
    // `-C` makes ninja print the folder before the database.
    let start = text.iter().position(|byte| *byte == b'[')?;
    let commands = database::parse(text.get(start..)?).ok()?;
    let compiling: Vec<CompileCommand> =
        commands.into_iter().filter(|command| crate::command::language_of(&command.file).is_some()).collect();
    (!compiling.is_empty()).then_some(compiling)
}
