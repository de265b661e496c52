//! Time in sorts and in their comparisons.

use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::Purpose;

/// Id of its recommendation where comparisons compute their keys.
pub const MEMOISE: &str = "memoise";
/// Id of its recommendation where elements are compared as they are.
pub const RADIX_SORT: &str = "radix-sort";

pub(crate) static RULE: Rule = Rule {
    id: "sort-time",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("sort_time.md")),
};

/// Comparisons that only compare take half of a sort at most.
const MOSTLY_COMPARISONS: f64 = 0.6;
/// Of a sort's time below a comparison in functions that make something: a key is computed.
const COMPUTES: f64 = 0.05;
/// A comparison that takes more of the sort than this does more than to compare two numbers: it finds them first, or decides among several.
const LOOKS_UP: f64 = 0.9;
/// Of a sort's time in comparisons of strings.
const MOSTLY_STRINGS: f64 = 0.3;

fn check(facts: &Facts) -> Option<Recommendation> {
    let found = purposes::worth(facts, Purpose::Sorting)?;
    let made = [
        Purpose::Allocation,
        Purpose::Growing,
        Purpose::Copying,
        Purpose::Formatting,
        Purpose::Parsing,
        Purpose::HashTable,
        Purpose::OrderedContainer,
    ];
    let made: f64 = made.into_iter().map(|purpose| found.inside(purpose)).sum();
    let computes = found.callback_share >= MOSTLY_COMPARISONS * found.share && made >= COMPUTES * found.share;
    let part = found.callback_share / found.share.max(f64::MIN_POSITIVE);
    let strings = found.inside(Purpose::Comparing) >= MOSTLY_STRINGS * found.share;
    let (id, title, (least, most), how) = if computes {
        let (least, most) = estimates::KEYS_ONCE;
        let title = "Compute each key once, not in every comparison of the sort";
        (MEMOISE, title, (part * least, part * most), how!(RULE, "keys"))
    } else if part >= LOOKS_UP && !strings {
        let title = "Put what the comparison looks up into one key beside each element, before the sort";
        (MEMOISE, title, estimates::KEYS_LOOKED_UP, how!(RULE, "keys"))
    } else if strings {
        let title = "Sort by compact keys: the first bytes as an integer beside the pointer";
        (super::compared_keys::COMPACT_KEYS, title, estimates::COMPACT_KEYS, how!(RULE, "strings"))
    } else {
        let title = "Sort numbers by radix, or with an inlined comparison, or sort less";
        (RADIX_SORT, title, estimates::RADIX_SORT, how!(RULE, "numbers"))
    };
    Some(
        purposes::about(facts, &RULE, found)
            .named(id, title)
            .saving(found.share, (least, most))
            .confidence(if computes { Confidence::High } else { Confidence::Medium })
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, with_purposes};
    use loopwright_analysis::model::{PurposeFacts, PurposePart};

    fn sort(callback: f64, inside: &[(Purpose, f64)]) -> PurposeFacts {
        let mut found = purpose(Purpose::Sorting, 0.9);
        found.callback_share = callback;
        found.inside = inside.iter().map(|&(purpose, share)| PurposePart { purpose, share }).collect();
        found
    }

    fn id(found: PurposeFacts) -> String {
        fired(&RULE, &with_purposes(vec![found])).unwrap().id
    }

    #[test]
    fn fires_by_what_the_comparison_does() {
        assert_eq!(id(sort(0.85, &[(Purpose::Allocation, 0.2)])), MEMOISE);
        assert_eq!(id(sort(0.4, &[(Purpose::Comparing, 0.4)])), "compact-keys");
        assert_eq!(id(sort(0.4, &[])), RADIX_SORT);
        assert_eq!(id(sort(0.75, &[])), RADIX_SORT, "compares numbers through a pointer");
        assert_eq!(id(sort(0.88, &[])), MEMOISE, "moving elements takes next to nothing of the sort");
    }

    #[test]
    fn keys_that_are_computed_once_gain_most_of_the_comparison() {
        let found = sort(0.85, &[(Purpose::Allocation, 0.2)]);
        let gain = fired(&RULE, &with_purposes(vec![found])).unwrap().program_gain.unwrap();
        assert!(gain.low() > 2.0 && gain.high() < 9.0, "{gain:?}");
    }

    #[test]
    fn silent_on_little_time() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.02)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = sort(0.4, &[]);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show tree"));
    }
}
