//! Loops that compare elements one after the other, again and again over the same ones: hash table, heap, sorted array, index.
//!
//! Recognised by what the loop executes: loads, comparisons and branches, no arithmetic and hardly a store, many times over one
//! region. Arrays and lists alike; a search whose candidates are compared by a loop of their own (texts) is the loop around it.

use crate::again::same;
use crate::evidence::{ChainRole, Dependences, Fact, Shape};
use crate::prelude::*;
use loopwright_analysis::model::Purpose;
use loopwright_analysis::purpose::names::purpose_of;
use loopwright_binary::facts::ChainKind;

pub use super::ordered_container::BETTER_DATA_STRUCTURE;

pub(crate) static RULE: Rule = Rule {
    id: "linear-search",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("linear_search.md")),
};

/// Fewer elements are searched as fast as they are hashed.
const FEWEST_ELEMENTS: f64 = 16.0;
/// Fewer nodes of a list may be the depth of a balanced tree.
const FEWEST_NODES: f64 = 48.0;
/// Fewer searches do not pay for building an index.
const FEWEST_ENTRIES: u64 = 1000;
/// What happens in fewer iterations than this happens to the element that was found.
const RARE: f64 = 0.02;
/// Tests of data in an iteration that looks for one key: a part of it first, then the whole.
const MOST_TESTS: u32 = 2;
/// Instructions on data of an iteration that compares: masks and sums of keys.
const MOST_INTEGER: f64 = 3.0;
/// Of the time of the loop around: less of it, and the rest of each iteration does as much work with all elements.
const MOST_OF_AROUND: f64 = 0.6;
/// A loop of fewer iterations compares one candidate with another; the candidates are those of the loop around.
const ONE_CANDIDATE: f64 = 2.5;
/// A careful gain below this is not certain.
const SURE_GAIN: f64 = 1.5;
/// A load that depends on the one before it from L1, and what else a link takes.
const PURE_CHASE: u32 = 6;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if of.vectorized || !of.innermost || !facts.rates_hold() || !only_compares(facts, of) {
        return None;
    }
    let walk = candidates(facts, of)?;
    let trips = walk.trip_count.as_ref()?;
    let (entries, elements) = (trips.entries?, trips.mean? * alike(walk));
    let list = of.chains.iter().find(|c| c.kind == ChainKind::PointerChase);
    let fewest = if list.is_some() { FEWEST_NODES } else { FEWEST_ELEMENTS };
    if entries < FEWEST_ENTRIES || elements < fewest {
        return None;
    }
    let leaves = walk.exits > 1;
    // The first that fits several conditions (masks, ranges) has no key to be found by.
    if leaves && of.operands.data_tests > MOST_TESTS {
        return None;
    }
    let around = facts.around(walk);
    let share = walk.total_share.max(of.group_share);
    let rest = around.is_some_and(|a| share < MOST_OF_AROUND * a.total_share);
    // A maximum of new data in each pass is no search.
    if rest || !leaves && around.is_none() || list.is_some() && !leaves {
        return None;
    }
    let why: Fact = match list {
        Some(chain) => Dependences::chain(chain, ChainRole::Chase).into(),
        None => same(facts, of, around).or_else(|| same(facts, walk, around))?,
    };
    let step = |l: &LoopFacts| l.strides.iter().filter(|s| !s.store).map(|s| s.bytes.unsigned_abs()).max();
    let step = step(walk).or(step(of)).unwrap_or(0);
    let search = walk.total_seconds.max(of.self_seconds) * 1e9 / entries as f64;
    let mut index = query(facts, elements, trips.mean? * (step.max(8) as f64));
    if compares_texts(of) {
        // The text is hashed, which is about as much work as one comparison, and then compared once.
        let each = search / elements;
        index = (index.0 + each, index.1 + 2.0 * each);
    }
    let gain = Gain::between(search / index.1, search / index.0);
    if gain.low() < SURE_GAIN {
        return None;
    }
    let title = match (list.is_some(), leaves) {
        (true, _) => "Look elements up in a hash table or a sorted array instead of walking a list",
        (false, true) => "Look elements up in a hash table or a sorted index instead of one after the other",
        (false, false) => {
            "Keep the elements in a heap or sorted by what is looked for, instead of scanning all"
        }
    };
    let from = if list.is_some() { Provenance::Binary } else { Provenance::Counted };
    Some(
        facts
            .about_loop(&RULE, of)
            .named(BETTER_DATA_STRUCTURE, title)
            .because(Provenance::Counted, Shape::Search { entries, elements, leaves })
            .because(from, why)
            .because(Provenance::Modelled, Shape::AgainstIndex { search, index })
            .gain(share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

/// It loads, compares and leaves: no arithmetic on its elements, and stores or calls for the one that it found at most.
fn only_compares(facts: &Facts, of: &LoopFacts) -> bool {
    let Some((work, trips)) = of.work.as_ref().zip(of.trip_count.as_ref()) else { return false };
    let each = |n: u64| n as f64 / trips.iterations.max(1) as f64;
    let mix = &work.mix;
    let loads = of.strides.iter().any(|s| s.bytes != 0 && !s.store)
        || of.chains.iter().any(|c| c.kind == ChainKind::PointerChase);
    let chooses = || {
        facts.dependence(of).is_some_and(|found| {
            let operations = || found.reductions.iter().map(|r| r.operation.as_deref());
            operations().next().is_some()
                && operations().all(|o| matches!(o, Some("min" | "max" | "min/max")))
        })
    };
    let chain = |kind, cycles: u32| match kind {
        ChainKind::Induction => true,
        // The best so far is chosen, not computed: a comparison and a selection.
        ChainKind::Recurrence => cycles <= 2,
        ChainKind::IntegerReduction => chooses(),
        ChainKind::PointerChase => cycles <= PURE_CHASE,
        ChainKind::InOrderSum | ChainKind::VectorReduction => false,
    };
    loads
        && trips.iterations > 0
        && mix.load > 0
        && mix.branch > 0
        && each(work.flop) <= RARE
        // A call stores its return address.
        && [mix.store.saturating_sub(mix.call), mix.divide, mix.conversion, mix.int_vector]
            .iter()
            .all(|n| each(*n) <= RARE)
        && (each(mix.call) <= RARE || compares_texts(of))
        // Comparisons with memory are among them.
        && each(mix.integer) <= each(mix.load) + MOST_INTEGER
        && of.chains.iter().all(|c| chain(c.kind, c.latency_cycles))
}

/// All that it calls compares two texts or blocks of memory.
fn compares_texts(of: &LoopFacts) -> bool {
    let compares = |name: &str| purpose_of(name) == Some(Purpose::Comparing);
    !of.calls.is_empty() && of.calls.iter().all(|call| call.target.as_deref().is_some_and(compares))
}

/// The loop whose iterations are the candidates: this one, or the one around where this one compares two of them.
fn candidates<'l>(facts: &Facts<'l>, of: &'l LoopFacts) -> Option<&'l LoopFacts> {
    let mean = of.trip_count.as_ref()?.mean?;
    if mean >= ONE_CANDIDATE {
        return Some(of);
    }
    let around = facts.around(of)?;
    let hot = around.children.iter().filter_map(|id| facts.loop_by_id(*id)).filter(|l| l.self_share > 0.0);
    let work = around.work.as_ref()?;
    let iterations = around.trip_count.as_ref()?.iterations.max(1) as f64;
    let plain = [work.mix.store, work.mix.call, work.flop, work.mix.divide];
    (hot.count() <= 1 && plain.iter().all(|n| *n as f64 <= RARE * iterations)).then_some(around)
}

/// Elements of an iteration: as many copies of one comparison as fill its step, in a loop that was unrolled.
fn alike(of: &LoopFacts) -> f64 {
    let moving = || of.strides.iter().filter(|s| s.bytes != 0 && !s.store);
    let Some(first) = moving().next() else { return 1.0 };
    let copies = moving().filter(|s| (s.bytes, s.size) == (first.bytes, first.size)).count() as u64;
    let fills = first.bytes.unsigned_abs() == copies * u64::from(first.size);
    if fills { copies.max(1) as f64 } else { 1.0 }
}

/// Nanoseconds of a query to an index of as many elements, as many bytes: a hash table's load and some instructions at least,
/// a step for each level of a tree or heap at most.
fn query(facts: &Facts, elements: f64, bytes: f64) -> (f64, f64) {
    let (core, ghz) = (facts.core(), facts.clock_ghz().unwrap_or(estimates::USUAL_GHZ));
    let caches = facts.machine().map(|m| m.cache_bytes.as_slice()).unwrap_or_default();
    let levels = [core.latency.l1, core.latency.l2, core.latency.l3];
    let level = caches.iter().zip(levels).find(|(size, _)| bytes <= **size as f64);
    let load = level.map_or(estimates::DRAM_NANOSECONDS * ghz, |(_, cycles)| cycles);
    let least = (load + core.issue(estimates::LOOK_UP_INSTRUCTIONS)) / ghz;
    let step = (core.latency.l2 + core.mispredict / 2.0) / ghz;
    (least, (elements.max(2.0).log2() * step).max(least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, checked, count, fired, induction, outer, scalar_loop, states, stride, trace, traced,
    };
    use loopwright_analysis::model::{Analysis, ParallelVerdict, VectorVerdict};
    use loopwright_binary::facts::InstructionMix;
    use loopwright_patterns::facts::AccessKind;

    /// `for (i = 1; i < n; i++) if (open[i].f < open[best].f) best = i;` over 1000 elements of 16 bytes, 1000 times.
    fn scan(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let inner = scalar_loop(|l| {
            l.parent = Some(2);
            (l.instructions, l.instruction_mix) =
                (8, InstructionMix { load: 2, branch: 1, moves: 2, ..InstructionMix::default() });
            (l.bytes_loaded_per_iteration, l.bytes_stored_per_iteration) = (8, 0);
            l.flop_per_iteration.clear();
            l.strides = vec![stride(16, 4, false)];
            count(l, 1000, 1000);
            trace(l, vec![outer(access("open[i].f", AccessKind::Load, 4, 4), 2, 0)]);
            change(l);
        });
        let around = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.children) = (2, 2, false, vec![1]);
            (l.self_share, l.group_share, l.total_share) = (0.01, 0.01, 0.41);
            count(l, 10, 100);
        });
        traced(vec![inner, around])
    }

    #[test]
    fn silent_on_the_first_that_fits_several_conditions() {
        let tests = |n| {
            scan(|l| {
                (l.exits, l.operands.data_tests) = (2, n);
            })
        };
        assert!(fired(&RULE, &tests(2)).is_some() && fired(&RULE, &tests(4)).is_none());
    }

    #[test]
    fn texts_are_compared_by_calls() {
        let words = |target: &str| {
            let mut analysis = scan(|l| {
                l.calls = vec![crate::fixtures::call(Some(target))];
                l.instruction_mix.call = 1;
                l.exits = 2;
            });
            let (calls, l) =
                (analysis.loops[0].trip_count.as_ref().unwrap().iterations, &mut analysis.loops[0]);
            let mix = &mut l.work.as_mut().unwrap().mix;
            (mix.call, mix.store) = (calls, calls);
            fired(&RULE, &analysis).map(|r| r.id)
        };
        assert_eq!(words("strcasecmp").as_deref(), Some("better-data-structure"));
        assert_eq!(words("puts"), None);
    }

    #[test]
    fn fires_on_a_scan_for_the_best_over_the_same_elements() {
        let r = fired(&RULE, &scan(|_| ())).unwrap();
        assert_eq!(r.id, BETTER_DATA_STRUCTURE);
        assert!(states!(r, Shape::Search { entries: 1000, leaves: false, .. }), "{:?}", r.said());
        assert!(states!(r, Trips::BeginsAgain { .. }), "{:?}", r.said());
        // 4 s for 1000 searches, microseconds each; tens of nanoseconds with a heap.
        assert!(r.loop_gain.unwrap().low() > 10.0);
    }

    #[test]
    fn fires_on_a_list_that_is_searched() {
        let list = |exits| {
            scan(|l| {
                l.chains = vec![chain(ChainKind::PointerChase, "rax", 5)];
                l.strides.clear();
                l.exits = exits;
            })
        };
        let r = fired(&RULE, &list(2)).unwrap();
        assert!(states!(r, Dependences::Chain { role: ChainRole::Chase, .. }), "{:?}", r.said());
        assert!(fired(&RULE, &list(1)).is_none(), "a walk to the end is no search");
    }

    #[test]
    fn silent_on_sums_short_ranges_and_new_data() {
        assert!(fired(&RULE, &scan(|l| l.chains.push(chain(ChainKind::InOrderSum, "xmm0", 4)))).is_none());
        assert!(fired(&RULE, &scan(|l| count(l, 100_000, 8))).is_none());
        let next_row = |l: &mut LoopFacts| {
            trace(l, vec![outer(access("a[i][j]", AccessKind::Load, 4, 4), 2, 16_000)]);
        };
        assert!(fired(&RULE, &scan(next_row)).is_none(), "another range each time");
        let mut busy = scan(|_| ());
        busy.loops[1].total_share = 0.9;
        assert!(fired(&RULE, &busy).is_none(), "the rest may do as much with all elements");
        assert!(fired(&RULE, &scan(|l| l.work.as_mut().unwrap().mix.store = 500_000)).is_none());
        assert!(fired(&RULE, &scan(|l| l.work.as_mut().unwrap().flop = 1_000_000)).is_none());
    }

    #[test]
    fn an_integer_chain_must_choose_and_not_count() {
        let reducing = |operation: &str| {
            scan(|l| {
                l.chains = vec![induction(), chain(ChainKind::IntegerReduction, "eax", 1)];
                checked(l, VectorVerdict::Safe, ParallelVerdict::Independent);
                let found = l.dependence.as_mut().unwrap();
                found.reductions = vec![loopwright_analysis::model::CarriedScalar {
                    operation: Some(operation.into()),
                    ..Default::default()
                }];
            })
        };
        assert!(fired(&RULE, &reducing("min/max")).is_some());
        assert!(fired(&RULE, &reducing("+")).is_none());
    }

    #[test]
    fn silent_without_counts_or_trace() {
        assert!(fired(&RULE, &scan(|l| l.work = None)).is_none());
        let untraced = |l: &mut LoopFacts| {
            l.access.clear();
            l.memory = None;
        };
        assert!(fired(&RULE, &scan(untraced)).is_none(), "16 MB of 1 GB: it may be new data");
    }
}
