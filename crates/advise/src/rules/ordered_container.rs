//! Time in ordered maps and sets.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::Purpose;

/// Id of its recommendation.
pub const BETTER_DATA_STRUCTURE: &str = "better-data-structure";

pub(crate) static RULE: Rule = Rule {
    id: "ordered-container",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("ordered_container.md")),
};

fn check(facts: &Facts) -> Option<Recommendation> {
    let found = purposes::worth(facts, Purpose::OrderedContainer)?;
    Some(
        purposes::about(facts, &RULE, found)
            .named(
                BETTER_DATA_STRUCTURE,
                "Replace the ordered map or set by a sorted array, a hash table or an index",
            )
            .saving_library(facts, found, found.share, estimates::BETTER_CONTAINER)
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, states, with_purposes};

    #[test]
    fn fires_with_the_place_of_the_calls() {
        let r = fired(&RULE, &with_purposes(vec![purpose(Purpose::OrderedContainer, 0.5)])).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (BETTER_DATA_STRUCTURE, Some("work.cpp:12")));
        assert!(states!(r, Time::LibraryPurpose { purpose: Purpose::OrderedContainer, .. }));
        let (least, most) = estimates::BETTER_CONTAINER;
        let program = r.program_gain.unwrap();
        assert!((program.low() - 1.0 / (1.0 - 0.5 * least)).abs() < 1e-9);
        assert!((program.high() - 1.0 / (1.0 - 0.5 * most)).abs() < 1e-9);
    }

    #[test]
    fn silent_on_little_time_and_other_purposes() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::OrderedContainer, 0.02)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::OrderedContainer, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!((r.next.as_deref(), r.place), (Some("loopwright show tree"), None));
    }
}
