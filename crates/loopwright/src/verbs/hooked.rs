//! What the verbs that hook functions have in common: they run the program, store what its calls did, and show it for all ranks.

use crate::args::{Cli, HookedArgs};
use crate::collect::{self, Collection};
use crate::failure::Failure;
use crate::interrupt;
use crate::state;
use crate::terminal::{Console, LateProgress, print, style};
use crate::verbs::machine;
use loopwright_analysis::model::Analysis;
use loopwright_experiment::calls::locate;
use loopwright_experiment::{Collected, Phase};
use loopwright_instrument::calls::{Called, HookedRun};
use loopwright_instrument::{ListenOptions, Listener};
use loopwright_report::TerminalStyle;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a run with hooks found.
pub trait Hooked: Collected {
    /// What is counted, in words.
    const WHAT: &'static str;

    /// How the run was.
    fn run(&self) -> &HookedRun;

    /// Its calls.
    fn called(&mut self) -> impl Iterator<Item = &mut Called>;
}

/// Runs the program by `listen`, stores what it found, and shows it by `shown`: as text in a style, else as JSON.
pub fn run<F: Hooked>(
    cli: &Cli,
    args: &HookedArgs,
    console: &Console,
    listen: impl FnOnce(&ListenOptions, Listener<'_>) -> Result<F, loopwright_instrument::Error>,
    shown: impl FnOnce(&Analysis, bool, Option<&TerminalStyle>) -> Result<String, serde_json::Error>,
) -> Result<u8, Failure> {
    let machine = machine::record(false, console);
    let images = collect::images(&args.debug_dir);
    let collection = Collection::begin(cli, &machine, &images, console, Phase::Choose)?;
    let stop = Arc::new(AtomicBool::new(false));
    let options =
        ListenOptions { stop: Some(Arc::clone(&stop)), images: images.clone(), ..ListenOptions::default() };
    let mut target = loopwright_sample::describe_target(&args.command, &options.start);
    let progress = RefCell::new(LateProgress::now(console, &format!("preparing to count {}", F::WHAT)));
    let listener = Listener {
        // From here on the program owns the terminal.
        started: &mut |_| progress.borrow_mut().finish(),
        tick: &mut |elapsed| {
            interrupt::pass_on(&stop);
            let text = || format!("counting {}: {:.0} s", F::WHAT, elapsed.as_secs_f64());
            progress.borrow_mut().show(console, elapsed, text);
        },
    };
    let result = listen(&options, listener);
    progress.borrow_mut().finish();
    let (mut collection, mut found) = collection.with(result)?;
    let run = found.run();
    let phases = [Phase::PrepareListening, Phase::Listened, Phase::CollectCalls];
    console.costs.end_run(phases, run.setup_seconds, run.elapsed_seconds, run.waiting_seconds);
    (target.outcome, target.elapsed_seconds) =
        (collect::outcome(run.interrupted, run.signal, run.exit_status), run.elapsed_seconds);
    locate(found.called(), &images);
    console.costs.end(Phase::ReadBinaries);
    collection.add(&found, &target)?;
    let ran = collection.end(target)?;
    if ran.reports && !args.shown.collect_only {
        let loaded = state::load(cli, &ran.state)?.with_network();
        let terminal = style(cli);
        let text = shown(&loaded.analysis, args.all || cli.verbose, (!args.json).then_some(&terminal))?;
        print(&text)?;
    }
    Ok(if args.propagate_exit { collect::propagated(ran.target.outcome) } else { 0 })
}
