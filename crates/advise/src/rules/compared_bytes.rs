//! Loops that compare two byte strings a byte at a time until they differ.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Shape, Trips};
use crate::prelude::*;
use crate::rules::idiom_loop;
use loopwright_binary::facts::Trait;
use loopwright_patterns::facts::AccessKind;

pub(crate) static RULE: Rule = Rule {
    id: "compared-bytes",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("compared_bytes.md")),
};

/// Shorter runs end before a word is loaded, compared and its first difference found.
const FEWEST_BYTES: f64 = 4.0;
/// Bytes of a word.
const WORD: f64 = 8.0;
/// Instructions of an iteration: two loads, a comparison, counters and ends.
const MOST_INSTRUCTIONS: u32 = 16;
/// What happens in fewer iterations than this happens once for each run.
const RARE: f64 = 0.05;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref()?);
    let bytes = trips.mean.filter(|mean| *mean >= FEWEST_BYTES)?;
    let each = |count: u64| count as f64 / trips.iterations.max(1) as f64;
    let mix = &work.mix;
    let others = [mix.store, mix.call, mix.divide, mix.conversion, work.flop];
    if of.vectorized
        || !of.innermost
        || of.exits < 2
        || !of.traits.contains(&Trait::EarlyExit)
        || of.instructions > MOST_INSTRUCTIONS
        || others.iter().any(|n| each(*n) > RARE)
        || streams(facts, of) != 2
    {
        return None;
    }
    let entries = trips.entries.filter(|n| *n > 0)?;
    let core = facts.core();
    // Two loads, an exclusive or, a test and a step for each word; the position of the first bit and the bytes beyond the last word
    // for each run.
    let words = (bytes / WORD).ceil();
    let then = core.issue(estimates::WORD_COMPARED * words + estimates::DIFFERENCE_FOUND) + core.mispredict;
    let now = of.self_seconds * 1e9 * facts.clock_ghz()? / entries as f64;
    let gain = Gain::of(now / then).hedged(estimates::SEEN);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                idiom_loop::RULE.id,
                "Compare eight bytes at a time: an exclusive or of two words shows the first difference",
            )
            .because(Provenance::Counted, Trips::RunsPerEntry { iterations: bytes, entries, around: None })
            .because(Provenance::Modelled, Shape::Instead { now, then: (then, then) })
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

/// Streams of bytes that the loop reads in order; none where it reads anything else that moves.
fn streams(facts: &Facts, of: &LoopFacts) -> usize {
    let Some(traced) = facts.traced(of) else {
        let moving = of.strides.iter().filter(|s| s.bytes != 0);
        return if moving.clone().all(|s| s.size == 1 && s.bytes == 1 && !s.store) {
            moving.count()
        } else {
            0
        };
    };
    let moving = traced.access.iter().filter(|a| a.machine_stride_bytes != Some(0));
    let byte = |a: &loopwright_analysis::model::AccessFacts| {
        a.element_bytes == 1 && a.machine_stride_bytes == Some(1) && a.kind == AccessKind::Load
    };
    if moving.clone().all(byte) { moving.count() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, count, fired, measured, scalar_loop, states, trace, traced};
    use loopwright_analysis::model::Analysis;

    /// `while (n < limit && a[n] == b[n]) n++;`: 20 bytes in each of 100 million entries, 4 s.
    fn comparing(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let mut analysis = traced(vec![scalar_loop(|l| {
            (l.exits, l.traits, l.instructions) = (2, vec![Trait::EarlyExit], 9);
            l.instruction_mix.store = 0;
            l.flop_per_iteration.clear();
            count(l, 100_000_000, 20);
            let byte = |name: &str| access(name, AccessKind::Load, 1, 1);
            trace(l, vec![byte("a[n]"), byte("b[n]")]);
            change(l);
        })]);
        analysis.machine = measured(vec![]).machine;
        analysis
    }

    #[test]
    fn fires_on_two_streams_of_bytes() {
        let r = fired(&RULE, &comparing(|_| ())).unwrap();
        assert_eq!(r.id, "idiom-loop");
        assert!(
            states!(r, Shape::Instead { .. }) && states!(r, Trips::RunsPerEntry { .. }),
            "{:?}",
            r.said()
        );
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.5 && gain.high() < 15.0, "{gain:?}");
    }

    #[test]
    fn silent_on_one_stream_words_stores_and_short_runs() {
        let silent = |change: fn(&mut LoopFacts)| fired(&RULE, &comparing(change)).is_none();
        assert!(silent(|l| l.access.truncate(1)), "a search for a byte");
        assert!(silent(|l| l.access[0] = access("a[n]", AccessKind::Load, 4, 1)));
        assert!(silent(|l| l.access[0] = access("a[n]", AccessKind::Store, 1, 1)));
        assert!(silent(|l| count(l, 1_000_000_000, 2)));
        assert!(silent(|l| l.exits = 1), "it runs to its end");
        assert!(silent(|l| l.traits.clear()));
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &comparing(|l| l.work = None)).is_none());
        assert!(fired(&RULE, &comparing(|l| l.trip_count = None)).is_none());
    }
}
