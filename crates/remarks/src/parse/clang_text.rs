//! LLVM's printed remarks: `-Rpass`, `-Rpass-missed`, `-Rpass-analysis` of clang and flang, `-Cremark` of rustc.
//!
//! Only the option in brackets at the end of a message gives pass and kind, and a message may extend over
//! several lines. Source: clang manual "Options to Emit Optimization Reports"; rustc book "remark"; outputs
//! of clang 14, 19, rustc.

use super::clang_yaml::Groups;
use super::position;
use crate::remark::{Remark, SourcePosition};

/// Most lines of a message; with more its end was lost.
const MAX_MESSAGE_LINES: usize = 8;

/// Whether a line opens a remark of clang or rustc.
pub(super) fn is_remark(line: &str) -> bool {
    position::leading(line).is_some_and(|(_, rest)| {
        rest.starts_with("remark: ")
            || (rest.starts_with("warning: ") && rest.ends_with("[-Wpass-failed=transform-warning]"))
    }) || rustc(line).is_some()
}

/// Reads all remarks from a compiler's output and skips other text.
pub fn parse(text: &str) -> Vec<Remark> {
    let mut groups = Groups::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some((tag, pass, place, message)) = rustc(line) {
            groups.add(tag, pass, None, None, place, message);
            continue;
        }
        let Some((place, rest)) = position::leading(line) else { continue };
        let Some(first) = rest.strip_prefix("remark: ").or_else(|| rest.strip_prefix("warning: ")) else {
            continue;
        };
        let mut whole = first.to_string();
        // A look-ahead on a copy: a message without end must not swallow the remarks after it.
        let mut ahead = lines.clone();
        let mut option = trailing_option(&whole);
        for _ in 1..MAX_MESSAGE_LINES {
            if option.is_some() {
                break;
            }
            let Some(next) = ahead.next() else { break };
            if is_remark(next) {
                break;
            }
            whole.push('\n');
            whole.push_str(next);
            option = trailing_option(&whole);
            if option.is_some() {
                lines = ahead.clone();
            }
        }
        let Some((message, tag, pass)) = option else { continue };
        groups.add(tag, pass, None, None, place, message);
    }
    groups.finish()
}

/// Splits `message [-Rpass-missed=loop-vectorize]` into message, record tag and pass.
fn trailing_option(text: &str) -> Option<(&str, &'static str, &str)> {
    let (message, option) = text.strip_suffix(']')?.rsplit_once(" [-")?;
    let (option, pass) = option.split_once('=')?;
    let tag = match option {
        "Rpass" => "Passed",
        "Rpass-missed" => "Missed",
        "Rpass-analysis" => "Analysis",
        "Wpass-failed" => "Failure",
        _ => return None,
    };
    Some((message, tag, pass))
}

/// `note: file.rs:1:2: loop-vectorize (missed): message`, as rustc prints it.
fn rustc(line: &str) -> Option<(&'static str, &str, SourcePosition, &str)> {
    let rest = line.strip_prefix("note: ")?;
    let (at, rest) = rest.split_once(' ')?;
    let place = position::parse(at.strip_suffix(':').unwrap_or(at))?;
    let (pass, rest) = rest.split_once(" (")?;
    let (kind, message) = rest.split_once("): ")?;
    let tag = match kind {
        "success" | "passed" => "Passed",
        "missed" => "Missed",
        _ if kind.contains("analysis") => "Analysis",
        _ => return None,
    };
    (!pass.contains(' ')).then_some((tag, pass, place, message))
}
