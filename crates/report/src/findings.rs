//! `check`: what got worse, what cannot be compared, what changed for the better; one sentence each.

use crate::prose::{facts, labelled, paragraph};
use crate::quantity::counted;
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::compare::Comparison;
use loopwright_analysis::compare::check::{Finding, Severity, passes};

/// Width of the label column.
const LABEL: usize = 7;
/// Findings of one weight that are shown; failures are shown all.
const SHOWN: usize = 20;

/// The verdict with its findings, the gravest first.
pub fn findings(comparison: &Comparison, findings: &[Finding], style: &TerminalStyle) -> String {
    let mut out = String::new();
    for (severity, label, ink) in [
        (Severity::Failure, "Worse", Ink::Bad),
        (Severity::Warning, "Warning", Ink::Caution),
        (Severity::Note, "Note", Ink::Dim),
    ] {
        let own: Vec<&Finding> = findings.iter().filter(|each| each.severity == severity).collect();
        let most = if severity == Severity::Failure { own.len() } else { SHOWN };
        for finding in own.iter().take(most) {
            out.push_str(&labelled(style, 0, label, LABEL, ink, &finding.text));
        }
        if own.len() > most {
            let text = format!("{} more: --json has them all", own.len() - most);
            out.push_str(&paragraph(style, LABEL + 2, Ink::Dim, &text));
        }
    }
    let failures = findings.iter().filter(|each| each.severity == Severity::Failure).count() as u64;
    let verdict = if passes(findings) {
        format!("passed: {} is no worse than {}", comparison.after, comparison.before)
    } else {
        format!(
            "failed: {} is worse than {} in {}",
            comparison.after,
            comparison.before,
            counted(failures, "respect", "respects")
        )
    };
    let ink = if failures == 0 { Ink::Good } else { Ink::Bad };
    out + &facts(style, "Check", LABEL, ink, &[verdict])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use loopwright_analysis::compare::check::{Thresholds, check};
    use loopwright_analysis::compare::compare;

    #[test]
    fn more_work_and_lost_vectors_fail() {
        let before = fixture::counts::counted();
        let mut after = before.clone();
        let body = after.loops.iter_mut().find(|each| each.id == 20).unwrap();
        (body.vectorized, body.vector) = (false, None);
        let hot =
            after.loops.iter_mut().find(|each| each.id == 12).and_then(|each| each.work.as_mut()).unwrap();
        hot.instructions += hot.instructions / 8;
        let comparison = compare(("base", &before), ("latest", &after));
        let found = check(&comparison, &Thresholds::default());
        let text = findings(&comparison, &found, &TerminalStyle::plain(140));
        assert!(text.contains("Worse") && text.contains("more instructions"), "{text}");
        assert!(text.contains("latest is worse than base in"), "{text}");
        fixture::assert_fits(&text, &TerminalStyle::plain(140));
    }

    #[test]
    fn a_state_held_against_itself_passes() {
        let analysis = fixture::counts::counted();
        let comparison = compare(("base", &analysis), ("latest", &analysis));
        let found = check(&comparison, &Thresholds::default());
        let text = findings(&comparison, &found, &TerminalStyle::plain(100));
        assert!(text.ends_with("Check    passed: latest is no worse than base\n"), "{text}");
    }
}
