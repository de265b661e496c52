//! The job as a whole, from what was collected of its ranks.

mod clusters;
mod steps;

use crate::counts::imbalance::imbalance;
use crate::model::{Analysis, CommFacts, JobFacts, JobPart, JobPartKind, Provenance};
use std::collections::{BTreeMap, BTreeSet};
pub use steps::steps;

/// The time of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct RankTime {
    rank: u32,
    elapsed: f64,
    communication: f64,
    input_output: f64,
}

impl RankTime {
    fn computation(&self) -> f64 {
        (self.elapsed - self.communication - self.input_output).max(0.0)
    }

    fn part(&self, kind: JobPartKind) -> f64 {
        match kind {
            JobPartKind::Computation => self.computation(),
            JobPartKind::Communication => self.communication,
            JobPartKind::InputOutput => self.input_output,
        }
    }
}

/// The facts; none where neither communication nor input and output was counted.
pub fn facts(analysis: &Analysis) -> Option<JobFacts> {
    let times = times(analysis);
    if times.is_empty() {
        return None;
    }
    let comm_hosts = analysis.comm.iter().flat_map(|comm| comm.ranks.iter().map(|rank| &rank.host));
    let io_hosts = analysis.io.iter().flat_map(|io| io.ranks.iter().map(|rank| &rank.host));
    let hosts: BTreeSet<&String> = comm_hosts.chain(io_hosts).collect();
    let part = |kind| part(kind, &times, analysis.comm.as_ref());
    let mut parts = vec![part(JobPartKind::Computation)];
    parts.extend(analysis.comm.as_ref().map(|_| part(JobPartKind::Communication)));
    parts.extend(analysis.io.as_ref().map(|_| part(JobPartKind::InputOutput)));
    Some(JobFacts {
        how: Provenance::Measured,
        elapsed_seconds: times.iter().map(|time| time.elapsed).fold(0.0, f64::max),
        ranks: times.len() as u32,
        hosts: hosts.len() as u32,
        parts,
        clusters: if times.len() > 1 { clusters::clusters(&times) } else { Vec::new() },
        steps: steps(analysis),
    })
}

/// The times of the ranks, by rank. Where communication and input and output were counted in different runs, the share of the run that
/// input and output took is taken over to the run that counted communication.
fn times(analysis: &Analysis) -> Vec<RankTime> {
    let mut times: BTreeMap<u32, RankTime> = BTreeMap::new();
    for rank in analysis.comm.iter().flat_map(|comm| &comm.ranks) {
        // `io` counts calls for files, too.
        let files = if analysis.io.is_some() { rank.file_seconds } else { 0.0 };
        let time = RankTime {
            rank: rank.rank,
            elapsed: rank.elapsed_seconds,
            communication: (rank.seconds - files).clamp(0.0, rank.elapsed_seconds.max(0.0)),
            input_output: 0.0,
        };
        times.insert(rank.rank, time);
    }
    for rank in analysis.io.iter().flat_map(|io| &io.ranks) {
        let known = analysis.comm.is_some();
        let time = match times.get_mut(&rank.rank) {
            Some(time) => time,
            // A rank whose communication is not known would look like one that computes.
            None if known => continue,
            None => times.entry(rank.rank).or_insert(RankTime {
                rank: rank.rank,
                elapsed: rank.elapsed_seconds,
                ..RankTime::default()
            }),
        };
        // Threads' times are added up: together they take no longer than the run.
        let share = crate::calls::share_of_run(rank.seconds, rank.elapsed_seconds);
        time.input_output = share * time.elapsed;
    }
    times.into_values().collect()
}

fn part(kind: JobPartKind, times: &[RankTime], comm: Option<&CommFacts>) -> JobPart {
    let of = |time: &RankTime| time.part(kind);
    let mean = |of: &dyn Fn(&RankTime) -> f64| times.iter().map(of).sum::<f64>() / times.len().max(1) as f64;
    let seconds = mean(&of);
    let worst = times.iter().max_by(|a, b| of(a).total_cmp(&of(b)).then(b.rank.cmp(&a.rank)));
    let waiting = |comm: &CommFacts| {
        let known = comm.sites.iter().filter_map(|site| site.sync_seconds.or(site.sync_at_least));
        known.reduce(|a, b| a + b)
    };
    JobPart {
        kind,
        seconds,
        share: crate::calls::share_of_run(seconds, mean(&|time| time.elapsed)),
        imbalance: imbalance(times.iter().map(of), times.len()),
        worst_rank: worst.map_or(0, |time| time.rank),
        waiting_seconds: comm.filter(|_| kind == JobPartKind::Communication).and_then(waiting),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;
    use crate::model::{CommRank, IoFacts, IoRank};
    use loopwright_experiment::Facts;

    pub(super) fn comm(seconds: &[(f64, f64)]) -> CommFacts {
        let rank = |(rank, &(elapsed_seconds, seconds)): (u32, &(f64, f64))| CommRank {
            rank,
            host: format!("n{}", rank / 2),
            elapsed_seconds,
            seconds,
            file_seconds: 0.5,
            calls: 1,
            messages: 0,
            bytes: 0,
        };
        CommFacts {
            how: Provenance::Counted,
            size: Some(seconds.len() as u32),
            elapsed_seconds: seconds.iter().map(|s| s.0).fold(0.0, f64::max),
            seconds: 0.0,
            barriers: false,
            ranks: (0..).zip(seconds).map(rank).collect(),
            sites: Vec::new(),
            matrix: Vec::new(),
            lost: None,
            left: Vec::new(),
            advice: Vec::new(),
            network_wanted: false,
            warnings: Vec::new(),
        }
    }

    fn io(seconds: &[(f64, f64)]) -> IoFacts {
        let rank = |(rank, &(elapsed_seconds, seconds)): (u32, &(f64, f64))| IoRank {
            rank,
            host: "n0".to_owned(),
            elapsed_seconds,
            seconds,
            read_bytes: 0,
            written_bytes: 0,
        };
        IoFacts {
            how: Provenance::Counted,
            elapsed_seconds: 1.0,
            seconds: 0.0,
            ranks: (0..).zip(seconds).map(rank).collect(),
            files: Vec::new(),
            places: Vec::new(),
            advice: Vec::new(),
            lost: None,
            left: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn parts_are_joined_over_runs_by_their_shares() {
        let mut analysis = analyse(&Facts::default());
        assert_eq!(facts(&analysis), None);
        // In the other run everything took twice as long. Half a second in MPI is for files.
        analysis.comm = Some(comm(&[(10.0, 2.5), (10.0, 6.5)]));
        analysis.io = Some(io(&[(20.0, 4.0), (20.0, 0.0), (20.0, 20.0)]));
        let job = facts(&analysis).unwrap();
        assert_eq!((job.ranks, job.hosts, job.elapsed_seconds), (2, 1, 10.0));
        let of = |part: &JobPart| (part.kind, part.seconds, part.share, part.worst_rank);
        use JobPartKind::{Communication, Computation, InputOutput};
        // Rank 0: 10 = 2 + 2 + 6; rank 1: 10 = 6 + 0 + 4.
        let wanted = [(Computation, 5.0, 0.5, 0), (Communication, 4.0, 0.4, 1), (InputOutput, 1.0, 0.1, 0)];
        assert_eq!(job.parts.iter().map(of).collect::<Vec<_>>(), wanted);
        // The deck's formula: (6 - 5) / 6 x 2.
        let imbalance = job.parts[0].imbalance.unwrap();
        assert!((imbalance.share - 1.0 / 3.0).abs() < 1e-12 && imbalance.excess == 1.0);
    }

    #[test]
    fn a_part_that_was_not_counted_is_computation() {
        let mut analysis = analyse(&Facts::default());
        analysis.io = Some(io(&[(4.0, 1.0)]));
        let job = facts(&analysis).unwrap();
        assert_eq!((job.ranks, job.parts.len(), job.clusters.len()), (1, 2, 0));
        assert_eq!((job.parts[0].seconds, job.parts[0].imbalance), (3.0, None));
    }
}
