//! Communication of a job: what its ranks called, joined by place.

mod advice;

use crate::calls::{self, Joined};
use crate::model::{CallClass, CommEdge, CommFacts, CommRank, CommSite, LoopFacts, LostCalls, Provenance};
use advice::{Counted, OfRanks};
use loopwright_experiment::communication::Messages;
use loopwright_experiment::{Facts, Run};
use loopwright_instrument::messages::CallSite;
use loopwright_stats::saturating_sum;
use std::collections::BTreeMap;

/// The ranks of the newest job whose calls are known.
pub fn facts(facts: &Facts, loops: &[LoopFacts]) -> Option<CommFacts> {
    let runs = calls::newest_job(&facts.communication, |messages| messages.rank)?;
    let all = || runs.values().map(|run| &run.facts);
    let ranks: Vec<CommRank> = runs.iter().map(|(rank, run)| of_rank(*rank, run)).collect();
    let mean = ranks.iter().map(|rank| rank.seconds).sum::<f64>() / ranks.len() as f64;
    let lost = |part: fn(&LostCalls) -> u64| saturating_sum(all().map(|messages| part(&messages.lost)));
    let lost = LostCalls {
        calls: lost(|l| l.calls),
        messages: lost(|l| l.messages),
        starts: lost(|l| l.starts),
        torn: lost(|l| l.torn),
        foreign: lost(|l| l.foreign),
    };
    let elapsed = ranks.iter().map(|rank| rank.elapsed_seconds).fold(0.0, f64::max);
    let newest = facts.communication.last()?;
    let network = newest.machine.as_ref().and_then(|record| record.network.as_ref());
    let counted = Counted { sites: sites(&runs, loops), runs: &runs, elapsed, network };
    let (advice, network_wanted) = advice::advice(&counted);
    Some(CommFacts {
        how: Provenance::Counted,
        size: all().filter_map(|messages| messages.ranks).max(),
        elapsed_seconds: elapsed,
        seconds: mean,
        barriers: all().any(|messages| messages.barriers),
        sites: counted.sites.into_iter().map(|(site, _)| site).collect(),
        matrix: matrix(&runs),
        ranks,
        lost: Some(lost).filter(|lost| *lost != LostCalls::default()),
        left: calls::left(all().map(|messages| &messages.run)),
        advice,
        network_wanted,
        warnings: calls::warnings(all().map(|messages| &messages.run)),
    })
}

fn of_rank(rank: u32, run: &Run<Messages>) -> CommRank {
    let messages = &run.facts;
    let files = messages.sites.iter().filter(|site| site.class == CallClass::Files);
    CommRank {
        rank,
        host: run.target.host.clone(),
        elapsed_seconds: messages.run.elapsed_seconds,
        seconds: messages.sites.iter().map(|site| site.called.seconds).sum(),
        // Not `sum`: that of nothing is -0.0.
        file_seconds: files.fold(0.0, |sum, site| sum + site.called.seconds),
        calls: saturating_sum(messages.sites.iter().map(|site| site.called.calls)),
        messages: saturating_sum(messages.peers.iter().map(|peer| peer.messages)),
        bytes: saturating_sum(messages.peers.iter().map(|peer| peer.bytes)),
    }
}

fn matrix(runs: &BTreeMap<u32, &Run<Messages>>) -> Vec<CommEdge> {
    let mut edges: Vec<CommEdge> = Vec::new();
    for (&from, run) in runs {
        let mut to: Vec<CommEdge> = (run.facts.peers.iter())
            .map(|peer| CommEdge { from, to: peer.rank, messages: peer.messages, bytes: peer.bytes })
            .collect();
        to.sort_by_key(|edge| edge.to);
        edges.extend(to);
    }
    edges
}

/// Each place with the calls of its ranks, by descending time.
fn sites<'a>(runs: &BTreeMap<u32, &'a Run<Messages>>, loops: &[LoopFacts]) -> Vec<(CommSite, OfRanks<'a>)> {
    let barriers = runs.values().any(|run| run.facts.barriers);
    let joined = calls::by_place(runs, |messages| &messages.sites, |site| &site.called).into_iter();
    let mut all: Vec<(CommSite, OfRanks<'a>)> =
        joined.filter_map(|of| Some((site(&of, runs.len(), barriers, loops)?, of))).collect();
    all.sort_by(|(a, _), (b, _)| {
        let spent = |site: &CommSite| site.seconds + site.sync_seconds.unwrap_or(0.0);
        spent(b).total_cmp(&spent(a)).then_with(|| b.calls.cmp(&a.calls))
    });
    all
}

/// A place of calls with what each rank did there.
#[derive(Clone, Debug)]
pub struct SiteOfRanks<'a> {
    /// The place and the calls of all ranks together.
    pub site: CommSite,
    /// The calls of those ranks that made some, by rank.
    pub ranks: Vec<(u32, &'a CallSite)>,
}

impl SiteOfRanks<'_> {
    /// Seconds that a rank waited in the barriers before its calls, where there were any.
    pub fn sync_seconds(&self, of: &CallSite) -> Option<f64> {
        self.site.sync_seconds.map(|_| of.waiting_seconds)
    }
}

/// The places of [`facts`], in the same order, with the calls of each rank.
pub fn by_rank<'a>(facts: &'a Facts, loops: &[LoopFacts]) -> Vec<SiteOfRanks<'a>> {
    let runs = calls::newest_job(&facts.communication, |messages| messages.rank).unwrap_or_default();
    sites(&runs, loops).into_iter().map(|(site, ranks)| SiteOfRanks { site, ranks }).collect()
}

/// Functions that no rank leaves before all have come, and in which all do as much: not those whose counts differ from rank to rank.
const ALL_WAIT: [&str; 5] =
    ["MPI_Barrier", "MPI_Allreduce", "MPI_Alltoall", "MPI_Allgather", "MPI_Reduce_scatter_block"];

fn site(of: &[(u32, &CallSite)], ranks: usize, barriers: bool, loops: &[LoopFacts]) -> Option<CommSite> {
    let first = of.first()?.1;
    let joined = Joined::of(of, |site| &site.called, ranks, loops)?;
    let waited = of.iter().map(|(_, site)| site.waiting_seconds).sum::<f64>() / ranks.max(1) as f64;
    let Joined { spot, seconds, .. } = joined;
    let collective = first.class == CallClass::Collective;
    let all_wait = ALL_WAIT.contains(&joined.function.as_str());
    Some(CommSite {
        function: joined.function,
        class: first.class,
        caller: spot.caller,
        place: spot.place,
        module: spot.module,
        loop_id: spot.loop_id,
        loop_place: spot.loop_place,
        calls: joined.calls,
        bytes: joined.bytes,
        without_bytes: joined.without_bytes,
        bins: joined.bins,
        seconds,
        longest_seconds: joined.longest_seconds,
        sync_seconds: (barriers && collective).then_some(waited),
        sync_at_least: (!barriers && all_wait && of.len() == ranks && ranks > 1)
            .then(|| (seconds - joined.least_seconds).max(0.0)),
        imbalance: joined.imbalance,
        worst_rank: joined.worst_rank,
        best_rank: joined.best_rank,
        callers: joined.callers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::calls::{Called, Caller, HookedRun};
    use loopwright_instrument::messages::Peer;
    use loopwright_sample::recording::{Rank, Target};

    fn run(rank: u32, job: &str, seconds: f64, waited: f64) -> Run<Messages> {
        let site = |function: &str, class, calls, bytes, seconds, waiting_seconds| CallSite {
            called: Called {
                function: function.to_owned(),
                module: "/home/u/halo".to_owned(),
                address: 0x1234,
                caller: Some(Caller {
                    function: "exchange".into(),
                    file: Some("/home/u/halo.c".into()),
                    line: 14,
                    ..Caller::default()
                }),
                calls,
                bytes,
                seconds,
                longest_seconds: seconds / 2.0,
                bins: [0, 0, calls, 0, 0, 0],
                ..Called::default()
            },
            class,
            waiting_seconds,
        };
        let facts = Messages {
            rank: Some(rank),
            ranks: Some(2),
            sites: vec![
                site("MPI_Isend", CallClass::PointToPoint, 50, 40_000, 0.25, 0.0),
                site("MPI_Allreduce", CallClass::Collective, 50, 400, seconds, waited),
            ],
            peers: vec![Peer { rank: 1 - rank, messages: 50, bytes: 40_000 }],
            barriers: waited > 0.0,
            run: HookedRun { elapsed_seconds: 10.0, ..HookedRun::default() },
            ..Messages::default()
        };
        let of_job = Rank { rank, size: 2, launcher: "openmpi".into(), job: job.into() };
        Run {
            target: Target { rank: Some(of_job), host: "n1".into(), ..Target::default() },
            facts,
            ..Run::default()
        }
    }

    fn of(runs: Vec<Run<Messages>>) -> CommFacts {
        facts(&Facts { communication: runs, ..Facts::default() }, &[]).unwrap()
    }

    #[test]
    fn ranks_of_the_newest_job_are_joined_by_place() {
        let found = of(vec![run(0, "old", 9.0, 0.0), run(0, "new", 3.0, 0.0), run(1, "new", 1.0, 0.0)]);
        assert_eq!((found.size, found.ranks.len(), found.sites.len()), (Some(2), 2, 2));
        let reduce = &found.sites[0];
        assert_eq!((reduce.function.as_str(), reduce.place.as_str()), ("MPI_Allreduce", "halo.c:14"));
        assert_eq!((reduce.calls, reduce.bytes, reduce.seconds), (100, 800, 2.0));
        assert_eq!((reduce.worst_rank, reduce.best_rank), (0, 1));
        // max 3, mean 2: 1 / 3 x 2 / 1.
        let imbalance = reduce.imbalance.unwrap();
        assert_eq!((imbalance.excess, (imbalance.share * 1e9).round()), (1.0, (2.0 / 3.0 * 1e9_f64).round()));
        // The rank that came last did not wait: the call takes 1 s, so that the other waited 2 s, on average 1 s.
        assert_eq!((reduce.sync_seconds, reduce.sync_at_least), (None, Some(1.0)));
        let send = &found.sites[1];
        assert_eq!((send.sync_at_least, send.bins), (None, [0, 0, 100, 0, 0, 0]));
        assert_eq!(
            found.matrix,
            [
                CommEdge { from: 0, to: 1, messages: 50, bytes: 40_000 },
                CommEdge { from: 1, to: 0, messages: 50, bytes: 40_000 }
            ]
        );
        assert_eq!(found.seconds, 2.25);
    }

    #[test]
    fn with_barriers_waiting_is_known_and_not_estimated() {
        let found = of(vec![run(0, "new", 1.0, 0.5), run(1, "new", 1.0, 2.5)]);
        let reduce = found.sites.iter().find(|site| site.class == CallClass::Collective).unwrap();
        assert_eq!((reduce.sync_seconds, reduce.sync_at_least), (Some(1.5), None));
        let send = found.sites.iter().find(|site| site.class == CallClass::PointToPoint).unwrap();
        assert_eq!(send.sync_seconds, None);
    }

    #[test]
    fn calls_of_the_ranks_add_up_to_those_of_their_place() {
        let runs = vec![run(0, "old", 9.0, 0.0), run(0, "new", 1.0, 0.5), run(1, "new", 1.0, 2.5)];
        let facts_of_runs = Facts { communication: runs, ..Facts::default() };
        let joined = facts(&facts_of_runs, &[]).unwrap();
        let by_rank = by_rank(&facts_of_runs, &[]);
        assert_eq!(joined.sites, by_rank.iter().map(|of| of.site.clone()).collect::<Vec<_>>());
        for of in &by_rank {
            let sum =
                |part: fn(&Called) -> u64| of.ranks.iter().map(|(_, site)| part(&site.called)).sum::<u64>();
            assert_eq!((sum(|c| c.calls), sum(|c| c.bytes)), (of.site.calls, of.site.bytes));
            assert_eq!(of.ranks.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0, 1]);
            let waited: Vec<_> = of.ranks.iter().map(|(_, site)| of.sync_seconds(site)).collect();
            let collective = of.site.class == CallClass::Collective;
            assert_eq!(waited, if collective { [Some(0.5), Some(2.5)] } else { [None, None] });
        }
    }

    #[test]
    fn without_a_launcher_there_is_one_process() {
        let mut alone = run(0, "", 1.0, 0.0);
        alone.target.rank = None;
        let found = of(vec![run(1, "x", 1.0, 0.0), alone]);
        assert_eq!(found.ranks.len(), 1);
        assert_eq!(found.sites[0].imbalance, None);
    }

    #[test]
    fn counts_that_do_not_fit_stay_at_the_largest_number() {
        let mut one = run(0, "x", 1.0, 0.0);
        one.facts.sites[0].called.bytes = u64::MAX;
        let mut other = run(1, "x", 1.0, 0.0);
        other.facts.sites[0].called.bytes = u64::MAX;
        let found = of(vec![one, other]);
        assert!(found.sites.iter().any(|site| site.bytes == u64::MAX));
    }
}
