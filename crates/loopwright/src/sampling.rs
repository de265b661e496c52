//! The survey: runs the program, stores what was sampled, then what the binaries say.

use crate::args::{CallStackChoice, Cli, Sampling};
use crate::collect::{Collection, Ran};
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::metering::{self, Clock, Metering};
use crate::terminal::{Console, LateProgress};
use loopwright_binary::image::Images;
use loopwright_experiment::describe::Described;
use loopwright_experiment::{MachineRecord, Phase, Wanted};
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

/// What a survey says at its begin, and how it knows the energy of the run.
#[derive(Clone, Copy, Default)]
pub struct Around<'a> {
    /// Said once the program could be started.
    pub announcement: Option<&'a str>,
    /// By itself the energy is stored where its counters can be read.
    pub metering: Option<&'a Metering>,
}

/// Surveys `command` into the experiment and says how it ended.
pub fn survey(
    cli: &Cli,
    sampling: &Sampling,
    command: &[OsString],
    images: &Images,
    machine: &MachineRecord,
    around: Around,
    console: &Console,
) -> Result<Surveyed, Failure> {
    let Around { announcement, metering } = around;
    let readable = if metering.is_none() { Metering::where_readable(&machine.machine) } else { None };
    let metering = metering.or(readable.as_ref());
    let collection = Collection::begin(cli, machine, images, console, Phase::Machine)?;
    let options = options(sampling);
    let clock = Clock::new(metering);
    let mut observer = Watcher { console, announcement, progress: LateProgress::default(), clock };
    let result = loopwright_sample::survey(command, &options, &mut observer, &INTERRUPTED);
    observer.progress.finish();
    let (mut collection, recording) = collection.with(result)?;
    console.costs.end(Phase::Sampled);
    let run = collection.add(&recording, &recording.target)?;
    if let Some(metering) = metering {
        let ran = metering::run(&recording, None, observer.clock.measured());
        collection.add(&metering.of_runs(vec![ran]), &recording.target)?;
    }
    let described = collection.describe(run, Wanted::of_survey(&recording), &[])?;
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
    clock: Clock<'a>,
}

impl Observer for Watcher<'_> {
    fn started(&mut self, pid: u32) {
        self.clock.started(pid);
        if let Some(announcement) = self.announcement {
            self.console.note(announcement);
        }
    }

    fn ended(&mut self) {
        self.clock.ended();
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
