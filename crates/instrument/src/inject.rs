//! A complete run with injected operations, from the command to the facts.

use crate::drive::{self, Patience, Ticking};
use crate::error::Error;
use crate::injected::Injected;
use crate::injection::calibrate;
use crate::injection::{Chosen, InjectChoice, WalkBytes, gather};
use crate::options::Choice;
use crate::options::Modules;
use crate::runtime::instance::Purpose;
use crate::runtime::segment::Segment;
use crate::runtime::session::Session;
use crate::runtime::shared_memory::Shared;
use loopwright_binary::image::Images;
use loopwright_launch::StartOptions;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How a run with injected operations is made.
#[derive(Clone, Debug)]
pub struct InjectOptions {
    /// How the program is started.
    pub start: StartOptions,
    /// The loops.
    pub loops: Vec<InjectChoice>,
    /// Sizes of the machine's caches of data, the first level first; without them no walks through memory are injected.
    pub cache_bytes: Vec<u64>,
    /// Seconds from one change of versions to the next.
    pub window_seconds: f64,
    /// How long to wait for processes that outlive the program.
    pub grace: Duration,
    /// Set by the caller to end the run as a survey ends; what was measured is returned.
    pub stop: Option<Arc<AtomicBool>>,
    /// Files that other runs of the same command have opened.
    pub images: Images,
}

/// A hundred times what a change costs, and a few hundredths of the time between two timer interrupts (1 to 4 ms).
const WINDOW: f64 = 40e-6;

impl Default for InjectOptions {
    fn default() -> Self {
        Self {
            start: StartOptions::default(),
            loops: Vec::new(),
            cache_bytes: Vec::new(),
            window_seconds: WINDOW,
            grace: Duration::from_secs(2),
            stop: None,
            images: Images::default(),
        }
    }
}

/// Runs a command to its end and measures how its chosen loops bear injected operations. `started` and `tick` report progress.
///
/// # Errors
/// When the program cannot be started or prepared. Once it runs, everything that was measured is returned.
pub fn inject(
    command: &[OsString],
    options: &InjectOptions,
    started: &mut dyn FnMut(),
    tick: &mut dyn FnMut(Duration),
) -> Result<Injected, Error> {
    if cfg!(not(target_arch = "x86_64")) {
        return Err(Error::Architecture);
    }
    let walks = walk_bytes(&options.cache_bytes);
    let shared = Shared::new(walks.all()).map_err(|source| Error::Memory { source })?;
    let memory = shared.pool.as_ref().map_or(&[][..], Segment::longs);
    let chosen = Arc::new(Chosen {
        loops: options.loops.clone(),
        walks,
        costs: calibrate::costs(walks, memory),
        ticks_per_second: calibrate::ticks_per_second(),
        window_seconds: options.window_seconds,
    });
    let modules: BTreeSet<PathBuf> = chosen.loops.iter().map(|l| l.at.module.clone()).collect();
    let functions = chosen.loops.iter().map(|l| (l.at.module.clone(), l.at.function)).collect();
    let choice = Choice {
        modules: Modules::Only(modules.into_iter().collect()),
        functions: Some(functions),
        ..Choice::default()
    };
    let purpose = Purpose { injection: Some(Arc::clone(&chosen)), ..Purpose::default() };
    let mut session = Session::new(shared, choice, purpose, options.images.clone());
    let begun = drive::start(&mut session, command, &options.start)?;
    started();
    let mut attendant = Ticking::new(tick);
    let patience = Patience { stop: options.stop.as_ref(), grace: options.grace };
    let end = drive::wait_for(&mut session, begun.pid, &patience, &mut attendant);
    session.close();
    let mut injected = Injected {
        ticks_per_second: chosen.ticks_per_second,
        warnings: std::mem::take(&mut session.warnings),
        exit_status: end.status,
        signal: end.signal,
        interrupted: end.interrupted,
        elapsed_seconds: end.elapsed.as_secs_f64(),
        setup_seconds: begun.setup.as_secs_f64(),
        waiting_seconds: session.waiting.as_secs_f64(),
        ..Injected::default()
    };
    gather::gather(&session.shared, &session.instances, &chosen, &mut injected);
    injected.warnings.extend(session.warnings_at_end());
    Ok(injected)
}

/// Memory to be walked through for each level: half of the second-level cache, a quarter of the third (others use it, too), twice
/// the third.
fn walk_bytes(caches: &[u64]) -> WalkBytes {
    /// More memory than this is not taken for a measurement.
    const MOST: u64 = 256 << 20;
    let below = |bytes: u64| bytes.checked_ilog2().map_or(0, |log| 1u64 << log);
    let &[l1, l2, ref rest @ ..] = caches else { return WalkBytes::default() };
    let l3 = rest.last().copied().unwrap_or(0);
    let last = l3.max(l2);
    let memory = below(2 * last).max(4 * l2);
    let (in_l2, in_l3) = (below(l2 / 2), below(l3 / 4));
    let or_none = |bytes: u64, wanted: bool| if wanted && bytes <= MOST { bytes as u32 } else { 0 };
    WalkBytes {
        l2: or_none(in_l2, in_l2 >= 2 * l1),
        l3: or_none(in_l3, in_l3 >= 2 * l2),
        memory: or_none(memory, memory >= last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_are_larger_than_the_caches_before_them() {
        let zen4 = walk_bytes(&[32 << 10, 1 << 20, 32 << 20]);
        assert_eq!((zen4.l2, zen4.l3, zen4.memory), (1 << 19, 1 << 23, 1 << 26));
        let sapphire_rapids = walk_bytes(&[48 << 10, 2 << 20, 105 << 20]);
        assert_eq!(
            (sapphire_rapids.l2, sapphire_rapids.l3, sapphire_rapids.memory),
            (1 << 20, 1 << 24, 1 << 27)
        );
        let no_third = walk_bytes(&[32 << 10, 512 << 10]);
        assert_eq!((no_third.l2, no_third.l3, no_third.memory), (1 << 18, 0, 1 << 21));
        assert_eq!(walk_bytes(&[]), WalkBytes::default());
        assert_eq!(walk_bytes(&[32 << 10, 1 << 20, 1 << 30]).memory, 0, "too much");
    }
}
