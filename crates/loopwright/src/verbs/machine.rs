//! `loopwright machine`, and the machine's record for every survey.

use crate::args::{Cli, MachineArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::terminal::{Console, print, style};
use crate::verbs::network;
use loopwright_experiment::MachineRecord;
use loopwright_machine::network::load_network;
use loopwright_machine::{Ceilings, Machine, Options, Policy};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub fn run(cli: &Cli, args: &MachineArgs, console: &Console) -> Result<u8, Failure> {
    interrupt::install()?;
    let machine = Machine::detect();
    let network = if args.network {
        match network::measure(&machine, args, console) {
            Ok(Some(network)) => Some(network),
            // Another rank shows what was measured.
            Ok(None) => return Ok(0),
            Err(failure) if network::reports() => return Err(failure),
            Err(failure) => return Ok(failure.status()),
        }
    } else {
        load_network(&machine)
    };
    // Under a launcher ceilings would be measured on CPUs that other ranks use.
    let policy = if args.measure && !args.network { Policy::Measure } else { Policy::CachedOnly };
    let ceilings = ceilings(&machine, policy, console)?;
    let record = MachineRecord { machine, ceilings, network };
    if args.json {
        print(&loopwright_report::json::machine(&record, record.ceilings.as_ref())?)?;
    } else {
        let network = record.network.as_ref();
        print(&loopwright_report::machine(&record.machine, record.ceilings.as_ref(), network, &style(cli)))?;
    }
    Ok(0)
}

/// Describes the machine for a survey; ceilings from the cache, or measured now when `measure` says so and
/// they are missing. Unavailable ceilings do not prevent collection.
pub fn record(measure: bool, console: &Console) -> MachineRecord {
    let machine = Machine::detect();
    let policy = if measure { Policy::CachedOrMeasure } else { Policy::CachedOnly };
    let ceilings = ceilings(&machine, policy, console).unwrap_or_else(|failure| {
        console.note(&format!("the machine's ceilings are unknown: {failure}"));
        None
    });
    let network = load_network(&machine);
    MachineRecord { machine, ceilings, network }
}

fn ceilings(machine: &Machine, policy: Policy, console: &Console) -> Result<Option<Ceilings>, Failure> {
    // The measurement owns its flag; the signal handler has one of its own, which is copied at every step.
    let cancel = Arc::new(AtomicBool::new(false));
    let options = Options { cancel: Some(Arc::clone(&cancel)), ..Options::default() };
    let bar = console.bar("measuring this machine (once)", 1000);
    let found = loopwright_machine::ceilings_for(machine, &policy, &options, &mut |progress| {
        bar.set_position((progress.fraction * 1000.0) as u64);
        bar.set_message(format!("measuring this machine (once): {}", progress.what));
        if INTERRUPTED.load(Ordering::SeqCst) {
            cancel.store(true, Ordering::SeqCst);
        }
    });
    bar.finish_and_clear();
    let found = found?;
    for warning in &found.warnings {
        console.note(&warning.to_string());
    }
    Ok(found.ceilings)
}
