//! Inner loops that walk across the rows of a matrix.

mod callers;
mod legality;
mod measured;

pub(super) use legality::{Legality, legality};
pub(super) use measured::{of_instructions, of_stride, over};

use crate::evidence::Memory;
use crate::prelude::*;
/// Id of its recommendation.
pub const INTERCHANGE_LOOPS: &str = "interchange-loops";

pub(crate) static RULE: Rule = Rule {
    id: "row-stride",
    check: Check::Loop(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("row_stride.md")),
};

/// A page: the reach of the hardware prefetchers.
const ROW_BYTES: u64 = 4096;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost || !facts.rebuildable(of) {
        return None;
    }
    // The order of accesses costs unoptimised code as much, but only a trace sees it there.
    if let Some(traced) = facts.traced(of) {
        return measured::check(facts, of, traced);
    }
    of.parent.filter(|_| !facts.unoptimised(of))?;
    let rows: Vec<u64> =
        of.strides.iter().map(|s| s.bytes.unsigned_abs()).filter(|&b| b >= ROW_BYTES).collect();
    let longest = rows.iter().max()?;
    Some(
        facts
            .about_loop(&RULE, of)
            .named(INTERCHANGE_LOOPS, "Exchange the loops, so that the inner one walks along memory")
            .because(
                Provenance::Binary,
                Memory::AdvancesByPages { operands: rows.len(), of: of.strides.len(), longest: *longest },
            )
            .gain(of.group_share, estimates::SHORTER_STRIDES)
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(how(false)),
    )
}

/// How to change the order, where the other loop is in this function, or in one that calls it.
fn how(caller: bool) -> How {
    if caller { how!(RULE, "caller") } else { how!(RULE, "order") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop, states, stride};

    #[test]
    fn fires_on_rows() {
        let r = fired_on(
            &RULE,
            scalar_loop(|l| {
                (l.parent, l.strides) = (Some(2), vec![stride(8192, 8, false), stride(8, 8, true)])
            }),
        )
        .unwrap();
        assert_eq!(r.id, "interchange-loops");
        assert!(states!(r, Memory::AdvancesByPages { operands: 1, of: 2, longest: 8192 }));
    }

    #[test]
    fn silent_on_structures_single_loops_and_unknown_strides() {
        assert!(
            fired_on(&RULE, scalar_loop(|l| (l.parent, l.strides) = (Some(2), vec![stride(152, 8, false)])))
                .is_none()
        );
        assert!(
            fired_on(&RULE, scalar_loop(|l| l.strides = vec![stride(8192, 8, false)])).is_none(),
            "nothing to exchange with"
        );
        assert!(fired_on(&RULE, scalar_loop(|l| (l.parent, l.strides) = (Some(2), vec![]))).is_none());
    }
}
