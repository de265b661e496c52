//! The lookups, on loops whose numbers can be checked by hand.

use super::*;
use crate::fixtures::{bound_by, count, measured, near, scalar_loop, states, vector_loop};
use crate::recommendation::Recommendation;
use crate::rules::no_fma;
use loopwright_analysis::model::{Analysis, CountingFacts, Unmeasured};
use loopwright_costs::Gain;

/// 100 entries of 1e6 machine iterations on four doubles: 96 MB per entry, a third of it stored.
fn streaming(headroom: f64) -> Analysis {
    measured(vec![vector_loop(|l| {
        count(l, 100, 1_000_000);
        bound_by(l, "DRAM", headroom);
    })])
}

fn advice(analysis: &Analysis) -> Recommendation {
    let facts = Facts::new(analysis);
    facts.about_loop(&no_fma::RULE, &analysis.loops[0]).gain(0.4, Gain::between(1.5, 3.0))
}

#[test]
fn at_the_roof_of_memory_nothing_is_said_of_arithmetic() {
    let analysis = streaming(1.2);
    let facts = Facts::new(&analysis);
    assert!(facts.within_memory(advice(&analysis), &analysis.loops[0]).is_none());
}

#[test]
fn a_little_below_the_roof_no_more_is_promised_than_memory_leaves() {
    let analysis = streaming(1.9);
    let facts = Facts::new(&analysis);
    let r = facts.within_memory(advice(&analysis), &analysis.loops[0]).unwrap();
    assert_eq!(r.loop_gain, Some(Gain::between(1.5, 1.9)));
    assert!(
        states!(r, Memory::OfMemoryRoof { share, level: MemoryLevel::Dram, gbytes_per_second: Some((achieved, roof)), beyond_caches: true } if near(*share, 1.0 / 1.9) && near(*achieved, 12.0 / 1.9) && near(*roof, 12.0)),
        "{r:?}"
    );
}

#[test]
fn data_that_may_be_in_a_cache_lowers_the_careful_end_only() {
    // 1000 iterations of 96 bytes per entry: in L2, whatever the rate says.
    let analysis = measured(vec![vector_loop(|l| {
        count(l, 100_000, 1000);
        bound_by(l, "DRAM", 1.2);
    })]);
    let facts = Facts::new(&analysis);
    let r = facts.within_memory(advice(&analysis), &analysis.loops[0]).unwrap();
    assert_eq!(r.loop_gain, Some(Gain::between(1.2, 3.0)));
}

#[test]
fn a_process_that_fits_into_the_cache_does_not_wait_for_memory() {
    let mut analysis = measured(vec![vector_loop(|l| {
        count(l, 100_000, 1000);
        bound_by(l, "DRAM", 1.2);
    })]);
    analysis.program.peak_resident_bytes = 8 << 20;
    let facts = Facts::new(&analysis);
    let r = facts.within_memory(advice(&analysis), &analysis.loops[0]).unwrap();
    assert_eq!(r.loop_gain, Some(Gain::between(1.5, 3.0)));
    // L3 at 40 GB/s instead of memory at 12, of which 10 are reached.
    assert!((facts.farthest_headroom(&analysis.loops[0]).unwrap() - 4.0).abs() < 1e-9);
    analysis.program.peak_resident_bytes = 1 << 30;
    assert!((Facts::new(&analysis).farthest_headroom(&analysis.loops[0]).unwrap() - 1.2).abs() < 1e-9);
}

#[test]
fn far_from_every_roof_memory_is_no_excuse() {
    let analysis = streaming(3.0);
    let facts = Facts::new(&analysis);
    assert!(facts.memory_bound(&analysis.loops[0]).is_none());
    let r = facts.within_memory(advice(&analysis), &analysis.loops[0]).unwrap();
    assert_eq!(r.loop_gain, Some(Gain::between(1.5, 3.0)));
}

#[test]
fn the_pass_that_leaves_the_caches() {
    let analysis = streaming(1.2);
    let pass = Facts::new(&analysis).beyond_caches(&analysis.loops[0], |w| w.bytes_loaded).unwrap();
    assert_eq!((pass.bytes, pass.of_loop()), (64_000_000, true));
    // 32 MB stored per entry is below the 32 MiB of the cache.
    assert!(Facts::new(&analysis).beyond_caches(&analysis.loops[0], |w| w.bytes_stored).is_none());
}

#[test]
fn a_row_leaves_the_caches_with_the_loop_over_rows() {
    let row = vector_loop(|l| {
        l.parent = Some(2);
        count(l, 1_000_000, 250);
    });
    let rows = scalar_loop(|l| {
        (l.id, l.group, l.innermost, l.children) = (2, 2, false, vec![1]);
        count(l, 100, 10_000);
    });
    let mut analysis = measured(vec![row, rows]);
    let pass = Facts::new(&analysis).beyond_caches(&analysis.loops[0], |w| w.bytes_stored).unwrap();
    assert_eq!((pass.bytes, pass.of_loop()), (80_000_000, false));
    analysis.program.peak_resident_bytes = 30 << 20;
    assert!(Facts::new(&analysis).beyond_caches(&analysis.loops[0], |w| w.bytes_stored).is_none());
}

#[test]
fn cycles_and_instructions_against_time() {
    let analysis = measured(vec![scalar_loop(|l| count(l, 1, 1_000_000_000))]);
    let facts = Facts::new(&analysis);
    let of = &analysis.loops[0];
    // 6 GFLOP/s scalar are 3 GHz; 4 s are 12e9 cycles for 1e9 iterations of 6 instructions.
    assert_eq!(facts.clock_ghz(), Some(3.0));
    assert_eq!(facts.instructions_per_cycle(of), Some(0.5));
    assert_eq!(facts.time_share_of_cycles(of, 12.0), Some(1.0));
}

#[test]
fn counts_are_asked_for_only_where_they_can_be_had() {
    let mut analysis = measured(vec![scalar_loop(|_| ())]);
    let facts = Facts::new(&analysis);
    let asked = facts.asking_for_counts(advice(&analysis), &analysis.loops[0]);
    assert_eq!(asked.next.as_deref(), Some("loopwright tripcounts --loops 1 -- ./app input"));
    analysis.loops[0].not_counted = Some(Unmeasured::OtherLoops);
    let facts = Facts::new(&analysis);
    assert_eq!(facts.asking_for_counts(advice(&analysis), &analysis.loops[0]).next, None);
}

#[test]
fn no_rate_is_made_of_counts_that_are_cut_short_or_mostly_bounds() {
    let mut analysis = streaming(1.2);
    let of = &mut analysis.loops[0];
    let work = of.work.as_mut().unwrap();
    (work.flop_is_bound, work.bound_flop) = (true, work.flop / 2);
    assert!(Facts::new(&analysis).memory_bound(&analysis.loops[0]).is_none());
    let mut analysis = streaming(1.2);
    assert!(Facts::new(&analysis).memory_bound(&analysis.loops[0]).is_some());
    assert!(Facts::new(&analysis).instructions_per_cycle(&analysis.loops[0]).is_some());
    analysis.counts = Some(CountingFacts { interrupted: true, ..CountingFacts::default() });
    let facts = Facts::new(&analysis);
    let of = &analysis.loops[0];
    assert!(facts.memory_bound(of).is_none() && facts.instructions_per_cycle(of).is_none());
    assert!(facts.time_share_of_cycles(of, 4.0).is_none());
}

#[test]
fn steps_are_narrowed_by_the_extremes() {
    let mut trips = crate::fixtures::trips(10, 16);
    trips.histogram = vec![(16, 19, 10)];
    assert_eq!(distribution(&trips), [(16, 16, 10)]);
    trips.approximate = true;
    assert_eq!(distribution(&trips), [(16, 19, 10)]);
}

#[test]
fn machine_iterations_become_those_of_the_source_where_a_count_or_a_trace_shows_how_many_each_does() {
    use crate::fixtures::checked;
    use loopwright_analysis::model::{ParallelVerdict, VectorVerdict};
    let packed = |change: fn(&mut LoopFacts)| {
        let of = vector_loop(|l| {
            count(l, 10, 2560);
            let trips = l.trip_count.as_mut().unwrap();
            (trips.source_mean, trips.source_factor) = (None, None);
            checked(l, VectorVerdict::Safe, ParallelVerdict::Independent);
            change(l);
        });
        turns(&of).unwrap()
    };
    assert_eq!(packed(|_| ()), Turns { mean: 2560.0, machine: true }, "a trace that found no factor");
    let traced = packed(|l| l.dependence.as_mut().unwrap().checked_machine_iterations /= 8);
    assert_eq!(traced, Turns { mean: 8.0 * 2560.0, machine: false });
    let counted = packed(|l| l.trip_count.as_mut().unwrap().source_factor = Some(16));
    assert_eq!(counted, Turns { mean: 16.0 * 2560.0, machine: false });
    assert_eq!(packed(|l| l.vectorized = false), Turns { mean: 2560.0, machine: false });
    assert!(turns(&vector_loop(|_| ())).is_none());
}
