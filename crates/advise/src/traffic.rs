//! What the traffic between a loop and the levels of its memory costs, and what saving part of it gains.
//!
//! A tracing run simulates the machine's caches and says how many bytes each level fetches from the next in one
//! iteration. Time that goes to it is a range, because fetches overlap with each other and with arithmetic to a degree
//! that only hardware counters would show:
//!
//! * the least: the busiest level alone, at its measured bandwidth, everything else hidden behind it (the roofline view);
//! * the most: all levels one after the other, at half of that bandwidth (the non-overlapping view of the
//!   execution-cache-memory model: H. Stengel, J. Treibig, G. Hager, G. Wellein, ICS 2015); where addresses follow no
//!   pattern, or leave the page each time, each line waits for its level's latency, because no prefetcher can ask for it
//!   before. Addresses that miss the simulated TLBs are translated first, which is traffic like any other.
//!
//! Both are compared with the loop's time per counted iteration. Without counts or ceilings the range is from nothing to
//! everything, for loops whose data does leave L1.

use crate::facts::Facts;
use crate::traced::{executions, to_arrays};
use loopwright_analysis::model::{CacheFacts, LoopFacts, StridePattern};
use loopwright_binary::facts::ChainKind;
use loopwright_costs::estimates::{
    FILL_BUFFERS, LARGEST_GAIN, MOST_MEMORY_TIME, PAGE_WALK, POOR_BANDWIDTH, SAVED_OF_WALK, SECOND_TLB,
};
use loopwright_costs::{Gain, clean_share};
use loopwright_vocabulary::MemoryLevel;

/// Misses per 1000 accesses below which a level is not worth a word: 1 % of the accesses, at ten times the time.
const FEW_MISSES: f64 = 1.0;
/// Page walks per 1000 iterations below which a stream's walks are prefetched away.
pub const FEW_WALKS: f64 = 2.0;

/// What delivers to a level of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supplier {
    /// The level behind it.
    Memory(MemoryLevel),
    /// The page table: addresses that the TLBs do not hold are translated.
    PageTable,
}

/// What one level of memory delivers to the level before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// What delivers.
    pub from: Supplier,
    /// Misses per 1000 accesses of the level before it, at most.
    pub misses: f64,
    /// Share of the loop's time, lowest and highest.
    pub share: (f64, f64),
}

/// The traffic of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Traffic {
    /// What each level delivers, the nearest first; those that deliver next to nothing are left out.
    pub deliveries: Vec<Delivery>,
    /// The shares follow from counts, time and measured ceilings, not from nothing.
    pub timed: bool,
}

impl Traffic {
    /// Share of the loop's time that goes to traffic.
    pub fn share(&self) -> (f64, f64) {
        let sum =
            |pick: fn(&Delivery) -> f64| self.deliveries.iter().map(pick).sum::<f64>().min(MOST_MEMORY_TIME);
        (sum(|d| d.share.0), sum(|d| d.share.1))
    }

    /// The gain when of what each level delivers the part `saved` is no longer needed, and all the rest of the loop
    /// gets faster by `rest`.
    pub fn gain(&self, saved: impl Fn(&Delivery) -> f64, rest: Gain) -> Gain {
        let after = |pick: fn(&Delivery) -> f64, rest: f64| {
            let all: f64 = self.deliveries.iter().map(pick).sum();
            let scale = if all > MOST_MEMORY_TIME { MOST_MEMORY_TIME / all } else { 1.0 };
            let of_all = |d: &Delivery| pick(d) * scale;
            let left: f64 = self.deliveries.iter().map(|d| of_all(d) * (1.0 - clean_share(saved(d)))).sum();
            let others = 1.0 - self.deliveries.iter().map(of_all).sum::<f64>();
            1.0 / (left + others.max(0.0) / rest).max(1.0 / LARGEST_GAIN)
        };
        let ends: [fn(&Delivery) -> f64; 2] = [|d| d.share.0, |d| d.share.1];
        let low = ends.iter().map(|end| after(*end, rest.low())).fold(f64::INFINITY, f64::min);
        let high = ends.iter().map(|end| after(*end, rest.high())).fold(1.0, f64::max);
        Gain::between(low, high)
    }
}

/// The simulated data caches of the machine itself, nearest first.
pub fn data_caches(of: &LoopFacts) -> Vec<&CacheFacts> {
    let first = of.memory.as_ref().and_then(|m| m.caches.first());
    first.into_iter().flatten().filter(|c| c.level().is_some()).collect()
}

/// A simulated cache or TLB of the machine itself.
pub fn simulated<'l>(of: &'l LoopFacts, name: &str) -> Option<&'l CacheFacts> {
    of.memory.as_ref()?.caches.first()?.iter().find(|c| c.name == name)
}

/// How addresses are translated in one machine iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Translation {
    /// Misses of the first TLB.
    pub missed: f64,
    /// Misses of the second one: walks of the page table.
    pub walks: f64,
}

impl Translation {
    /// Nanoseconds per iteration, lowest and highest.
    pub fn nanoseconds(self) -> (f64, f64) {
        self.with_walks_of(PAGE_WALK)
    }

    /// Nanoseconds per iteration that huge pages save, lowest and highest.
    pub fn saved_by_huge_pages(self) -> (f64, f64) {
        self.with_walks_of(SAVED_OF_WALK)
    }

    fn with_walks_of(self, (least, most): (f64, f64)) -> (f64, f64) {
        let found = (self.missed - self.walks).max(0.0) * SECOND_TLB;
        (found + self.walks * least, found + self.walks * most)
    }
}

/// The simulated TLBs of the machine itself.
pub fn translation(of: &LoopFacts) -> Option<Translation> {
    let iterations = of.memory.as_ref().map(|m| m.traced_iterations).filter(|n| *n > 0)? as f64;
    let (first, second) = (simulated(of, "DTLB")?, simulated(of, "STLB")?);
    Some(Translation { missed: first.misses as f64 / iterations, walks: second.misses as f64 / iterations })
}

/// Nanoseconds of one machine iteration of a loop, with what it calls and holds: what was traced holds them too.
pub fn nanoseconds_per_iteration(facts: &Facts, of: &LoopFacts) -> Option<f64> {
    let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0 && facts.rates_hold())?;
    let alone = of.innermost && of.calls.is_empty();
    let seconds = if alone { of.self_seconds } else { of.total_seconds.max(of.self_seconds) };
    let nanoseconds = seconds * 1e9 / iterations as f64;
    (nanoseconds > 0.0 && nanoseconds.is_finite()).then_some(nanoseconds)
}

/// What a traced loop gains without cycles that an iteration loses, at the least and at the most, and the cycles of an
/// iteration where they are known. Most of it is spent otherwise in any case; without the time an iteration may lose nothing, and takes as long as its
/// instructions do.
pub fn without_cycles(facts: &Facts, traced: &LoopFacts, (least, most): (f64, f64)) -> (Gain, Option<f64>) {
    let issue = facts.core().issue(f64::from(traced.instructions.max(4)));
    let time = facts.clock_ghz().zip(nanoseconds_per_iteration(facts, traced)).map(|(ghz, ns)| ghz * ns);
    let gain = match time.map(|cycles| cycles.max(issue)) {
        Some(cycles) => Gain::removing_between((least / cycles).min(0.5), (most / cycles).min(0.5)),
        None => Gain::removing((most / (issue + most)).min(0.5)).at_most(),
    };
    // A loop that waits for a chain of its own results has these cycles to spare.
    let chained = traced.chains.iter().any(|c| c.kind != ChainKind::Induction);
    (if chained { gain.at_most() } else { gain }, time)
}

/// The traffic of a traced loop; nothing where it stays within L1.
pub fn traffic(facts: &Facts, of: &LoopFacts) -> Traffic {
    let caches = data_caches(of);
    if caches.is_empty() {
        return by_footprint(facts, of);
    }
    let time = nanoseconds_per_iteration(facts, of);
    let irregular = irregular_share(of);
    let mut timed = time.is_some();
    let mut deliveries = Vec::new();
    for (k, cache) in caches.iter().enumerate() {
        // What bursts cannot show is estimated: counted as misses, all of it would look like traffic.
        let misses = cache.estimated_misses_per_1000;
        if misses.is_nan() || misses < FEW_MISSES {
            continue;
        }
        let from = caches.get(k + 1).and_then(|next| next.level()).unwrap_or(MemoryLevel::Dram);
        let measured = facts.machine().and_then(|m| Some((m.bandwidth(from)?, m.latency_nanoseconds(from))));
        let share = match (time, measured) {
            (Some(time), Some((gbytes, usual))) => {
                let most = cache.estimated_bytes_in_per_iteration;
                let least = cache.bytes_in_per_iteration.0.min(most);
                let streamed = most / (gbytes * POOR_BANDWIDTH);
                // What L2 delivers is bounded by its port, not by waiting.
                let waited_for =
                    if from == MemoryLevel::L2 { 0.0 } else { FILL_BUFFERS * facts.line_bytes() / gbytes };
                let latency = usual.max(waited_for);
                let waited = most / facts.line_bytes() * latency * irregular;
                let of_time =
                    |ns: f64| if ns.is_finite() { (ns / time).clamp(0.0, MOST_MEMORY_TIME) } else { 0.0 };
                (of_time(least / gbytes), of_time(streamed.max(waited)))
            }
            _ => {
                timed = false;
                (0.0, MOST_MEMORY_TIME)
            }
        };
        deliveries.push(Delivery { from: Supplier::Memory(from), misses, share });
    }
    // At the least, only the busiest level is waited for.
    let busiest = deliveries.iter().map(|d| d.share.0).fold(0.0, f64::max);
    for delivery in &mut deliveries {
        if delivery.share.0 < busiest {
            delivery.share.0 = 0.0;
        }
    }
    let translation = translation(of).filter(|t| t.walks * 1000.0 >= FEW_WALKS);
    if let (Some(translation), Some(time)) = (translation, time) {
        let (least, most) = translation.nanoseconds();
        let share = ((least / time).min(MOST_MEMORY_TIME), (most / time).min(MOST_MEMORY_TIME));
        deliveries.push(Delivery { from: Supplier::PageTable, misses: translation.walks * 1000.0, share });
    }
    Traffic { deliveries, timed }
}

/// Without a simulation: whether the lines that were touched fit into L1.
fn by_footprint(facts: &Facts, of: &LoopFacts) -> Traffic {
    let touched = of.memory.as_ref().map_or(0, |m| m.footprint_line_bytes);
    let sizes: Vec<u64> = facts.machine().map(|m| m.cache_bytes.clone()).unwrap_or_default();
    let beyond = sizes.iter().take_while(|size| touched > **size).count();
    let from = match (beyond, sizes.len()) {
        (0, _) => return Traffic { deliveries: vec![], timed: false },
        (k, n) if k >= n => MemoryLevel::Dram,
        (k, _) => MemoryLevel::cache_at(k),
    };
    let delivery = Delivery { from: Supplier::Memory(from), misses: 1000.0, share: (0.0, MOST_MEMORY_TIME) };
    Traffic { deliveries: vec![delivery], timed: false }
}

/// Share of the accesses that move without a pattern to other lines, or to another page each time, among those that move:
/// what stays in place fetches nothing.
fn irregular_share(of: &LoopFacts) -> f64 {
    let moving = || to_arrays(of).filter(|a| a.pattern != StridePattern::Uniform);
    let all = executions(moving());
    let jumping = moving().filter(|a| {
        let near = if a.pattern == StridePattern::Variable { a.same_line_share } else { a.same_page_share };
        near < 0.5
    });
    if all > 0.0 { executions(jumping) / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, count, in_caches, of_array, scalar_loop, scattered, trace, traced};
    use loopwright_analysis::model::Analysis;
    use loopwright_patterns::facts::AccessKind;
    use proptest::prelude::*;

    /// 4 s for 10^9 iterations of 4 ns.
    fn streaming(lines: f64) -> Analysis {
        traced(vec![scalar_loop(|l| {
            trace(l, vec![access("a[i]", AccessKind::Load, 8, 1)]);
            in_caches(l, [(125.0, lines), (125.0, lines), (125.0, lines)]);
            count(l, 1000, 1_000_000);
        })])
    }

    #[test]
    fn the_least_is_the_busiest_level_and_the_most_is_all_of_them() {
        let analysis = streaming(0.25);
        let traffic = traffic(&Facts::new(&analysis), &analysis.loops[0]);
        // 16 bytes per iteration of 4 ns: 12 GB/s from memory are 1.33 ns, 40 GB/s from L3 0.4 ns, 90 GB/s 0.18 ns.
        let of: Vec<_> = traffic.deliveries.iter().map(|d| (d.from, d.share)).collect();
        let levels = [MemoryLevel::L2, MemoryLevel::L3, MemoryLevel::Dram];
        assert_eq!(of.iter().map(|d| d.0).collect::<Vec<_>>(), levels.map(Supplier::Memory));
        assert_eq!((of[0].1.0, of[1].1.0), (0.0, 0.0));
        assert!((of[2].1.0 - 1.0 / 3.0).abs() < 1e-9 && (of[2].1.1 - 2.0 / 3.0).abs() < 1e-9, "{of:?}");
        assert!((of[1].1.1 - 0.2).abs() < 1e-9 && traffic.timed);
        let gain = traffic.gain(|_| 1.0, Gain::NONE);
        assert!((gain.low() - 1.5).abs() < 1e-9 && gain.high() > 3.0, "{gain:?}");
        assert_eq!(traffic.gain(|_| 0.0, Gain::NONE), Gain::NONE);
        assert!((traffic.gain(|_| 0.0, Gain::of(2.0)).high() - 1.0 / (1.0 / 3.0 + 1.0 / 3.0)).abs() < 1e-9);
    }

    #[test]
    fn addresses_without_a_pattern_wait_for_latency() {
        let mut analysis = streaming(0.01);
        let regular = traffic(&Facts::new(&analysis), &analysis.loops[0]).share().1;
        analysis.loops[0].access = vec![scattered("x[k[i]]", 8, 1 << 30)];
        let scattered = traffic(&Facts::new(&analysis), &analysis.loops[0]).share().1;
        // A hundredth of a line each time: 0.9 ns of 4 from memory alone.
        assert!(scattered > 0.25 && regular < 0.1, "{regular} {scattered}");
    }

    #[test]
    fn page_walks_are_traffic_too() {
        let mut analysis = streaming(0.0);
        let of = |analysis: &Analysis| traffic(&Facts::new(analysis), &analysis.loops[0]).share();
        let without = of(&analysis);
        crate::fixtures::tlb(&mut analysis.loops[0], 0.3, 0.2);
        let with = of(&analysis);
        // A tenth of an access per iteration finds its page in the second TLB, a fifth walks; an iteration takes 4 ns.
        let of_time = |walk: f64| (0.1 * SECOND_TLB + 0.2 * walk) / 4.0;
        assert!((with.0 - without.0 - of_time(PAGE_WALK.0)).abs() < 1e-9, "{without:?} {with:?}");
        assert!(with.1 > 0.9, "{without:?} {with:?}");
        crate::fixtures::tlb(&mut analysis.loops[0], 0.0, 0.0);
        analysis.loops[0].memory.as_mut().unwrap().traced_iterations = 0;
        assert_eq!(translation(&analysis.loops[0]), None);
    }

    #[test]
    fn within_l1_nothing_is_saved_and_without_counts_everything_may_be() {
        let within = traced(vec![scalar_loop(|l| in_caches(l, [(0.2, 0.001), (0.1, 0.0), (0.0, 0.0)]))]);
        let none = traffic(&Facts::new(&within), &within.loops[0]);
        assert_eq!((none.share(), none.gain(|_| 1.0, Gain::NONE)), ((0.0, 0.0), Gain::NONE));
        let uncounted = traced(vec![scalar_loop(|l| in_caches(l, [(125.0, 0.2), (0.1, 0.0), (0.0, 0.0)]))]);
        let open = traffic(&Facts::new(&uncounted), &uncounted.loops[0]);
        assert_eq!((open.share(), open.timed), ((0.0, MOST_MEMORY_TIME), false));
        assert_eq!(open.gain(|_| 0.5, Gain::NONE).low(), 1.0);
    }

    #[test]
    fn without_a_simulation_the_footprint_decides() {
        let touched = |bytes| {
            let a = of_array(access("a[i]", AccessKind::Load, 8, 1), 0, bytes, 1.0);
            traced(vec![scalar_loop(|l| trace(l, vec![a]))])
        };
        for (bytes, from) in [
            (30 << 10, None),
            (100 << 10, Some(MemoryLevel::L2)),
            (8 << 20, Some(MemoryLevel::L3)),
            (1 << 30, Some(MemoryLevel::Dram)),
        ] {
            let analysis = touched(bytes);
            let of = traffic(&Facts::new(&analysis), &analysis.loops[0]);
            assert_eq!(of.deliveries.first().map(|d| d.from), from.map(Supplier::Memory), "{bytes}");
        }
    }

    proptest! {
        #[test]
        fn gains_are_ranges_and_grow_with_what_is_saved(
            shares in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 0..4), saved in 0.0..=1.0f64,
            rest in 1.0..9.0f64,
        ) {
            let deliveries = shares.into_iter().map(|(a, b)| {
                Delivery { from: Supplier::Memory(MemoryLevel::L2), misses: 9.0, share: (a.min(b), a.max(b)) }
            });
            let traffic = Traffic { deliveries: deliveries.collect(), timed: true };
            let some = traffic.gain(|_| saved, Gain::up_to(rest));
            let all = traffic.gain(|_| 1.0, Gain::up_to(rest));
            prop_assert!(some.low() >= 1.0 && some.low() <= some.high() && some.high() <= LARGEST_GAIN);
            prop_assert!(all.high() >= some.high() - 1e-9 && all.low() >= some.low() - 1e-9);
        }
    }
}
