use super::*;
use crate::remark::Family;

#[test]
fn ids_are_unique_and_rows_complete() {
    let mut seen = std::collections::HashSet::new();
    for reason in all() {
        assert!(seen.insert(reason.id), "{} twice", reason.id);
        assert!(reason.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", reason.id);
        for text in [reason.title, reason.meaning, reason.cost, reason.c.bad, reason.c.mended, reason.fortran.bad, reason.fortran.mended] {
            assert!(!text.is_empty(), "{} lacks a text", reason.id);
        }
        assert!(!reason.remedies.is_empty(), "{}", reason.id);
        assert_eq!(find(reason.id).unwrap().id, reason.id);
    }
    assert_eq!(seen.len(), 45);
}
