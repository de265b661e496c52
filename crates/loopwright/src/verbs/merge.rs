//! `loopwright merge`: merges what ranks left beside an experiment, and says what is not there.

use crate::args::{Cli, MergeArgs};
use crate::collect;
use crate::failure::Failure;
use crate::gathering::reading;
use crate::interrupt;
use crate::ranks::listed;
use crate::terminal::{Console, print};
use loopwright_experiment::{Awaited, Awaiting, Experiment, Merged, Parts};
use loopwright_report::names::printable;
use std::collections::BTreeMap;
use std::path::Path;

/// A rank of another node that was not heard of for this long is said to be silent: it renews its announcement every few seconds,
/// and the clocks of two nodes may differ by some.
const SILENT_SECONDS: u64 = 120;

pub fn run(cli: &Cli, args: &MergeArgs, console: &Console) -> Result<u8, Failure> {
    interrupt::install()?;
    let path = args.file.as_deref().unwrap_or(&cli.experiment);
    let before = Parts::beside(path)?;
    if before == Parts::default() {
        if !path.exists() {
            return Err(Failure::Failed(anyhow::anyhow!(
                "there are no parts beside {}; name the experiment that the ranks collected into",
                path.display()
            )));
        }
        print(&format!("Nothing waits beside {} to be merged.\n", printable(&path.display().to_string())))?;
        return Ok(0);
    }
    let images = collect::images(&args.debug_dir);
    let merged = reading(console, &images, &cli.source_root, |how| Experiment::merge_parts(path, how))?;
    print(&text(path, &merged, &before))?;
    before.forget_ended();
    for error in &merged.unreadable {
        console.note(&error.to_string());
    }
    Ok(u8::from(!merged.unreadable.is_empty()))
}

fn text(path: &Path, merged: &Merged, before: &Parts) -> String {
    let mut text = String::new();
    let mut jobs: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for rank in &merged.ranks {
        jobs.entry(&rank.job).or_default().push(rank.rank);
    }
    let file = path.display().to_string();
    let file = printable(&file);
    for (job, ranks) in jobs {
        let ranks = listed(ranks.into_iter());
        text.push_str(&format!("Merged {ranks} of job {} into {file}.\n", printable(job)));
    }
    if merged.ranks.is_empty() {
        text.push_str("Nothing was merged: no rank has delivered.\n");
    }
    let mut unfinished: BTreeMap<(&Path, &str), Vec<u32>> = BTreeMap::new();
    for Awaited { job, rank, state, .. } in &before.unfinished {
        let state = match state {
            Awaiting::Runs => "still run, or wait for others",
            Awaiting::Ended => "ended before delivering: killed?",
            Awaiting::Elsewhere { silent } if silent.as_secs() > SILENT_SECONDS => {
                "are on another node and silent for minutes: killed?"
            }
            Awaiting::Elsewhere { .. } => "still run on another node",
        };
        unfinished.entry((job, state)).or_default().push(*rank);
    }
    for ((job, state), ranks) in unfinished {
        let job = job.file_name().unwrap_or_default().to_string_lossy();
        let job = job.strip_prefix("job-").unwrap_or(&job);
        text.push_str(&format!(
            "Unfinished: {} of job {}: {state}\n",
            listed(ranks.into_iter()),
            printable(job)
        ));
    }
    text
}
