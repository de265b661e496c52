//! Nests that try every element of one set against every element of another, and keep few of the pairs: a spatial index.
//!
//! What such a nest looks like from outside: it reads few bytes very often (no operand depends on both loops together, as
//! a matrix does), computes something of each pair, and tests it; few pairs lead to a store.

use crate::again::{again, stride_over};
use crate::counted::LEAST_GAIN;
use crate::evidence::Trips;
use crate::prelude::*;
use crate::traced::to_arrays;
use loopwright_analysis::model::{AccessFacts, StridePattern};
use loopwright_binary::facts::{CarriedChain, ChainKind, Trait};
use loopwright_costs::estimates::SEARCHED_ELEMENT;

pub(crate) static RULE: Rule = Rule {
    id: "all-pairs-search",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("all_pairs_search.md")),
};

/// Less than a difference, its size and a sum of two is no distance.
const LEAST_FLOP: f64 = 3.0;
/// The same of whole numbers, with the counter and its comparison.
const LEAST_INTEGER: f64 = 6.0;
/// What fewer iterations do than this is an exception.
const RARELY: f64 = 0.1;
/// Fewer elements than this are searched as fast as they are sorted.
const SMALLEST_SET: f64 = 100.0;
/// Iterations that store: a search keeps few of its pairs, a sweep over an array changes every element.
const MOST_STORES: f64 = 0.5;
/// Loops that execute more of their instructions in each iteration leave nothing out but an exception.
const ALL_EXECUTED: f64 = 0.95;
/// A sum whose operations nearly all iterations execute takes up every pair, whatever tests are about.
const ALL_COUNT: f64 = 0.9;
/// Part of a loop's time.
const MOST_OF_THE_TIME: f64 = 0.5;
/// Elements in a leaf of a tree, or in a cell.
const BUCKET: f64 = 8.0;
/// Buckets of a query: one at best. At worst, those that a ball about the nearest of them touches in three dimensions,
/// (1 + (6 / pi)^(1/3))^3 (Friedman, Bentley, Finkel); the 27 cells of a cell list cost no more, as each is found at once.
const BUCKETS: (f64, f64) = (1.0, 11.2);

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || !facts.rates_hold() {
        return None;
    }
    let around = facts.around(of)?;
    let inner = inside(facts, around);
    // A search that was cut into several loops is spoken of once, at the one that takes most.
    let first = inner.iter().max_by(|a, b| a.group_share.total_cmp(&b.group_share).then(b.id.cmp(&a.id)))?;
    let tests = inner.iter().find(|l| tests(l))?;
    if first.id != of.id
        || (inner.iter().map(|l| flop(l)).sum::<f64>() < LEAST_FLOP && !compares_records(facts, tests))
        || !takes_an_element(facts, around, &inner)
        || inner.iter().any(|l| changes_what_it_reads(facts, l) || waits_for_itself(facts, l))
    {
        return None;
    }
    let stores = stores(tests)?;
    if stores > MOST_STORES && !tests.traits.contains(&Trait::Masked) {
        return None;
    }
    if !keeps_few(tests, stores) {
        return None;
    }
    let again = again(facts, of, around)?;
    let pairs = Pairs::of(facts, of, around, stores_moving(tests))?;
    if pairs.searched < SMALLEST_SET {
        return None;
    }
    let seconds = around.total_seconds.max(inner.iter().map(|l| l.self_seconds).sum());
    let query = seconds * 1e9 * pairs.searched / pairs.all;
    let levels = (pairs.searched / BUCKET).log2().max(1.0);
    // A step down the tree: a load from L1, or one from L2 and half of a misprediction.
    let (core, ghz) = (facts.core(), facts.clock_ghz().unwrap_or(estimates::USUAL_GHZ));
    let step = (core.latency.l1 / ghz, (core.latency.l2 + core.mispredict / 2.0) / ghz);
    let least = BUCKETS.0 * (BUCKET * SEARCHED_ELEMENT.0 + levels * step.0);
    let most = BUCKETS.1 * (BUCKET * SEARCHED_ELEMENT.1 + levels * step.1);
    // The pairs that pass stay, whatever finds them, and each runs all of the code.
    let stay = query * passing(tests, stores);
    // Building the index, and keeping it while the set changes, takes part of what is saved.
    let gain = Gain::between(query / (most + stay), query / (least + stay)).hedged(estimates::OVERLAPPED);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let share: f64 = inner.iter().map(|l| l.group_share).sum();
    Some(
        facts
            .about_loop(&RULE, of)
            .because(
                Provenance::Counted,
                Trips::Pairs {
                    place: around.place(),
                    pairs: pairs.all as u64,
                    against: pairs.searched as u64,
                    stored: stores,
                },
            )
            .because(Provenance::Counted, again)
            .because(Provenance::Modelled, Trips::AgainstIndex { all: query, index: (least, most) })
            .gain(share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

/// A value that each iteration computes from the one before takes most of the time: a filter or a series, no test of pairs.
fn waits_for_itself(facts: &Facts, of: &LoopFacts) -> bool {
    let takes = |c: &CarriedChain| facts.chain_share(of, c).is_some_and(|share| share >= MOST_OF_THE_TIME);
    of.chains.iter().any(|c| c.kind == ChainKind::Recurrence && !c.chooses && takes(c))
}

/// The innermost loops right inside a loop, one for each loop as written.
fn inside<'l>(facts: &Facts<'l>, around: &LoopFacts) -> Vec<&'l LoopFacts> {
    let all = facts.analysis.loops.iter();
    all.filter(|l| {
        l.parent == Some(around.id) && l.innermost && facts.speaks_for_group(l) && l.group_share > 0.0
    })
    .collect()
}

/// Something beside the loop's own end is decided in an iteration. A branch to a call that no iteration makes decides nothing
/// about the pair: it repairs what went wrong (errno of a root, NaN of a complex product).
fn tests(of: &LoopFacts) -> bool {
    let lanes = [Trait::Masked, Trait::Blend, Trait::EarlyExit];
    let calls = of.instruction_mix.call;
    let repairs = if of.work.as_ref().is_some_and(|work| work.mix.call == 0) { calls } else { 0 };
    of.instruction_mix.branch.saturating_sub(repairs) > 1 || lanes.iter().any(|t| of.traits.contains(t))
}

/// Floating-point operations of a pair.
fn flop(of: &LoopFacts) -> f64 {
    let all: u32 = of.flop_per_iteration.values().sum();
    let pairs = match (&of.vector, outer_lanes(of)) {
        (_, Some(lanes)) => lanes,
        (Some(v), None) if of.vectorized => f64::from(v.length * v.unroll.max(1)),
        _ => 1.0,
    };
    f64::from(all) / pairs
}

/// Whole numbers are worked on as well, of several members of each element, and hardly any pair stores: rectangles or
/// intervals that meet. A comparison of keys is none.
fn compares_records(facts: &Facts, of: &LoopFacts) -> bool {
    let (Some(work), Some(trips)) = (&of.work, of.trip_count.as_ref().filter(|t| t.iterations > 0)) else {
        return false;
    };
    let each = (work.mix.integer as f64 + work.mix.int_vector as f64) / trips.iterations as f64;
    let members = facts.traced(of).map_or(0, |traced| {
        let moving = to_arrays(traced).filter(|a| a.kind.reads() && a.pattern != StridePattern::Uniform);
        moving.filter(|a| a.executions as f64 >= RARELY * most_executions(traced)).count()
    });
    each >= LEAST_INTEGER && members >= 2 && stores(of).is_some_and(|stores| stores < RARELY)
}

/// Executions of the access that is made most often.
fn most_executions(of: &LoopFacts) -> f64 {
    to_arrays(of).map(|a| a.executions as f64).fold(0.0, f64::max)
}

/// An element of the outer loop takes part: an address moves with the outer loop and not with the inner ones. Else the nest
/// makes passes over one set: steps of time, sweeps of a solver.
fn takes_an_element(facts: &Facts, around: &LoopFacts, inner: &[&LoopFacts]) -> bool {
    // Loaded by the outer loop itself, or in each iteration of an inner one; or computed in between.
    let own = around.strides.iter().any(|s| s.bytes != 0 && !s.store);
    let made = around.instruction_mix.fp_scalar + around.instruction_mix.fp_vector >= LEAST_FLOP as u32;
    let again = inner.iter().filter_map(|l| facts.traced(l)).flat_map(to_arrays);
    // Where no burst crossed two iterations of the outer loop, several entries met several elements.
    let several = |a: &AccessFacts| a.footprint_bytes.is_some_and(|bytes| bytes > u64::from(a.element_bytes));
    let moved = |a: &AccessFacts| stride_over(a, around).map_or(several(a), |bytes| bytes != 0);
    own || made || again.filter(|a| a.kind.reads() && a.pattern == StridePattern::Uniform).any(moved)
}

/// It writes all of the arrays that it walks along: a step of a simulation, and no search.
fn changes_what_it_reads(facts: &Facts, of: &LoopFacts) -> bool {
    let Some(traced) = facts.traced(of) else { return false };
    let walked = |a: &&AccessFacts| a.pattern != StridePattern::Uniform && a.array.is_some();
    let written = |array| to_arrays(traced).filter(walked).any(|a| a.kind.writes() && a.array == array);
    let mut read = to_arrays(traced).filter(walked).filter(|a| a.kind.reads()).peekable();
    read.peek().is_some() && read.all(|a| written(a.array))
}

/// What an iteration decides is decided rarely: it leaves out instructions or stores, or works under a mask. Where all pairs count,
/// a sum or another carried value takes up each of
/// them.
fn keeps_few(of: &LoopFacts, stores: f64) -> bool {
    let executed = of.work.as_ref().zip(of.trip_count.as_ref()).map(|(work, trips)| {
        work.instructions as f64 / trips.iterations.max(1) as f64 / f64::from(of.instructions.max(1))
    });
    let sums = of.chains.iter().any(|c| matches!(c.kind, ChainKind::InOrderSum | ChainKind::VectorReduction));
    if sums && arithmetic_executed(of).is_some_and(|part| part >= ALL_COUNT) {
        return false;
    }
    let lanes = [Trait::Masked, Trait::Blend, Trait::EarlyExit].iter().any(|t| of.traits.contains(t));
    let stored = of.instruction_mix.store > 0 && stores <= MOST_STORES;
    let takes_up = of.chains.iter().any(|c| c.kind != ChainKind::Induction);
    // Code around a call that no iteration makes repairs what went wrong; that it is left out says nothing of pairs.
    let repairs = of.instruction_mix.call > 0 && of.work.as_ref().is_some_and(|work| work.mix.call == 0);
    lanes || stored || !takes_up || (!repairs && executed.is_some_and(|part| part < ALL_EXECUTED))
}

/// Part of a scalar loop's floating-point operations that an iteration executes.
fn arithmetic_executed(of: &LoopFacts) -> Option<f64> {
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref().filter(|t| t.iterations > 0)?);
    let scalar = of.instruction_mix.fp_vector == 0 && of.instruction_mix.fp_scalar > 0;
    scalar.then(|| {
        work.mix.fp_scalar as f64 / trips.iterations as f64 / f64::from(of.instruction_mix.fp_scalar)
    })
}

/// Executed stores per store and iteration; nothing is known without counts.
fn stores(of: &LoopFacts) -> Option<f64> {
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref().filter(|t| t.iterations > 0)?);
    let each = f64::from(of.instruction_mix.store.max(1));
    Some(work.mix.store as f64 / trips.iterations as f64 / each)
}

/// Part of the time that the pairs which pass take: those that store, each all of the loop's instructions.
fn passing(of: &LoopFacts, stores: f64) -> f64 {
    let executed = of.work.as_ref().zip(of.trip_count.as_ref().filter(|t| t.iterations > 0));
    let mean = executed.map(|(work, trips)| work.instructions as f64 / trips.iterations as f64);
    let whole = mean.filter(|m| *m > 0.0).map_or(1.0, |m| (f64::from(of.instructions) / m).max(1.0));
    (stores * whole).min(1.0)
}

/// It stores to elements that follow its own counter: each of its elements has a result of its own.
fn stores_moving(of: &LoopFacts) -> bool {
    of.strides.iter().any(|s| s.store && s.bytes != 0)
        || to_arrays(of).any(|a| a.kind.writes() && a.pattern != StridePattern::Uniform)
}

/// How many pairs there are, and how many elements each query tries.
struct Pairs {
    all: f64,
    searched: f64,
}

impl Pairs {
    /// `own` results for each element of the inner loop: then it asks, and the outer loop's elements are searched.
    fn of(facts: &Facts, of: &LoopFacts, around: &LoopFacts, own: bool) -> Option<Self> {
        let trips = of.trip_count.as_ref()?;
        let lanes = outer_lanes(of);
        let inner = if lanes.is_some() { trips.mean } else { trips.source_mean.or(trips.mean) }?;
        let outer = around.trip_count.as_ref()?.mean? * lanes.unwrap_or(1.0);
        let all = lanes.map_or(trips.group_iterations.unwrap_or(0).max(trips.iterations) as f64, |n| {
            trips.iterations as f64 * n
        });
        // Loops around these two are blocks of the one or the other in turn, or passes: the fewer elements are certain.
        let mut blocks = [1.0, 1.0];
        for (level, next) in facts.ancestors(around).enumerate() {
            blocks[level % 2] *= next.trip_count.as_ref().and_then(|t| t.mean).unwrap_or(1.0).max(1.0);
        }
        // Where entries differ, as in a triangle of pairs, a query tries as many as an entry has on average.
        let differ = trips.min.is_some() && trips.min != trips.max;
        let one = if !own { inner } else { outer.min(if differ { inner } else { outer }) };
        let searched = one * blocks[0].min(blocks[1]);
        (searched.is_finite() && all >= searched && searched > 0.0).then_some(Self { all, searched })
    }
}

/// Lanes that are iterations of the loop around: a vector loop that loads single elements only.
fn outer_lanes(of: &LoopFacts) -> Option<f64> {
    let vector = of.vector.as_ref().filter(|_| of.vectorized)?;
    let mut moving = of.strides.iter().filter(|s| s.bytes != 0 && !s.store).peekable();
    let single = moving.peek().is_some() && moving.all(|s| s.size <= 8 && s.size * 8 < vector.bits);
    single.then(|| f64::from(vector.length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, measured, of_array, outer, scalar_loop, states, stride, trace, traced,
        vector_loop,
    };
    use loopwright_analysis::model::Analysis;
    use loopwright_binary::facts::ElementType;
    use loopwright_patterns::facts::AccessKind;

    /// Each of 5000 faces against 80000 cells, 24 bytes each, in a process of 8 MB: `if (d < best[c]) best[c] = d`.
    fn nest(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let inner = scalar_loop(|l| {
            l.strides = vec![stride(24, 8, false), stride(0, 8, false), stride(8, 8, true)];
            l.flop_per_iteration = [(ElementType::F64, 8)].into();
            (l.instruction_mix.branch, l.instruction_mix.store, l.parent) = (3, 1, Some(2));
            count(l, 5000, 80_000);
            l.work.as_mut().unwrap().mix.store = 1_000_000;
            change(l);
        });
        let mut analysis = measured(vec![inner, around(2, 1, 5000)]);
        analysis.program.peak_resident_bytes = 8 << 20;
        analysis
    }

    fn around(id: u32, entries: u64, trips: u64) -> LoopFacts {
        scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.group_share, l.line) = (id, id, false, 0.0, Some(9));
            count(l, entries, trips);
        })
    }

    /// 4 s at 3 GHz for 4e8 pairs are 30 cycles each.
    #[test]
    fn silent_on_filters_that_wait_for_themselves() {
        let filter = |latency| nest(|l| l.chains.push(chain(ChainKind::Recurrence, "xmm2", latency)));
        assert!(fired(&RULE, &filter(3)).is_some() && fired(&RULE, &filter(27)).is_none());
    }

    #[test]
    fn fires_with_the_time_of_a_query_and_of_one_to_an_index() {
        let r = fired(&RULE, &nest(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), (RULE.id, Confidence::Medium));
        assert!(states!(r, Trips::Pairs { pairs: 400_000_000, against: 5000, .. }), "{:?}", r.said());
        // 24 bytes of each of 80000 cells, 5000 times.
        assert!(
            states!(r, Trips::WalksAgain { bytes: 9_600_000_000, place, .. } if place == "kernel.c:9"),
            "{:?}",
            r.said()
        );
        // 4 s for 80000 queries are 50 us; 24 ns to 890 ns with an index, and the pairs that pass; three quarters for building it.
        let gain = r.loop_gain.unwrap();
        assert!((11.0..17.0).contains(&gain.low()) && gain.high() == estimates::LARGEST_GAIN, "{gain:?}");
    }

    #[test]
    fn a_minimum_in_a_register_searches_the_inner_loops_elements() {
        let r = fired(
            &RULE,
            &nest(|l| {
                l.strides.retain(|s| !s.store);
                l.instruction_mix.store = 0;
                l.work.as_mut().unwrap().mix.store = 0;
            }),
        );
        assert!(states!(r.unwrap(), Trips::Pairs { against: 80_000, .. }));
    }

    #[test]
    fn blocks_count_as_part_of_the_set() {
        let mut analysis = nest(|l| {
            count(l, 400_000, 1000);
            l.work.as_mut().unwrap().mix.store = 1_000_000;
            trace(l, vec![outer(access("x[c]", AccessKind::Load, 8, 3), 2, 0)]);
        });
        // 5 blocks of 1000 faces, 80 of 1000 cells.
        analysis.loops[1] = around(2, 400, 1000);
        analysis.loops[1].parent = Some(3);
        analysis.loops.push(around(3, 5, 80));
        analysis.loops[2].parent = Some(4);
        analysis.loops.push(around(4, 1, 5));
        let analysis = Analysis { tracing: traced(vec![]).tracing, ..analysis };
        let r = fired(&RULE, &analysis).unwrap();
        assert!(states!(r, Trips::Pairs { against: 5000, .. }), "{:?}", r.said());
        assert!(states!(r, Trips::BeginsAgain { .. }), "{:?}", r.said());
    }

    #[test]
    fn lanes_of_the_outer_loop_are_queries() {
        let mut analysis = nest(|_| ());
        let scalar = fired(&RULE, &analysis).unwrap().loop_gain.unwrap();
        analysis.loops[0] = vector_loop(|l| {
            // One face for each of four cells: single elements, no stores.
            l.strides = vec![stride(48, 8, false), stride(48, 8, false)];
            l.flop_per_iteration = [(ElementType::F64, 32)].into();
            (l.traits, l.parent, l.instruction_mix.store) = (vec![Trait::Masked], Some(2), 0);
            count(l, 20_000, 5000);
        });
        analysis.loops[1] = around(2, 1, 20_000);
        let r = fired(&RULE, &analysis).unwrap();
        assert!(states!(r, Trips::Pairs { pairs: 400_000_000, against: 5000, .. }), "{:?}", r.said());
        // As many pairs in as much time; those that pass are not counted here.
        let ratio = r.loop_gain.unwrap().low() / scalar.low();
        assert!((1.0..1.3).contains(&ratio), "{ratio}");
    }

    #[test]
    fn silent_on_sweeps_sums_and_matrices() {
        // An update of every element in each time step, limited by a test.
        assert!(fired(&RULE, &nest(|l| l.work.as_mut().unwrap().mix.store = 400_000_000)).is_none());
        // A sum over all pairs.
        assert!(fired(&RULE, &nest(|l| l.instruction_mix.branch = 1)).is_none());
        // Comparisons of keys.
        assert!(fired(&RULE, &nest(|l| l.flop_per_iteration.clear())).is_none());
        // The matrix moves with both loops: one entry of the nest reads what the process holds.
        let mut matrix = nest(|_| ());
        matrix.program.peak_resident_bytes = 12 << 30;
        assert!(fired(&RULE, &matrix).is_none());
        // A step of a simulation changes what it reads.
        let step = nest(|l| {
            let field = |kind| of_array(outer(access("t[i]", kind, 8, 1), 2, 0), 3, 640_000, 1.0);
            trace(l, vec![field(AccessKind::Load), field(AccessKind::Store)]);
        });
        assert!(fired(&RULE, &step).is_none());
        let rows = nest(|l| trace(l, vec![outer(access("a[i][j]", AccessKind::Load, 8, 1), 2, 640_000)]));
        assert!(fired(&RULE, &rows).is_none());
    }

    #[test]
    fn fires_on_records_of_whole_numbers() {
        let with = |accesses: &[&str]| {
            nest(|l| {
                l.flop_per_iteration.clear();
                l.work.as_mut().unwrap().mix.integer = 4_000_000_000;
                let loads = accesses.iter().map(|name| access(name, AccessKind::Load, 4, 5));
                trace(l, loads.map(|load| of_array(outer(load, 2, 0), 0, 1600, 1.0)).collect());
                l.strides = vec![stride(20, 4, false), stride(0, 8, true)];
            })
        };
        assert!(fired(&RULE, &with(&["r[j].x0", "r[j].x1"])).is_some());
        assert!(fired(&RULE, &with(&["r[j].net"])).is_none(), "a key");
    }

    #[test]
    fn a_branch_to_a_call_that_no_iteration_makes_is_no_test() {
        let with_root = |calls: u64| {
            fired(
                &RULE,
                &nest(|l| {
                    (l.instruction_mix.branch, l.instruction_mix.call) = (2, 1);
                    l.work.as_mut().unwrap().mix.call = calls;
                }),
            )
        };
        assert!(with_root(0).is_none());
        assert!(with_root(1000).is_some());
    }

    #[test]
    fn time_steps_around_a_sweep_are_no_queries() {
        let mut analysis = nest(|l| l.strides.retain(|s| s.bytes != 0));
        let steps = analysis.loops.iter_mut().find(|l| l.id == 2).unwrap();
        steps.instruction_mix.load = 0;
        steps.strides.clear();
        assert!(fired(&RULE, &analysis).is_none());
    }

    #[test]
    fn where_a_sum_takes_up_every_pair_all_count() {
        let summed = |executed: u64| {
            let analysis = nest(|l| {
                l.chains.push(crate::fixtures::chain(ChainKind::InOrderSum, "xmm0", 4));
                (l.instruction_mix.store, l.work.as_mut().unwrap().mix.store) = (0, 0);
                let work = l.work.as_mut().unwrap();
                work.instructions = work.instructions / 100 * executed;
                work.mix.fp_scalar = work.mix.fp_scalar / 100 * executed;
            });
            fired(&RULE, &analysis).is_some()
        };
        assert!(!summed(100) && summed(60), "a cut-off leaves most of the work out");
    }

    #[test]
    fn silent_on_small_sets_single_loops_and_without_counts() {
        let mut few = nest(|l| count(l, 50, 8_000_000));
        few.loops[0].work.as_mut().unwrap().mix.store = 0;
        few.loops[1] = around(2, 1, 50);
        assert!(fired(&RULE, &few).is_none());
        assert!(fired(&RULE, &nest(|l| l.parent = None)).is_none());
        assert!(fired(&RULE, &nest(|l| (l.work, l.trip_count) = (None, None))).is_none());
    }
}
