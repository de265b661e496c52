//! Numbers that are taken apart bit by bit: checksums, counts and reversals of bits, products without carry.
//!
//! Recognised by the code: a shift by one and a test of one bit of the same value, no arithmetic beside logic, and counted
//! trips of at most the bits of a word. Where the compiler unrolled the loop, its body has a shift for each bit.

use crate::evidence::Shape;
use crate::prelude::*;
use crate::rules::table_walk::LOOKUP_TABLE;
use loopwright_analysis::model::TripCount;
use loopwright_binary::facts::ChainKind;

pub(crate) static RULE: Rule = Rule {
    id: "single-bits",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("single_bits.md")),
};

/// Bits of a word.
const MOST_BITS: f64 = 64.0;
/// Fewer bits are as fast as a look-up.
const FEWEST_BITS: f64 = 4.0;
/// A body that was unrolled has a shift for each of at least this number of bits.
const UNROLLED: u32 = 4;
/// Fewer numbers do not pay for a table.
const FEWEST_ENTRIES: u64 = 10_000;
/// Loads of an iteration that takes a bit from its byte.
const ONE_LOAD: f64 = 1.5;
/// Bits that are read at a time, at least.
const FEWEST_READ: f64 = 2.0;
/// Instructions that take some bits from a register: shift, mask, advance, test for the next word.
const WORD_READ: f64 = 8.0;
/// Bits of a look-up.
const AT_A_TIME: f64 = 8.0;
/// Cycles of logic beside a look-up.
const LOGIC: f64 = 2.0;
/// A chain that only shifts: what is computed of the bits does not depend on the bits before.
const SHIFT: u32 = 1;
/// A careful gain below this is not certain.
const SURE_GAIN: f64 = 1.3;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let shifts = of.operands.bit_shifts.min(of.operands.bit_tests);
    let appended = of.operands.appended_bits.min(of.operands.bit_tests);
    if of.vectorized || !of.innermost || shifts.max(appended) == 0 {
        return None;
    }
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref().filter(|t| t.iterations > 0)?);
    let each = |n: u64| n as f64 / trips.iterations as f64;
    let other = work.flop > 0 || work.mix.call > 0 || work.mix.divide > 0;
    let unrolled = shifts >= UNROLLED;
    let touched = each(work.mix.load) + each(work.mix.store);
    if other || each(work.mix.store) > 0.5 {
        return None;
    }
    // One load for each bit: the bits of a stream, each taken from its byte.
    if appended > 0 && touched <= ONE_LOAD {
        return reader(facts, of, trips, appended);
    }
    // A bit that chooses an element is an index, not a part of the number.
    if shifts == 0 || touched > if unrolled { 2.0 } else { 0.5 } {
        return None;
    }
    let (numbers, bits) = if unrolled {
        (trips.iterations, f64::from(shifts))
    } else {
        (trips.entries?, trips.mean? * f64::from(shifts))
    };
    if numbers < FEWEST_ENTRIES || !(FEWEST_BITS..=MOST_BITS).contains(&bits) {
        return None;
    }
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let now = of.self_seconds * ghz * 1e9 / numbers as f64;
    let l1 = facts.core().latency.l1 - estimates::INTO_GENERAL;
    let look_ups = (bits / AT_A_TIME).ceil();
    let chained = of.chains.iter().any(|c| c.kind == ChainKind::Recurrence && c.latency_cycles > SHIFT);
    // Each look-up from the result of the last one; or all at once, if there is no instruction for it.
    let then = if chained {
        (look_ups * (l1 + LOGIC), LOGIC + look_ups * (l1 + LOGIC))
    } else {
        (l1, l1 + LOGIC * look_ups)
    };
    let gain = Gain::between(now / then.1, now / then.0);
    if gain.low() < SURE_GAIN {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .named(LOOKUP_TABLE, "Process whole bytes by a table, or all bits by one instruction")
            .because(Provenance::Counted, Shape::BitByBit { entries: numbers, bits, cycles: now })
            .because(Provenance::Modelled, Shape::Instead { now, then })
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE, "number")),
    )
}

/// Numbers that are read from a stream one bit after the other.
fn reader(facts: &Facts, of: &LoopFacts, trips: &TripCount, shifts: u32) -> Option<Recommendation> {
    let (numbers, bits) = (trips.entries?, trips.mean? * f64::from(shifts));
    if numbers < FEWEST_ENTRIES || !(FEWEST_READ..=MOST_BITS).contains(&bits) {
        return None;
    }
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let now = of.self_seconds * ghz * 1e9 / numbers as f64;
    // Shift, mask and advance; and now and then the next eight bytes.
    let core = facts.core();
    let then = (core.issue(WORD_READ), core.latency.l1 + WORD_READ);
    let gain = Gain::between(now / then.1, now / then.0);
    if gain.low() < SURE_GAIN {
        return None;
    }
    Some(
        facts
            .about_loop(&RULE, of)
            .named(
                LOOKUP_TABLE,
                "Take all bits of a number from the stream at once: keep the next 64 bits in a register",
            )
            .because(Provenance::Counted, Shape::BitByBit { entries: numbers, bits, cycles: now })
            .because(Provenance::Modelled, Shape::Instead { now, then })
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .how(how!(RULE, "stream")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, count, fired, measured, scalar_loop, states};
    use loopwright_analysis::model::Analysis;
    use loopwright_binary::facts::InstructionMix;

    /// `for (k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ P : crc >> 1`, 400 million times in 4 s: 30 cycles each.
    fn bits(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        measured(vec![scalar_loop(|l| {
            (l.instructions, l.instruction_mix) =
                (8, InstructionMix { integer: 5, branch: 1, moves: 1, ..InstructionMix::default() });
            l.flop_per_iteration.clear();
            l.chains = vec![chain(ChainKind::Recurrence, "eax", 4)];
            (l.operands.bit_shifts, l.operands.bit_tests) = (1, 1);
            count(l, 400_000_000, 8);
            change(l);
        })])
    }

    #[test]
    fn fires_on_a_checksum_bit_by_bit() {
        let r = fired(&RULE, &bits(|_| ())).unwrap();
        assert_eq!(r.id, LOOKUP_TABLE);
        assert!(states!(r, Shape::BitByBit { entries: 400_000_000, bits: 8.0, .. }), "{:?}", r.said());
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 2.0 && gain.high() / gain.low() < 1.5, "{gain:?}");
    }

    #[test]
    fn fires_on_an_unrolled_body() {
        let unrolled = |l: &mut LoopFacts| {
            (l.instructions, l.operands.bit_shifts, l.operands.bit_tests) = (50, 8, 8);
            count(l, 1, 400_000_000);
        };
        assert!(fired(&RULE, &bits(unrolled)).is_some());
    }

    /// `v = v << 1 | next_bit()`, ten bits for each of 40 million numbers: 300 cycles each.
    #[test]
    fn fires_on_a_reader_of_single_bits() {
        let reading = |change: fn(&mut LoopFacts)| {
            bits(|l| {
                (l.operands.bit_shifts, l.operands.bit_tests, l.operands.appended_bits) = (0, 1, 1);
                l.instruction_mix.load = 1;
                count(l, 40_000_000, 10);
                change(l);
            })
        };
        let r = fired(&RULE, &reading(|_| ())).unwrap();
        assert!(r.title.contains("64 bits in a register") && r.loop_gain.unwrap().low() > 5.0, "{r:?}");
        assert!(
            fired(&RULE, &reading(|l| l.operands.appended_bits = 0)).is_none(),
            "an element for each bit"
        );
        assert!(fired(&RULE, &reading(|l| count(l, 1000, 10))).is_none());
    }

    #[test]
    fn silent_on_halvings_flags_and_elements() {
        assert!(fired(&RULE, &bits(|l| l.operands.bit_tests = 0)).is_none(), "a binary search");
        assert!(fired(&RULE, &bits(|l| l.operands.bit_shifts = 0)).is_none(), "flags");
        let chooses = |l: &mut LoopFacts| l.work.as_mut().unwrap().mix.load = 3_200_000_000;
        assert!(fired(&RULE, &bits(chooses)).is_none());
        assert!(fired(&RULE, &bits(|l| count(l, 1_000_000, 200))).is_none(), "longer than a word");
    }

    #[test]
    fn silent_without_counts() {
        assert!(fired(&RULE, &bits(|l| l.work = None)).is_none());
        assert!(fired(&RULE, &bits(|l| l.trip_count = None)).is_none());
    }
}
