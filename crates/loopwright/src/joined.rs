//! Survey and counts of a command, for verbs that join them: what is missing is run first.

use crate::args::{Cli, Sampling};
use crate::counting::{self, Before, How};
use crate::failure::Failure;
use crate::input::Input;
use crate::output::Output;
use crate::sampling::{self, Around};
use crate::state::{self, Loaded};
use crate::terminal::Console;
use loopwright_binary::image::Images;
use loopwright_experiment::{MachineRecord, Run};
use loopwright_instrument::facts::Counts;
use loopwright_sample::recording::Outcome;
use std::ffi::OsString;

/// What is known once survey and counts are there.
pub struct Joined {
    /// None when another rank reports.
    pub loaded: Option<Loaded>,
    /// How the newest run ended, if one was needed.
    pub outcome: Option<Outcome>,
    /// The program can run again and do the same.
    pub may_run: bool,
}

/// Runs what is missing of survey and counts.
pub fn surveyed_and_counted(
    cli: &Cli,
    sampling: &Sampling,
    command: &[OsString],
    images: &Images,
    machine: &MachineRecord,
    input: &mut Input,
    console: &Console,
) -> Result<Joined, Failure> {
    let known = || Ok::<_, Failure>(state::newest_survey(cli, command)?.filter(state::is_current));
    let counted_now = |run: &Run<Counts>| run.code.iter().all(|module| state::is_unchanged(&module.facts));
    let has_counts = |loaded: Loaded| loaded.facts.counts.iter().any(counted_now);
    let (surveyed, mut counted) = known()?.map_or((false, false), |loaded| (true, has_counts(loaded)));
    let mut outcome = None;
    let mut before = None;
    let (mut reports, mut may_run) = (true, true);
    if !surveyed {
        let announcement = Some("sampling the program; what is counted needs another run");
        let around = Around { announcement, ..Around::default() };
        let written = Output::now();
        let survey = sampling::survey(cli, sampling, command, images, machine, around, console)?;
        reports = survey.ran.reports;
        outcome = Some(survey.ran.target.outcome);
        before = Some(Before { outcome: survey.ran.target.outcome, output: Output::now().since(written) });
        if crate::ranks::own().is_some() {
            if reports {
                console.note("a rank can join its job only once: the same command again counts");
            }
            (counted, may_run) = (true, false);
        } else if known()?.is_some_and(has_counts) {
            // Counted before it was surveyed, and not rebuilt since.
            counted = true;
        } else if !input.again() {
            console.note("standard input can be read only once: the same command again counts");
            (counted, may_run) = (true, false);
        }
    }
    if !counted && outcome != Some(Outcome::Interrupted) {
        console.note("counting the program");
        let choice = counting::usual(cli, command)?;
        let how = How::full(choice, images);
        let count = counting::count(cli, how, command, machine, before, console)?;
        if !count.used {
            console
                .note("the counted run did something else than the sampled one, so its counts are not used");
        }
        reports = count.ran.reports;
        outcome = Some(count.ran.target.outcome);
    }
    let interrupted = outcome == Some(Outcome::Interrupted);
    let may_run = may_run && reports && !interrupted && (outcome.is_none() || input.again());
    let loaded = if reports { state::newest_survey(cli, command)? } else { None };
    Ok(Joined { loaded, outcome, may_run })
}
