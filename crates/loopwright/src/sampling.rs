//! The survey: runs the program, stores what was sampled, then what the binaries say.

use crate::args::{CallStackChoice, Cli, Sampling};
use crate::collect::{Collection, Ran};
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::terminal::{Console, LateProgress};
use loopwright_binary::image::Images;
use loopwright_experiment::MachineRecord;
use loopwright_experiment::Phase;
use loopwright_experiment::describe::{Described, describe};
use loopwright_sample::options::DEFAULT_STACK_BYTES;
use loopwright_sample::recording::CallStacks;
use loopwright_sample::{CallStacksRequest, Observer, SurveyOptions, SurveyStatus};
use std::ffi::OsString;

/// What a survey left in the experiment.
pub struct Surveyed {
    pub ran: Ran,
    /// What the binaries say of the sampled functions: a second run need not ask again.
    pub described: Vec<Described>,
}

/// Surveys `command` into the experiment and says how it ended. `announcement` is said once the program could be started.
pub fn survey(
    cli: &Cli,
    sampling: &Sampling,
    command: &[OsString],
    images: &Images,
    machine: &MachineRecord,
    announcement: Option<&str>,
    console: &Console,
) -> Result<Surveyed, Failure> {
    let collection = Collection::begin(cli, machine, console, Phase::Machine)?;
    let options = options(sampling);
    let mut observer = Watcher { console, announcement, progress: LateProgress::default() };
    let result = loopwright_sample::survey(command, &options, &mut observer, &INTERRUPTED);
    observer.progress.finish();
    let (mut collection, recording) = collection.with(result)?;
    console.costs.end(Phase::Sampled);
    let run = collection.add(&recording, &recording.target)?;
    let described = collection.describe(run, |tick| describe(&recording, images, tick))?;
    let ran = collection.end(recording.target)?;
    if recording.sampler.call_stacks == CallStacks::None {
        console.note("no call stacks: total times equal self times");
    }
    Ok(Surveyed { ran, described })
}

fn options(sampling: &Sampling) -> SurveyOptions {
    SurveyOptions {
        frequency_hz: sampling.rate,
        call_stacks: match (sampling.call_stacks, sampling.stack_bytes) {
            (CallStackChoice::Auto, None) => CallStacksRequest::Auto,
            (CallStackChoice::Auto | CallStackChoice::Dwarf, bytes) => {
                CallStacksRequest::Dwarf { stack_bytes: bytes.unwrap_or(DEFAULT_STACK_BYTES) }
            }
            (CallStackChoice::Fp, _) => CallStacksRequest::FramePointer,
            (CallStackChoice::None, _) => CallStacksRequest::None,
        },
        force_timer: sampling.timer,
        ..SurveyOptions::default()
    }
}

struct Watcher<'a> {
    console: &'a Console,
    announcement: Option<&'a str>,
    progress: LateProgress,
}

impl Observer for Watcher<'_> {
    fn started(&mut self, _pid: u32) {
        if let Some(announcement) = self.announcement {
            self.console.note(announcement);
        }
    }

    fn tick(&mut self, status: &SurveyStatus) {
        self.progress.show(self.console, status.elapsed, || {
            format!(
                "surveying: {:.0} s, {} samples, {} threads",
                status.elapsed.as_secs_f64(),
                status.samples,
                status.threads
            )
        });
    }
}
