//! Finds remarks by source position, tolerant of how paths are written.
//!
//! Compilers, DWARF and build systems name one file in many ways (`a.c`, `./a.c`, `../src/a.c`,
//! `/home/x/src/a.c`, `/build/src/a.c` on another machine). Two names refer to one file when one is, by whole
//! components, the end of the other; among several such files the longest common end wins.

use crate::condense::explains;
use crate::reasons;
use crate::remark::{Outcome, Remark};
use std::collections::HashMap;
use std::path::{Component, Path};

/// Remarks by file and line.
#[derive(Clone, Debug, Default)]
pub struct RemarkIndex {
    remarks: Vec<Remark>,
    /// By base name and line of the loop.
    by_place: HashMap<(String, u32), Vec<usize>>,
    /// By base name and line of the blamed statement.
    by_statement: HashMap<(String, u32), Vec<usize>>,
}

impl RemarkIndex {
    /// Builds the index.
    pub fn new(remarks: Vec<Remark>) -> RemarkIndex {
        let mut index = RemarkIndex { remarks, ..RemarkIndex::default() };
        for (at, remark) in index.remarks.iter().enumerate() {
            index.by_place.entry((base_name(&remark.file), remark.line)).or_default().push(at);
            if let Some(statement) = &remark.statement {
                index.by_statement.entry((base_name(&statement.file), statement.line)).or_default().push(at);
            }
        }
        index
    }

    /// All remarks.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// Remarks of the loop at a place, best first. `column` 0 and an empty `inlined` chain mean unknown; the chain holds
    /// `(function, file, line)` of call sites, innermost first.
    ///
    /// A known column that differs lowers a remark's rank but does not exclude it: compilers report the column of the
    /// `for`, of its condition or of its body. A contradicting chain excludes it only when another fits.
    pub fn at(&self, file: &str, line: u32, column: u32, inlined: &[(String, String, u32)]) -> Vec<&Remark> {
        let candidates = self.candidates(&self.by_place, file, line, |remark| &remark.file);
        let fits_chain = |remark: &Remark| {
            remark.inlined_at.is_empty()
                || inlined.is_empty()
                || remark.inlined_at.iter().zip(inlined).all(|(a, b)| a.2 == b.2 && same_name(&a.1, &b.1))
        };
        let mut found: Vec<&Remark> =
            candidates.iter().copied().filter(|remark| fits_chain(remark)).collect();
        if found.is_empty() {
            found = candidates;
        }
        found.sort_by_key(|remark| {
            let far =
                if column == 0 || remark.column == 0 { 1 } else { u32::from(remark.column != column) * 2 };
            let known = !inlined.is_empty() && !remark.inlined_at.is_empty();
            (far, !known, quality(remark))
        });
        found
    }

    /// Remarks that blame a statement in this line, or refer to a loop that begins here: for source listings.
    pub fn beside_line(&self, file: &str, line: u32) -> Vec<&Remark> {
        let mut found = self.candidates(&self.by_place, file, line, |remark| &remark.file);
        let blamed = self.candidates(&self.by_statement, file, line, |remark| {
            remark.statement.as_ref().map_or("", |statement| statement.file.as_str())
        });
        for remark in blamed {
            if !found.iter().any(|other| std::ptr::eq(*other, remark)) {
                found.push(remark);
            }
        }
        found.sort_by_key(|remark| quality(remark));
        found
    }

    fn candidates<'a>(
        &'a self,
        map: &HashMap<(String, u32), Vec<usize>>,
        file: &str,
        line: u32,
        named: impl Fn(&'a Remark) -> &'a str,
    ) -> Vec<&'a Remark> {
        let all: Vec<&Remark> = map
            .get(&(base_name(file), line))
            .into_iter()
            .flatten()
            .filter_map(|at| self.remarks.get(*at))
            .filter(|remark| same_name(named(remark), file))
            .collect();
        // The remark's file with the longest common end is used; others only share the base name.
        let best = all.iter().map(|remark| common_end(named(remark), file)).max().unwrap_or(0);
        all.into_iter().filter(|remark| common_end(named(remark), file) == best).collect()
    }
}

/// The remarks about a file, under whatever name the compiler knew it.
pub fn of_file<'a>(remarks: &'a [Remark], file: &str) -> Vec<&'a Remark> {
    let base = file.rsplit('/').next().unwrap_or(file);
    let mut found: Vec<(usize, &Remark)> = remarks
        .iter()
        .filter(|remark| remark.file.rsplit('/').next() == Some(base) && same_name(&remark.file, file))
        .map(|remark| (common_end(&remark.file, file), remark))
        .collect();
    let best = found.iter().map(|(common, _)| *common).max().unwrap_or(0);
    found.retain(|(common, _)| *common == best);
    found.into_iter().map(|(_, remark)| remark).collect()
}

/// Order of remarks of one loop: reasons first (the more specific the better), then successes, then notes.
fn quality(remark: &Remark) -> (u8, u8) {
    let kind = match remark.outcome {
        Outcome::Missed if explains(remark) => 0,
        Outcome::Vectorized => 1,
        Outcome::Missed => 2,
        Outcome::Note => 3,
    };
    let rank = remark.reason.as_deref().and_then(reasons::find).map_or(0, |reason| reason.rank);
    (kind, u8::MAX - rank)
}

fn base_name(file: &str) -> String {
    file.rsplit('/').next().unwrap_or(file).to_string()
}

/// Components without `.`, and with `..` resolved as far as possible; leading ones are dropped.
fn parts(file: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in Path::new(file).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_str().unwrap_or_default()),
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts
}

fn common_end(a: &str, b: &str) -> usize {
    parts(a).iter().rev().zip(parts(b).iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Whether two names may refer to one file. Absolute names that differ only in their beginning are accepted too,
/// because sources are compiled in one folder and analysed in another; they must share the base name and its folder.
fn same_name(a: &str, b: &str) -> bool {
    let (in_a, in_b) = (parts(a).len(), parts(b).len());
    let common = common_end(a, b);
    common > 0
        && (common == in_a || common == in_b || (a.starts_with('/') && b.starts_with('/') && common >= 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remark::{Family, SourcePosition};

    fn remark(file: &str, line: u32, column: u32, reason: Option<&str>) -> Remark {
        let place = SourcePosition { file: file.to_string(), line, column };
        let mut remark = Remark::new(Family::Gcc, "vect", Outcome::Missed, place, "couldn't vectorize loop");
        remark.reason = reason.map(str::to_string);
        remark
    }

    #[test]
    fn a_file_is_found_under_all_its_names() {
        let index = RemarkIndex::new(vec![remark("../src/solver/a.c", 12, 5, Some("opaque-call"))]);
        for name in ["/home/x/src/solver/a.c", "src/solver/a.c", "./a.c", "a.c", "solver/a.c"] {
            assert_eq!(index.at(name, 12, 0, &[]).len(), 1, "{name}");
        }
        assert!(index.at("other/a.c", 12, 0, &[]).is_empty());
        assert!(index.at("b.c", 12, 0, &[]).is_empty());
        assert!(index.at("a.c", 13, 0, &[]).is_empty());
    }

    #[test]
    fn of_two_files_with_one_base_name_the_nearer_is_meant() {
        let index = RemarkIndex::new(vec![
            remark("/p/x/a.c", 1, 0, Some("early-exit")),
            remark("/p/y/a.c", 1, 0, None),
        ]);
        let found = index.at("/p/x/a.c", 1, 0, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].reason.as_deref(), Some("early-exit"));
    }

    #[test]
    fn the_remarks_of_a_file_are_those_of_its_nearest_name() {
        let remarks = ["solver/main.c", "/home/ada/viewer/main.c", "main.c", "other/lib.c"]
            .map(|file| remark(file, 3, 1, None));
        let named = |file: &str| -> Vec<String> {
            of_file(&remarks, file).into_iter().map(|remark| remark.file.clone()).collect()
        };
        assert_eq!(named("/home/ada/solver/main.c"), ["solver/main.c"]);
        assert_eq!(named("/build/viewer/main.c"), ["/home/ada/viewer/main.c"]);
        assert_eq!(named("/home/ada/tools/main.c"), ["main.c"]);
        assert!(named("/home/ada/solver/lib.c").is_empty());
    }

    #[test]
    fn the_special_reason_and_the_right_column_come_first() {
        let index = RemarkIndex::new(vec![
            remark("a.c", 1, 9, Some(reasons::NOT_STATED)),
            remark("a.c", 1, 9, Some("opaque-call")),
            remark("a.c", 1, 9, Some("math-library-call")),
            remark("a.c", 1, 40, Some("inline-assembly")),
        ]);
        let order: Vec<_> = index.at("a.c", 1, 9, &[]).iter().map(|r| r.reason.clone().unwrap()).collect();
        assert_eq!(order, ["math-library-call", "opaque-call", reasons::NOT_STATED, "inline-assembly"]);
    }

    #[test]
    fn the_inlined_copy_is_told_from_the_others() {
        let mut first = remark("a.h", 3, 1, Some("opaque-call"));
        first.inlined_at = vec![("f".to_string(), "a.c".to_string(), 10)];
        let mut second = remark("a.h", 3, 1, Some("early-exit"));
        second.inlined_at = vec![("g".to_string(), "a.c".to_string(), 20)];
        let index = RemarkIndex::new(vec![first, second]);
        let chain = [("g".to_string(), "/src/a.c".to_string(), 20)];
        let found = index.at("a.h", 3, 1, &chain);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].reason.as_deref(), Some("early-exit"));
    }

    #[test]
    fn a_blamed_statement_is_shown_beside_its_line() {
        let mut blamed = remark("a.c", 1, 1, Some("opaque-call"));
        blamed.statement = Some(SourcePosition { file: "a.c".to_string(), line: 4, column: 2 });
        let index = RemarkIndex::new(vec![blamed]);
        assert_eq!(index.beside_line("a.c", 4).len(), 1);
        assert_eq!(index.beside_line("a.c", 1).len(), 1);
        assert!(index.beside_line("a.c", 2).is_empty());
    }
}
