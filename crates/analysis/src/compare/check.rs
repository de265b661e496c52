//! The gate: what of a comparison is a regression, and how grave.
//!
//! Counts are exact: a loop that executes 12 % more instructions than in the snapshot does so on every machine and in
//! every run, so that counts may fail a build. Times scatter: they warn, unless a limit is asked for.

use super::counts::{CountChange, Counted, waits};
use super::{Comparison, LoopChange, Verdict};
use crate::model::LoopFacts;
use serde::{Deserialize, Serialize};

/// From where on a difference is worth a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// A count must change by more than this share of itself.
    pub relative: f64,
    /// And by more than this many.
    pub absolute: u64,
    /// And, of a loop, by more than this share of the program's count.
    pub of_program: f64,
    /// A loop matters when it has at least this share of the program's time or instructions, before or after.
    pub share: f64,
    /// The executed packed share must fall by more than this to be told.
    pub packed: f64,
    /// Fail when a loop is surely slower than this factor (1.1: 10 %); absent: slower loops warn only.
    pub slower: Option<f64>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { relative: 0.001, absolute: 1000, of_program: 0.0001, share: 0.005, packed: 0.1, slower: None }
    }
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Changed for the better, or by itself neither good nor bad.
    Note,
    /// Probably worse, or not comparable.
    Warning,
    /// Worse: `loopwright check` fails.
    Failure,
}

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    /// A count grew.
    MoreWork,
    /// A count shrank.
    LessWork,
    /// Vectorised before, not any more.
    NoLongerVectorized,
    /// Scalar before, vectorised now.
    NowVectorized,
    /// Still vectorised, but more of its work runs in scalar code.
    LessPacked,
    /// Slower, beyond what sampling scatters.
    Slower,
    /// Faster, beyond what sampling scatters.
    Faster,
    /// Only in the second state.
    Appeared,
    /// Only in the first state.
    Vanished,
    /// The states cannot be compared in this respect.
    NotComparable,
}

/// A sentence with a weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// How grave.
    pub severity: Severity,
    /// About what.
    pub kind: FindingKind,
    /// Index into [`Comparison::loops`]; absent when it is the program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<usize>,
    /// Function; empty for the program.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub function: String,
    /// `file:line`; empty for the program.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub place: String,
    /// The count, when it is about one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub change: Option<CountChange>,
    /// What happened, in one sentence.
    pub text: String,
}

/// All findings, the gravest first.
pub fn check(comparison: &Comparison, thresholds: &Thresholds) -> Vec<Finding> {
    let mut findings = program(comparison, thresholds);
    for (index, change) in comparison.loops.iter().enumerate() {
        of_loop(comparison, change, thresholds, &mut |severity, kind, count, text| {
            findings.push(Finding {
                severity,
                kind,
                index: Some(index),
                function: change.function.clone(),
                place: change.place.clone(),
                change: count,
                text: format!("the loop at {} ({}) {text}", change.place, change.function),
            });
        });
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// The gate holds: no finding is a failure.
pub fn passes(findings: &[Finding]) -> bool {
    findings.iter().all(|finding| finding.severity < Severity::Failure)
}

fn program(comparison: &Comparison, thresholds: &Thresholds) -> Vec<Finding> {
    let finding = |severity, kind, change, text| Finding {
        severity,
        kind,
        index: None,
        function: String::new(),
        place: String::new(),
        change,
        text,
    };
    let missing = |name: &str| {
        let text = format!(
            "{name} has no counts: exact regressions cannot be told; run `loopwright tripcounts` before the snapshot"
        );
        finding(Severity::Warning, FindingKind::NotComparable, None, text)
    };
    let mut findings = Vec::new();
    match (&comparison.before_counts, &comparison.after_counts) {
        (Some(_), None) => findings.push(missing(&comparison.after)),
        (None, Some(_)) => findings.push(missing(&comparison.before)),
        _ => {}
    }
    if comparison.other_command {
        findings.push(finding(
            Severity::Warning,
            FindingKind::NotComparable,
            None,
            format!(
                "{} and {} ran different commands: their counts differ for that reason",
                comparison.before, comparison.after
            ),
        ));
    }
    if comparison.partial {
        findings.push(finding(
            Severity::Warning,
            FindingKind::NotComparable,
            None,
            "a counting run was cut short or covered other code: totals of the program are not compared"
                .to_owned(),
        ));
        return findings;
    }
    for &change in comparison.counted.iter().filter(|change| differs(change, thresholds)) {
        let (kind, severity) = weigh(&change);
        findings.push(finding(
            severity,
            kind,
            Some(change),
            format!("the program: {}", change.against(&comparison.before)),
        ));
    }
    findings
}

fn differs(change: &CountChange, thresholds: &Thresholds) -> bool {
    let difference = change.before.abs_diff(change.after);
    difference > thresholds.absolute && difference as f64 > thresholds.relative * change.before as f64
}

/// Instructions and bytes are cost; operations, iterations and entries are what the program asks for.
fn weigh(change: &CountChange) -> (FindingKind, Severity) {
    if change.after < change.before {
        return (FindingKind::LessWork, Severity::Note);
    }
    let severity = match change.what {
        Counted::Instructions | Counted::Bytes => Severity::Failure,
        Counted::Flop | Counted::IntegerOperations | Counted::Iterations | Counted::Entries => {
            Severity::Warning
        }
    };
    (FindingKind::MoreWork, severity)
}

fn of_loop(
    comparison: &Comparison,
    change: &LoopChange,
    thresholds: &Thresholds,
    add: &mut impl FnMut(Severity, FindingKind, Option<CountChange>, String),
) {
    let matters = matters(comparison, change, thresholds);
    let (before, after) = (&comparison.before, &comparison.after);
    let grave = |severity| if matters { severity } else { Severity::Note };
    match change.verdict {
        Verdict::NoLongerVectorized => {
            add(grave(Severity::Failure), FindingKind::NoLongerVectorized, None, lost(change, before, after));
        }
        Verdict::NowVectorized => {
            add(Severity::Note, FindingKind::NowVectorized, None, format!("is vectorised in {after}"));
        }
        Verdict::Slower | Verdict::Faster if matters => slower(change, thresholds, add),
        Verdict::Appeared if matters => {
            add(Severity::Note, FindingKind::Appeared, None, format!("is only in {after}"));
        }
        Verdict::Vanished if matters => {
            add(Severity::Note, FindingKind::Vanished, None, format!("is only in {before}"));
        }
        _ => {}
    }
    let (Some(old), Some(new)) = (&change.before_counts, &change.after_counts) else { return };
    if let (Some(was), Some(is)) = (old.packed_share, new.packed_share)
        && was - is > thresholds.packed
        && change.verdict != Verdict::NoLongerVectorized
    {
        let text = format!("runs {:.0} % of its work packed, {:.0} % before", 100.0 * is, 100.0 * was);
        add(grave(Severity::Warning), FindingKind::LessPacked, None, text);
    }
    let module = [&change.after, &change.before].into_iter().flatten().map(|l| l.module.as_str()).next();
    let by_chance = module.is_some_and(waits);
    for &count in &change.counted {
        if !differs(&count, thresholds) || !of_program(comparison, &count, thresholds) {
            continue;
        }
        let (kind, severity) = weigh(&count);
        let verb = match count.what {
            Counted::Iterations | Counted::Entries => "has",
            Counted::Bytes => "moves",
            _ => "executes",
        };
        let text = format!("{verb} {}", count.against(before));
        if by_chance {
            add(
                Severity::Note,
                kind,
                Some(count),
                format!("{text}; it waits for other threads, which is not exact"),
            );
        } else {
            add(severity, kind, Some(count), text);
        }
    }
}

fn slower(
    change: &LoopChange,
    thresholds: &Thresholds,
    add: &mut impl FnMut(Severity, FindingKind, Option<CountChange>, String),
) {
    let times = change.speedup.map(|speedup| if speedup >= 1.0 { speedup } else { 1.0 / speedup.max(1e-9) });
    let factor = times.map(|times| format!("{times:.2} times ")).unwrap_or_default();
    if change.verdict == Verdict::Faster {
        add(Severity::Note, FindingKind::Faster, None, format!("is {factor}faster"));
        return;
    }
    // The whole interval must lie beyond the limit.
    let surely = change.interval.map_or(0.0, |(_, high)| 1.0 / high.max(1e-9));
    let fails = thresholds.slower.is_some_and(|limit| surely > limit);
    let severity = if fails { Severity::Failure } else { Severity::Warning };
    add(severity, FindingKind::Slower, None, format!("is {factor}slower"));
}

fn lost(change: &LoopChange, before: &str, after: &str) -> String {
    let share = |side: &Option<super::CountSums>| side.as_ref().and_then(|counts| counts.packed_share);
    match (share(&change.before_counts), share(&change.after_counts)) {
        (Some(was), Some(is)) => format!(
            "is no longer vectorised: {:.0} % of its work runs packed in {after}, {:.0} % in {before}",
            100.0 * is,
            100.0 * was
        ),
        _ => format!("is no longer vectorised in {after}"),
    }
}

fn matters(comparison: &Comparison, change: &LoopChange, thresholds: &Thresholds) -> bool {
    let time = |side: &Option<LoopFacts>| side.as_ref().map_or(0.0, |l| l.self_share);
    let work = |side: &Option<super::CountSums>, whole: &Option<super::CountSums>| {
        let whole = whole.as_ref().map_or(0, |whole| whole.instructions);
        side.as_ref().map_or(0.0, |own| own.instructions as f64 / whole.max(1) as f64)
    };
    let largest = time(&change.before)
        .max(time(&change.after))
        .max(work(&change.before_counts, &comparison.before_counts))
        .max(work(&change.after_counts, &comparison.after_counts));
    largest >= thresholds.share
}

/// The difference is noticeable in the program's count of the same kind.
fn of_program(comparison: &Comparison, count: &CountChange, thresholds: &Thresholds) -> bool {
    let whole = |side: &Option<super::CountSums>| {
        side.as_ref().map_or(0, |sums| match count.what {
            Counted::Instructions => sums.instructions,
            Counted::Flop => sums.flop,
            Counted::IntegerOperations => sums.int_ops,
            Counted::Bytes => sums.bytes,
            // Iterations and entries have no total that means something.
            Counted::Iterations | Counted::Entries => 0,
        })
    };
    let whole = whole(&comparison.before_counts).max(whole(&comparison.after_counts));
    count.before.abs_diff(count.after) as f64 > thresholds.of_program * whole as f64
}

#[cfg(test)]
mod tests;
