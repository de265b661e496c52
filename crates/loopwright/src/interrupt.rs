//! Ctrl-C and a polite request to end: what was collected is kept.

use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the user (or the batch system) asked to stop.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler for SIGINT, SIGTERM and SIGHUP. A second signal ends the tool at once.
pub fn install() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    })?;
    Ok(())
}
