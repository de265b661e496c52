//! The gate: what of a comparison is a regression, and how grave.
//!
//! Counts are exact: a loop that executes 12 % more instructions than in the snapshot does so on every machine and in
//! every run, so that counts may fail a build. What counts is the program: more work in one loop fails when it is more
//! than a tolerated part of the whole program's, and when the program did not save more elsewhere. Where a compiler made
//! other loops of a function (one was unrolled completely, two were merged), the function is judged instead of its loops.
//! Times scatter: they warn, unless a limit is asked for.

use super::counts::{CountChange, Counted, waits};
use super::{Comparison, CountSums, LoopChange, Verdict, undecorated};
use crate::model::LoopFacts;
use loopwright_stats::saturating_sum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tolerated share of the program's counts, a convention: smaller changes do not show in the time, and a hot loop that lost its
/// vectors costs many times as much.
pub const DEFAULT_TOLERANCE: f64 = 0.01;

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
    /// The executed packed share must fall by more than this to be reported.
    pub packed: f64,
    /// More instructions or bytes fail beyond this share of the program's.
    pub tolerance: f64,
    /// Fail when a loop is surely slower than this factor (1.1: 10 %); absent: slower loops warn only.
    pub slower: Option<f64>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            relative: 0.001,
            absolute: 1000,
            of_program: 0.0001,
            share: 0.005,
            packed: 0.1,
            tolerance: DEFAULT_TOLERANCE,
            slower: None,
        }
    }
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// How grave.
    pub severity: Severity,
    /// About what.
    pub kind: FindingKind,
    /// Place in the comparison's `loops`; absent when it is a function or the program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<usize>,
    /// Function, alone when a function is judged instead of its loops; absent for the program.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub function: String,
    /// `file:line`; absent for a function and the program.
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
    functions(comparison, thresholds, &mut findings);
    for (index, change) in comparison.loops.iter().enumerate() {
        of_loop(comparison, change, thresholds, &mut |severity, kind, count, text| {
            findings.push(Finding {
                severity,
                kind,
                index: Some(index),
                function: change.function.clone(),
                place: change.place.clone(),
                change: count,
                text: format!("the loop at {} ({}) {text}", change.place, change.name()),
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
            "{name} has no counts: exact regressions cannot be detected; run `loopwright tripcounts` before the snapshot"
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
        let grade = weigh(comparison, &change, change.rise(), thresholds);
        findings.push(finding(
            grade.severity,
            grade.kind,
            Some(change),
            format!("the program: {}{}", change.against(&comparison.before), grade.because(thresholds)),
        ));
    }
    findings
}

fn differs(change: &CountChange, thresholds: &Thresholds) -> bool {
    let difference = change.before.abs_diff(change.after);
    difference > thresholds.absolute && difference as f64 > thresholds.relative * change.before as f64
}

/// How grave a changed count is.
#[derive(Clone, Copy, Debug)]
struct Grade {
    kind: FindingKind,
    severity: Severity,
    excuse: Excuse,
}

/// Why more work fails nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Excuse {
    /// It does, or there is nothing to excuse.
    None,
    /// It is within the tolerance.
    Small,
    /// The program saved more elsewhere.
    Saved,
}

impl Grade {
    fn because(self, thresholds: &Thresholds) -> String {
        match self.excuse {
            Excuse::None => String::new(),
            Excuse::Small => {
                format!(
                    "; that is within the tolerance of {} % of the program",
                    percent(thresholds.tolerance)
                )
            }
            Excuse::Saved => "; the program as a whole does less by more than that".to_owned(),
        }
    }
}

/// Percent without digits that say nothing.
fn percent(share: f64) -> f64 {
    (share * 1e4).round() / 1e2
}

/// Instructions and bytes are cost; operations, iterations and entries are what the program asks for. `rise` is what has
/// to be answered for.
fn weigh(comparison: &Comparison, change: &CountChange, rise: u64, thresholds: &Thresholds) -> Grade {
    let grade = |kind, severity, excuse| Grade { kind, severity, excuse };
    if change.after < change.before {
        return grade(FindingKind::LessWork, Severity::Note, Excuse::None);
    }
    if !matches!(change.what, Counted::Instructions | Counted::Bytes) {
        return grade(FindingKind::MoreWork, Severity::Warning, Excuse::None);
    }
    match excuse(comparison, change.what, rise, thresholds) {
        Excuse::None => grade(FindingKind::MoreWork, Severity::Failure, Excuse::None),
        excuse => grade(FindingKind::MoreWork, Severity::Warning, excuse),
    }
}

/// What excuses a rise of so much.
fn excuse(comparison: &Comparison, what: Counted, rise: u64, thresholds: &Thresholds) -> Excuse {
    let (before, after) = totals(comparison, what);
    // A run that was cut short, or covered other code, has no total to save anything from.
    if !comparison.partial && before.saturating_sub(after) > rise {
        Excuse::Saved
    } else if rise as f64 <= thresholds.tolerance * before as f64 {
        Excuse::Small
    } else {
        Excuse::None
    }
}

/// The program's counts of one kind in both states.
fn totals(comparison: &Comparison, what: Counted) -> (u64, u64) {
    let of = |side: &Option<CountSums>| side.as_ref().map_or(0, |sums| sums.of(what));
    (of(&comparison.before_counts), of(&comparison.after_counts))
}

/// Functions whose loops were made anew.
fn functions(comparison: &Comparison, thresholds: &Thresholds, findings: &mut Vec<Finding>) {
    // Code of functions that are gone was inlined into others or is not needed any more: it excuses as much there.
    let gone: Vec<&CountSums> = comparison
        .functions
        .iter()
        .filter(|each| each.after_counts.is_none())
        .filter_map(|each| each.before_counts.as_ref())
        .collect();
    for each in &comparison.functions {
        let Some(after) = &each.after_counts else { continue };
        let before = each.before_counts.clone().unwrap_or_default();
        for change in CountSums::changes(&before, after) {
            let moved = saturating_sum(gone.iter().map(|sums| sums.of(change.what)));
            if !matches!(change.what, Counted::Instructions | Counted::Bytes)
                || !differs(&change, thresholds)
                || !of_program(comparison, &change, thresholds)
            {
                continue;
            }
            let grade = weigh(comparison, &change, change.rise().saturating_sub(moved), thresholds);
            let verb = if change.what == Counted::Bytes { "moves" } else { "executes" };
            let text = format!(
                "the function {}, whose loops were made anew, {verb} {}{}",
                each.function,
                change.against(&comparison.before),
                grade.because(thresholds)
            );
            findings.push(Finding {
                severity: grade.severity,
                kind: grade.kind,
                index: None,
                function: each.function.clone(),
                place: String::new(),
                change: Some(change),
                text,
            });
        }
    }
}

/// The loop's function is judged as a whole.
fn is_made_anew(comparison: &Comparison, change: &LoopChange) -> bool {
    let function = undecorated(&change.function);
    let module = [&change.after, &change.before].into_iter().flatten().map(|side| &side.module).next();
    let same = |each: &super::FunctionChange| each.function == function && Some(&each.module) == module;
    comparison.functions.iter().any(same)
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
            // Where it was counted, what that costs is known.
            let cost = change.counted.iter().find(|count| count.what == Counted::Instructions);
            let excused = cost
                .is_some_and(|cost| excuse(comparison, cost.what, cost.rise(), thresholds) != Excuse::None);
            let severity = if excused { Severity::Warning } else { Severity::Failure };
            add(grave(severity), FindingKind::NoLongerVectorized, None, lost(change, before, after));
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
    let made_anew = is_made_anew(comparison, change);
    for &count in &change.counted {
        if !differs(&count, thresholds) || !of_program(comparison, &count, thresholds) {
            continue;
        }
        let Grade { kind, mut severity, excuse } = weigh(comparison, &count, count.rise(), thresholds);
        if severity == Severity::Failure && made_anew {
            severity = Severity::Warning;
        }
        let because = Grade { kind, severity, excuse }.because(thresholds);
        let verb = match count.what {
            Counted::Iterations | Counted::Entries => "has",
            Counted::Bytes => "moves",
            _ => "executes",
        };
        let text = format!("{verb} {}{because}", count.against(before));
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
    // The whole interval must be beyond the limit.
    let surely = change.interval.map_or(0.0, |(_, high)| 1.0 / high.max(1e-9));
    let fails = thresholds.slower.is_some_and(|limit| surely > limit);
    let severity = if fails { Severity::Failure } else { Severity::Warning };
    add(severity, FindingKind::Slower, None, format!("is {factor}slower"));
}

fn lost(change: &LoopChange, before: &str, after: &str) -> String {
    let share = |side: &Option<CountSums>| side.as_ref().and_then(|counts| counts.packed_share);
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
    let work = |side: &Option<CountSums>, whole: &Option<CountSums>| {
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
    let (before, after) = totals(comparison, count.what);
    let whole = before.max(after);
    count.before.abs_diff(count.after) as f64 > thresholds.of_program * whole as f64
}

#[cfg(test)]
mod tests;
