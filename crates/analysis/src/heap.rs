//! Allocations of a job: what its ranks asked for, joined by place.

use crate::calls::{self, Joined, WORTH, share_of_run};
use crate::model::{
    HeapAdvice, HeapChange, HeapFacts, HeapPlace, HeapRank, LoopFacts, LostAllocations, Provenance,
};
use loopwright_costs::estimates::FAULT_USER_SECONDS;
use loopwright_experiment::heap::HeapUse;
use loopwright_experiment::{Facts, Run};
use loopwright_instrument::heap::HeapSite;
use loopwright_stats::saturating_sum;
use std::collections::BTreeMap;

/// The ranks of the newest job whose allocations are known.
pub fn facts(facts: &Facts, loops: &[LoopFacts]) -> Option<HeapFacts> {
    let runs = calls::newest_job(&facts.heap, |_| None)?;
    let all = || runs.values().map(|run| &run.facts);
    let ranks: Vec<HeapRank> = runs.iter().map(|(rank, run)| of_rank(*rank, run)).collect();
    let lost = LostAllocations {
        calls: saturating_sum(all().map(|found| found.lost.calls)),
        samples: saturating_sum(all().map(|found| found.lost.samples)),
    };
    let elapsed_seconds = ranks.iter().map(|rank| rank.elapsed_seconds).fold(0.0, f64::max);
    let mut advice: Vec<HeapAdvice> = all().filter_map(|found| keep_blocks(found, elapsed_seconds)).collect();
    // One for the job: that of the rank that gains most.
    advice.sort_by(|a, b| b.at_most_seconds.total_cmp(&a.at_most_seconds));
    advice.truncate(1);
    Some(HeapFacts {
        how: Provenance::Counted,
        live_how: Provenance::Measured,
        elapsed_seconds,
        places: places(&runs, loops),
        advice,
        ranks,
        lost: Some(lost).filter(|lost| *lost != LostAllocations::default()),
        left: calls::left(all().map(|found| &found.run)),
        warnings: calls::warnings(all().map(|found| &found.run)),
    })
}

fn of_rank(rank: u32, run: &Run<HeapUse>) -> HeapRank {
    let found = &run.facts;
    HeapRank {
        rank,
        host: run.target.host.clone(),
        elapsed_seconds: found.run.elapsed_seconds,
        calls: saturating_sum(found.sites.iter().map(|site| site.called.calls)),
        bytes: saturating_sum(found.sites.iter().map(|site| site.called.bytes)),
        peak_bytes: found.peak_bytes,
        resident_bytes: found.resident_bytes,
        faults: found.faults,
        system_seconds: found.system_seconds,
    }
}

/// Bytes of a page.
const PAGE: u64 = 4096;
/// Pages touched beyond the most that were in use at a time, as a multiple of these: "far above" of the rule that a workshop on Cray
/// systems gives for malloc's settings.
const ANEW: u64 = 4;
/// Fewer large blocks are no habit.
const MANY: u64 = 10;

/// Memory that is given back and touched again is cleared by the system each time: at most its processor time can be saved, and what
/// the program loses on the way there and back, and of that the part of the faults beyond one for each page in use.
fn keep_blocks(found: &HeapUse, elapsed: f64) -> Option<HeapAdvice> {
    // The last two classes: 64 KiB and more.
    let large = |site: &HeapSite| saturating_sum(site.called.bins.iter().rev().take(2).copied());
    let large_calls = saturating_sum(found.sites.iter().map(large));
    let needed = found.resident_bytes / PAGE;
    let often = found.is_glibc && large_calls >= MANY && found.faults >= needed.saturating_mul(ANEW);
    if !often || needed == 0 {
        return None;
    }
    let outside = (found.faults as f64 * FAULT_USER_SECONDS).min(found.system_seconds);
    let again = 1.0 - needed as f64 / found.faults as f64;
    // Threads that fault at the same time take more than the run has.
    let at_most_seconds = ((found.system_seconds + outside) * again).min(elapsed);
    let at_most_share = share_of_run(at_most_seconds, elapsed);
    let change =
        HeapChange::KeepBlocks { faults: found.faults, resident_bytes: found.resident_bytes, large_calls };
    (at_most_share >= WORTH).then_some(HeapAdvice { change, at_most_seconds, at_most_share })
}

fn places(runs: &BTreeMap<u32, &Run<HeapUse>>, loops: &[LoopFacts]) -> Vec<HeapPlace> {
    let joined = calls::by_place(runs, |found| &found.sites, |site| &site.called);
    let mut all: Vec<HeapPlace> = joined.iter().filter_map(|of| place(of, runs.len(), loops)).collect();
    all.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| b.calls.cmp(&a.calls)));
    all
}

fn place(of: &[(u32, &HeapSite)], ranks: usize, loops: &[LoopFacts]) -> Option<HeapPlace> {
    let joined = Joined::of(of, |site| &site.called, ranks, loops)?;
    let spot = joined.spot;
    Some(HeapPlace {
        function: joined.function,
        caller: spot.caller,
        module: spot.module,
        place: spot.place,
        loop_id: spot.loop_id,
        loop_place: spot.loop_place,
        calls: joined.calls,
        bytes: joined.bytes,
        bins: joined.bins,
        live_bytes: saturating_sum(of.iter().map(|(_, site)| site.live_bytes)),
        peak_bytes: of.iter().map(|(_, site)| site.peak_bytes).max().unwrap_or(0),
        callers: joined.callers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::calls::{Called, HookedRun};
    use loopwright_sample::recording::{Rank, Target};

    fn run(rank: u32, job: &str, faults: u64) -> Run<HeapUse> {
        let site = |address, calls, bytes, bins| HeapSite {
            called: Called {
                function: "malloc".into(),
                module: "/home/u/solver".into(),
                address,
                calls,
                bytes,
                bins,
                ..Called::default()
            },
            live_bytes: 100,
            peak_bytes: 1000 * u64::from(rank + 1),
        };
        let facts = HeapUse {
            sites: vec![
                site(0x10, 1000, 8000, [1000, 0, 0, 0, 0, 0]),
                site(0x20, 20, 20 << 26, [0, 0, 0, 0, 0, 20]),
            ],
            peak_bytes: 64 << 20,
            faults,
            resident_bytes: 66 << 20,
            system_seconds: 4.0,
            is_glibc: true,
            run: HookedRun { elapsed_seconds: 5.0, ..HookedRun::default() },
            ..HeapUse::default()
        };
        let of_job = Rank { rank, size: 2, launcher: "openmpi".into(), job: job.into() };
        Run {
            target: Target { rank: Some(of_job), host: "n1".into(), ..Target::default() },
            facts,
            ..Run::default()
        }
    }

    fn of(runs: Vec<Run<HeapUse>>) -> HeapFacts {
        facts(&Facts { heap: runs, ..Facts::default() }, &[]).unwrap()
    }

    #[test]
    fn ranks_of_the_newest_job_are_joined_by_place() {
        let found = of(vec![run(0, "old", 0), run(0, "new", 17_000), run(1, "new", 17_000)]);
        assert_eq!((found.ranks.len(), found.places.len()), (2, 2));
        let (large, small) = (&found.places[0], &found.places[1]);
        assert_eq!((large.place.as_str(), large.calls, large.bytes), ("solver+0x20", 40, 40 << 26));
        assert_eq!((small.calls, small.live_bytes, small.peak_bytes, small.callers), (2000, 200, 2000, 2));
        assert!(found.advice.is_empty(), "each page was touched once");
    }

    #[test]
    fn blocks_that_are_given_back_and_touched_again_are_kept() {
        let found = of(vec![run(0, "a", 337_920)]);
        let [advice] = &found.advice[..] else { panic!("{:?}", found.advice) };
        // 66 MiB are 16,896 pages: one fault of twenty is needed; the system took 4 s, and the way there 0.5 us each time.
        assert!((advice.at_most_seconds - 0.95 * (4.0 + 0.16896)).abs() < 1e-9, "{advice:?}");
        let HeapChange::KeepBlocks { large_calls, faults, .. } = advice.change;
        assert_eq!((large_calls, faults), (20, 337_920));
        let mut other = run(0, "a", 337_920);
        other.facts.is_glibc = false;
        assert!(of(vec![other]).advice.is_empty(), "the settings are those of glibc");
        let mut quick = run(0, "a", 337_920);
        quick.facts.system_seconds = 0.01;
        assert!(of(vec![quick]).advice.is_empty(), "nothing to gain");
        let mut threads = run(0, "a", 337_920);
        threads.facts.system_seconds = 40.0;
        let found = of(vec![threads]);
        assert_eq!(
            (found.advice[0].at_most_seconds, found.advice[0].at_most_share),
            (5.0, 1.0),
            "all of the run"
        );
    }
}
