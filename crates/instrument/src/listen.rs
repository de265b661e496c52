//! A complete run with hooks at the functions of a family, from the command to the facts.

use crate::calls::HookedRun;
use crate::drive::{self, Patience, Ticking};
use crate::error::Error;
use crate::heap::HeapUse;
use crate::hooks::table::has_allocator;
use crate::hooks::{Hooks, files, heap as of_heap, mpi};
use crate::injection::calibrate::ticks_per_second;
use crate::input_output::InputOutput;
use crate::messages::Messages;
use crate::options::{Choice, Modules};
use crate::runtime::instance::Purpose;
use crate::runtime::session::Session;
use crate::runtime::shared_memory::Shared;
use loopwright_binary::image::Images;
use loopwright_launch::StartOptions;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a run is made.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// How the program is started.
    pub start: StartOptions,
    /// How long to wait for processes that outlive the program.
    pub grace: Duration,
    /// Set by the caller to end the run as a survey ends; what was counted is returned.
    pub stop: Option<Arc<AtomicBool>>,
    /// Files that other runs of the same command have opened.
    pub images: Images,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            start: StartOptions::default(),
            grace: Duration::from_secs(2),
            stop: None,
            images: Images::default(),
        }
    }
}

/// Who is told of a run's progress.
pub struct Listener<'a> {
    /// The program begins, with this process.
    pub started: &'a mut dyn FnMut(u32),
    /// It has run for so long.
    pub tick: &'a mut dyn FnMut(Duration),
}

/// Runs a command to its end and counts its calls of MPI. With `barriers`, a barrier is called before each collective call, so that
/// waiting for other ranks is timed apart from the call.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was counted is returned.
pub fn messages(
    command: &[OsString],
    options: &ListenOptions,
    barriers: bool,
    listener: Listener<'_>,
) -> Result<Messages, Error> {
    let Heard { session, run, rate, .. } = hooked(command, options, Hooks::Mpi { barriers }, listener)?;
    let found = mpi::gather::gather(&session.shared, &session.mapped, rate);
    Ok(Messages {
        rank: Some(&found.ranks).filter(|ranks| ranks.len() == 1).and_then(|ranks| ranks.first().copied()),
        ranks: found.size,
        sites: found.sites,
        peers: found.peers,
        lost: found.lost,
        barriers,
        run: HookedRun { threads: found.threads, ..run },
    })
}

/// Runs a command to its end and counts its input and output.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was counted is returned.
pub fn input_output(
    command: &[OsString],
    options: &ListenOptions,
    listener: Listener<'_>,
) -> Result<InputOutput, Error> {
    let Heard { session, run, rate, .. } = hooked(command, options, Hooks::Files, listener)?;
    let found = files::gather::gather(&session.shared, &session.mapped, rate);
    Ok(InputOutput {
        sites: found.sites,
        files: found.files,
        lost: found.lost,
        run: HookedRun { threads: found.threads, ..run },
    })
}

/// Runs a command to its end and counts its allocations.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was counted is returned.
pub fn heap(command: &[OsString], options: &ListenOptions, listener: Listener<'_>) -> Result<HeapUse, Error> {
    let Heard { session, run, end, .. } = hooked(command, options, Hooks::Heap, listener)?;
    let found = of_heap::gather::gather(&session.shared, &session.mapped);
    let modules = session.instances.iter().map(|instance| &instance.module);
    let allocators = modules.filter(|module| has_allocator(&module.image)).map(|module| module.path.as_str());
    let allocators: Vec<&str> = allocators.collect();
    Ok(HeapUse {
        sites: found.sites,
        peak_bytes: found.peak_bytes,
        lost: found.lost,
        faults: end.faults,
        resident_bytes: end.resident_bytes,
        system_seconds: end.system.as_secs_f64(),
        is_glibc: !allocators.is_empty() && allocators.into_iter().all(is_of_glibc),
        run: HookedRun { threads: found.threads, ..run },
    })
}

/// Files of the GNU C library by their names before and since version 2.34; the loader of older ones has `malloc` too. A program
/// or a library that has functions around the allocator alone is none of them, and changes nothing.
fn is_of_glibc(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["libc.so", "libc-2", "ld-linux", "ld-2"].iter().any(|known| name.starts_with(known))
}

/// What the hooks wrote, how the run was, and the clock's ticks in a second.
struct Heard {
    session: Session,
    run: HookedRun,
    end: drive::End,
    rate: f64,
}

/// Runs a command to its end with hooks.
fn hooked(
    command: &[OsString],
    options: &ListenOptions,
    hooks: Hooks,
    listener: Listener<'_>,
) -> Result<Heard, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Architecture);
    }
    let shared = Shared::new(0).map_err(|source| Error::Memory { source })?;
    let purpose = Purpose { hooks: Some(hooks), ..Purpose::default() };
    let choice = Choice { modules: Modules::All, ..Choice::default() };
    // The clock is measured before the program needs the processors.
    let rate = ticks_per_second();
    let mut session = Session::new(shared, choice, purpose, options.images.clone());
    let begun = drive::start(&mut session, command, &options.start)?;
    (listener.started)(begun.pid as u32);
    let mut attendant = Ticking::new(listener.tick);
    let patience = Patience { stop: options.stop.as_ref(), grace: options.grace };
    let end = drive::wait_for(&mut session, begun.pid, &patience, &mut attendant);
    session.close();
    let mut run = HookedRun {
        warnings: std::mem::take(&mut session.warnings),
        exit_status: end.status,
        signal: end.signal,
        interrupted: end.interrupted,
        elapsed_seconds: end.elapsed.as_secs_f64(),
        setup_seconds: begun.setup.as_secs_f64(),
        waiting_seconds: session.waiting.as_secs_f64(),
        ..HookedRun::default()
    };
    run.warnings.extend(session.warnings_at_end());
    for instance in &session.instances {
        if !run.libraries.contains(&instance.module.path) {
            run.libraries.push(instance.module.path.clone());
        }
        run.left_alone.extend(instance.left_alone.iter().cloned());
    }
    Ok(Heard { session, run, end, rate })
}
