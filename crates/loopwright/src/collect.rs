//! Collecting: runs the program, stores what was sampled, then what the binaries say. Each step is stored
//! before the next begins, so nothing already collected is lost.

use crate::args::{CallStackChoice, Cli, Sampling};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::terminal::Console;
use loopwright_analysis::describe::describe;
use loopwright_analysis::facts::MachineRecord;
use loopwright_binary::image::DebugSearch;
use loopwright_experiment::{Experiment, RunId};
use loopwright_sample::options::DEFAULT_STACK_BYTES;
use loopwright_sample::recording::{CallStacks, Outcome, Recording};
use loopwright_sample::{CallStacksRequest, Observer, SurveyOptions, SurveyStatus};
use std::collections::BTreeSet;
use std::ffi::OsString;

/// Source files larger than this are generated; they are read from disk when shown.
const LARGEST_SOURCE: u64 = 4 << 20;

/// What a survey left in the experiment.
pub struct Collected {
    /// The samples.
    pub recording: Recording,
    /// False when another rank of the job merges and speaks.
    pub speaks: bool,
}

/// Surveys `command` into the experiment.
pub fn survey(
    cli: &Cli,
    sampling: &Sampling,
    command: &[OsString],
    machine: &MachineRecord,
    console: &Console,
) -> Result<Collected, Failure> {
    interrupt::install()?;
    let rank = crate::ranks::own();
    // A place that cannot be written to is found out before the program runs, not after.
    let mut experiment = match &rank {
        Some(rank) => Experiment::create_part(&cli.experiment, rank)?,
        None => Experiment::create_or_open(&cli.experiment)?,
    };
    let options = options(sampling);
    let mut observer = Watcher { console, bar: None };
    let result = loopwright_sample::survey(command, &options, &mut observer, &INTERRUPTED);
    observer.finish();
    let mut recording = result?;
    recording.target.host = host();
    let run = experiment.add_survey(&recording, Some(machine))?;

    describe_into(&mut experiment, run, &recording, &sampling.debug_dir, console)?;
    let mut speaks = true;
    if let Some(rank) = &rank {
        experiment.finish_part()?;
        speaks = rank.rank == 0;
        if speaks {
            let missing = crate::ranks::gather(&cli.experiment, rank, console)?;
            if missing > 0 {
                console.note(&format!(
                    "{missing} of {} ranks have not delivered; `loopwright show` merges what arrives later",
                    rank.size
                ));
            }
        }
    }
    Ok(Collected { recording, speaks })
}

fn describe_into(
    experiment: &mut Experiment,
    run: RunId,
    recording: &Recording,
    debug_dirs: &[std::path::PathBuf],
    console: &Console,
) -> Result<(), Failure> {
    let search =
        debug_dirs.iter().fold(DebugSearch::system(), |search, folder| search.with_directory(folder));
    let bar = console.bar("reading loops from the binaries", 1);
    let described = describe(recording, &search, &|done, known| {
        bar.set_length(known as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let mut sources = BTreeSet::new();
    for module in &described {
        experiment.add_code(run, module.position, &module.identity, &module.facts, &module.functions)?;
        for function in &module.functions {
            sources.extend(function.files.iter().cloned());
        }
    }
    for path in sources {
        let small = std::fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= LARGEST_SOURCE);
        if let Some(bytes) = small.then(|| std::fs::read(&path).ok()).flatten() {
            experiment.add_source(run, &path, &String::from_utf8_lossy(&bytes))?;
        }
    }
    Ok(())
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

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_owned())
        .unwrap_or_default()
}

/// The status that `--propagate-exit` passes on, as a shell would report it.
pub fn propagated(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Exited(status) => status.clamp(0, 255) as u8,
        Outcome::Signalled(signal) => (128 + signal).clamp(0, 255) as u8,
        Outcome::Interrupted => 130,
        Outcome::Unknown => 1,
    }
}

/// Says how the program ended when that is not the usual way.
pub fn note_outcome(recording: &Recording, console: &Console) {
    let how = match recording.target.outcome {
        Outcome::Exited(0) => return,
        Outcome::Exited(status) => format!("the program exited with status {status}"),
        Outcome::Signalled(signal) => format!("the program was killed by signal {signal}"),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Unknown => "the program's end was not seen".to_owned(),
    };
    console.note(&format!("{how}; what was collected until then is kept"));
    if recording.sampler.call_stacks == CallStacks::None {
        console.note("no call stacks: total times equal self times");
    }
}

struct Watcher<'a> {
    console: &'a Console,
    bar: Option<indicatif::ProgressBar>,
}

impl Watcher<'_> {
    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Watcher<'_> {
    fn started(&mut self, _pid: u32) {}

    // The program owns the terminal while it runs: only a short line, and only after a while, so that
    // programs with output of their own are rarely disturbed.
    fn tick(&mut self, status: &SurveyStatus) {
        if status.elapsed.as_secs() < 2 {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| self.console.progress("surveying"));
        bar.set_message(format!(
            "surveying: {:.0} s, {} samples, {} threads",
            status.elapsed.as_secs_f64(),
            status.samples,
            status.threads
        ));
    }
}
