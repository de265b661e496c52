//! The tasks of `loopwright tune --jobs slurm`: this command with the same arguments, and the file with what is asked of it.

use crate::args::{Cli, TuneArgs};
use crate::failure::Failure;
use crate::rebuilding;
use crate::verbs::folder as folder_of;
use loopwright_trial::{Asked, Commands};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The number of a task within its array (sbatch(1), "Job Array Support").
const NUMBER: &str = "SLURM_ARRAY_TASK_ID";

/// A folder beside the experiment, which all nodes see as they see the project. It goes when the search ends.
pub fn folder(cli: &Cli) -> Result<TempDir, Failure> {
    let beside = folder_of(&cli.experiment);
    let beside = beside.canonicalize()?;
    Ok(tempfile::Builder::new().prefix(".loopwright-jobs-").tempdir_in(beside)?)
}

/// The options that the user has for sbatch.
pub fn options(args: &TuneArgs) -> Result<Vec<String>, Failure> {
    let text = args.sbatch.as_deref().unwrap_or_default();
    shlex::split(text).ok_or_else(|| Failure::misuse(format!("--sbatch {text}: a quote has no end")))
}

/// What a task runs: this command as it was called, up to the program, and the request.
pub fn task_words(request: &Path) -> Vec<String> {
    let own = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("loopwright"));
    let given: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let program = given.iter().position(|word| word == "--").unwrap_or(given.len());
    let mut words = vec![own.to_string_lossy().into_owned()];
    words.extend_from_slice(&given[..program]);
    words.extend(["--array-task".to_owned(), request.to_string_lossy().into_owned()]);
    words.extend_from_slice(&given[program..]);
    words
}

/// Is one task.
pub fn task(mut asked: Asked, request: &Path) -> Result<u8, Failure> {
    let number = std::env::var(NUMBER).ok().and_then(|number| number.parse().ok());
    let number = number
        .ok_or_else(|| Failure::misuse(format!("{NUMBER} is not set: only the scheduler starts tasks")))?;
    // Requests and replies of all tasks are no input of the program.
    asked.leave.extend(request.parent().map(Path::to_path_buf));
    let commands = Commands::of(&asked.steps);
    let ready = loopwright_trial::ready(&asked, &commands).map_err(rebuilding::failure)?;
    crate::interrupt::install()?;
    loopwright_trial::tune::task(&asked, ready, request, number).map_err(rebuilding::failure)?;
    Ok(0)
}
