//! A complete run with hooks at MPI's functions, from the command to the facts.

use crate::drive::{self, Patience, Ticking};
use crate::error::Error;
use crate::hooks::{Hooks, gather};
use crate::injection::calibrate::ticks_per_second;
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
    /// Call a barrier before each collective call, so that waiting for other ranks is timed apart from the call.
    pub barriers: bool,
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
            barriers: false,
            grace: Duration::from_secs(2),
            stop: None,
            images: Images::default(),
        }
    }
}

/// Runs a command to its end and counts its calls of MPI. `started` and `tick` report progress.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was counted is returned.
pub fn listen(
    command: &[OsString],
    options: &ListenOptions,
    started: &mut dyn FnMut(u32),
    tick: &mut dyn FnMut(Duration),
) -> Result<Messages, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Architecture);
    }
    let shared = Shared::new(0).map_err(|source| Error::Memory { source })?;
    let purpose = Purpose { hooks: Some(Hooks { barriers: options.barriers }), ..Purpose::default() };
    let choice = Choice { modules: Modules::All, ..Choice::default() };
    let rate = ticks_per_second();
    let mut session = Session::new(shared, choice, purpose, options.images.clone());
    let begun = drive::start(&mut session, command, &options.start)?;
    started(begun.pid as u32);
    let mut attendant = Ticking::new(tick);
    let patience = Patience { stop: options.stop.as_ref(), grace: options.grace };
    let end = drive::wait_for(&mut session, begun.pid, &patience, &mut attendant);
    session.close();
    let found = gather::gather(&session.shared, &session.mapped, rate);
    let mut messages = Messages {
        rank: Some(&found.ranks).filter(|ranks| ranks.len() == 1).and_then(|ranks| ranks.first().copied()),
        ranks: found.size,
        sites: found.sites,
        peers: found.peers,
        lost: found.lost,
        threads: found.threads,
        barriers: options.barriers,
        warnings: std::mem::take(&mut session.warnings),
        exit_status: end.status,
        signal: end.signal,
        interrupted: end.interrupted,
        elapsed_seconds: end.elapsed.as_secs_f64(),
        setup_seconds: begun.setup.as_secs_f64(),
        waiting_seconds: session.waiting.as_secs_f64(),
        ..Messages::default()
    };
    messages.warnings.extend(session.crowded());
    for instance in &session.instances {
        if !messages.libraries.contains(&instance.module.path) {
            messages.libraries.push(instance.module.path.clone());
        }
        messages.left_alone.extend(instance.left_alone.iter().cloned());
    }
    Ok(messages)
}
