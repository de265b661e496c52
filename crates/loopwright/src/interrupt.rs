//! Ctrl-C and a polite request to end: what was collected is kept.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user (or the batch system) asked to stop.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// There is one handler for the whole process, however many runs it makes.
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Passes a signal on to a collector, which has a flag of its own.
pub fn pass_on(stop: &AtomicBool) {
    if INTERRUPTED.swap(false, Ordering::SeqCst) {
        stop.store(true, Ordering::SeqCst);
    }
}

/// Installs the handler for SIGINT, SIGTERM and SIGHUP. A second signal ends the tool at once.
pub fn install() -> anyhow::Result<()> {
    if INSTALLED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })?;
    Ok(())
}
