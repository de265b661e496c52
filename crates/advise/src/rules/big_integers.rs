//! Time in integers of any size.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::Purpose;

/// Id of its recommendation.
pub const SMALLER_INTEGERS: &str = "smaller-integers";

pub(crate) static RULE: Rule = Rule {
    id: "big-integers",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("big_integers.md")),
};

fn check(facts: &Facts) -> Option<Recommendation> {
    let found = purposes::worth(facts, Purpose::BigIntegers)?;
    Some(
        purposes::about(facts, &RULE, found)
            .named(SMALLER_INTEGERS, "Use machine integers where values fit, and update large ones in place")
            .saving_library(facts, found, found.share, estimates::SMALLER_INTEGERS)
            .confidence(Confidence::Low)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, states, with_purposes};

    #[test]
    fn fires_with_the_place_of_the_calls() {
        let r = fired(&RULE, &with_purposes(vec![purpose(Purpose::BigIntegers, 0.5)])).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (SMALLER_INTEGERS, Some("work.cpp:12")));
        assert!(states!(r, Time::LibraryPurpose { purpose: Purpose::BigIntegers, .. }));
        let (least, most) = estimates::SMALLER_INTEGERS;
        let program = r.program_gain.unwrap();
        assert!((program.low() - 1.0 / (1.0 - 0.5 * least)).abs() < 1e-9);
        assert!((program.high() - 1.0 / (1.0 - 0.5 * most)).abs() < 1e-9);
    }

    #[test]
    fn silent_on_little_time_and_other_purposes() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::BigIntegers, 0.02)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::BigIntegers, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!((r.next.as_deref(), r.place), (Some("loopwright show tree"), None));
    }
}
