//! Facts by rank, for tables with a row for each rank. They are no part of [`crate::model::Analysis`]: a job of ten thousand ranks
//! has millions of them, and readers of one job look at their spread.

use crate::calls::newest_job;
use crate::comm;
pub use crate::comm::SiteOfRanks;
use crate::counts::Builds;
use crate::model::{Analysis, CommRank, HeapRank, IoRank};
use crate::place::base_name;
use crate::resolve::resolve;
use crate::time::{Unsampled, seconds};
use loopwright_experiment::{Facts, Run, RunId};
pub use loopwright_instrument::messages::CallSite;
use loopwright_sample::recording::{Recording, Target};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of each rank of a state; rank 0 is the whole program where there is no job.
#[derive(Clone, Debug, Default)]
pub struct ByRank<'a> {
    /// The run that names the command, where and when it ran: of the survey, else of the newest other run. Absent where the state has
    /// only messages of compilers.
    pub run: Option<NamedRun<'a>>,
    /// By rank.
    pub ranks: Vec<RankFacts<'a>>,
    /// Self time by survey, then function.
    pub functions: Vec<FunctionOfRank>,
    /// Calls of MPI by place, with those of each rank.
    pub sites: Vec<SiteOfRanks<'a>>,
}

/// A run and its command.
#[derive(Clone, Copy, Debug)]
pub struct NamedRun<'a> {
    /// Number in the experiment.
    pub id: RunId,
    /// The command, where and when it ran.
    pub target: &'a Target,
}

/// A rank.
#[derive(Clone, Debug)]
pub struct RankFacts<'a> {
    /// Its number.
    pub rank: u32,
    /// The machine that it ran on.
    pub host: &'a str,
    /// The surveyed run.
    pub surveyed: Option<&'a Target>,
    /// Its calls of MPI.
    pub comm: Option<&'a CommRank>,
    /// Its input and output.
    pub io: Option<&'a IoRank>,
    /// Its allocations.
    pub heap: Option<&'a HeapRank>,
}

/// A function's own time in one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionOfRank {
    /// Name.
    pub function: Arc<str>,
    /// Base name of its module.
    pub module: Arc<str>,
    /// The rank.
    pub rank: u32,
    /// Time in its own instructions, in seconds.
    pub self_seconds: f64,
    /// Samples of its own instructions.
    pub samples: u64,
}

impl<'a> ByRank<'a> {
    /// Of the facts of a state and what was made of them.
    pub fn of(facts: &'a Facts, analysis: &'a Analysis) -> Self {
        Self {
            run: named_run(facts),
            ranks: ranks(facts, analysis),
            functions: functions(facts),
            sites: comm::by_rank(facts, &analysis.loops),
        }
    }
}

fn named_run(facts: &Facts) -> Option<NamedRun<'_>> {
    fn named<T>(run: &Run<T>) -> NamedRun<'_> {
        NamedRun { id: run.id, target: &run.target }
    }
    /// The lowest rank of the newest job, else the newest run.
    fn hooked<T>(runs: &[Run<T>], rank: fn(&T) -> Option<u32>) -> Option<NamedRun<'_>> {
        newest_job(runs, rank)?.into_values().next().map(named)
    }
    (facts.surveys.first().map(named))
        .or_else(|| hooked(&facts.communication, |messages| messages.rank))
        .or_else(|| hooked(&facts.input_output, |_| None))
        .or_else(|| hooked(&facts.heap, |_| None))
        .or_else(|| facts.counts.last().map(named))
        .or_else(|| facts.traced.last().map(named))
}

fn rank_of(target: &Target) -> u32 {
    target.rank.as_ref().map_or(0, |rank| rank.rank)
}

fn ranks<'a>(facts: &'a Facts, analysis: &'a Analysis) -> Vec<RankFacts<'a>> {
    fn entry<'a, 'r>(
        all: &'r mut BTreeMap<u32, RankFacts<'a>>,
        rank: u32,
        host: &'a str,
    ) -> &'r mut RankFacts<'a> {
        let new = RankFacts { rank, host, surveyed: None, comm: None, io: None, heap: None };
        all.entry(rank).or_insert(new)
    }
    let mut all = BTreeMap::new();
    for survey in &facts.surveys {
        let target = &survey.target;
        entry(&mut all, rank_of(target), &target.host).surveyed = Some(target);
    }
    for rank in analysis.comm.iter().flat_map(|comm| &comm.ranks) {
        entry(&mut all, rank.rank, &rank.host).comm = Some(rank);
    }
    for rank in analysis.io.iter().flat_map(|io| &io.ranks) {
        entry(&mut all, rank.rank, &rank.host).io = Some(rank);
    }
    for rank in analysis.heap.iter().flat_map(|heap| &heap.ranks) {
        entry(&mut all, rank.rank, &rank.host).heap = Some(rank);
    }
    all.into_values().collect()
}

/// Self time as [`crate::time::times`] sums it over all ranks.
fn functions(facts: &Facts) -> Vec<FunctionOfRank> {
    let entities = resolve(facts, &Builds::of(facts));
    let names: Vec<(Arc<str>, Arc<str>)> = (entities.functions.iter())
        .map(|function| (function.name.as_str().into(), base_name(&function.module_path).into()))
        .collect();
    let mut all = Vec::new();
    for (survey, places) in facts.surveys.iter().zip(&entities.places) {
        let spent =
            spent(survey, |frame| places[frame as usize].function, (entities.kernel, entities.unsampled));
        all.extend(spent.into_iter().map(|(function, (ns, samples))| {
            let (function, module) = names[function as usize].clone();
            FunctionOfRank {
                function,
                module,
                rank: rank_of(&survey.target),
                self_seconds: seconds(ns),
                samples,
            }
        }));
    }
    all
}

/// Nanoseconds and samples of user code by function; time in the kernel and user time without samples have functions of their own.
fn spent(
    survey: &Run<Recording>,
    function: impl Fn(u32) -> u32,
    (kernel, unsampled): (u32, u32),
) -> BTreeMap<u32, (u64, u64)> {
    let recording = &survey.facts;
    let mut spent: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for sample in &recording.samples {
        let weight = u64::from(sample.weight_ns);
        if sample.kernel {
            spent.entry(kernel).or_default().0 += weight;
        } else {
            let of = spent.entry(function(recording.stacks[sample.stack as usize].frame)).or_default();
            *of = (of.0 + weight, of.1 + 1);
        }
    }
    let without = Unsampled::of_survey(survey);
    for (function, ns) in [(kernel, without.kernel_ns), (unsampled, without.user_ns)] {
        if ns > 0 {
            spent.entry(function).or_default().0 += ns;
        }
    }
    spent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{function, module, recording, scalar_loop};
    use loopwright_sample::recording::Rank;

    fn job() -> Facts {
        let code = || {
            vec![module(vec![function(
                1,
                "work",
                (0x100, 0x200),
                vec![scalar_loop(0, (0x110, 0x120), 3)],
                1,
            )])]
        };
        let run = |rank: u32, milliseconds: u32| {
            let facts = recording(&[(&[0x110], milliseconds), (&[0x900], 2)]);
            let of_job = Rank { rank, size: 2, launcher: "openmpi".into(), job: "j".into() };
            let target = Target { rank: Some(of_job), host: format!("n{rank}"), ..Target::default() };
            Run { id: i64::from(rank) + 1, target, facts, code: code(), ..Run::default() }
        };
        Facts { surveys: vec![run(0, 3), run(1, 5)], ..Facts::default() }
    }

    #[test]
    fn self_time_of_the_ranks_adds_up_to_that_of_the_program() {
        let facts = job();
        let analysis = crate::analyse(&facts);
        let by_rank = ByRank::of(&facts, &analysis);
        let work: Vec<(u32, f64, u64)> = (by_rank.functions.iter())
            .filter(|each| &*each.function == "work")
            .map(|each| (each.rank, each.self_seconds, each.samples))
            .collect();
        assert_eq!(work.iter().map(|each| each.0).collect::<Vec<_>>(), [0, 1]);
        assert!(work[0].1 < work[1].1, "{work:?}");
        for known in &analysis.functions {
            let same = || by_rank.functions.iter().filter(|each| *each.function == *known.function);
            let sum: f64 = same().map(|each| each.self_seconds).sum();
            assert_eq!((sum * 1e9).round(), (known.self_seconds * 1e9).round(), "{}", known.function);
            assert_eq!(same().map(|each| each.samples).sum::<u64>(), known.samples, "{}", known.function);
        }
        let hosts: Vec<(u32, &str)> = by_rank.ranks.iter().map(|rank| (rank.rank, rank.host)).collect();
        assert_eq!(hosts, [(0, "n0"), (1, "n1")]);
        assert_eq!(by_rank.run.map(|run| run.id), Some(1));
    }

    #[test]
    fn nothing_is_known_of_no_run() {
        let facts = Facts::default();
        let analysis = crate::analyse(&facts);
        let by_rank = ByRank::of(&facts, &analysis);
        assert!(by_rank.run.is_none() && by_rank.ranks.is_empty() && by_rank.functions.is_empty());
        assert!(by_rank.sites.is_empty());
    }
}
