//! Parallel jobs: every rank collects alone and writes a part; the first one merges and reports.

use crate::terminal::Console;
use loopwright_experiment::{Error, Experiment, Parts};
use loopwright_sample::recording::Rank;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long rank 0 waits for parts that others are still writing before it merges what is there. The others
/// finish at about the same time (they leave the same `MPI_Finalize`); analysis of large binaries takes a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// This process's rank, when a launcher started it.
pub fn own() -> Option<Rank> {
    loopwright_sample::rank::own()
}

/// Waits until the parts of all ranks are complete or patience ends, then merges. Returns how many are missing.
pub fn gather(path: &Path, rank: &Rank, console: &Console) -> Result<u32, Error> {
    let begin = Instant::now();
    let waiting = console.progress("waiting for the other ranks");
    let complete = loop {
        let parts = Parts::of_job(path, &rank.job)?;
        let complete = parts.complete.len() as u32;
        let interrupted = crate::interrupt::INTERRUPTED.load(Ordering::SeqCst);
        if complete >= rank.size || begin.elapsed() > PATIENCE || interrupted {
            break complete;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    waiting.finish_and_clear();
    Experiment::create_or_open(path)?.merge_parts()?;
    Ok(rank.size.saturating_sub(complete))
}
