//! Vector accesses that are across two cache lines.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Memory, Operand};
use crate::prelude::*;
use crate::traced::to_arrays;
use crate::traffic::{traffic, without_cycles};
use loopwright_analysis::model::AccessFacts;
use loopwright_binary::facts::{CarriedChain, ChainKind};
use loopwright_patterns::facts::AccessKind;

pub(crate) static RULE: Rule = Rule {
    id: "split-accesses",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("split_accesses.md")),
};

/// Smaller operands are rarely split, and their splits cost as much as one more scalar access.
const LEAST_BYTES: u32 = 16;
/// A share of splits that is not worth a word.
const LEAST_SPLITS: f64 = 0.05;

/// A chain that takes more of the time than this hides the splits.
const HIDES: f64 = 0.9;

/// No other vector access of the same array has another offset within a vector: of neighbours such as `x[i]` and `x[i + 1]` only
/// one can be aligned, and where the distance is not constant none is for long.
fn can_be_aligned(of: &LoopFacts, access: &AccessFacts) -> bool {
    let (Some(array), width) = (access.array, i64::from(access.operand_bytes.max(1))) else { return true };
    let others = of.access.iter().filter(|other| {
        other.array == Some(array) && other.operand_bytes >= LEAST_BYTES && !std::ptr::eq(*other, access)
    });
    // The first of those at constant distances has no offset; two without one have no constant distance.
    let aligned = |other: &AccessFacts| match (access.offset_bytes, other.offset_bytes) {
        (None, None) => false,
        (one, other) => (one.unwrap_or(0) - other.unwrap_or(0)).rem_euclid(width) == 0,
    };
    others.into_iter().all(aligned)
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost {
        return None;
    }
    let traced = facts.traced(of)?;
    let iterations = traced.memory.as_ref().map(|m| m.traced_iterations).filter(|n| *n > 0)? as f64;
    let split: Vec<&AccessFacts> = to_arrays(traced)
        .filter(|a| {
            a.operand_bytes >= LEAST_BYTES
                && a.gather.is_none()
                && a.line_split_share >= LEAST_SPLITS
                && can_be_aligned(traced, a)
        })
        .collect();
    let chained = |chain: &CarriedChain| {
        chain.kind != ChainKind::Induction && facts.chain_share(of, chain).is_some_and(|share| share > HIDES)
    };
    if split.is_empty() || of.chains.iter().any(chained) {
        return None;
    }
    let extra = |pick: fn((f64, f64)) -> f64| -> f64 {
        let of_access = |a: &&AccessFacts| {
            let kind = if a.kind == AccessKind::Load {
                pick(estimates::SPLIT_LOAD)
            } else {
                pick(estimates::SPLIT_STORE)
            };
            let pages = a.page_split_share.min(a.line_split_share);
            a.executions as f64 / iterations
                * ((a.line_split_share - pages) * kind + pages * pick(estimates::SPLIT_PAGE))
        };
        split.iter().map(of_access).sum()
    };
    let (gain, cycles) = without_cycles(facts, traced, (extra(|c| c.0), extra(|c| c.1)));
    // What farther levels deliver hides splits.
    let (least, most) = traffic(facts, traced).share();
    let gain = Gain::between(gain.on_part(1.0 - most).low(), gain.on_part(1.0 - least).high());
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let worst = split.iter().map(|a| a.line_split_share).fold(0.0, f64::max);
    let all: f64 =
        to_arrays(traced).filter(|a| a.operand_bytes >= LEAST_BYTES).map(|a| a.executions as f64).sum();
    let splits: f64 = split.iter().map(|a| a.executions as f64 * a.line_split_share).sum();
    let width = split.iter().map(|a| a.operand_bytes).max().unwrap_or(LEAST_BYTES);
    let new = facts
        .about_loop(&RULE, of)
        .named(
            "align-data",
            format!(
                "Align these arrays to {} bytes: vector accesses are split between cache lines",
                align(width)
            ),
        )
        .because(
            Provenance::Counted,
            Memory::Splits {
                share: splits / all.max(1.0),
                operands: Operand::of_all(split.iter().copied()),
                worst,
                extent: facts.extent(traced),
            },
        )
        .because(
            Provenance::Modelled,
            Memory::SplitCycles {
                each: (estimates::SPLIT_LOAD.0, estimates::SPLIT_STORE.1),
                per_iteration: (extra(|c| c.0), extra(|c| c.1)),
                of: cycles,
            },
        );
    let sure = if gain.low() > 1.0 { Confidence::Medium } else { Confidence::Low };
    Some(facts.asking_for_counts(new.gain(of.group_share, gain), of).confidence(sure).how(how(align(width))))
}

/// The alignment to ask for: that of the vector, at least 32, at most a line.
fn align(width: u32) -> u32 {
    width.next_power_of_two().clamp(32, 64)
}

fn how(bytes: u32) -> How {
    how!(RULE).with("bytes", bytes)
    .c(
        "double *a = malloc(n * sizeof *a);\nfor (int i = 0; i < n; i++)\n    a[i] = b[i] * s;",
        &format!(
            "double *a = aligned_alloc({bytes}, (n * sizeof *a + {0}) / {bytes} * {bytes});\n#pragma omp simd aligned(a, b : {bytes})\nfor (int i = 0; i < n; i++)\n    a[i] = b[i] * s;",
            bytes - 1
        ),
    )
    .fortran(
        "real(8), allocatable :: a(:)\nallocate(a(n))",
        &format!(
            "real(8), allocatable :: a(:)\n!dir$ attributes align : {bytes} :: a   ! ifx; with gfortran allocate in C, or pad by hand\nallocate(a(n))"
        ),
    )
    .flags("ifx", "-align array64byte")
    .flags("rustc", "a `#[repr(align(64))]` block type as the element of the Vec")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, chain, count, fired, near, states, trace, traced, vector_loop};
    use loopwright_analysis::model::Analysis;

    fn vectors(split: f64, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![vector_loop(|l| {
            let of = |name: &str, kind| {
                let mut a = access(name, kind, 8, 1);
                (a.operand_bytes, a.source_factor, a.line_split_share) = (32, 4, split);
                a
            };
            trace(
                l,
                vec![
                    of("b[i]", AccessKind::Load),
                    of("c[i]", AccessKind::Load),
                    of("a[i]", AccessKind::Store),
                ],
            );
            // 4 s for 4 x 10^9 iterations of 1 ns: 1.5 cycles at 1.5 GHz (6 GFLOP/s scalar).
            count(l, 4000, 1_000_000);
            change(l);
        })])
    }

    #[test]
    fn fires_with_the_extra_cycles_against_the_loops_time() {
        let r = fired(&RULE, &vectors(0.5, |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("align-data", Confidence::Medium));
        assert!(r.title.contains("32 bytes"));
        assert!(
            states!(r, Memory::Splits { share, operands, .. } if near(*share, 0.5) && operands.len() == 3),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        // A third of a cycle per split: half of one per iteration at the least.
        assert!(gain.low() > 1.1 && gain.high() <= 3.0, "{gain:?}");
    }

    #[test]
    fn silent_where_a_chain_hides_splits_or_an_array_has_two_offsets() {
        let chained = vectors(0.5, |l| {
            l.chains = vec![chain(ChainKind::VectorReduction, "ymm0", 4)];
            // 4 s at 3 GHz are 3e9 iterations of 4 cycles.
            count(l, 3000, 1_000_000);
        });
        assert!(fired(&RULE, &chained).is_none());
        let shifted = |bytes| {
            vectors(0.5, |l| {
                for (access, offset) in l.access.iter_mut().zip([None, Some(bytes), Some(64)]) {
                    (access.array, access.offset_bytes) = (Some(1), offset);
                }
            })
        };
        assert!(fired(&RULE, &shifted(8)).is_none(), "x[i] and x[i + 1]");
        assert!(fired(&RULE, &shifted(64)).is_some());
    }

    #[test]
    fn page_splits_cost_more_and_without_counts_it_is_a_hint() {
        let uncounted = |pages: f64| {
            let analysis = vectors(0.1, |l| {
                (l.trip_count, l.work) = (None, None);
                l.access.iter_mut().for_each(|a| a.page_split_share = pages);
            });
            fired(&RULE, &analysis).unwrap()
        };
        let (few, many) = (uncounted(0.0), uncounted(0.1));
        assert!(many.loop_gain.unwrap().high() > few.loop_gain.unwrap().high());
        assert_eq!((few.confidence, few.loop_gain.unwrap().low()), (Confidence::Low, 1.0));
        assert!(few.next.unwrap().contains("tripcounts"));
    }

    #[test]
    fn silent_on_few_splits_scalar_operands_and_slow_loops() {
        assert!(fired(&RULE, &vectors(0.0, |_| ())).is_none());
        assert!(fired(&RULE, &vectors(0.01, |_| ())).is_none());
        let scalar = vectors(0.5, |l| l.access.iter_mut().for_each(|a| a.operand_bytes = 8));
        assert!(fired(&RULE, &scalar).is_none());
        assert!(fired(&RULE, &vectors(0.1, |l| l.self_seconds = 400.0)).is_none(), "100 ns per iteration");
        assert!(fired(&RULE, &vectors(0.5, |l| l.access.clear())).is_none());
    }
}
