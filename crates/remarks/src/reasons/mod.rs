//! The table of reasons: the meaning of compilers' messages, the cost, and the remedies.
//!
//! Adding a reason is adding one row in a file under `table/`: everything else (classification, `loopwright explain`,
//! the documentation page, the tests that compile its examples) iterates the table. Ids are stable: experiments, rules
//! and users refer to them. Sources of the patterns: the message strings of GCC 9 to 14 (`tree-vect-*.cc`) and LLVM 10
//! to 22 (`LoopVectorizationLegality.cpp`, `LoopVectorize.cpp`, `LoopAccessAnalysis.cpp`) as their binaries hold them,
//! and Intel's lists of vectorization diagnostics.

mod matching;
mod row;
mod table;

pub use matching::{Match, Weight, classify, matching};
pub use row::{Example, Prover, Reason, Remedy};

/// Id of the row for messages that hide their reason.
pub const NOT_STATED: &str = "reason-not-stated";

/// All reasons, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Reason> {
    table::TABLE.iter().flat_map(|rows| rows.iter())
}

/// The reason with this id.
pub fn find(id: &str) -> Option<&'static Reason> {
    all().find(|reason| reason.id == id)
}

/// Reasons whose id or title is similar to the input, best first; for "did you mean".
pub fn similar(text: &str) -> Vec<&'static Reason> {
    let wanted = text.to_ascii_lowercase();
    let words: Vec<&str> =
        wanted.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| w.len() > 2).collect();
    let mut found: Vec<(usize, &'static Reason)> = all()
        .filter_map(|reason| {
            let title = reason.title.to_ascii_lowercase();
            let hits =
                words.iter().filter(|word| reason.id.contains(**word) || title.contains(**word)).count();
            (hits > 0).then_some((hits, reason))
        })
        .collect();
    found.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    found.into_iter().map(|(_, reason)| reason).take(5).collect()
}

#[cfg(test)]
mod tests;
