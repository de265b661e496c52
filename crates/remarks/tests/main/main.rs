//! Compilers' messages: those of recorded runs, of hostile files and of compilers that are asked again.

mod examples;
mod goldens;
mod hostile;
#[path = "../installed/mod.rs"]
mod installed;
mod reask;

use std::time::{Duration, Instant};

/// Waits until something has happened, and fails where it does not happen.
fn until(name: &str, happened: &dyn Fn() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "{name}: it does not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A process is gone, or a zombie that was not waited for yet.
fn has_ended(process: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    state.is_empty() || state.contains(") Z ")
}
