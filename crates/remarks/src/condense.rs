//! From a compiler's repeated messages to one answer per loop: verdicts, ranking, removal of duplicates.
//!
//! Compilers try several vector modes and compile inlined copies one by one, and print the same (or a vaguer)
//! message each time. A verdict keeps what explains the failure: definite reasons before hints, specific
//! before vague, the first mode's before the last one's.

use crate::reasons::{self, Weight};
use crate::remark::{Outcome, Remark, SourcePosition};
use std::collections::HashMap;

/// Most reasons kept per loop: the answer, and some reasons that would follow once it is solved.
const MAX_REASONS_PER_LOOP: usize = 4;

/// Largest difference in rank between reasons of one kind: a lower one only restates the failure.
const NEAR: u8 = 10;

/// One message printed while a loop was examined.
pub(crate) struct Detail {
    pub place: SourcePosition,
    pub text: String,
    /// LLVM's remark name.
    pub name: Option<String>,
}

/// Turns the failure of one loop and the messages before it into remarks, best first.
///
/// `bare` is the failure without a reason: used when there is no better message, and as the template for the
/// loop's place and function.
pub(crate) fn verdict(bare: Remark, details: Vec<Detail>) -> Vec<Remark> {
    let mut ranked: Vec<(Weight, u8, usize, Remark)> = Vec::new();
    for (order, detail) in details.into_iter().enumerate() {
        let found = reasons::matching(bare.family, detail.name.as_deref(), &detail.text);
        let claims =
            detail.text.starts_with("not vectorized") || detail.text.starts_with("loop not vectorized");
        let (weight, rank) = match &found {
            Some(found) => (found.weight, found.reason.rank),
            // Unknown messages are kept only where they claim to be the reason.
            None if claims => (Weight::Definite, 0),
            None => continue,
        };
        let mut remark = bare.clone();
        remark.message = detail.text;
        remark.reason = found.map(|found| found.reason.id.to_string());
        remark.statement = (detail.place != bare.place()).then_some(detail.place);
        if let Some(same) = ranked.iter_mut().find(|(_, _, _, other)| same_claim(other, &remark)) {
            if same.0 < weight {
                same.0 = weight;
            }
            if same.3.statement.is_none() {
                same.3.statement = remark.statement;
            }
            continue;
        }
        ranked.push((weight, rank, order, remark));
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    // Hints and vague messages are shown only while nothing better is known, general messages only without a
    // more specific one.
    if let Some((weight, rank)) = ranked.first().map(|entry| (entry.0, entry.1)) {
        ranked.retain(|entry| entry.0 == weight && entry.1.saturating_add(NEAR) >= rank);
    }
    ranked.truncate(MAX_REASONS_PER_LOOP);
    if ranked.is_empty() {
        let mut bare = bare;
        bare.reason = classify(&bare);
        return vec![bare];
    }
    ranked.into_iter().map(|entry| entry.3).collect()
}

fn same_claim(a: &Remark, b: &Remark) -> bool {
    match (&a.reason, &b.reason) {
        (Some(a), Some(b)) => a == b,
        (None, None) => without_temporaries(&a.message) == without_temporaries(&b.message),
        _ => false,
    }
}

pub(crate) fn classify(remark: &Remark) -> Option<String> {
    reasons::matching(remark.family, None, &remark.message).map(|found| found.reason.id.to_string())
}

/// The message without the numbers of compiler temporaries (`_12`, `n_4(D)`), which differ from copy to copy.
fn without_temporaries(message: &str) -> String {
    let mut plain = String::with_capacity(message.len());
    let mut after_underscore = false;
    for character in message.chars() {
        if after_underscore && character.is_ascii_digit() {
            continue;
        }
        after_underscore = character == '_';
        plain.push(character);
    }
    plain
}

/// Removes repetitions across vector modes, inlined copies and files; keeps the order otherwise.
///
/// A loop that was reported vectorised several times (main loop and epilogues) keeps its widest vectors. A
/// bare failure is removed when the same loop has a reason.
pub fn condense(remarks: Vec<Remark>) -> Vec<Remark> {
    let mut kept: Vec<Remark> = Vec::with_capacity(remarks.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    for remark in remarks {
        let what = match (&remark.reason, remark.outcome) {
            (_, Outcome::Vectorized) => "vectorized".to_string(),
            (Some(reason), _) => reason.clone(),
            (None, _) => without_temporaries(&remark.message),
        };
        let key = format!(
            "{:?}|{}|{}|{:?}|{}:{}:{}|{what}",
            remark.family,
            remark.compiler,
            remark.pass,
            remark.outcome,
            remark.file,
            remark.line,
            remark.column
        );
        match seen.get(&key).and_then(|at| kept.get_mut(*at)) {
            Some(first) => merge(first, remark),
            None => {
                seen.insert(key, kept.len());
                kept.push(remark);
            }
        }
    }
    let reasoned: std::collections::HashSet<(crate::remark::Family, SourcePosition)> = kept
        .iter()
        .filter(|r| r.outcome == Outcome::Missed && explains(r))
        .map(|r| (r.family, r.place()))
        .collect();
    kept.retain(|r| {
        r.outcome != Outcome::Missed || explains(r) || !reasoned.contains(&(r.family, r.place()))
    });
    kept
}

/// Whether the remark gives more than the fact that the loop was missed.
pub fn explains(remark: &Remark) -> bool {
    match &remark.reason {
        Some(id) => id != reasons::NOT_STATED,
        None => remark.message.contains(':'),
    }
}

fn merge(first: &mut Remark, other: Remark) {
    if other.vector_bytes > first.vector_bytes {
        first.vector_bytes = other.vector_bytes;
        first.message = other.message;
    }
    if first.statement.is_none() {
        first.statement = other.statement;
    }
    if first.function != other.function {
        // The same source loop in several functions: it was inlined, and belongs to no single function.
        first.function = None;
        first.inlined_at.clear();
    } else if first.inlined_at != other.inlined_at {
        first.inlined_at.clear();
    }
}
