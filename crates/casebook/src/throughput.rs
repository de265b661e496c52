//! The split of the machine into instances and threads that gives the most work per second.
//!
//! A node is filled with as many instances of one program as its threads leave room for, all started
//! together; the measure is the number of runs that end per second, not the time of one (Adaptiv Analytics:
//! 18 instances of 8 threads did less than 30 of 4).

use crate::error::Error;
use crate::program::Program;
use loopwright_stats::bootstrap_median;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::record::Estimate;

/// A split: instances at a time, threads each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Split {
    /// Programs that run at a time.
    pub instances: u32,
    /// Threads of each.
    pub threads: u32,
}

/// What a split gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Throughput {
    /// The split.
    #[serde(flatten)]
    pub split: Split,
    /// Finished runs per second.
    pub per_second: Estimate,
    /// Seconds that one run takes from its start to its end.
    pub latency: Estimate,
}

/// The splits of `cpus` CPUs: every number of threads that fills them without a rest, each with as many
/// instances as there is room for; and twice as many, which shows the cost of too many.
pub fn splits(cpus: u32) -> Vec<Split> {
    let cpus = cpus.max(1);
    let mut splits: Vec<Split> = (1..=cpus)
        .filter(|threads| cpus.is_multiple_of(*threads))
        .map(|threads| Split { instances: cpus / threads, threads })
        .collect();
    splits.push(Split { instances: 2 * cpus, threads: 1 });
    splits.push(Split { instances: 2, threads: cpus });
    splits.sort_unstable_by_key(|split| (split.threads, split.instances));
    splits.dedup();
    splits
}

/// Measures every split in turn, `rounds` times. `with` returns the program that runs with this number of threads.
///
/// # Errors
/// When a program fails or `stop` is set before the first round has ended.
pub fn measure(
    splits: &[Split],
    rounds: usize,
    limit: Duration,
    with: impl Fn(u32) -> Program,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(&str, usize, usize),
) -> Result<Vec<Throughput>, Error> {
    let mut rates: Vec<Vec<f64>> = vec![Vec::new(); splits.len()];
    let mut latencies = rates.clone();
    'rounds: for round in 0..rounds {
        for step in 0..splits.len() {
            let which = (round + step) % splits.len();
            let split = splits[which];
            progress(&format!("{} x {} threads", split.instances, split.threads), round, rounds);
            match together(split, &with(split.threads), limit, stop) {
                Ok((seconds, each)) => {
                    rates[which].push(f64::from(split.instances) / seconds);
                    latencies[which].extend(each);
                }
                Err(Error::Stopped) if round > 0 => break 'rounds,
                Err(error) => return Err(error),
            }
        }
    }
    let results = splits.iter().zip(rates.iter().zip(&latencies));
    Ok(results
        .filter_map(|(split, (rates, latencies))| {
            let per_second = bootstrap_median(rates)?.into();
            Some(Throughput { split: *split, per_second, latency: bootstrap_median(latencies)?.into() })
        })
        .collect())
}

/// Runs a split once: the time until all have ended, and the time of each.
fn together(
    split: Split,
    program: &Program,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<(f64, Vec<f64>), Error> {
    let start = Instant::now();
    let results: Vec<Result<f64, Error>> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..split.instances)
            .map(|_| scope.spawn(|| program.run(limit, stop).map(|run| run.elapsed)))
            .collect();
        let lost =
            || Err(Error::Program { command: program.command_line(), cause: "was not watched".into() });
        started.into_iter().map(|one| one.join().unwrap_or_else(|_| lost())).collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    Ok((seconds, results.into_iter().collect::<Result<_, _>>()?))
}
