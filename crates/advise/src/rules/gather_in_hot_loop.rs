//! Vector loops whose elements are collected through indices.

use crate::facts::Facts;
use crate::gain::Gain;
use crate::recommendation::{Confidence, How, Recommendation};
use crate::rule::{Check, Doc, Rule};
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::Trait;

/// The rule.
pub static RULE: Rule = Rule {
    id: "gather-in-hot-loop",
    title: "A vector loop gathers its elements one by one",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &["plain-loads", "reorder-indices", "array-of-structures", "interchange-loops"],
    doc: Doc {
        detects: "A vectorised hot loop with gather or scatter instructions.",
        why_it_costs: "A gather is one instruction but as many loads as it has lanes, and as many cache lines if the indices \
                       are far apart. Arithmetic is then no longer what the loop waits for.",
        facts_needed: "The traits gather and scatter. Which arrays are meant, and how far the indices lie apart, is only known from \
                       `loopwright map`.",
        when_it_is_wrong: "When the indices are random by nature and the table fits into L1: then the gather is the best there is.",
        example: "`y[i] += val[k] * x[col[k]];` of a sparse matrix, or `table[key[i]]`; also `a[3*i]`, which compilers gather.",
        how_to_verify: "`loopwright show loop ID` has no gather, or the same gather with a better cache-line utilisation in `loopwright map`.",
    },
    sources: &[
        "Agner Fog, Instruction tables: vgatherdpd, one load per lane",
        "Gathering-based SpMxV: relocation of columns into consecutive pieces",
    ],
};

/// Lanes that a gather loads per cycle: two load ports on current cores.
const LOADS_PER_CYCLE: f64 = 2.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let gathers = of.traits.contains(&Trait::Gather);
    let scatters = of.traits.contains(&Trait::Scatter);
    let vector = of.vector.as_ref().filter(|_| of.vectorized && (gathers || scatters))?;
    if !facts.speaks_for_group(of) {
        return None;
    }
    let what = match (gathers, scatters) {
        (true, true) => "gathers and scatters",
        (true, false) => "gathers",
        _ => "scatters",
    };
    // A unit-stride load replaces length / 2 cycles of a gather by half a cycle; the rest of the loop stays.
    let cycles_now = f64::from(of.instructions.max(4)) / 4.0 + f64::from(vector.length) / LOADS_PER_CYCLE;
    let gain = Gain::new(1.0, cycles_now / (f64::from(of.instructions.max(4)) / 4.0));
    Some(
        facts
            .about_loop(&RULE, of)
            .titled(format!("This vector loop {what} its elements: give it consecutive ones"))
            .because(Provenance::Binary, format!("it {what} {} elements per vector, each a load or store of its own", vector.length))
            .because(Provenance::Modelled, format!("without them up to {:.1} times fewer cycles per pass", gain.high()))
            .gain(of.group_share, gain)
            .confidence(Confidence::Medium)
            .next(facts.collect("map", of))
            .how(
                How::new(
                    "If the index is i times a constant, change the layout (structure of arrays) or exchange the loops. If it is an index \
                     array: sort or renumber the data so that neighbours in the loop are neighbours in memory (reverse Cuthill-McKee for \
                     meshes, SELL-C-sigma for sparse matrices), copy what is used several times into a packed buffer once, or block the \
                     table so that it stays in L1. Small tables (up to 16 or 32 bytes-sized entries) fit into a register: use a shuffle.",
                )
                .c(
                    "for (int i = 0; i < n; i++)\n    y[i] = a * x[idx[i]];            /* used again and again */",
                    "for (int i = 0; i < n; i++) packed[i] = x[idx[i]];   /* once */\nfor (int i = 0; i < n; i++)\n    y[i] = a * packed[i];",
                )
                .fortran(
                    "do i = 1, n\n  y(i) = a * x(idx(i))\nend do",
                    "packed(1:n) = x(idx(1:n))   ! once\ndo i = 1, n\n  y(i) = a * packed(i)\nend do",
                )
                .flags("gcc 14 and later (where scalar loads are faster)", "-mno-gather"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired_on, scalar_loop, vector_loop};

    #[test]
    fn fires_on_gathers_and_asks_for_map() {
        let r = fired_on(&RULE, vector_loop(|l| l.traits = vec![Trait::Gather])).unwrap();
        assert!(r.next.unwrap().starts_with("loopwright map --loops 1"));
        assert!(r.title.contains("gathers"));
        assert!(r.loop_gain.unwrap().high() > 1.5);
    }

    #[test]
    fn fires_on_scatters() {
        assert!(
            fired_on(&RULE, vector_loop(|l| l.traits = vec![Trait::Scatter]))
                .unwrap()
                .title
                .contains("scatters")
        );
    }

    #[test]
    fn silent_without_either() {
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
        assert!(fired_on(&RULE, scalar_loop(|l| l.traits = vec![Trait::Shuffle])).is_none());
    }
}
