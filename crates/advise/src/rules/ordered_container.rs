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

/// Steps of a descent among more than a handful of keys.
const DEEP: f64 = 2.5;

fn check(facts: &Facts) -> Option<Recommendation> {
    let found = purposes::worth(facts, Purpose::OrderedContainer)?;
    // A descent of a step or two is one through a handful of keys, which nothing finds faster.
    let descents = found.loops.iter().filter_map(|id| facts.loop_by_id(*id)?.trip_count.as_ref()?.mean);
    if descents.reduce(f64::max).is_some_and(|deepest| deepest < DEEP) {
        return None;
    }
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
    use crate::fixtures::{count, fired, purpose, scalar_loop, states, with_purposes};

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
    fn silent_on_a_handful_of_keys() {
        let steps = |each: u64| {
            let mut map = purpose(Purpose::OrderedContainer, 0.5);
            map.loops = vec![1];
            let mut analysis = with_purposes(vec![map]);
            analysis.loops = vec![scalar_loop(|l| count(l, 100_000, each))];
            fired(&RULE, &analysis).is_some()
        };
        assert!(!steps(2) && steps(12));
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
