//! Parallel jobs: every rank collects alone and delivers a part; one of them merges the parts of all and reports.

use crate::args::Cli;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::ranks::listed;
use crate::terminal::Console;
use loopwright_binary::image::Images;
use loopwright_experiment::{Awaiting, Delivered, Describing, Error, Experiment, Parts, Turn};
use loopwright_sample::recording::Rank;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The state of what was collected last.
pub const LATEST: &str = "latest";

/// Between two looks at the other ranks, for each of them that is waited for: a listing of 10,000 takes a fraction of a second.
const PAUSE: Duration = Duration::from_micros(100);
/// For few ranks.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);

/// Does what is left for a rank that has delivered. The one that merges gets the state that shows its job.
pub fn finish(
    cli: &Cli,
    mut delivered: Delivered,
    rank: &Rank,
    images: &Images,
    console: &Console,
) -> Result<Option<String>, Failure> {
    let waiting = console.progress("waiting for the other ranks");
    loop {
        match delivered.turn()? {
            Turn::Leave => return Ok(None),
            Turn::Describe => {
                reading(console, images, &cli.source_root, |how| delivered.describe_node(how))?;
                return Ok(None);
            }
            Turn::Merge => break,
            // What is there is merged; the others' parts wait.
            Turn::Wait(_) if INTERRUPTED.load(Ordering::SeqCst) => break,
            Turn::Wait(ranks) => {
                std::thread::sleep(SHORTEST_PAUSE.max(PAUSE * u32::try_from(ranks).unwrap_or(u32::MAX)));
            }
        }
    }
    waiting.finish_and_clear();
    let left = Parts::of_job(&cli.experiment, &rank.job)?;
    let merged =
        reading(console, images, &cli.source_root, |how| Experiment::merge_parts(&cli.experiment, how))?;
    for error in &merged.unreadable {
        console.note(&error.to_string());
    }
    note_missing(&left, rank, console);
    left.forget_ended();
    drop(delivered);
    Ok(Some(state(cli, rank)?))
}

/// Says which ranks have not delivered.
fn note_missing(left: &Parts, rank: &Rank, console: &Console) {
    let of = |state: fn(&Awaiting) -> bool| {
        let awaited = left.unfinished.iter().filter(|awaited| awaited.rank != rank.rank);
        listed(awaited.filter(|awaited| state(&awaited.state)).map(|awaited| awaited.rank))
    };
    let killed = of(|state| *state == Awaiting::Ended);
    if !killed.is_empty() {
        console.note(&format!("{killed} of {} ended before delivering: killed?", rank.size));
    }
    let late = of(|state| *state != Awaiting::Ended);
    if !late.is_empty() {
        console.note(&format!(
            "{late} of {} have not delivered; `loopwright merge` takes what arrives later",
            rank.size
        ));
    }
}

/// Does something that reads binaries, with a bar that shows how many of how many functions are done.
pub fn reading<T>(
    console: &Console,
    images: &Images,
    roots: &[PathBuf],
    work: impl FnOnce(&Describing<'_>) -> T,
) -> T {
    let bar = console.bar("reading loops from the binaries", 1);
    let progress = |done, known| {
        bar.set_length(known as u64);
        bar.set_position(done as u64);
    };
    let result = work(&Describing { images, roots, progress: &progress });
    bar.finish_and_clear();
    result
}

/// The state of this job: another one may have been merged into the same file meanwhile.
fn state(cli: &Cli, rank: &Rank) -> Result<String, Error> {
    let runs = Experiment::open(&cli.experiment)?.runs()?;
    let of_job = |job: &str| {
        job.strip_prefix(rank.job.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    };
    let own = runs.iter().rfind(|run| run.job.as_deref().is_some_and(of_job));
    Ok(own.map_or_else(|| LATEST.to_owned(), |run| format!("run:{}", run.id)))
}
