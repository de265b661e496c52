//! The run with injected operations: chooses loops, runs the program, stores what was measured.

use crate::args::Cli;
use crate::collect::{self, Collection, Ran};
use crate::failure::Failure;
use crate::interrupt;
use crate::state::Loaded;
use crate::terminal::{Console, LateProgress};
use crate::tracing::Chosen;
use loopwright_analysis::model::LoopFacts;
use loopwright_binary::image::Images;
use loopwright_experiment::{MachineRecord, Phase};
use loopwright_instrument::injected::{LeftLoop, NotInjected};
use loopwright_instrument::{InjectChoice, InjectOptions, LoopChoice};
use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How operations are injected.
pub struct How<'a> {
    /// The files that the command has read.
    pub images: &'a Images,
    /// Time of an iteration of every loop, instead of what was sampled and counted.
    pub iteration_seconds: Option<f64>,
    /// Time from one change of versions to the next.
    pub window_seconds: f64,
}

impl<'a> How<'a> {
    /// Iterations as long as they were seen to be, windows as long as usual.
    pub fn usual(images: &'a Images) -> Self {
        let window_seconds = InjectOptions::default().window_seconds;
        Self { images, iteration_seconds: None, window_seconds }
    }
}

/// Injects operations into the chosen loops of `command`, stores what was measured and says how it ended.
pub fn inject(
    cli: &Cli,
    loaded: &Loaded,
    chosen: &Chosen,
    how: &How<'_>,
    command: &[OsString],
    machine: &MachineRecord,
    console: &Console,
) -> Result<Ran, Failure> {
    let collection = Collection::begin(cli, machine, how.images, console, Phase::Choose)?;
    let stop = Arc::new(AtomicBool::new(false));
    let (loops, unknown) = choices(loaded, chosen, how.iteration_seconds);
    let options = InjectOptions {
        loops,
        cache_bytes: machine.machine.summary().cache_bytes,
        window_seconds: how.window_seconds,
        stop: Some(Arc::clone(&stop)),
        images: how.images.clone(),
        ..InjectOptions::default()
    };
    let mut target = loopwright_sample::describe_target(command, &options.start);
    let progress = std::cell::RefCell::new(LateProgress::now(console, "preparing to inject operations"));
    let result = loopwright_instrument::inject(
        command,
        &options,
        // From here on the program owns the terminal, as in a survey.
        &mut || progress.borrow_mut().finish(),
        &mut |elapsed| {
            interrupt::pass_on(&stop);
            let text = || format!("measuring: {:.0} s", elapsed.as_secs_f64());
            progress.borrow_mut().show(console, elapsed, text);
        },
    );
    progress.borrow_mut().finish();
    let (mut collection, mut injected) = collection.with(result)?;
    injected.left.extend(unknown);
    let phases = [Phase::PrepareInjection, Phase::Injected, Phase::CollectInjection];
    console.costs.end_run(phases, injected.setup_seconds, injected.elapsed_seconds, injected.waiting_seconds);
    (target.outcome, target.elapsed_seconds) = (
        collect::outcome(injected.interrupted, injected.signal, injected.exit_status),
        injected.elapsed_seconds,
    );
    collection.add(&injected, &target)?;
    collection.end(target)
}

/// The loops with the time of their iterations and entries; those for which it is not known, with the reason.
fn choices(loaded: &Loaded, chosen: &Chosen, assumed: Option<f64>) -> (Vec<InjectChoice>, Vec<LeftLoop>) {
    let (mut loops, mut unknown) = (Vec::new(), Vec::new());
    // What one of them spends in a loop, where all share it.
    let threads = loaded.analysis.threads.len().max(1) as f64;
    for piece in chosen.pieces() {
        let found = loop_at(loaded, piece);
        match found.and_then(|this| timed(loaded, this, assumed)) {
            Some(_) if found.is_some_and(|this| other_loops_take_it(loaded, this)) => {
                unknown.push(left(piece, NotInjected::Callees));
            }
            Some((seconds_per_iteration, entries)) => {
                let self_seconds = found.map_or(0.0, |this| this.self_seconds);
                let seconds = match assumed {
                    // About all windows of 47 versions, and short rests between them.
                    Some(assumed) => 20_000.0 * assumed,
                    None => self_seconds / threads,
                };
                let rare_calls = found.is_some_and(calls_rarely);
                let choice =
                    InjectChoice { at: piece.clone(), seconds_per_iteration, seconds, entries, rare_calls };
                loops.push((self_seconds, choice));
            }
            // Pieces without time or counts did not run, or hardly.
            None if found.is_some_and(|this| this.samples > 0) => {
                unknown.push(left(piece, NotInjected::NoTime));
            }
            None => {}
        }
    }
    // Of several in one nest the hottest is measured.
    loops.sort_by(|a: &(f64, InjectChoice), b| b.0.total_cmp(&a.0));
    (loops.into_iter().map(|(_, choice)| choice).collect(), unknown)
}

fn left(piece: &LoopChoice, reason: NotInjected) -> LeftLoop {
    LeftLoop { module: piece.module.to_string_lossy().into_owned(), header: piece.header, reason }
}

/// More than half of a loop's time is spent in loops that are not in its nest, so in functions that it calls: shares of the
/// program's time that add up to more than all of it overlap.
fn other_loops_take_it(loaded: &Loaded, this: &LoopFacts) -> bool {
    let parents: HashMap<u32, Option<u32>> = loaded.analysis.loops.iter().map(|l| (l.id, l.parent)).collect();
    let is_around = |inner: u32, outer: u32| {
        std::iter::successors(Some(inner), |id| parents.get(id).copied().flatten()).any(|id| id == outer)
    };
    let others = loaded.analysis.loops.iter();
    let others = others.filter(|l| !is_around(l.id, this.id) && !is_around(this.id, l.id));
    let elsewhere: f64 = others.map(|l| l.self_share).sum();
    this.total_share + elsewhere - 1.0 > this.total_share / 2.0
}

fn loop_at<'a>(loaded: &'a Loaded, piece: &LoopChoice) -> Option<&'a LoopFacts> {
    let module = piece.module.file_name().map(|name| name.to_string_lossy());
    let address = format!("{:#x}", piece.header);
    let mut loops = loaded.analysis.loops.iter();
    loops.find(|l| l.address == address && module.as_ref().is_some_and(|m| *m == l.module))
}

/// Its iterations, where it was counted and ran.
fn iterations(this: &LoopFacts) -> Option<f64> {
    this.trip_count.as_ref().map(|trips| trips.iterations as f64).filter(|n| *n > 0.0)
}

/// Whether calls, those of inner loops included, are too rare to matter and take too little: those of errors and of extreme values.
fn calls_rarely(this: &LoopFacts) -> bool {
    /// Of an iteration that takes 2 ns, leaving its version and returning (2 ns) then takes a hundredth.
    const RARE: f64 = 0.01;
    /// What is less does not show in a verdict.
    const LITTLE: f64 = 0.05;
    let counted = this.total_work.as_ref().filter(|_| this.not_counted.is_none());
    let calls = counted.zip(iterations(this)).map(|(work, iterations)| work.mix.call as f64 / iterations);
    calls.is_some_and(|calls| calls < RARE) && this.callee_share < LITTLE
}

/// Seconds of an iteration, and of an entry of the loop and of each around it, by header.
fn timed(loaded: &Loaded, this: &LoopFacts, assumed: Option<f64>) -> Option<(f64, Vec<(u64, f64)>)> {
    let iterations = iterations(this)?;
    let seconds_per_iteration = assumed.or(Some(this.total_seconds / iterations)).filter(|s| *s > 0.0)?;
    let seconds = |l: &LoopFacts| assumed.map_or(l.total_seconds, |s| s * iterations);
    let mut entries = Vec::new();
    let mut at = Some(this);
    while let Some(l) = at {
        let times = l.trip_count.as_ref().and_then(|t| t.entries).filter(|n| *n > 0);
        let header = u64::from_str_radix(l.address.trim_start_matches("0x"), 16).ok();
        entries.extend(header.zip(times).map(|(header, times)| (header, seconds(l) / times as f64)));
        at = l.parent.and_then(|id| loaded.analysis.loops.iter().find(|l| l.id == id));
    }
    Some((seconds_per_iteration, entries))
}
