//! What the verbs share that build a program again and run its versions apart (`try`, `tune`).

use crate::args::{AnswerArgs, Cli};
use crate::failure::Failure;
use crate::input::Input;
use crate::interrupt::INTERRUPTED;
use crate::state::{self, Loaded};
use crate::terminal::Console;
use crate::verbs::folder;
use loopwright_experiment::{Collected, Experiment};
use loopwright_remarks::build::step::{Kept, Step};
use loopwright_sample::recording::{Outcome, Target};
use loopwright_trial::Asked;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Refuses to run as a rank of a job: all ranks together are what is measured.
pub fn must_be_alone(verb: &str) -> Result<(), Failure> {
    match crate::ranks::own() {
        Some(_) => Err(Failure::misuse(format!(
            "a rank of a parallel job cannot be measured by itself; put the launcher behind: `loopwright {verb} -- mpirun -n 2 ./prog`"
        ))),
        None => Ok(()),
    }
}

/// What is asked of a trial of this command; kinds of changes and the budget are for the verb. `written` is a file that the verb writes.
pub fn asked<'a>(
    cli: &Cli,
    command: &[OsString],
    answer: &AnswerArgs,
    written: Option<&Path>,
) -> Result<Asked<'a>, Failure> {
    let steps = steps(cli)?;
    let input = match Input::own() {
        Input::File(file, from) => Some((file, from)),
        Input::Same => None,
        Input::Once => {
            return Err(Failure::misuse(
                "standard input is a pipe, which a second run would find empty; give it from a file (`< file`)",
            ));
        }
    };
    Ok(Asked {
        command: words(command),
        leave: own_files(cli, written),
        directory: std::env::current_dir()?.canonicalize()?,
        input,
        steps,
        outputs: answer.output.clone(),
        check: answer.check,
        ignore: answer.ignore.clone(),
        measure: None,
        verify: answer.verify.clone(),
        kinds: Vec::new(),
        names: Vec::new(),
        budget: None,
        disk: answer.disk,
        stop: &INTERRUPTED,
    })
}

fn words(command: &[OsString]) -> Vec<String> {
    command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Why a trial cannot go on, as a failure of the verb.
pub fn failure(error: loopwright_trial::Error) -> Failure {
    match error.is_misuse() {
        true => Failure::misuse(error.to_string()),
        false => error.into(),
    }
}

/// The newest survey of a command; where there is none, that of what it starts: ranks that are surveyed one by one
/// (`mpirun -n 2 loopwright advise -- ./prog`) are known by the command behind the launcher.
pub fn newest(cli: &Cli, command: &[OsString]) -> Result<Option<Loaded>, Failure> {
    for from in 0..command.len() {
        if from == 0 || Path::new(&command[from]).is_file() {
            let known = state::newest_survey(cli, &command[from..])?;
            if known.is_some() {
                return Ok(known);
            }
        }
    }
    Ok(None)
}

/// The commands of the user's own builds.
fn steps(cli: &Cli) -> Result<Vec<Step>, Failure> {
    let own = loopwright_machine::own_folder()?;
    let of = |experiment: &Path| Kept::of(&own, experiment).filter(|kept| !kept.steps.is_empty());
    let kept = above(&cli.experiment).find_map(|experiment| of(&experiment));
    kept.map(|kept| kept.steps).ok_or_else(|| {
        Failure::misuse(format!(
            "no build into {} is known on this machine; run `loopwright build -- make` (or cmake, ninja, .., after a clean) first",
            cli.experiment.display()
        ))
    })
}

/// The experiment, then those of its name in the folders above: projects are often built at their top, and run where a program is.
fn above(experiment: &Path) -> impl Iterator<Item = PathBuf> {
    let real = experiment.canonicalize().unwrap_or_else(|_| experiment.to_path_buf());
    let name = real.file_name().unwrap_or_default().to_owned();
    let folders: Vec<PathBuf> = real.ancestors().skip(1).map(Path::to_path_buf).collect();
    folders.into_iter().map(move |folder| folder.join(&name))
}

/// What a command writes itself: it is no input of the program.
fn own_files(cli: &Cli, written: Option<&Path>) -> Vec<PathBuf> {
    let experiment = cli.experiment.clone();
    let parts = {
        let mut name = experiment.clone().into_os_string();
        name.push(".parts");
        PathBuf::from(name)
    };
    let all = [folder(&experiment), parts, experiment].into_iter().chain(written.map(Path::to_path_buf));
    all.filter_map(|path| path.canonicalize().ok()).collect()
}

/// Adds what was measured to the experiment, which is made where there is none yet: a search needs no survey.
pub fn store(
    cli: &Cli,
    surveyed: Option<&Loaded>,
    asked: &Asked,
    measured: &impl Collected,
    started: Instant,
    console: &Console,
) -> Result<(), Failure> {
    let known = surveyed.and_then(|loaded| loaded.facts.surveys.first()).map(|survey| survey.target.clone());
    let known = known.unwrap_or_else(|| Target {
        command: asked.command.clone(),
        directory: std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned(),
        ..Target::default()
    });
    let interrupted = asked.stop.load(Ordering::SeqCst);
    let target = Target {
        command: known.command,
        host: known.host,
        directory: known.directory,
        executable: known.executable,
        elapsed_seconds: started.elapsed().as_secs_f64(),
        outcome: if interrupted { Outcome::Interrupted } else { Outcome::Exited(0) },
        ..Target::default()
    };
    let machine = surveyed.and_then(|loaded| loaded.facts.machine());
    let run = Experiment::create_or_open(&cli.experiment)?.add(measured, Some(&target), machine)?;
    console.costs.stored(run);
    Ok(())
}
