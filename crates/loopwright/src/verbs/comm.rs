//! `loopwright comm`: counts the calls of MPI by place, stores them, and shows those of all ranks.

use crate::args::{Cli, CommArgs};
use crate::collect::{self, Collection};
use crate::failure::Failure;
use crate::interrupt;
use crate::state;
use crate::terminal::{Console, LateProgress, print, style};
use crate::verbs::machine;
use loopwright_experiment::Phase;
use loopwright_experiment::communication::locate;
use loopwright_instrument::ListenOptions;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub fn run(cli: &Cli, args: &CommArgs, console: &Console) -> Result<u8, Failure> {
    let machine = machine::record(false, console);
    let images = collect::images(&args.debug_dir);
    let collection = Collection::begin(cli, &machine, &images, console, Phase::Choose)?;
    let stop = Arc::new(AtomicBool::new(false));
    let options = ListenOptions {
        barriers: args.barriers,
        stop: Some(Arc::clone(&stop)),
        images: images.clone(),
        ..ListenOptions::default()
    };
    let mut target = loopwright_sample::describe_target(&args.command, &options.start);
    let progress = RefCell::new(LateProgress::now(console, "preparing to count calls of MPI"));
    let result = loopwright_instrument::listen(
        &args.command,
        &options,
        // From here on the program owns the terminal.
        &mut |_| progress.borrow_mut().finish(),
        &mut |elapsed| {
            interrupt::pass_on(&stop);
            let text = || format!("counting calls of MPI: {:.0} s", elapsed.as_secs_f64());
            progress.borrow_mut().show(console, elapsed, text);
        },
    );
    progress.borrow_mut().finish();
    let (mut collection, mut messages) = collection.with(result)?;
    let phases = [Phase::PrepareListening, Phase::Listened, Phase::CollectCalls];
    console.costs.end_run(phases, messages.setup_seconds, messages.elapsed_seconds, messages.waiting_seconds);
    locate(&mut messages, &images);
    console.costs.end(Phase::ReadBinaries);
    (target.outcome, target.elapsed_seconds) = (
        collect::outcome(messages.interrupted, messages.signal, messages.exit_status),
        messages.elapsed_seconds,
    );
    collection.add(&messages, &target)?;
    let ran = collection.end(target)?;
    if ran.reports {
        let shown = state::load(cli, &ran.state)?.with_network();
        let text = if args.json {
            loopwright_report::json::document("comm", &shown.analysis.comm)?
        } else {
            loopwright_report::comm(&shown.analysis, args.all || cli.verbose, &style(cli))
        };
        print(&text)?;
    }
    Ok(if args.propagate_exit { collect::propagated(ran.target.outcome) } else { 0 })
}
