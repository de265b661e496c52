//! Calls of hooked functions by the ranks of a job, joined by place.

use crate::counts::imbalance::imbalance;
use crate::model::{CommLeft, Imbalance, LoopFacts, Warning};
use crate::place::base_name;
use loopwright_experiment::Run;
use loopwright_instrument::calls::{BINS, Called, HookedRun};
use loopwright_stats::saturating_sum;
use std::collections::{BTreeMap, BTreeSet};

/// The runs of the newest job by rank: the number that MPI gave, else the launcher. Outside of a job there is one.
pub fn newest_job<F>(runs: &[Run<F>], own: fn(&F) -> Option<u32>) -> Option<BTreeMap<u32, &Run<F>>> {
    let newest = runs.last()?;
    let job = |run: &Run<F>| run.target.rank.as_ref().map(|rank| rank.job.clone());
    let rank = |run: &Run<F>| own(&run.facts).or(run.target.rank.as_ref().map(|rank| rank.rank)).unwrap_or(0);
    let of_job = runs.iter().filter(|run| job(newest).is_some() && job(run) == job(newest));
    let mut all: BTreeMap<u32, &Run<F>> = of_job.map(|run| (rank(run), run)).collect();
    all.entry(rank(newest)).or_insert(newest);
    Some(all)
}

/// A change of calls is worth a line where it can save this share of the run.
pub const WORTH: f64 = 0.01;

/// Seconds as a share of those of the run.
pub fn share_of_run(seconds: f64, run: f64) -> f64 {
    if run > 0.0 { (seconds / run).min(1.0) } else { 0.0 }
}

/// The calls of one place, of each rank that made some.
pub type OfRanks<'a, S> = Vec<(u32, &'a S)>;

/// The calls of all ranks by module, address and function. Builds of one file differ between ranks of different programs only; within
/// a job, a path is a file.
pub fn by_place<'a, F, S>(
    runs: &BTreeMap<u32, &'a Run<F>>,
    sites: fn(&F) -> &[S],
    called: fn(&S) -> &Called,
) -> Vec<OfRanks<'a, S>> {
    let mut joined: BTreeMap<(&str, u64, &str), OfRanks<'a, S>> = BTreeMap::new();
    for (&rank, run) in runs {
        for site in sites(&run.facts) {
            let of = called(site);
            joined.entry((&of.module, of.address, &of.function)).or_default().push((rank, site));
        }
    }
    joined.into_values().collect()
}

/// Functions that no rank could hook, with the reasons.
pub fn left<'a>(runs: impl Iterator<Item = &'a HookedRun>) -> Vec<CommLeft> {
    let all: BTreeSet<(String, String)> = runs
        .flat_map(|run| &run.left_alone)
        .map(|left| (left.function.clone(), left.reason.to_string()))
        .collect();
    all.into_iter().map(|(function, reason)| CommLeft { function, reason }).collect()
}

/// What else limits the numbers, each once.
pub fn warnings<'a>(runs: impl Iterator<Item = &'a HookedRun>) -> Vec<Warning> {
    let mut all: Vec<Warning> = Vec::new();
    for warning in runs.flat_map(|run| &run.warnings) {
        let warning = warning.clone().into();
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    all
}

/// Where calls come from.
pub struct Spot {
    /// The function that calls.
    pub caller: String,
    /// Base name of the file that holds it.
    pub module: String,
    /// Source file and line, or the address.
    pub place: String,
    /// The innermost loop around it, where that is among the loops of the analysis.
    pub loop_id: Option<u32>,
    /// Source file and line of that loop.
    pub loop_place: Option<String>,
}

/// Calls of one function from one place by several ranks.
pub struct Joined {
    pub function: String,
    pub spot: Spot,
    pub calls: u64,
    pub bytes: u64,
    pub without_bytes: u64,
    pub bins: [u64; BINS.len() + 1],
    /// Mean seconds of a rank, those that do not call included.
    pub seconds: f64,
    /// Of the rank that called and took least.
    pub least_seconds: f64,
    pub longest_seconds: f64,
    pub imbalance: Option<Imbalance>,
    pub worst_rank: u32,
    pub best_rank: u32,
    /// Ranks that called.
    pub callers: u32,
}

impl Joined {
    /// The calls of those ranks that made some, of a job of `ranks`.
    pub fn of<S>(
        sites: &[(u32, &S)],
        called: fn(&S) -> &Called,
        ranks: usize,
        loops: &[LoopFacts],
    ) -> Option<Self> {
        let calls: Vec<(u32, &Called)> = sites.iter().map(|(rank, site)| (*rank, called(site))).collect();
        let sum = |part: fn(&Called) -> u64| saturating_sum(calls.iter().map(|(_, called)| part(called)));
        let by_time = |a: &&(u32, &Called), b: &&(u32, &Called)| a.1.seconds.total_cmp(&b.1.seconds);
        let (worst, best) = (calls.iter().max_by(by_time)?, calls.iter().min_by(by_time)?);
        let mut bins = [0u64; BINS.len() + 1];
        for (_, called) in &calls {
            bins.iter_mut().zip(called.bins).for_each(|(sum, n)| *sum = sum.saturating_add(n));
        }
        Some(Self {
            function: worst.1.function.clone(),
            spot: spot(&calls, loops)?,
            calls: sum(|called| called.calls),
            bytes: sum(|called| called.bytes),
            without_bytes: sum(|called| called.without_bytes),
            bins,
            seconds: calls.iter().map(|(_, called)| called.seconds).sum::<f64>() / ranks.max(1) as f64,
            least_seconds: best.1.seconds,
            longest_seconds: calls.iter().map(|(_, called)| called.longest_seconds).fold(0.0, f64::max),
            imbalance: imbalance(calls.iter().map(|(_, called)| called.seconds), ranks),
            worst_rank: worst.0,
            best_rank: best.0,
            callers: calls.len() as u32,
        })
    }
}

fn spot(calls: &[(u32, &Called)], loops: &[LoopFacts]) -> Option<Spot> {
    let first = calls.first()?.1;
    let named = calls.iter().find_map(|(_, called)| called.caller.as_ref());
    let module = base_name(&first.module).to_owned();
    let header = named.and_then(|caller| caller.header).map(|header| format!("{header:#x}"));
    let found = loops.iter().find(|l| Some(&l.address) == header.as_ref() && l.module == module);
    let place =
        named.and_then(|caller| Some(format!("{}:{}", base_name(caller.file.as_ref()?), caller.line)));
    Some(Spot {
        caller: named.map(|caller| caller.function.clone()).unwrap_or_default(),
        place: place.unwrap_or_else(|| format!("{module}+{:#x}", first.address)),
        loop_id: found.map(|l| l.id),
        loop_place: named
            .and_then(|caller| caller.of_loop.as_ref())
            .map(|(file, line)| format!("{}:{line}", base_name(file))),
        module,
    })
}
