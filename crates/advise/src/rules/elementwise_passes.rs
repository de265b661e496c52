//! Many passes over arrays of one length: operators that return arrays, stages that are a loop each.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Expected, Memory, Time};
use crate::facts::MIN_SHARE;
use crate::prelude::*;
use crate::purposes;
use crate::rules::{array_temporaries, unfused_loops};
use loopwright_analysis::model::{FunctionFacts, Purpose, VectorVerdict};
use loopwright_binary::facts::ChainKind;
use loopwright_vocabulary::MemoryLevel;

pub(crate) static RULE: Rule = Rule {
    id: "elementwise-passes",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("elementwise_passes.md")),
};

/// Two loops are fused by [`unfused_loops`].
const SEVERAL: usize = 3;
/// Iterations of loops over one length agree but for boundary elements.
const SAME_LENGTH: f64 = 0.05;
/// More operations for a byte are work, and no pass.
const FEW_OPERATIONS: f64 = 0.5;
/// A sweep with less of the entries of the hottest loop is made in passing (setting up, a final sum), and is no stage.
const LEAST_ENTRIES: f64 = 1.0 / 16.0;
/// Passes with less of the time together are not worth a rewrite.
const LEAST_SHARE: f64 = 0.15;
/// From this part of the time on, the results are temporaries that are allocated and cleared.
const ALLOCATES: f64 = 0.05;

fn check(facts: &Facts) -> Option<Recommendation> {
    let passes: Vec<(&LoopFacts, Pass)> = facts
        .analysis
        .loops
        .iter()
        .filter(|l| l.group_share > 0.0 && facts.speaks_for_group(l))
        .filter_map(|l| Some((l, pass(facts, l)?)))
        .collect();
    let (hottest, longest) = passes.iter().max_by(|a, b| a.0.group_share.total_cmp(&b.0.group_share))?;
    let same = |of: &Pass| (of.elements - longest.elements).abs() <= SAME_LENGTH * longest.elements;
    let again = |of: &Pass| of.entries >= LEAST_ENTRIES * longest.entries;
    let stages: Vec<&(&LoopFacts, Pass)> =
        passes.iter().filter(|(_, pass)| same(pass) && again(pass)).collect();
    let share: f64 = stages.iter().map(|(l, _)| l.group_share).sum();
    if stages.len() < SEVERAL || share < LEAST_SHARE {
        return None;
    }
    let bytes: f64 = stages.iter().map(|(_, pass)| pass.bytes).sum();
    let largest = stages.iter().map(|(_, pass)| pass.bytes).fold(0.0, f64::max);
    let cleared = cleared(facts);
    let allocation = purposes::of(facts, Purpose::Allocation);
    let temporaries =
        cleared.iter().map(|one| one.all).sum::<f64>() + allocation.map_or(0.0, |found| found.share);
    let saved = 1.0 - largest / bytes;
    let least = share * saved * estimates::SEEN + temporaries * estimates::REUSED_MEMORY.0;
    let most = share * saved + temporaries * estimates::REUSED_MEMORY.1;
    let whole = (share + temporaries).min(1.0);
    let gain = Gain::removing_between(least / whole, most / whole);
    if gain.of_program(whole).high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts.about_program(&RULE).of_loop(hottest).because(
        Provenance::Counted,
        Memory::Passes {
            loops: stages.len(),
            elements: longest.elements,
            share,
            bytes: bytes as u64,
            largest: largest as u64,
        },
    );
    for Cleared { function, own, all } in cleared {
        new = new.because(Provenance::Measured, Time::FunctionShare { share: own, function });
        if all - own >= MIN_SHARE {
            new = new.because(Provenance::Measured, Time::InKernel { share: all - own });
        }
    }
    if let Some(found) = allocation.filter(|found| found.share >= MIN_SHARE) {
        new = new.because(Provenance::Measured, purposes::time_of(found));
    }
    let (id, title, how) = if temporaries >= ALLOCATES {
        let title = "Compute whole expressions in one loop, without temporary arrays";
        (array_temporaries::AVOID_TEMPORARY_ARRAYS, title, how!(RULE, "temporaries"))
    } else {
        (unfused_loops::FUSE_LOOPS, "Fuse these loops over arrays of one length", how!(RULE, "fuse"))
    };
    Some(
        new.named(id, title)
            .because(Provenance::Modelled, Expected::Saved { least: least / whole, most: most / whole })
            .gain(whole, gain)
            .confidence(Confidence::Medium)
            .how(how),
    )
}

/// One loop over an array.
struct Pass {
    elements: f64,
    entries: f64,
    bytes: f64,
}

/// The loop takes elements one by one, with little arithmetic, and more bytes per entry than the first cache holds.
fn pass(facts: &Facts, of: &LoopFacts) -> Option<Pass> {
    let alone = of.chains.iter().all(|c| c.kind == ChainKind::Induction);
    let safe = facts.dependence(of).is_none_or(|d| d.vector == VectorVerdict::Safe);
    if !of.innermost || !of.calls.is_empty() || !alone || !safe || of.instruction_mix.store == 0 {
        return None;
    }
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref()?);
    let lanes = of.vector.as_ref().filter(|_| of.vectorized).map_or(1, |v| v.length.max(1) * v.unroll.max(1));
    let elements = trips.source_mean.or(trips.mean.map(|mean| mean * f64::from(lanes)))?;
    let entries = trips.source_entries.or(trips.entries).filter(|n| *n > 0)? as f64;
    let bytes = unfused_loops::bytes(facts, of)? as f64;
    let few = work.intensity.is_none_or(|intensity| intensity <= FEW_OPERATIONS);
    let large = bytes / entries > facts.cache_size(MemoryLevel::L1)? as f64;
    (few && large).then_some(Pass { elements, entries, bytes })
}

/// A function that clears memory: its own share of the time, and with the kernel's for the faults of fresh memory.
struct Cleared {
    function: String,
    own: f64,
    all: f64,
}

fn cleared(facts: &Facts) -> Vec<Cleared> {
    let functions = facts.analysis.functions.iter();
    let clears = functions.filter(|f| f.function.contains("memset") && f.self_share >= MIN_SHARE);
    let of = |f: &FunctionFacts| Cleared {
        function: f.function.clone(),
        own: f.self_share,
        all: f.total_share.max(f.self_share),
    };
    clears.map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, count, fired, function, measured, purpose, states, vector_loop};
    use loopwright_analysis::model::Analysis;

    /// Loops of three streams each over 4 million doubles, a million iterations of four lanes.
    fn passes(loops: u32, change: impl Fn(&mut LoopFacts)) -> Analysis {
        let one = |id| {
            vector_loop(|l| {
                (l.id, l.group, l.line) = (id, id, Some(10 * id));
                (l.self_share, l.group_share, l.total_share) = (0.2, 0.2, 0.2);
                l.chains = vec![crate::fixtures::induction()];
                l.flop_per_iteration = [(loopwright_binary::facts::ElementType::F64, 4)].into();
                count(l, 100, 1_000_000);
                change(l);
            })
        };
        measured((1..=loops).map(one).collect())
    }

    #[test]
    fn fires_on_several_loops_over_one_length() {
        let r = fired(&RULE, &passes(4, |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.share), ("fuse-loops", Some(0.8)));
        assert!(states!(r, Memory::Passes { loops: 4, .. }), "{:?}", r.said());
        // Of four passes with equal bytes one remains.
        let gain = r.loop_gain.unwrap();
        assert!((gain.high() - 4.0).abs() < 1e-9 && gain.low() > 1.1, "{gain:?}");
    }

    #[test]
    fn fires_with_the_time_that_temporaries_take() {
        let mut analysis = passes(3, |_| ());
        analysis.functions = vec![function("__memset_avx512_unaligned_erms", "libc.so.6", 0.25)];
        analysis.purposes = vec![purpose(Purpose::Allocation, 0.05)];
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(r.id, "avoid-temporary-arrays");
        assert!(states!(r, Time::FunctionShare { share, .. } if *share == 0.25), "{:?}", r.said());
        assert!(r.program_gain.unwrap().high() > 3.0, "{:?}", r.program_gain);
    }

    #[test]
    fn silent_on_few_short_or_carried_loops_and_on_other_lengths() {
        assert!(fired(&RULE, &passes(2, |_| ())).is_none());
        assert!(fired(&RULE, &passes(4, |l| count(l, 100, 100))).is_none(), "within L1");
        let sum = |l: &mut LoopFacts| l.chains = vec![chain(ChainKind::VectorReduction, "ymm0", 4)];
        assert!(fired(&RULE, &passes(4, sum)).is_none());
        let lengths = |l: &mut LoopFacts| count(l, 100, 1_000_000 * u64::from(l.id));
        assert!(fired(&RULE, &passes(4, lengths)).is_none());
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &passes(4, |l| l.trip_count = None)).is_none());
        assert!(fired(&RULE, &passes(4, |l| l.work = None)).is_none());
    }
}
