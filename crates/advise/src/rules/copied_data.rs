//! Time in copying data.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{Purpose, PurposeFacts};

/// Id of its recommendation.
pub const AVOID_COPIES: &str = "avoid-copies";

pub(crate) static RULE: Rule = Rule {
    id: "copied-data",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("copied_data.md")),
};

fn check(facts: &Facts) -> Option<Recommendation> {
    let found =
        purposes::worth(facts, Purpose::Copying).filter(|found| !purposes::mostly_allocates(found))?;
    if purposes::called_from_fortran(found) {
        return Some(of_fortran(facts, found));
    }
    // A copy of a whole container is a value of its own; bytes may be copied because something needs them there.
    let containers = found.functions.first().is_some_and(|f| f.function.contains("::"));
    let (least, most) = if containers { estimates::WITHOUT_COPIES } else { estimates::FEWER_COPIES };
    let (how, confidence) = if containers {
        (how!(RULE, "containers"), Confidence::Medium)
    } else {
        (how!(RULE, "bytes"), Confidence::Low)
    };
    Some(
        purposes::about(facts, &RULE, found)
            .named(AVOID_COPIES, "Avoid copies: pass references, borrow slices, swap buffers")
            .saving_library(facts, found, found.share, (least, most))
            .confidence(confidence)
            .how(how),
    )
}

/// Fortran has no function that copies: the compiler copies sections, results of array functions and the right side of assignments.
fn of_fortran(facts: &Facts, found: &PurposeFacts) -> Recommendation {
    let (least, most) = estimates::FEWER_COPIES;
    let memory =
        purposes::of(facts, Purpose::Allocation).filter(|memory| purposes::called_from_fortran(memory));
    let share = found.share + memory.map_or(0.0, |memory| memory.share);
    let title = "Avoid temporary arrays: index the neighbours, pass contiguous sections";
    let mut new =
        purposes::about(facts, &RULE, found).named(super::array_temporaries::AVOID_TEMPORARY_ARRAYS, title);
    if let Some(memory) = memory {
        new = new.because(Provenance::Measured, purposes::time_of(memory));
    }
    new.saving_library(facts, found, share, (least, most))
        .confidence(Confidence::Medium)
        .how(how!(RULE, "fortran"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, with_purposes};

    #[test]
    fn fires_surer_for_containers_than_for_bytes() {
        let of = |function: &str| {
            let mut found = purpose(Purpose::Copying, 0.4);
            found.functions[0].function = function.into();
            fired(&RULE, &with_purposes(vec![found])).unwrap()
        };
        let (vectors, bytes) = (of("std::vector::vector"), of("__memcpy_avx_unaligned"));
        assert_eq!((vectors.confidence, bytes.confidence), (Confidence::Medium, Confidence::Low));
        assert!(vectors.program_gain.unwrap().low() > bytes.program_gain.unwrap().low());
    }

    #[test]
    fn copies_of_a_fortran_program_are_temporary_arrays() {
        let mut found = purpose(Purpose::Copying, 0.6);
        found.callers[0].place = Some("advance.f90:44".into());
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("avoid-temporary-arrays", Confidence::Medium));
    }

    #[test]
    fn silent_on_little_time() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Copying, 0.02)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::Copying, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show tree"));
    }
}
