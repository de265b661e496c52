//! Chains of look-ups in a table that is in L1: state machines, checksums by a table, codes that are decoded bit by bit.
//!
//! To the registers they look like a list: the address of a load comes from the load before it. But a list gains from being
//! packed or prefetched, and a table of a few kilobytes does not: fewer look-ups are what helps, or several chains at a time.

use crate::evidence::Shape;
use crate::prelude::*;
use crate::remedies::BREAK_RECURRENCE;
use crate::traced::to_arrays;
use loopwright_analysis::model::{AccessFacts, StridePattern};
use loopwright_binary::facts::{CarriedChain, ChainKind};

/// Id of its recommendation for bits.
pub const LOOKUP_TABLE: &str = "lookup-table";

pub(crate) static RULE: Rule = Rule {
    id: "table-walk",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("table_walk.md")),
};

/// Slower than this many times its chain from L1, and the chain is not what it waits for.
const NEAR_ITS_CHAIN: f64 = 2.5;
/// Elements of a stream: bytes to words.
const STREAM_BYTES: i64 = 8;
/// Shorter streams end before several chains overlap.
const LEAST_STREAM: f64 = 16.0;
/// A code has fewer bits than this.
const LONGEST_CODE: f64 = 32.0;
/// Shifts, masks and sums around the look-up of several bits.
const AROUND_LOOK_UP: f64 = 4.0;
/// A careful gain below this is not certain.
const SURE_GAIN: f64 = 1.2;

/// A walk through a small table.
pub struct Walk<'l> {
    /// Its chain.
    chain: &'l CarriedChain,
    /// Bytes of the table that were touched.
    bytes: u64,
    /// The piece that was traced.
    traced: &'l LoopFacts,
}

/// The chain of look-ups of a loop, where its table is in L1.
pub fn walk<'l>(facts: &Facts<'l>, of: &'l LoopFacts) -> Option<Walk<'l>> {
    let chain = of.chains.iter().find(|c| c.kind == ChainKind::PointerChase)?;
    let traced = facts.traced(of)?;
    let near = facts.machine()?.cache_bytes.first().copied()?;
    let own = |a: &&AccessFacts| {
        let at = |text: &String| u64::from_str_radix(text.trim_start_matches("0x"), 16);
        a.addresses.iter().filter_map(|text| at(text).ok()).any(|at| chain.instructions.contains(&at))
    };
    let table = to_arrays(traced).filter(own).find(|a| a.pattern == StridePattern::Variable)?;
    let bytes = table.footprint_bytes.filter(|bytes| *bytes <= near)?;
    Some(Walk { chain, bytes, traced })
}

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let Walk { chain, bytes, traced } = walk(facts, of)?;
    let (work, trips) = (of.work.as_ref()?, of.trip_count.as_ref().filter(|t| t.iterations > 0)?);
    let ghz = facts.clock_ghz().filter(|_| facts.rates_hold())?;
    let cycles = of.self_seconds * ghz * 1e9 / trips.iterations as f64;
    let instructions = work.instructions as f64 / trips.iterations as f64;
    let mean = trips.mean?;
    let chained = f64::from(chain.latency_cycles);
    let stream = |s: &loopwright_binary::facts::StaticStride| {
        !s.store && s.bytes != 0 && s.bytes.abs() <= STREAM_BYTES
    };
    let new = |title: &str, id: &str| {
        facts
            .about_loop(&RULE, of)
            .named(id, title)
            .because(Provenance::Counted, Shape::TableWalk { bytes, extent: facts.extent(traced), cycles })
    };
    if of.operands.bit_tests > 0 && mean <= LONGEST_CODE && !of.strides.iter().any(stream) {
        let (share, now) = whole_code(facts, of, ghz, cycles * mean);
        let least = facts.core().latency.l1 - estimates::INTO_GENERAL + AROUND_LOOK_UP;
        let then = (least, 2.0 * least);
        let gain = Gain::between(now / then.1, now / then.0);
        return (gain.low() >= SURE_GAIN).then(|| {
            new("Look up several bits at a time in a wider table", LOOKUP_TABLE)
                .because(Provenance::Modelled, Shape::Instead { now, then })
                .gain(share, gain)
                .confidence(Confidence::Medium)
                .how(how!(RULE, "bits"))
        });
    }
    if of.exits > 1
        || mean < LEAST_STREAM
        || cycles > NEAR_ITS_CHAIN * chained
        || !of.strides.iter().any(stream)
        || work.mix.call > 0
    {
        return None;
    }
    // Interleaved chains run at their instructions; slices spare the shifts and the loop of all but one element.
    let issue = facts.core().issue(instructions);
    let then = (estimates::SLICED * issue, issue);
    let gain = Gain::between(cycles / then.1, cycles / then.0);
    (gain.low() >= SURE_GAIN).then(|| {
        new(
            "Process several elements per step: one table for each, or several streams at once",
            BREAK_RECURRENCE,
        )
        .because(Provenance::Modelled, Shape::Instead { now: cycles, then })
        .gain(of.group_share, gain)
        .confidence(Confidence::Medium)
        .how(how!(RULE, "stream"))
    })
}

/// Share and cycles of a code: with the loop around, where each of its iterations decodes one.
fn whole_code(facts: &Facts, of: &LoopFacts, ghz: f64, own: f64) -> (f64, f64) {
    let around = facts.around(of).filter(|a| a.children == [of.id] && a.calls.is_empty());
    let each = around.and_then(|a| Some((a, a.trip_count.as_ref()?.iterations)));
    let entries = of.trip_count.as_ref().and_then(|t| t.entries);
    match each {
        Some((a, n)) if Some(n) == entries && n > 0 => {
            (a.total_share.max(of.group_share), (a.total_seconds * ghz * 1e9 / n as f64).max(own))
        }
        _ => (of.group_share, own),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        access, chain, count, fired, scalar_loop, scattered, states, stride, trace, traced,
    };
    use loopwright_analysis::model::Analysis;
    use loopwright_patterns::facts::AccessKind;

    /// `crc = table[(crc ^ p[i]) & 255] ^ crc >> 8` over 64 kB, 2 * 10^9 times in 4 s.
    fn checksum(footprint: u64, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        traced(vec![scalar_loop(|l| {
            (l.instructions, l.instruction_mix.store) = (8, 0);
            l.chains = vec![chain(ChainKind::PointerChase, "eax", 7)];
            l.strides = vec![stride(1, 1, false)];
            count(l, 26_000, 65_536);
            let mut table = scattered("table[c]", 4, footprint);
            table.addresses = vec!["0x1210".into()];
            trace(l, vec![access("p[i]", AccessKind::Load, 1, 1), table]);
            change(l);
        })])
    }

    #[test]
    fn fires_on_a_checksum_by_a_table() {
        let r = fired(&RULE, &checksum(1024, |_| ())).unwrap();
        assert_eq!(r.id, BREAK_RECURRENCE);
        assert!(states!(r, Shape::TableWalk { bytes: 1024, .. }), "{:?}", r.said());
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.5 && gain.high() / gain.low() < 1.6, "{gain:?}");
    }

    #[test]
    fn fires_on_a_code_that_is_read_bit_by_bit() {
        let code = |l: &mut LoopFacts| {
            l.strides.clear();
            l.operands.bit_tests = 1;
            (l.exits, l.instructions) = (2, 15);
            count(l, 300_000_000, 6);
        };
        let r = fired(&RULE, &checksum(2048, code)).unwrap();
        assert_eq!(r.id, LOOKUP_TABLE);
        assert!(states!(r, Shape::Instead { .. }));
    }

    #[test]
    fn silent_on_lists_and_where_the_chain_is_not_what_it_waits_for() {
        assert!(fired(&RULE, &checksum(8 << 20, |_| ())).is_none(), "a list in memory");
        assert!(fired(&RULE, &checksum(1024, |l| count(l, 1000, 65_536))).is_none(), "180 cycles each");
        assert!(fired(&RULE, &checksum(1024, |l| l.strides.clear())).is_none(), "no stream");
    }

    #[test]
    fn silent_without_a_trace() {
        assert!(fired(&RULE, &checksum(1024, |l| l.access.clear())).is_none());
    }
}
