//! What the tool takes, by phase: a clock that attributes all time since it was last looked at.

use crate::failure::Failure;
use loopwright_experiment::{Cost, Experiment, Phase, RunId};
use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

/// The costs of one command.
pub struct Costs {
    entries: RefCell<Vec<Cost>>,
    last: Cell<(Instant, f64)>,
    /// The run that the costs are stored with: the first one of the command.
    run: Cell<Option<RunId>>,
}

impl Costs {
    /// Begins to look.
    pub fn begin() -> Self {
        Self {
            entries: RefCell::default(),
            last: Cell::new((Instant::now(), cpu_seconds())),
            run: Cell::new(None),
        }
    }

    /// Attributes what was taken since the last phase ended.
    pub fn end(&self, phase: Phase) {
        let (seconds, cpu_seconds) = self.since_last();
        self.add(Cost { phase, seconds, cpu_seconds, waiting_seconds: None });
    }

    /// The same for a run of the program that a collector has watched: what comes before the program's first instruction,
    /// the program, and what comes after its end. The tool's CPU time is shared among them by their length where
    /// nothing distinguishes them.
    pub fn end_run(&self, phases: [Phase; 3], setup: f64, elapsed: f64, waiting: f64) {
        let (seconds, cpu_seconds) = self.since_last();
        let elapsed = elapsed.min(seconds);
        let setup = setup.min(seconds - elapsed);
        let after = seconds - elapsed - setup;
        let own = (setup + waiting + after).max(f64::MIN_POSITIVE);
        for (phase, seconds, busy, waiting) in [
            (phases[0], setup, setup, None),
            (phases[1], elapsed, waiting, Some(waiting)),
            (phases[2], after, after, None),
        ] {
            let cpu_seconds = cpu_seconds * busy / own;
            self.add(Cost { phase, seconds, cpu_seconds, waiting_seconds: waiting });
        }
    }

    fn add(&self, cost: Cost) {
        self.entries.borrow_mut().push(cost);
    }

    fn since_last(&self) -> (f64, f64) {
        let now = (Instant::now(), cpu_seconds());
        let last = self.last.replace(now);
        (now.0.duration_since(last.0).as_secs_f64(), (now.1 - last.1).max(0.0))
    }

    /// A run was stored.
    pub fn stored(&self, run: RunId) {
        self.run.set(self.run.get().or(Some(run)));
    }

    /// Writes them into the experiment; nothing when the command made no run.
    pub fn store(&self, path: &Path) -> Result<(), Failure> {
        if let Some(run) = self.run.get() {
            Experiment::open(path)?.add_costs(run, &self.entries.borrow())?;
        }
        Ok(())
    }

    /// A table; nothing when there is nothing in it.
    pub fn table(&self) -> Option<String> {
        let entries = self.entries.borrow();
        let mut text = "     elapsed         CPU   phase\n".to_owned();
        for cost in entries.iter() {
            let waited = cost.waiting_seconds.map_or_else(String::new, |waited| {
                format!(" ({waited:.3} s of it the program waited for code to be rewritten)")
            });
            let (seconds, cpu) = (cost.seconds, cost.cpu_seconds);
            let _ = writeln!(text, "{seconds:10.3} s  {cpu:8.2} s   {}{waited}", words(cost.phase));
        }
        let sum = |of: fn(&Cost) -> f64| entries.iter().map(of).sum::<f64>();
        let (seconds, cpu) = (sum(|cost| cost.seconds), sum(|cost| cost.cpu_seconds));
        let _ = write!(text, "{seconds:10.3} s  {cpu:8.2} s   together");
        (!entries.is_empty()).then_some(text)
    }
}

fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Machine => "describing the machine",
        Phase::Sampled => "program, sampled",
        Phase::PrepareCounting => "reading and rewriting code before the start, to count",
        Phase::Counted => "program, counted",
        Phase::CollectCounts => "collecting counts",
        Phase::PrepareTracing => "reading and rewriting code before the start, to trace",
        Phase::Traced => "program, traced",
        Phase::CollectTraces => "analysing the last bursts",
        Phase::TopDown => "program, under the processor's counters",
        Phase::PrepareInjection => "reading and rewriting code before the start, to inject operations",
        Phase::Injected => "program, with injected operations",
        Phase::CollectInjection => "reading the windows",
        Phase::PrepareListening => "reading and rewriting code before the start, to hook functions",
        Phase::Listened => "program, with hooks",
        Phase::CollectCalls => "collecting calls",
        Phase::ReadBinaries => "reading functions and loops from binaries",
        Phase::Store => "writing the experiment",
        Phase::Choose => "choosing what to count, to trace and to ask",
        Phase::Compilers => "waiting for compilers",
        Phase::Join => "joining the facts",
        Phase::Answer => "applying rules and printing",
    }
}

/// CPU time of this process, without that of its children (proc(5), `/proc/PID/stat`: fields 14 and 15, behind the name in
/// brackets). Linux shows it in hundredths of a second on every architecture (`USER_HZ`).
fn cpu_seconds() -> f64 {
    const TICKS: f64 = 100.0;
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    // The first behind the name is field 3.
    let ticks: f64 = fields.skip(14 - 3).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_divided_and_nothing_is_lost() {
        let costs = Costs::begin();
        costs.end_run([Phase::PrepareCounting, Phase::Counted, Phase::CollectCounts], 1e6, 1e6, 0.5);
        costs.end(Phase::Answer);
        let entries = costs.entries.borrow();
        assert_eq!(entries.len(), 4);
        assert!(entries.iter().all(|cost| cost.seconds >= 0.0 && cost.cpu_seconds >= 0.0), "{entries:?}");
        assert_eq!(entries[1].waiting_seconds, Some(0.5));
        // More than has passed is not attributed.
        assert!(entries.iter().map(|cost| cost.seconds).sum::<f64>() < 1e5);
        drop(entries);
        let table = costs.table().unwrap();
        assert!(table.contains("program, counted (0.500 s of it") && table.ends_with("together"), "{table}");
        assert_eq!(Costs::begin().table(), None);
    }

    #[test]
    fn the_clock_sees_this_process_work() {
        let before = cpu_seconds();
        let mut sum = 0u64;
        while cpu_seconds() <= before {
            sum = (0..100_000u64).fold(sum, |a, b| a.wrapping_mul(3).wrapping_add(b));
        }
        assert!(cpu_seconds() > before, "{sum}");
    }
}
