//! Loops that only fill or copy memory.

use crate::evidence::{Vectors, function_of};
use crate::prelude::*;
use crate::producer::Family;
use loopwright_analysis::model::WorkRow;
use loopwright_binary::facts::{Idiom, Isa};

pub(crate) static RULE: Rule = Rule {
    id: "idiom-loop",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("idiom_loop.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let idiom = of.idiom?;
    if !of.innermost {
        return None;
    }
    let function = function_of(idiom);
    // The move width is all that can change: a byte or word at a time against a vector.
    let widest = facts.machine().map_or(128, |m| m.vector_bits);
    let now = of
        .vector
        .as_ref()
        .filter(|_| of.vectorized)
        .map_or_else(|| of.strides.iter().map(|s| s.size * 8).max().unwrap_or(64), |v| v.bits);
    let ratio = f64::from(widest) / f64::from(now.max(8));
    let mut gain = Gain::up_to(ratio.max(1.3));
    let bound = facts.memory_bound(of).filter(|b| b.slowest);
    let from_memory = facts.beyond_caches(of, WorkRow::bytes).is_some_and(|pass| pass.of_loop());
    let bound = bound.filter(|_| from_memory);
    if bound.is_some() {
        // Library functions write large ranges past the caches, which saves the read of each stored line.
        let saved = match idiom {
            Idiom::Memset => 2.0,
            Idiom::Memcpy => 1.5,
        };
        gain = gain.capped(saved);
    }
    let packed = of.vector.as_ref().is_some_and(|v| v.isa >= Isa::SSE);
    // These compilers call memset by themselves where one byte repeats: what they leave stores a pattern of several.
    let left = idiom == Idiom::Memset
        && facts.producer(of).is_some_and(|p| match p.family {
            Family::Gnu => p.optimisation().is_some_and(|level| level == "3" || level == "fast"),
            Family::Clang => true,
            _ => false,
        });
    let mut new = facts.about_loop(&RULE, of);
    if let Some(bound) = &bound {
        new = new.because(Provenance::Modelled, facts.near_roof(bound));
    }
    Some(
        new.titled(format!("This loop is a {function} in open code"))
            .because(Provenance::Binary, Vectors::IdiomInCode { idiom, bits: now })
            .because(Provenance::Modelled, Vectors::WiderStores { bits: widest, high: gain.high() })
            .gain(of.group_share, gain)
            .confidence(if packed || left { Confidence::Low } else { Confidence::Medium })
            .how(
                how!(RULE)
                    .with("function", function)
                    .c(
                        match idiom {
                            Idiom::Memset => "for (size_t i = 0; i < n; i++) a[i] = 0;",
                            Idiom::Memcpy => "for (size_t i = 0; i < n; i++) a[i] = b[i];",
                        },
                        match idiom {
                            Idiom::Memset => "memset(a, 0, n * sizeof *a);",
                            Idiom::Memcpy => {
                                "memcpy(a, b, n * sizeof *a);   /* memmove where they may overlap */"
                            }
                        },
                    )
                    .fortran(
                        match idiom {
                            Idiom::Memset => "do i = 1, n\n  a(i) = 0\nend do",
                            Idiom::Memcpy => "do i = 1, n\n  a(i) = b(i)\nend do",
                        },
                        match idiom {
                            Idiom::Memset => "a(1:n) = 0",
                            Idiom::Memcpy => "a(1:n) = b(1:n)",
                        },
                    )
                    .flags("gcc, g++, gfortran", "-O3 -ftree-loop-distribute-patterns")
                    .flags("clang, clang++", "-O2 (recognises it by itself where pointers are restrict)"),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        bound_by, count, fired, fired_on, measured, scalar_loop, states, stride, vector_loop, with_loops,
    };

    #[test]
    fn a_copy_at_the_speed_of_memory_saves_the_reads_of_its_stores_at_most() {
        let copy = vector_loop(|l| {
            l.idiom = Some(Idiom::Memcpy);
            l.vector.as_mut().unwrap().bits = 128;
            count(l, 20, 5_000_000);
            bound_by(l, "DRAM", 1.3);
        });
        let mut analysis = measured(vec![copy]);
        assert_eq!(fired(&RULE, &analysis).unwrap().loop_gain.unwrap().high(), 1.5);
        analysis.loops[0].work = None;
        assert_eq!(fired(&RULE, &analysis).unwrap().loop_gain.unwrap().high(), 2.0);
    }

    #[test]
    fn fires_on_a_scalar_copy() {
        let r = fired_on(
            &RULE,
            scalar_loop(|l| {
                l.idiom = Some(Idiom::Memcpy);
                l.strides = vec![stride(8, 8, false), stride(8, 8, true)];
            }),
        )
        .unwrap();
        assert!(r.title.contains("memcpy"));
        assert_eq!(r.loop_gain.unwrap().high(), 4.0);
    }

    #[test]
    fn a_packed_fill_gains_little() {
        let r = fired_on(&RULE, vector_loop(|l| l.idiom = Some(Idiom::Memset))).unwrap();
        assert_eq!(r.confidence, Confidence::Low);
        assert!(r.loop_gain.unwrap().high() < 1.5);
        assert!(r.how.fortran.unwrap().after.contains("= 0"));
    }

    #[test]
    fn silent_on_loops_that_compute() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
    }

    #[test]
    fn silent_on_outer_loops() {
        assert!(
            fired_on(&RULE, scalar_loop(|l| (l.idiom, l.innermost) = (Some(Idiom::Memset), false))).is_none()
        );
    }

    #[test]
    fn without_a_machine_the_narrowest_vectors_are_taken() {
        let mut analysis = with_loops(vec![scalar_loop(|l| l.idiom = Some(Idiom::Memcpy))]);
        assert_eq!(fired(&RULE, &analysis).unwrap().loop_gain.unwrap().high(), 4.0);
        analysis.machine = None;
        let r = fired(&RULE, &analysis).unwrap();
        assert_eq!(r.loop_gain.unwrap().high(), 2.0);
        assert!(states!(r, Vectors::WiderStores { bits: 128, .. }), "{:?}", r.said());
    }
}
