//! `loopwright build`: collects reports while a project builds; the project's files stay as they are.

use crate::args::{BuildArgs, Cli};
use crate::failure::Failure;
use crate::terminal::Console;
use loopwright_experiment::Experiment;
use loopwright_remarks::build::{self, step};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

pub fn run(cli: &Cli, args: &BuildArgs, console: &Console) -> Result<u8, Failure> {
    // Found out before the build runs, not after.
    let mut experiment = Experiment::create_or_open(&cli.experiment)?;
    let myself = std::env::current_exe()?;
    let command: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let build::Finished { status, collected } = build::run(&command, &folder(&cli.experiment), &myself)?;
    for warning in &collected.warnings {
        console.note(&warning.to_string());
    }
    if !collected.remarks.is_empty() {
        experiment.add(&collected.remarks, None, None)?;
    }
    let kept = loopwright_machine::own_folder()
        .map_err(|error| error.to_string())
        .and_then(|own| step::Kept::add(&own, &cli.experiment, &collected.steps).map_err(|e| e.to_string()));
    if let Err(cause) = kept {
        console.note(&format!("the commands of the build cannot be kept for `loopwright try`: {cause}"));
    }
    let of_rust = collected.steps.iter().filter(|step| step.is_of_cargo() || step.is_of_rustc()).count();
    let seen = match (collected.commands.len(), of_rust) {
        (0, 1..) => {
            format!("{of_rust} command{} of cargo and rustc seen", if of_rust == 1 { "" } else { "s" })
        }
        (commands, _) => format!("{commands} compile commands seen"),
    };
    let remarks = collected.remarks.len();
    console.note(&format!("{seen}, {remarks} remarks stored in {}", cli.experiment.display()));
    Ok(passed_on(status))
}

/// `EXPERIMENT.build`: kept, because configured builds may go on calling the compilers through it.
pub fn folder(experiment: &Path) -> PathBuf {
    let mut name = experiment.as_os_str().to_owned();
    name.push(".build");
    PathBuf::from(name)
}

/// The build's own status, as a shell would report it.
fn passed_on(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.unwrap_or(1).clamp(0, 255) as u8
}
