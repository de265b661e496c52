//! Time in functions that parse text.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::{Purpose, PurposeFacts, PurposeFunction};

/// Id of its recommendation.
pub const PARSE_IN_PLACE: &str = "parse-in-place";

pub(crate) static RULE: Rule = Rule {
    id: "parsed-text",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("parsed_text.md")),
};

fn check(facts: &Facts) -> Option<Recommendation> {
    let found = purposes::worth(facts, Purpose::Parsing)?;
    // Lines and fields that are split off by a stream without any input are parsed, too.
    let split = purposes::of(facts, Purpose::InputOutput).filter(|io| {
        io.functions.first().is_some_and(|f| f.function == "std::getline") && io.kernel_share < 0.1 * io.share
    });
    let share = found.share + split.map_or(0.0, |split| split.share);
    let mut new = purposes::about(facts, &RULE, found);
    if let Some(split) = split {
        new = new.because(Provenance::Measured, purposes::time_of(split));
    }
    Some(
        new.named(PARSE_IN_PLACE, "Parse numbers in place, without streams, locale and copies")
            .saving_library(facts, found, share, saved(found))
            .confidence(Confidence::Medium)
            .how(how!(RULE)),
    )
}

/// The part of the time that goes: most of it where a stream or a format is interpreted for each number.
fn saved(found: &PurposeFacts) -> (f64, f64) {
    let by = |words: &[&str]| -> f64 {
        let named = |f: &&PurposeFunction| words.iter().any(|word| f.function.contains(word));
        found.functions.iter().filter(named).map(|f| f.share).sum()
    };
    let half = 0.5 * found.share;
    if by(&["stream", "operator>>"]) >= half {
        estimates::PARSED_WITHOUT_STREAMS
    } else if by(&["scanf"]) >= half {
        estimates::PARSED_WITHOUT_FORMAT
    } else {
        estimates::PARSED_IN_PLACE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, states, with_purposes};

    #[test]
    fn fires_with_the_place_of_the_calls() {
        let r = fired(&RULE, &with_purposes(vec![purpose(Purpose::Parsing, 0.5)])).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (PARSE_IN_PLACE, Some("work.cpp:12")));
        assert!(states!(r, Time::LibraryPurpose { purpose: Purpose::Parsing, .. }));
        let (least, most) = estimates::PARSED_IN_PLACE;
        let program = r.program_gain.unwrap();
        assert!((program.low() - 1.0 / (1.0 - 0.5 * least)).abs() < 1e-9);
        assert!((program.high() - 1.0 / (1.0 - 0.5 * most)).abs() < 1e-9);
    }

    #[test]
    fn streams_cost_most() {
        let saved = |function: &str| {
            let mut found = purpose(Purpose::Parsing, 0.8);
            found.functions[0].function = function.into();
            fired(&RULE, &with_purposes(vec![found])).unwrap().program_gain.unwrap().high()
        };
        assert!(saved("std::istream::operator>>") > saved("sscanf") && saved("sscanf") > saved("strtod"));
    }

    #[test]
    fn silent_on_little_time_and_other_purposes() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Parsing, 0.02)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::Parsing, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!((r.next.as_deref(), r.place), (Some("loopwright show tree"), None));
    }
}
