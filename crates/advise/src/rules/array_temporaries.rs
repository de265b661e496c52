//! Time in temporary copies of Fortran arrays.

use crate::evidence::Time;
use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{Purpose, PurposeFacts};

/// Id of its recommendation.
pub const AVOID_TEMPORARY_ARRAYS: &str = "avoid-temporary-arrays";

pub(crate) static RULE: Rule = Rule {
    id: "array-temporaries",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("array_temporaries.md")),
};

/// Less of the time in copies beside the allocations is an allocation alone.
const COPIES: f64 = 0.03;

/// Sections of arrays that the compiler copies for the length of a call: memory is allocated in a line of Fortran, and loops of that
/// line do nothing but copy. With the share of these loops.
pub fn packs<'a>(facts: &Facts<'a>) -> Option<(&'a PurposeFacts, f64)> {
    let found = purposes::worth(facts, Purpose::Allocation)?;
    let place = found.callers.first()?.place.as_deref()?;
    let copies = |l: &&LoopFacts| {
        let mix = &l.instruction_mix;
        let moves = mix.load > 0 && mix.store > 0 && mix.fp_scalar + mix.fp_vector == 0 && l.calls.is_empty();
        l.innermost && moves && l.place() == place
    };
    let share: f64 = facts.analysis.loops.iter().filter(copies).map(|l| l.self_share).sum();
    (purposes::called_from_fortran(found) && share >= COPIES).then_some((found, share))
}

fn check(facts: &Facts) -> Option<Recommendation> {
    if let Some((found, copies)) = packs(facts) {
        let share = (found.share + copies).min(1.0);
        return Some(
            purposes::about(facts, &RULE, found)
                .because(Provenance::Measured, Time::CopiesOfTheLine { share: copies })
                .named(
                    AVOID_TEMPORARY_ARRAYS,
                    "Avoid the copies of array sections that this call makes: pass contiguous ones, or the array and its index",
                )
                .saving_library(facts, found, share, estimates::WITHOUT_TEMPORARIES)
                .confidence(Confidence::High)
                .how(how!(RULE)),
        );
    }
    let found = purposes::worth(facts, Purpose::ArrayTemporaries)?;
    Some(
        purposes::about(facts, &RULE, found)
            .named(
                AVOID_TEMPORARY_ARRAYS,
                "Avoid temporary arrays: index the neighbours, pass contiguous sections",
            )
            .saving_library(facts, found, found.share, estimates::WITHOUT_TEMPORARIES)
            .confidence(Confidence::High)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, scalar_loop, states, with_purposes};

    #[test]
    fn fires_with_the_place_of_the_calls() {
        let r = fired(&RULE, &with_purposes(vec![purpose(Purpose::ArrayTemporaries, 0.5)])).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (AVOID_TEMPORARY_ARRAYS, Some("work.cpp:12")));
        assert!(states!(r, Time::LibraryPurpose { purpose: Purpose::ArrayTemporaries, .. }));
        let (least, most) = estimates::WITHOUT_TEMPORARIES;
        let program = r.program_gain.unwrap();
        assert!((program.low() - 1.0 / (1.0 - 0.5 * least)).abs() < 1e-9);
        assert!((program.high() - 1.0 / (1.0 - 0.5 * most)).abs() < 1e-9);
    }

    #[test]
    fn fires_where_a_call_copies_sections() {
        let packing = |file: &str, change: fn(&mut LoopFacts)| {
            let mut allocated = purpose(Purpose::Allocation, 0.12);
            allocated.callers[0].place = Some(format!("{file}:103"));
            let mut analysis = with_purposes(vec![allocated]);
            analysis.loops = vec![scalar_loop(|l| {
                (l.file, l.line, l.self_share) = (Some(format!("/home/u/{file}")), Some(103), 0.4);
                l.instruction_mix =
                    loopwright_binary::facts::InstructionMix { load: 1, store: 1, ..Default::default() };
                change(l);
            })];
            fired(&RULE, &analysis)
        };
        let r = packing("mixing.f90", |_| ()).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (AVOID_TEMPORARY_ARRAYS, Some("mixing.f90:103")));
        assert!((r.share.unwrap() - 0.52).abs() < 0.05, "{:?}", r.share);
        assert!(packing("mixing.cpp", |_| ()).is_none());
        assert!(packing("mixing.f90", |l| l.line = Some(99)).is_none());
        assert!(packing("mixing.f90", |l| l.instruction_mix.fp_scalar = 2).is_none(), "it computes");
    }

    #[test]
    fn silent_on_little_time_and_other_purposes() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::ArrayTemporaries, 0.02)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::ArrayTemporaries, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!((r.next.as_deref(), r.place), (Some("loopwright show tree"), None));
    }
}
