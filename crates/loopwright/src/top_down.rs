//! The run under the processor's counters, where they work: looks for perf, runs the program once more, stores what it gave.
//!
//! Nothing needs this run: whatever is missing for it is one line for those who asked to hear more (`--verbose`).

use crate::args::Cli;
use crate::collect::{self, Collection};
use crate::failure::Failure;
use crate::interrupt;
use crate::state::Loaded;
use crate::terminal::{Console, LateProgress};
use loopwright_experiment::{MachineRecord, Phase};
use loopwright_sample::describe_target;
use loopwright_sample::recording::Outcome;
use loopwright_sample::top_down::{self, Missing, Perf, RunOptions};
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The program did not run, or ran to its end.
    Continue,
    /// The user interrupted it.
    Interrupted,
}

/// Finds perf, if it can count here; otherwise says why not.
pub fn perf(cli: &Cli, machine: &MachineRecord, console: &Console) -> Option<Perf> {
    let found = top_down::find(std::env::var_os("PATH").as_deref());
    found.map_err(|missing| note_missing(cli, &missing, machine, console)).ok()
}

fn note_missing(cli: &Cli, missing: &Missing, machine: &MachineRecord, console: &Console) {
    if cli.verbose {
        console.note(&format!("no top-down analysis by counters: {}", why(missing, machine)));
    }
}

/// In words. Where no counter works, or perf would not help, what the machine's conditions say of counters is the better answer.
fn why(missing: &Missing, machine: &MachineRecord) -> String {
    let condition = machine.machine.condition("hardware-counters");
    let counters = condition.and_then(|condition| Some((condition, condition.remedy.as_ref()?)));
    match (missing, counters) {
        // Counters that are as they should be have no remedy.
        (Missing::NoCounters | Missing::NotInstalled, Some((condition, remedy))) => {
            format!("{}; {remedy}", condition.value)
        }
        _ => missing.to_string(),
    }
}

/// Runs `command` under the counters and stores what they gave.
pub fn count(
    cli: &Cli,
    loaded: &Loaded,
    perf: &Perf,
    command: &[OsString],
    machine: &MachineRecord,
    console: &Console,
) -> Result<Counted, Failure> {
    // Nothing is asked of binaries here.
    let images = collect::images(&[]);
    let collection = Collection::begin(cli, machine, &images, console, Phase::Choose)?;
    let stop = Arc::new(AtomicBool::new(false));
    let options = RunOptions { stop: Some(Arc::clone(&stop)), ..RunOptions::default() };
    let mut target = describe_target(command, &options.start);
    let mut progress = LateProgress::default();
    let result = top_down::measure(perf, command, &options, &mut |elapsed| {
        interrupt::pass_on(&stop);
        progress.show(console, elapsed, || format!("counting slots: {:.0} s", elapsed.as_secs_f64()));
    });
    progress.finish();
    console.costs.end(Phase::TopDown);
    let (mut collection, (found, ended)) = collection.with(result)?;
    if ended.outcome == Outcome::Interrupted {
        return Ok(Counted::Interrupted);
    }
    if let Some(why) = unusable(loaded, ended.outcome, found.slots().is_some()) {
        console.note(&format!("no top-down analysis by counters: {why}"));
        return Ok(Counted::Continue);
    }
    target.outcome = ended.outcome;
    target.elapsed_seconds = ended.elapsed.as_secs_f64();
    collection.add(&found, &target)?;
    collection.end(target)?;
    Ok(Counted::Continue)
}

/// Why what was counted is not kept.
fn unusable(loaded: &Loaded, now: Outcome, says_something: bool) -> Option<String> {
    let before = loaded.facts.surveys.first().map(|survey| survey.target.outcome);
    let end = |outcome| match outcome {
        Outcome::Exited(status) => format!("exited with status {status}"),
        Outcome::Signalled(signal) => format!("was killed by signal {signal}"),
        Outcome::Interrupted | Outcome::Unknown => "ended".to_owned(),
    };
    let known = |outcome: &Outcome| matches!(outcome, Outcome::Exited(_) | Outcome::Signalled(_));
    if let Some(before) = before.filter(known).filter(|before| *before != now) {
        return Some(format!(
            "the program {} there, and {} when it was sampled; undo what a run leaves behind, or leave the run out \
             (--no-counters)",
            end(now),
            end(before)
        ));
    }
    if !says_something {
        let why = "perf's counts contradict each other or are not complete; give the program more work, or stop what else uses the \
                   counters (the kernel's NMI watchdog, another perf)";
        return Some(why.to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_machine::Machine;

    fn record(value: &str, remedy: Option<&str>) -> MachineRecord {
        let mut machine = Machine::detect();
        for condition in machine.conditions.iter_mut().filter(|each| each.id == "hardware-counters") {
            (condition.value, condition.remedy) = (value.to_owned(), remedy.map(str::to_owned));
        }
        MachineRecord { machine, ceilings: None, network: None }
    }

    #[test]
    fn what_is_missing_comes_with_what_to_do() {
        let forbidden =
            record("hardware counters are forbidden", Some("as root: sysctl kernel.perf_event_paranoid=2"));
        let there = record("hardware counters exist", None);
        // Installing perf would not help where the kernel allows no counters.
        for missing in [Missing::NoCounters, Missing::NotInstalled] {
            assert!(
                why(&missing, &forbidden).contains("perf_event_paranoid=2"),
                "{}",
                why(&missing, &forbidden)
            );
        }
        assert!(why(&Missing::NotInstalled, &there).contains("install it"));
        let unknown = Missing::NoTopDown { version: "5.15".to_owned() };
        assert!(why(&unknown, &forbidden).contains("Zen 4"), "counters work where metrics are missing");
    }
}
