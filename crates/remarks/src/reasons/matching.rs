//! From a message to its row.
//!
//! The pattern language is small so that a row stays readable: a pattern matches anywhere in a message; `*`
//! matches any text, `#` one digit. Of all rows that match, the pattern with the most literal characters
//! wins, so that a row for a special case needs no order.

use super::row::Reason;
use super::{NOT_STATED, all};
use crate::remark::Family;

/// How much a match explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Only that the loop failed.
    Vague,
    /// Printed for loops that fail for this reason, but also for others.
    Hint,
    /// The reason.
    Definite,
}

/// A row that matches a message.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    /// The row.
    pub reason: &'static Reason,
    /// How much it explains.
    pub weight: Weight,
}

/// The reason for a message.
pub fn classify(family: Family, message: &str) -> Option<&'static Reason> {
    matching(family, None, message).map(|found| found.reason)
}

/// The row for a message; `name` is LLVM's remark name where the report has it.
pub fn matching(family: Family, name: Option<&str>, message: &str) -> Option<Match> {
    let best = match family {
        Family::Gcc => gcc(message),
        Family::Clang => clang(name, message),
        Family::Intel => intel(message),
    };
    best.map(|(reason, weight)| Match {
        reason,
        weight: if reason.id == NOT_STATED { Weight::Vague } else { weight },
    })
}

fn gcc(message: &str) -> Option<(&'static Reason, Weight)> {
    // A blamed call is classified by its callee, before the general words for calls.
    if let Some(callee) = blamed_callee(message) {
        let named = all().find(|reason| reason.gcc_callees.iter().any(|known| names(known, callee)));
        if let Some(reason) = named {
            return Some((reason, Weight::Definite));
        }
    }
    let message = &tagged(message);
    let definite =
        best(message, |reason| reason.gcc).map(|(reason, length)| (reason, Weight::Definite, length));
    let hint =
        best(message, |reason| reason.gcc_hints).map(|(reason, length)| (reason, Weight::Hint, length));
    definite.into_iter().chain(hint).max_by_key(|found| found.2).map(|found| (found.0, found.1))
}

fn clang(name: Option<&str>, message: &str) -> Option<(&'static Reason, Weight)> {
    best(message, |reason| reason.clang)
        .map(|(reason, _)| reason)
        .filter(|reason| reason.id != NOT_STATED || message.trim() == "loop not vectorized")
        .or_else(|| all().find(|reason| name.is_some_and(|name| reason.clang_names.contains(&name))))
        .map(|reason| (reason, Weight::Definite))
}

fn intel(message: &str) -> Option<(&'static Reason, Weight)> {
    let number = message.split_once("remark #").and_then(|(_, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    if let Some(number) = number {
        return all().find(|reason| reason.intel.contains(&number)).map(|reason| {
            // Below 15300 and above 15400 there are observations too; only "not vectorized" names the reason.
            let weight = if message.contains("not vectorized") || message.contains("not auto-vectorized") {
                Weight::Definite
            } else {
                Weight::Hint
            };
            (reason, weight)
        });
    }
    best(&message.to_ascii_lowercase(), |reason| reason.intel_text)
        .map(|(reason, _)| (reason, Weight::Definite))
}

fn best(
    message: &str,
    patterns: impl Fn(&'static Reason) -> &'static [&'static str],
) -> Option<(&'static Reason, usize)> {
    all()
        .filter_map(|reason| {
            let longest = patterns(reason)
                .iter()
                .filter(|pattern| matches(pattern, message))
                .map(|p| literals(p))
                .max()?;
            Some((reason, longest))
        })
        .max_by_key(|found| found.1)
}

fn literals(pattern: &str) -> usize {
    pattern.bytes().filter(|byte| *byte != b'*').count()
}

/// Whether the pattern occurs in the message.
fn matches(pattern: &str, message: &str) -> bool {
    let mut rest = message;
    for part in pattern.split('*') {
        match find(part, rest) {
            Some(end) => rest = rest.get(end..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}

/// The end of the first occurrence of `part`, where `#` matches a digit.
fn find(part: &str, text: &str) -> Option<usize> {
    if !part.contains('#') {
        return text.find(part).map(|at| at + part.len());
    }
    let (part, bytes) = (part.as_bytes(), text.as_bytes());
    bytes
        .windows(part.len())
        .position(|window| {
            window
                .iter()
                .zip(part)
                .all(|(have, want)| if *want == b'#' { have.is_ascii_digit() } else { have == want })
        })
        .map(|at| at + part.len())
}

/// Adds ` @store` to messages that blame a statement whose left side is memory: GCC does not state that it is a store.
fn tagged(message: &str) -> std::borrow::Cow<'_, str> {
    let left = message
        .strip_prefix("not vectorized: relevant stmt not supported: ")
        .and_then(|statement| statement.split_once(" = "))
        .map_or("", |(left, _)| left);
    if left.contains(['*', '[', '.']) || left.contains("->") {
        format!("{message} @store").into()
    } else {
        message.into()
    }
}

/// The function called by the statement that a message of GCC quotes: `..: _5 = exp (_4);`.
fn blamed_callee(message: &str) -> Option<&str> {
    let statement = message
        .strip_prefix("statement clobbers memory: ")
        .or_else(|| message.strip_prefix("not vectorized: relevant stmt not supported: "))?;
    let call = statement.split_once(" = ").map_or(statement, |(_, call)| call);
    let callee = call.split([' ', '(']).next()?;
    (!callee.is_empty() && call.contains('(')).then_some(callee)
}

/// Whether a known name (`exp`, also for `expf` and `expl`; `__atomic_*` for a prefix) matches this callee.
fn names(known: &str, callee: &str) -> bool {
    if let Some(prefix) = known.strip_suffix('*') {
        return callee.len() >= prefix.len()
            && callee
                .bytes()
                .zip(prefix.bytes())
                .all(|(have, want)| if want == b'#' { have.is_ascii_digit() } else { have == want });
    }
    let callee = callee.strip_prefix("__builtin_").unwrap_or(callee);
    callee.strip_prefix(known).is_some_and(|suffix| matches!(suffix, "" | "f" | "l"))
}
