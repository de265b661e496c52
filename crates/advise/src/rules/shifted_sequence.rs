//! Time in insertions into and removals from the middle of sequences.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{Purpose, PurposeFacts};

pub(crate) static RULE: Rule = Rule {
    id: "shifted-sequence",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("shifted_sequence.md")),
};

/// Of the time in such functions that moves data: less, and something else than the rest of the sequence is moved.
const MOSTLY_MOVES: f64 = 0.5;

fn check(facts: &Facts) -> Option<Recommendation> {
    let moves = |found: &&PurposeFacts| found.inside(Purpose::Copying) >= MOSTLY_MOVES * found.share;
    let shifting = purposes::worth(facts, Purpose::Shifting).filter(moves);
    let walks = |found: &&PurposeFacts| found.functions.first().is_some_and(|f| f.function.starts_with("g_"));
    let found = shifting.or_else(|| purposes::worth(facts, Purpose::LinkedList).filter(walks))?;
    let text = found.functions.first().is_some_and(|f| f.function.to_lowercase().contains("string"));
    let (id, title, how) = if text {
        let title = "Build the text in one pass instead of changing it in its middle";
        (super::copied_data::AVOID_COPIES, title, how!(RULE, "text"))
    } else {
        let title = "Do not insert into and remove from the middle of a sequence";
        (super::ordered_container::BETTER_DATA_STRUCTURE, title, how!(RULE, "elements"))
    };
    Some(
        purposes::about(facts, &RULE, found)
            .named(id, title)
            .saving_library(facts, found, found.share, estimates::NOT_SHIFTING)
            .confidence(Confidence::Medium)
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, with_purposes};
    use loopwright_analysis::model::PurposePart;

    fn shifting(function: &str, moved: f64) -> PurposeFacts {
        let mut found = purpose(Purpose::Shifting, 0.8);
        found.functions[0].function = function.into();
        found.inside = vec![PurposePart { purpose: Purpose::Copying, share: moved }];
        found
    }

    #[test]
    fn fires_for_text_and_for_elements() {
        let of = |function| fired(&RULE, &with_purposes(vec![shifting(function, 0.7)])).unwrap();
        assert_eq!(of("std::basic_string::replace").id, "avoid-copies");
        assert_eq!(of("std::vector::erase").id, "better-data-structure");
        assert!(of("std::vector::erase").program_gain.unwrap().high() > 3.0);
    }

    #[test]
    fn silent_where_little_is_moved() {
        assert!(fired(&RULE, &with_purposes(vec![shifting("std::vector::insert", 0.1)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::LinkedList, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = shifting("std::vector::erase", 0.7);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show tree"));
    }
}
