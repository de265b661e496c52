//! Input and output of a job: what its ranks did, joined by file and by place.

mod advice;

use crate::calls::{self, Joined};
use crate::counts::imbalance::imbalance;
use crate::model::{IoFacts, IoFile, IoPlace, IoRank, IoTarget, LoopFacts, LostTransfers, Provenance};
use loopwright_experiment::input_output::InputOutput;
use loopwright_experiment::{Facts, Run};
use loopwright_instrument::input_output::{FileName, FileUse, IoSite};
use loopwright_stats::saturating_sum;
use std::collections::BTreeMap;

/// The ranks of the newest job whose input and output is known.
pub fn facts(facts: &Facts, loops: &[LoopFacts]) -> Option<IoFacts> {
    let runs = calls::newest_job(&facts.input_output, |_| None)?;
    let all = || runs.values().map(|run| &run.facts);
    let ranks: Vec<IoRank> = runs.iter().map(|(rank, run)| of_rank(*rank, run)).collect();
    let lost = |part: fn(&LostTransfers) -> u64| saturating_sum(all().map(|found| part(&found.lost)));
    let lost = LostTransfers {
        calls: lost(|l| l.calls),
        files: lost(|l| l.files),
        torn: lost(|l| l.torn),
        nested: lost(|l| l.nested),
    };
    let elapsed_seconds = ranks.iter().map(|rank| rank.elapsed_seconds).fold(0.0, f64::max);
    let (files, places) = (files(&runs), places(&runs, loops));
    let advice = advice::advice(&files, &places, elapsed_seconds);
    Some(IoFacts {
        how: Provenance::Counted,
        elapsed_seconds,
        seconds: ranks.iter().map(|rank| rank.seconds).sum::<f64>() / ranks.len() as f64,
        advice,
        files: files.into_iter().map(|(file, _)| file).collect(),
        places,
        ranks,
        lost: Some(lost).filter(|lost| *lost != LostTransfers::default()),
        left: calls::left(all().map(|found| &found.run)),
        warnings: calls::warnings(all().map(|found| &found.run)),
    })
}

fn of_rank(rank: u32, run: &Run<InputOutput>) -> IoRank {
    let found = &run.facts;
    IoRank {
        rank,
        host: run.target.host.clone(),
        elapsed_seconds: found.run.elapsed_seconds,
        seconds: found.sites.iter().map(|site| site.called.seconds).sum(),
        read_bytes: saturating_sum(found.files.iter().map(|file| file.read_bytes)),
        written_bytes: saturating_sum(found.files.iter().map(|file| file.written_bytes)),
    }
}

/// Most seconds of a rank in the calls of a file: where one rank writes for all, the others wait for it, and the mean says little.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slowest {
    read: f64,
    write: f64,
    other: f64,
}

fn files(runs: &BTreeMap<u32, &Run<InputOutput>>) -> Vec<(IoFile, Slowest)> {
    let mut joined: BTreeMap<&FileName, Vec<&FileUse>> = BTreeMap::new();
    for run in runs.values() {
        for file in &run.facts.files {
            joined.entry(&file.name).or_default().push(file);
        }
    }
    let mut all: Vec<(IoFile, Slowest)> =
        joined.into_iter().map(|(name, of)| (file(name, &of, runs.len()), slowest(&of))).collect();
    let spent = |file: &IoFile| file.read_seconds + file.write_seconds + file.other_seconds;
    all.sort_by(|(a, _), (b, _)| spent(b).total_cmp(&spent(a)));
    all
}

fn slowest(of: &[&FileUse]) -> Slowest {
    let most = |part: fn(&FileUse) -> f64| of.iter().map(|one| part(one)).fold(0.0, f64::max);
    Slowest {
        read: most(|one| one.read_seconds),
        write: most(|one| one.write_seconds),
        other: most(|one| one.other_seconds),
    }
}

fn file(name: &FileName, of: &[&FileUse], ranks: usize) -> IoFile {
    let mut sum = FileUse::default();
    of.iter().for_each(|one| sum.join(one));
    let mean = |seconds: f64| seconds / ranks.max(1) as f64;
    let transfers = saturating_sum([sum.consecutive, sum.forward, sum.backward]);
    let share = |n: u64| (transfers > 0).then(|| n as f64 / transfers as f64);
    let seconds = |file: &FileUse| file.read_seconds + file.write_seconds + file.other_seconds;
    let (target, path) = named(name);
    IoFile {
        target,
        path,
        ranks: of.len() as u32,
        opens: sum.opens,
        reads: sum.reads,
        writes: sum.writes,
        read_bytes: sum.read_bytes,
        written_bytes: sum.written_bytes,
        mapped_bytes: sum.mapped_bytes,
        read_seconds: mean(sum.read_seconds),
        write_seconds: mean(sum.write_seconds),
        other_seconds: mean(sum.other_seconds),
        longest_seconds: sum.longest_seconds,
        seeks: sum.seeks,
        syncs: sum.syncs,
        consecutive_share: share(sum.consecutive),
        backward_share: share(sum.backward),
        unaligned: sum.unaligned,
        switches: sum.switches,
        read_bins: sum.read_bins,
        write_bins: sum.write_bins,
        imbalance: imbalance(of.iter().map(|one| seconds(one)), ranks),
    }
}

fn named(name: &FileName) -> (IoTarget, Option<String>) {
    match name {
        FileName::Path { path, cut, in_folder } => {
            let dots = if *cut || *in_folder { "../" } else { "" };
            (IoTarget::File, Some(format!("{dots}{path}")))
        }
        FileName::Input => (IoTarget::Input, None),
        FileName::Output => (IoTarget::Output, None),
        FileName::Error => (IoTarget::Error, None),
        FileName::Unopened => (IoTarget::Unopened, None),
        FileName::Others => (IoTarget::Others, None),
        FileName::Lost => (IoTarget::Unknown, None),
    }
}

fn places(runs: &BTreeMap<u32, &Run<InputOutput>>, loops: &[LoopFacts]) -> Vec<IoPlace> {
    let joined = calls::by_place(runs, |found| &found.sites, |site| &site.called);
    let mut all: Vec<IoPlace> = joined.iter().filter_map(|of| place(of, runs.len(), loops)).collect();
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| b.calls.cmp(&a.calls)));
    all
}

fn place(of: &[(u32, &IoSite)], ranks: usize, loops: &[LoopFacts]) -> Option<IoPlace> {
    let sum = |part: fn(&IoSite) -> u64| saturating_sum(of.iter().map(|(_, site)| part(site)));
    let joined = Joined::of(of, |site| &site.called, ranks, loops)?;
    let spot = joined.spot;
    Some(IoPlace {
        function: joined.function,
        class: of.first()?.1.class,
        caller: spot.caller,
        module: spot.module,
        place: spot.place,
        loop_id: spot.loop_id,
        loop_place: spot.loop_place,
        calls: joined.calls,
        failed: sum(|site| site.failed),
        bytes: joined.bytes,
        without_bytes: joined.without_bytes,
        bins: joined.bins,
        transfers: sum(|site| site.transfers),
        moved: sum(|site| site.moved),
        seconds: joined.seconds,
        longest_seconds: joined.longest_seconds,
        imbalance: joined.imbalance,
        worst_rank: joined.worst_rank,
        callers: joined.callers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IoChange;
    use loopwright_instrument::calls::{Called, HookedRun};
    use loopwright_instrument::input_output::IoClass;
    use loopwright_sample::recording::{Rank, Target};

    fn run(rank: u32, job: &str, writes: u64, seconds: f64) -> Run<InputOutput> {
        let path = FileName::Path { path: "out.dat".into(), cut: false, in_folder: false };
        let facts = InputOutput {
            sites: vec![IoSite {
                called: Called {
                    function: "write".into(),
                    module: "/home/u/solver".into(),
                    address: 0x1234,
                    calls: writes,
                    bytes: 8 * writes,
                    seconds,
                    longest_seconds: seconds / 2.0,
                    ..Called::default()
                },
                class: IoClass::Write,
                transfers: writes,
                moved: 8 * writes,
                ..IoSite::default()
            }],
            files: vec![FileUse {
                name: path,
                opens: 1,
                writes,
                written_bytes: 8 * writes,
                write_seconds: seconds,
                consecutive: 3,
                backward: 1,
                ..FileUse::default()
            }],
            run: HookedRun { elapsed_seconds: 10.0, ..HookedRun::default() },
            ..InputOutput::default()
        };
        let of_job = Rank { rank, size: 2, launcher: "openmpi".into(), job: job.into() };
        Run {
            target: Target { rank: Some(of_job), host: "n1".into(), ..Target::default() },
            facts,
            ..Run::default()
        }
    }

    #[test]
    fn ranks_of_the_newest_job_are_joined_by_file_and_place() {
        let runs = vec![run(0, "old", 9, 9.0), run(0, "new", 10_000, 3.0), run(1, "new", 10_000, 1.0)];
        let found = facts(&Facts { input_output: runs, ..Facts::default() }, &[]).unwrap();
        assert_eq!((found.ranks.len(), found.files.len(), found.places.len()), (2, 1, 1));
        let file = &found.files[0];
        assert_eq!((file.path.as_deref(), file.ranks, file.opens), (Some("out.dat"), 2, 2));
        assert_eq!((file.writes, file.written_bytes, file.write_seconds), (20_000, 160_000, 2.0));
        assert_eq!((file.consecutive_share, file.backward_share), (Some(0.75), Some(0.25)));
        let place = &found.places[0];
        assert_eq!((place.place.as_str(), place.transfers, place.seconds), ("solver+0x1234", 20_000, 2.0));
        assert_eq!(place.worst_rank, 0);
        assert_eq!(found.seconds, 2.0);
        let [advice] = &found.advice[..] else { panic!("{:?}", found.advice) };
        assert_eq!(
            (advice.change, advice.calls, advice.mean_bytes),
            (IoChange::BufferWrites, 20_000, Some(8.0))
        );
        // 20,000 calls of 8 bytes are 3 of 64 KiB; the slower rank is in them for 3 s.
        assert_eq!((advice.at_most_seconds * 1e6).round(), 2_999_550.0);
    }

    #[test]
    fn what_one_rank_writes_for_all_costs_all_of_them_its_time() {
        let mut runs: Vec<_> = (0..4).map(|rank| run(rank, "a", 0, 0.0)).collect();
        runs[2] = run(2, "a", 10_000, 8.0);
        // Another one reads the file: its time is no part of the writing.
        runs[1].facts.files[0].read_seconds = 9.0;
        let found = facts(&Facts { input_output: runs, ..Facts::default() }, &[]).unwrap();
        assert_eq!(found.files[0].write_seconds, 2.0, "the mean");
        let [advice] = &found.advice[..] else { panic!("{:?}", found.advice) };
        assert_eq!(
            (advice.change, advice.at_most_seconds),
            (IoChange::BufferWrites, 8.0 * (1.0 - 2.0 / 10_000.0))
        );
    }

    #[test]
    fn sums_that_pass_the_largest_number_stay_there() {
        let mut one = run(0, "a", 1, 1.0);
        one.facts.files[0].consecutive = u64::MAX;
        let found = facts(&Facts { input_output: vec![one], ..Facts::default() }, &[]).unwrap();
        assert_eq!(found.files[0].consecutive_share, Some(1.0));
    }
}
