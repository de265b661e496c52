//! A complete counting run, from the command to the facts.

use crate::collect;
use crate::drive::{self, Attendant, Patience};
use crate::error::Error;
use crate::facts::Counts;
use crate::options::{CountOptions, CountStatus, Observer};
use crate::runtime::askers::Asked;
use crate::runtime::instance::Purpose;
use crate::runtime::session::Session;
use crate::runtime::shared_memory::Shared;
use crate::watchman;
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// Runs a command to its end and counts what its code executes.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was counted is returned.
pub fn count(
    command: &[OsString],
    options: &CountOptions,
    observer: &mut dyn Observer,
) -> Result<Counts, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Architecture);
    }
    let shared = Shared::new(0).map_err(|source| Error::Memory { source })?;
    let purpose = Purpose { counting: options.counting, ..Purpose::default() };
    let mut session = Session::new(shared, options.choice.clone(), purpose, options.images.clone());
    let started = drive::start(&mut session, command, &options.start)?;
    observer.started(started.pid as u32);
    let mut attendant = Counting { observer, last: Instant::now() };
    let patience = Patience { stop: options.stop.as_ref(), grace: options.grace };
    let end = drive::wait_for(&mut session, started.pid, &patience, &mut attendant);
    let mut counts = Counts {
        setup_seconds: started.setup.as_secs_f64(),
        elapsed_seconds: end.elapsed.as_secs_f64(),
        waiting_seconds: session.waiting.as_secs_f64(),
        exit_status: end.status,
        signal: end.signal,
        interrupted: end.interrupted,
        cpu_seconds: end.cpu.map(|t| t.as_secs_f64()),
        warnings: std::mem::take(&mut session.warnings),
        ..Counts::default()
    };
    session.close();
    let programs: Vec<String> = session.images.iter().map(|i| i.program.clone()).collect();
    collect::collect(&session.shared, &session.instances, &programs, &mut counts);
    counts.warnings.extend(session.warnings_at_end());
    watchman::watch(&mut counts);
    Ok(counts)
}

/// Reports the progress to the observer.
struct Counting<'a> {
    observer: &'a mut dyn Observer,
    last: Instant,
}

impl Attendant for Counting<'_> {
    fn tick(&mut self, session: &mut Session, elapsed: Duration) {
        if self.last.elapsed() > Duration::from_millis(100) {
            self.last = Instant::now();
            let functions = session.instances.iter().map(|i| i.functions.len() as u32).sum();
            let modules = session.instances.len() as u32;
            self.observer.tick(&CountStatus { elapsed, modules, functions });
        }
    }

    fn room(&mut self, _session: &mut Session, _asked: Asked) {}

    fn pause(&self) -> u32 {
        5
    }
}
