//! `loopwright completions`: the script that a shell asks, and the answers to it.
//!
//! What can be completed depends on the experiment (its loops and states), so the script asks this executable, by the
//! environment variable [`VARIABLE`].

use crate::args::Cli;
use crate::failure::Failure;
use crate::state;
use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use loopwright_experiment::Experiment;
use loopwright_remarks::reasons;
use std::path::PathBuf;

/// Names the shell that asks.
const VARIABLE: &str = "LOOPWRIGHT_COMPLETE";

/// Answers a shell and ends, where one asks.
pub fn answer() {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}

/// The script for a shell's start-up file.
pub fn script(shell: Shell) -> Result<String, Failure> {
    let name = shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&name);
    let completer = completer.ok_or_else(|| Failure::misuse(format!("{name} cannot complete words")))?;
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, "loopwright", "loopwright", "loopwright", &mut script)?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// The command line with what its values can be.
fn command() -> clap::Command {
    let mut command = Cli::command();
    for (verb, argument, values) in [
        ("show", "id", loops as fn() -> Vec<CompletionCandidate>),
        ("tripcounts", "loops", loops),
        ("map", "loops", loops),
        ("dependencies", "loops", loops),
        ("show", "state", states),
        ("report", "state", states),
        ("report", "against", states),
        ("compare", "before", states),
        ("compare", "after", states),
        ("check", "against", states),
        ("check", "state", states),
        ("explain", "reason", explained),
    ] {
        command = command.mut_subcommand(verb, |verb| {
            verb.mut_arg(argument, |argument| argument.add(ArgValueCandidates::new(values)))
        });
    }
    command
}

/// The experiment that the verbs would read; none where there is none yet.
fn experiment() -> Option<Experiment> {
    let named = std::env::var_os("LOOPWRIGHT_EXPERIMENT").map(PathBuf::from);
    let path = named.unwrap_or_else(|| crate::args::EXPERIMENT.into());
    path.is_file().then(|| Experiment::open(&path).ok()).flatten()
}

fn states() -> Vec<CompletionCandidate> {
    let of_experiment = experiment().and_then(|experiment| experiment.snapshots().ok()).unwrap_or_default();
    let names = of_experiment.into_iter().map(|snapshot| snapshot.name);
    names.chain(["latest".to_owned()]).map(CompletionCandidate::new).collect()
}

fn loops() -> Vec<CompletionCandidate> {
    let loaded = experiment().and_then(|experiment| state::of(experiment, "latest").ok());
    let loops = loaded.into_iter().flat_map(|loaded| loaded.analysis.loops);
    let described = loops.map(|each| {
        let text = format!("{} {}", each.function, each.place());
        CompletionCandidate::new(each.id.to_string()).help(Some(text.into()))
    });
    described.collect()
}

fn explained() -> Vec<CompletionCandidate> {
    let reasons =
        reasons::all().map(|reason| CompletionCandidate::new(reason.id).help(Some(reason.title.into())));
    let others = loopwright_report::glossary().into_iter().flat_map(|(group, names)| {
        names.into_iter().map(move |name| CompletionCandidate::new(name).help(Some(group.into())))
    });
    reasons.chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_arguments_with_candidates_exist_and_every_shell_has_a_script() {
        command().debug_assert();
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::Elvish, Shell::PowerShell] {
            assert!(script(shell).unwrap().contains(VARIABLE), "{shell}");
        }
    }
}
