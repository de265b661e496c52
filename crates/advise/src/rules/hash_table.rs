//! Time in hash tables and in hashing their keys.

use super::ordered_container::BETTER_DATA_STRUCTURE;
use crate::prelude::*;
use crate::purposes;
use loopwright_analysis::model::Purpose;

/// Id of its recommendation where hashing takes the time.
pub const CHEAPER_HASH: &str = "cheaper-hash";

pub(crate) static RULE: Rule = Rule {
    id: "hash-table",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("hash_table.md")),
};

/// From this part of the time on a cheaper hash is the better change: the search waits for the hash, so that part of what it costs is
/// sampled in the search.
const MOSTLY_HASHING: f64 = 0.25;

/// Part of a table's time in comparisons, from which on its keys are texts.
const TEXTS: f64 = 0.03;

fn check(facts: &Facts) -> Option<Recommendation> {
    let table = purposes::worth(facts, Purpose::HashTable);
    let alone = purposes::worth(facts, Purpose::Hashing);
    let found = [table, alone].into_iter().flatten().max_by(|a, b| a.share.total_cmp(&b.share))?;
    let share = table.map_or(0.0, |t| t.share) + alone.map_or(0.0, |a| a.share);
    let hashing = table.map_or(0.0, |t| t.inside(Purpose::Hashing)) + alone.map_or(0.0, |a| a.share);
    let part = hashing / share.max(f64::MIN_POSITIVE);
    let mut new = purposes::about(facts, &RULE, found);
    // Texts are compared and hashed byte by byte; other keys are numbers, or a few of them.
    let texts = found.inside(Purpose::Comparing) >= TEXTS * found.share;
    let (named, title, least, most, how) = if part >= MOSTLY_HASHING {
        let (least, most) = estimates::CHEAPER_HASH;
        if texts {
            let title =
                "Give the hash table a cheaper hash function, or number the keys once and index an array";
            (CHEAPER_HASH, title, part * least, (part * most).max(most), how!(RULE, "hash"))
        } else {
            let title = "Index an array instead of hashing, or give the hash table a cheaper hash function";
            let most = estimates::BETTER_TABLE.1.max(part * most);
            (BETTER_DATA_STRUCTURE, title, part * least, most, how!(RULE, "hash"))
        }
    } else {
        let (least, most) = estimates::BETTER_TABLE;
        let title = "Replace the hash table by an index, a flat table or sorted keys";
        (BETTER_DATA_STRUCTURE, title, least, most, how!(RULE, "table"))
    };
    if part >= MOSTLY_HASHING {
        let other = if texts { BETTER_DATA_STRUCTURE } else { CHEAPER_HASH };
        new.also = vec![other.to_owned()];
    }
    if let Some(alone) = alone.filter(|alone| alone.purpose != found.purpose) {
        new = new.because(Provenance::Measured, purposes::time_of(alone));
    }
    Some(
        new.named(named, title)
            .saving_library(facts, found, share, (least, most))
            .confidence(Confidence::Medium)
            .how(how),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{fired, purpose, states, with_purposes};
    use loopwright_analysis::model::PurposePart;

    #[test]
    fn fires_for_the_table() {
        let r = fired(&RULE, &with_purposes(vec![purpose(Purpose::HashTable, 0.8)])).unwrap();
        assert_eq!((r.id.as_str(), r.place.as_deref()), (BETTER_DATA_STRUCTURE, Some("work.cpp:12")));
        assert!(states!(r, Time::LibraryPurpose { purpose: Purpose::HashTable, .. }));
    }

    #[test]
    fn fires_for_the_hash_where_that_takes_the_time() {
        let mut table = purpose(Purpose::HashTable, 0.8);
        table.inside = vec![PurposePart { purpose: Purpose::Hashing, share: 0.5 }];
        let r = fired(&RULE, &with_purposes(vec![table])).unwrap();
        assert_eq!((r.id.as_str(), r.also), (BETTER_DATA_STRUCTURE, vec![CHEAPER_HASH.to_owned()]));
        assert!(r.program_gain.unwrap().high() > 2.0);
        let mut texts = purpose(Purpose::HashTable, 0.8);
        texts.inside = vec![
            PurposePart { purpose: Purpose::Hashing, share: 0.5 },
            PurposePart { purpose: Purpose::Comparing, share: 0.1 },
        ];
        let r = fired(&RULE, &with_purposes(vec![texts])).unwrap();
        assert_eq!((r.id.as_str(), r.also), (CHEAPER_HASH, vec![BETTER_DATA_STRUCTURE.to_owned()]));
    }

    #[test]
    fn silent_on_little_time() {
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::HashTable, 0.01)])).is_none());
        assert!(fired(&RULE, &with_purposes(vec![purpose(Purpose::Sorting, 0.5)])).is_none());
    }

    #[test]
    fn without_callers_it_asks_for_the_tree() {
        let mut found = purpose(Purpose::HashTable, 0.5);
        found.callers.clear();
        let r = fired(&RULE, &with_purposes(vec![found])).unwrap();
        assert_eq!(r.next.as_deref(), Some("loopwright show tree"));
    }
}
