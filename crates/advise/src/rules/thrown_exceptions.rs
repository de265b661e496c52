//! Time in throwing exceptions.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::Purpose;

/// Id of its recommendation.
pub const AVOID_EXCEPTIONS: &str = "avoid-exceptions";

pub(crate) static RULE: Rule = Rule {
    id: "thrown-exceptions",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("thrown_exceptions.md")),
};

fn check(facts: &Facts) -> Option<Recommendation> {
    let found = purposes::worth(facts, Purpose::Exceptions)?;
    Some(
        purposes::about(facts, &RULE, found)
            .named(AVOID_EXCEPTIONS, "Return what happens often as a value instead of throwing")
            .saving_library(facts, found, found.share, estimates::WITHOUT_EXCEPTIONS)
            .confidence(Confidence::High)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, states, with_purposes};

    #[test]
    fn fires_with_the_place_of_the_calls() {
        let r = fired(&RULE, &with_purposes(vec![purpose(Purpose::Exceptions, 0.5)])).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (AVOID_EXCEPTIONS, Some("work.cpp:12")));
        assert!(states!(r, Time::LibraryPurpose { purpose: Purpose::Exceptions, .. }));
        let (least, most) = estimates::WITHOUT_EXCEPTIONS;
        assert_eq!(r.program_gain, Some(Gain::removing_between(least, most).of_program(0.5)));
    }

    #[test]
    fn silent_on_little_time_and_other_purposes() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Exceptions, 0.02)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::Exceptions, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!((r.next.as_deref(), r.place), (Some("loopwright show tree"), None));
    }
}
