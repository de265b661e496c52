//! The first call of an operation in a process: choosing a level and an engine, and measuring or reading what that takes, come on
//! top of the work. Each is timed in processes of its own.

use crate::record::ColdStart;
use crate::subjects::Operation;
use anyhow::{Context, ensure};
use loopwright_kernels::tuning;
use loopwright_stats::median;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Later calls that are timed; the least of them counts.
const LATER: usize = 101;

/// Runs an operation for the first time in this process, and again: seconds of the first call, and of a later one.
pub fn timed(operation: &Operation) -> anyhow::Result<[f64; 2]> {
    let call = || {
        let begin = Instant::now();
        let done = black_box((operation.run)(None));
        (begin.elapsed().as_secs_f64(), done)
    };
    let (first, done) = call();
    done.context("the operation was refused")?;
    let later = (0..LATER).map(|_| call().0).fold(f64::INFINITY, f64::min);
    Ok([first, later])
}

/// Times an operation in `rounds` processes of each kind; `command` names one that prints what [`timed`] returns, for the kernel and
/// the operation that are appended.
pub fn start(command: &[&str], kernel: &str, operation: &str, rounds: usize) -> anyhow::Result<ColdStart> {
    let (mut measuring, mut kept, mut shipped, mut later) = (vec![], vec![], vec![], vec![]);
    for _ in 0..rounds {
        let cache = tempfile::tempdir().context("no folder for the measured costs")?;
        let run = |tuning: Option<&str>| once(command, [kernel, operation], cache.path(), tuning);
        measuring.push(run(None)?[0]);
        kept.push(run(None)?[0]);
        let [first, again] = run(Some("none"))?;
        shipped.push(first);
        later.push(again);
    }
    let median = |seconds: &[f64]| median(seconds).unwrap_or(f64::NAN);
    Ok(ColdStart {
        kernel: kernel.to_owned(),
        operation: operation.to_owned(),
        measuring_seconds: median(&measuring),
        kept_seconds: median(&kept),
        shipped_seconds: median(&shipped),
        later_seconds: median(&later),
    })
}

fn once(command: &[&str], of: [&str; 2], cache: &Path, tuning: Option<&str>) -> anyhow::Result<[f64; 2]> {
    let (program, arguments) = command.split_first().context("no command")?;
    let mut process = Command::new(program);
    process.args(arguments).args(of).env("XDG_CACHE_HOME", cache).env_remove(tuning::VARIABLE);
    if let Some(value) = tuning {
        process.env(tuning::VARIABLE, value);
    }
    let output = process.output().with_context(|| format!("{program} cannot be run"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{program} {of:?}: {}", String::from_utf8_lossy(&output.stderr));
    let seconds: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    <[f64; 2]>::try_from(seconds).ok().with_context(|| format!("{program} {of:?} printed {text:?}"))
}
