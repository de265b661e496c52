//! Write streams larger than the last-level cache that still read every line before they overwrite it.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Machine, Memory, Operand};
use crate::facts::unit_strided_store;
use crate::prelude::*;
use crate::traced::{executions, to_arrays};
use crate::traffic::data_caches;
use loopwright_analysis::model::{AccessFacts, MachineFacts, StridePattern, WorkRow};
use loopwright_patterns::facts::AccessKind;
use loopwright_stats::saturating_sum;
use loopwright_vocabulary::MemoryLevel;
use std::collections::BTreeSet;

pub(crate) static RULE: Rule = Rule {
    id: "write-allocate",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("write_allocate.md")),
};

/// Stores below this part of the traffic save less than a fifth of it at best, and cost registers and fences.
const LEAST_STORED: f64 = 0.15;
/// A pass must not merely touch the size of the cache: sizes vary, and part of the lines would still be hits.
const CLEARLY_LARGER: f64 = 1.5;

/// Of the stores, those that could go past the caches.
const MOST_OF_STORES: f64 = 0.5;
/// Simulated misses per 1000 accesses of the last level that are none.
const FEW_MISSES: f64 = 1.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.idiom.is_some() {
        return None;
    }
    let work = of.work.as_ref()?;
    let bound = facts.memory_bound(of).filter(|bound| bound.slowest)?;
    let cached = work.bytes_stored.saturating_sub(work.bytes_streamed);
    let stored = cached as f64 / work.bytes().max(1) as f64;
    if stored < LEAST_STORED {
        return None;
    }
    let seen = facts.traced(of).map(|traced| seen(facts, traced));
    let fits = match &seen {
        Some(seen) => *seen == Seen::WrittenOnly,
        None => of.strides.iter().any(|s| unit_strided_store(of, s)) && !updates_in_place(of),
    };
    if !fits {
        return None;
    }
    // A stored line is gone when it comes back if all that a pass moves is too much, what it reads included.
    let pass = facts.beyond_caches(of, |w: &WorkRow| w.bytes().saturating_sub(w.bytes_streamed))?;
    let cache = facts.last_cache()?;
    if (pass.bytes as f64) < CLEARLY_LARGER * cache as f64 {
        return None;
    }
    // Read + write for each stored byte now, write alone then.
    let saved = saturating_sum([work.bytes(), cached]) as f64 / work.bytes().max(1) as f64;
    let measured = facts.machine().and_then(|m| benchmark_gain(m, stored, of));
    if measured.is_some_and(|m| m < LEAST_GAIN) {
        return None;
    }
    let gain = match measured {
        Some(measured) => Gain::between(saved.min(measured), saved.max(measured) * estimates::FEWER_TURNS),
        None => Gain::of(saved).hedged(estimates::SEEN).reaching(saved * estimates::FEWER_TURNS),
    };
    let reads = work.bytes_loaded > 0;
    let of_loop = pass.of_loop();
    let mut new = facts
        .about_loop(&RULE, of)
        .named("non-temporal-stores", "Write this stream past the caches: non-temporal stores")
        .because(Provenance::Modelled, facts.near_roof(&bound))
        .because(Provenance::Counted, Memory::ThroughCaches { pass, cache, stored })
        .because(Provenance::Modelled, Memory::WithoutReads { times: saved });
    if let Some(measured) = measured {
        new = new.because(Provenance::Measured, Machine::StreamingStores { times: measured });
    }
    let ambiguous = seen.is_none() && may_update_in_place(of);
    let confidence = match (of_loop && !ambiguous, reads && seen.is_none()) {
        (true, false) => Confidence::High,
        (true, true) => Confidence::Medium,
        (false, _) => Confidence::Low,
    };
    if let Some(traced) = facts.traced(of).filter(|_| seen.is_some()) {
        new = new.because(
            Provenance::Counted,
            Memory::StoredOnly { operands: Operand::of_all(written(traced)), extent: facts.extent(traced) },
        );
    }
    let gain = if ambiguous { gain.at_most() } else { gain };
    if ambiguous {
        new = new.because(Provenance::Binary, Memory::MayUpdateInPlace);
    }
    if reads {
        new = new.next(facts.collect("map", of));
    }
    Some(new.gain(of.group_share, gain).confidence(confidence).how(how!(RULE)))
}

/// What a tracing run says of the stored arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// Consecutive elements of arrays that the loop does not read, and that are not in the last cache.
    WrittenOnly,
    /// Read in the loop, not consecutive, streamed already, or in the caches when they are stored.
    Otherwise,
}

/// Consecutive stores through the caches.
fn written(traced: &LoopFacts) -> impl Iterator<Item = &AccessFacts> {
    to_arrays(traced)
        .filter(|a| a.kind == AccessKind::Store && !a.streaming && a.pattern == StridePattern::Unit)
}

fn seen(facts: &Facts, traced: &LoopFacts) -> Seen {
    let read = |array: u32| to_arrays(traced).any(|a| a.kind.reads() && a.array == Some(array));
    let stored = executions(to_arrays(traced).filter(|a| a.kind.writes()));
    let alone = executions(written(traced).filter(|a| a.array.is_none_or(|array| !read(array))));
    // A last level that never misses keeps the lines from one pass to the next.
    let last = data_caches(traced).last().map(|c| c.estimated_misses_per_1000);
    let kept = last.is_some_and(|misses| misses < FEW_MISSES);
    // The whole range of an entry that was seen from beginning to end fits, and so it does for the next one.
    let small = traced.parent.is_none()
        && traced.memory.as_ref().is_some_and(|m| {
            !m.footprint_is_bound
                && m.footprint_line_bytes > 0
                && facts.last_cache().is_some_and(|c| m.footprint_line_bytes <= c)
        });
    if stored > 0.0 && alone >= MOST_OF_STORES * stored && !kept && !small {
        Seen::WrittenOnly
    } else {
        Seen::Otherwise
    }
}

/// Addresses of the instructions whose operand moves with the loop.
fn moving(of: &LoopFacts, store: bool) -> BTreeSet<u64> {
    of.strides.iter().filter(|s| s.store == store && s.bytes != 0).map(|s| s.address).collect()
}

/// Every store is half of an instruction that reads the same address first (`add [mem], reg`).
fn updates_in_place(of: &LoopFacts) -> bool {
    let (loads, stores) = (moving(of, false), moving(of, true));
    !stores.is_empty() && stores.is_subset(&loads)
}

/// As many arrays are read as are written and computed with: `b[i] = s * a[i]` and `a[i] = s * a[i]` look alike.
fn may_update_in_place(of: &LoopFacts) -> bool {
    let loads = moving(of, false).len();
    loads > 0 && loads <= moving(of, true).len() && of.flop_per_iteration.values().any(|&n| n > 0)
}

/// What non-temporal stores gain in the machine's bandwidth benchmark with the nearest share of stores, on as many cores.
fn benchmark_gain(machine: &MachineFacts, stored: f64, of: &LoopFacts) -> Option<f64> {
    const KERNELS: [(&str, f64); 3] = [("triad", 1.0 / 3.0), ("copy", 0.5), ("store", 1.0)];
    let cores = of.roofline.as_ref().and_then(|p| p.cores).unwrap_or(1);
    let bandwidths = &machine.ceilings.as_ref()?.bandwidths;
    let of_kernel = |kernel: &str| {
        let here = bandwidths
            .iter()
            .filter(|b| b.level == MemoryLevel::Dram && b.kernel == kernel && b.gbytes > 0.0);
        // Measured on one core and on all: the nearer one.
        here.min_by_key(|b| b.cores.abs_diff(cores)).map(|b| (b.cores, b.gbytes))
    };
    let both = KERNELS.iter().filter_map(|(kernel, share)| {
        let (cores, cached) = of_kernel(kernel)?;
        let (streamed_cores, streamed) = of_kernel(&format!("{kernel}-nt"))?;
        (cores == streamed_cores).then_some(((share - stored).abs(), streamed / cached))
    });
    both.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, ratio)| ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{bound_by, count, fired, measured, near, states, stride, vector_loop};
    use loopwright_analysis::model::{Analysis, BandwidthCeiling};

    /// `a[i] = b[i] + s * c[i]`, 20 passes over `each` vectors of 32 bytes.
    fn triad(each: u64, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        measured(vec![vector_loop(|l| {
            // Three operands of three instructions.
            for (k, s) in l.strides.iter_mut().enumerate() {
                s.address += 8 * k as u64;
            }
            count(l, 20, each);
            bound_by(l, "DRAM", 1.3);
            change(l);
        })])
    }

    fn with_benchmark(analysis: &mut Analysis, gbytes: f64) {
        let ceilings = analysis.machine.as_mut().and_then(|m| m.ceilings.as_mut()).unwrap();
        let new = BandwidthCeiling { level: MemoryLevel::Dram, kernel: "triad-nt".into(), cores: 1, gbytes };
        ceilings.bandwidths.push(new);
    }

    #[test]
    fn fires_on_stream_triad_with_the_saved_traffic() {
        let r = fired(&RULE, &triad(5_000_000, |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("non-temporal-stores", Confidence::Medium));
        // 16 loaded, 8 stored: 32 / 24.
        assert!(
            (r.loop_gain.unwrap().high() - estimates::FEWER_TURNS * 4.0 / 3.0).abs() < 1e-9,
            "{:?}",
            r.loop_gain
        );
        assert!(
            states!(r, Memory::ThroughCaches { pass, stored, .. } if pass.bytes == 480_000_000 && near(*stored, 1.0 / 3.0)),
            "{:?}",
            r.said()
        );
        assert_eq!(r.next.as_deref(), Some("loopwright map --loops 1 -- ./app input"));
    }

    #[test]
    fn the_machines_own_benchmark_decides() {
        let mut analysis = triad(5_000_000, |_| ());
        with_benchmark(&mut analysis, 15.0);
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(r.loop_gain, Some(Gain::between(1.25, 4.0 / 3.0 * estimates::FEWER_TURNS)));
        let mut gains_nothing = triad(5_000_000, |_| ());
        with_benchmark(&mut gains_nothing, 12.1);
        assert!(fired(&RULE, &gains_nothing).is_none());
    }

    #[test]
    fn a_stream_without_loads_is_sure() {
        let r = fired(
            &RULE,
            &triad(5_000_000, |l| {
                l.strides.retain(|s| s.store);
                let work = l.work.as_mut().unwrap();
                work.bytes_loaded = 0;
            }),
        )
        .unwrap();
        assert_eq!(
            (r.confidence, r.loop_gain.unwrap().high()),
            (Confidence::High, 2.0 * estimates::FEWER_TURNS)
        );
    }

    #[test]
    fn what_may_be_an_update_in_place_is_a_hint_only() {
        let r = fired(
            &RULE,
            &triad(5_000_000, |l| {
                l.strides.remove(0);
                l.work.as_mut().unwrap().bytes_loaded /= 2;
            }),
        )
        .unwrap();
        assert_eq!((r.confidence, r.loop_gain.unwrap().low()), (Confidence::Low, 1.0));
    }

    fn traced_triad(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        use crate::fixtures::{access, in_caches, of_array, trace};
        triad(5_000_000, |l| {
            let of = |name: &str, kind, array| of_array(access(name, kind, 8, 1), array, 160_000_000, 1.0);
            trace(
                l,
                vec![
                    of("b[i]", AccessKind::Load, 0),
                    of("c[i]", AccessKind::Load, 1),
                    of("a[i]", AccessKind::Store, 2),
                ],
            );
            in_caches(l, [(500.0, 1.5), (500.0, 1.5), (500.0, 1.5)]);
            change(l);
        })
    }

    #[test]
    fn a_trace_confirms_that_the_array_is_only_written() {
        let r = fired(&RULE, &traced_triad(|_| ())).unwrap();
        assert_eq!((r.confidence, &r.next), (Confidence::High, &None));
        assert!(
            states!(r, Memory::StoredOnly { operands, .. } if operands.len() == 1 && operands[0].to_string() == "`a[i]`")
        );
        // Ambiguous in the code: as many loads as stores.
        let scale = traced_triad(|l| {
            l.strides.remove(0);
            l.access.remove(0);
        });
        assert!(fired(&RULE, &scale).unwrap().loop_gain.unwrap().low() > 1.0);
    }

    #[test]
    fn a_trace_silences_it_where_the_array_is_read_near_or_written_elsewhere() {
        let read = traced_triad(|l| l.access[0].array = Some(2));
        assert!(fired(&RULE, &read).is_none(), "a[i] = a[i] + s * c[i]");
        let apart = traced_triad(|l| l.access[2].pattern = StridePattern::Variable);
        assert!(fired(&RULE, &apart).is_none());
        let near = traced_triad(|l| {
            crate::fixtures::in_caches(l, [(500.0, 1.5), (500.0, 1.5), (0.2, 0.0)]);
        });
        assert!(fired(&RULE, &near).is_none(), "the last level keeps it");
        let small = traced_triad(|l| l.memory.as_mut().unwrap().footprint_line_bytes = 1 << 20);
        assert!(fired(&RULE, &small).is_none());
    }

    #[test]
    fn silent_in_the_caches_without_counts_and_away_from_memory() {
        assert!(fired(&RULE, &triad(500_000, |_| ())).is_none(), "48 MB, 32 MiB of cache");
        assert!(fired(&RULE, &triad(1000, |_| ())).is_none());
        assert!(fired(&RULE, &triad(5_000_000, |l| l.work = None)).is_none());
        assert!(fired(&RULE, &triad(5_000_000, |l| bound_by(l, "L3", 1.2))).is_none());
        assert!(fired(&RULE, &triad(5_000_000, |l| bound_by(l, "DRAM", 5.0))).is_none());
        assert!(fired(&RULE, &triad(5_000_000, |l| bound_by(l, "AVX2 f64", 1.1))).is_none());
    }

    #[test]
    fn silent_where_stores_stream_already_scatter_or_read_their_own_line() {
        let streamed = triad(5_000_000, |l| {
            let work = l.work.as_mut().unwrap();
            work.bytes_streamed = work.bytes_stored;
        });
        assert!(fired(&RULE, &streamed).is_none());
        let scattered = triad(5_000_000, |l| l.strides = vec![stride(4096, 32, true)]);
        assert!(fired(&RULE, &scattered).is_none());
        let updated = triad(5_000_000, |l| l.strides = vec![stride(32, 32, false), stride(32, 32, true)]);
        assert!(fired(&RULE, &updated).is_none(), "one instruction loads and stores");
    }
}
