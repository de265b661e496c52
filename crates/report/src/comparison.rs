//! `compare A B`: what became of each loop between two states.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::loop_words::kind;
use crate::names::printable;
use crate::phrases::{FASTER, NO_CHANGE, NO_SAMPLED_LOOPS, NOT_KNOWN, SLOWER, filled};
use crate::prose::{facts, labelled, paragraph};
use crate::quantity::{TimeUnit, change_in_percent, ratio, ratio_range, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::compare::check::{Finding, FindingKind, Severity, Thresholds, check};
use loopwright_analysis::compare::{Comparison, CountChange, Counted, LoopChange, Verdict};
use loopwright_analysis::model::LoopFacts;

/// Loops shown; the rest is counted.
const LOOPS: usize = 40;
/// A loop that takes less of the CPU time than this on both sides is counted with the rest.
const NOTICEABLE: f64 = 0.005;

/// Sentences about counts; `check` has all.
const SENTENCES: usize = 6;

/// The table.
pub fn comparison(comparison: &Comparison, style: &TerminalStyle) -> String {
    let mut out = facts(
        style,
        "Before",
        8,
        Ink::Strong,
        &[
            comparison.before.clone(),
            format!("{} elapsed", time(comparison.elapsed.0)),
            format!("{} of CPU time", time(comparison.cpu.0)),
        ],
    );
    out.push_str(&facts(
        style,
        "After",
        8,
        Ink::Strong,
        &[
            comparison.after.clone(),
            format!("{} elapsed", time(comparison.elapsed.1)),
            format!("{} of CPU time", time(comparison.cpu.1)),
        ],
    ));
    out.push_str(&facts(
        style,
        "Program",
        8,
        Ink::Plain,
        &[pace("elapsed", comparison.elapsed, style), pace("CPU time", comparison.cpu, style)],
    ));
    out.push_str(&judgement(comparison, style));
    if !comparison.counted.is_empty() {
        let changes: Vec<String> = comparison.counted.iter().map(changed).collect();
        out.push_str(&facts(style, "Counts", 8, Ink::Plain, &changes));
    }
    if let Some(notes) = tally(comparison) {
        out.push_str(&facts(style, "Loops", 8, Ink::Plain, &notes));
    }
    out.push('\n');
    if comparison.loops.is_empty() {
        return out + &paragraph(style, 0, Ink::Plain, NO_SAMPLED_LOOPS);
    }
    let seconds = |side: &Option<LoopFacts>| side.as_ref().map_or(0.0, |facts| facts.self_seconds);
    let unit = TimeUnit::for_largest(
        comparison
            .loops
            .iter()
            .map(|each| seconds(&each.before).max(seconds(&each.after)))
            .fold(0.0, f64::max),
    );
    let share = |side: &Option<LoopFacts>| side.as_ref().map_or(0.0, |facts| facts.self_share);
    // States without surveys are compared by what was counted.
    let with_times = comparison.cpu.0 > 0.0 || comparison.cpu.1 > 0.0;
    let worth = |each: &&LoopChange| {
        let changed = each.counted.iter().any(|count| count.before != count.after);
        share(&each.before).max(share(&each.after)) >= NOTICEABLE || (!with_times && changed)
    };
    let shown: Vec<&LoopChange> = comparison.loops.iter().filter(worth).take(LOOPS).collect();
    let timed = |name: &str| Column::right(format!("{name} {}", unit.symbol()));
    let number =
        |side: &Option<LoopFacts>| Cell::known(side.as_ref().map(|facts| unit.number(facts.self_seconds)));
    let table = Table::<&LoopChange>::new()
        .column(Column::left("Function").shorten(Shorten::Symbol, 14), |each| Cell::plain(each.name()))
        .column(Column::left("Place").shorten(Shorten::Middle, 14), |each| {
            Cell::new(&each.place, Ink::Accent)
        })
        .column(timed("Before"), |each| number(&each.before))
        .column(timed("After"), |each| number(&each.after))
        .column(Column::right("Speed-up"), |each| {
            let ink = verdict(each.verdict).1;
            each.speedup.map_or_else(Cell::empty, |speedup| Cell::new(ratio(speedup, style), ink))
        })
        .column(Column::right("95 % interval").expendable(3), |each| {
            each.interval
                .map_or_else(Cell::empty, |interval| Cell::new(ratio_range(interval, style), Ink::Dim))
        })
        .column(Column::right("Instr.").expendable(2), |each| instructions(each))
        .column(Column::left("Verdict"), |each| {
            let (word, ink) = verdict(each.verdict);
            Cell::new(word, ink)
        })
        .column(Column::left("Type").shorten(Shorten::End, 14).expendable(1), |each| {
            Cell::plain(types(each, style))
        });
    out.push_str(&table.render(shown.iter().copied(), style, 0));
    if comparison.loops.len() > shown.len() {
        let rest = comparison.loops.len() - shown.len();
        out.push_str(&paragraph(
            style,
            0,
            Ink::Dim,
            &format!("{rest} more with less time or no change: --json has them all"),
        ));
    }
    for note in comparison.loops.iter().filter_map(|each| each.note.as_ref()) {
        out.push_str(&labelled(style, 0, "Note", 8, Ink::Caution, &printable(note)));
    }
    out + &counts(comparison, style)
}

/// `instructions +12.0 %`, or that they did not change.
fn changed(change: &CountChange) -> String {
    format!("{} {}", change.what.words(), relative(change))
}

fn relative(change: &CountChange) -> String {
    match change.relative() {
        _ if change.before == change.after => NO_CHANGE.to_owned(),
        Some(part) => change_in_percent(part),
        None => "new".to_owned(),
    }
}

/// The change of the executed instructions, which is exact.
fn instructions(change: &LoopChange) -> Cell {
    let Some(counted) = change.counted.iter().find(|each| each.what == Counted::Instructions) else {
        return Cell::empty();
    };
    let ink = match counted.before.cmp(&counted.after) {
        std::cmp::Ordering::Less => Ink::Bad,
        std::cmp::Ordering::Equal => Ink::Dim,
        std::cmp::Ordering::Greater => Ink::Good,
    };
    Cell::new(relative(counted), ink)
}

/// What the exact counts say, in sentences.
fn counts(comparison: &Comparison, style: &TerminalStyle) -> String {
    let about_counts = |finding: &&Finding| {
        matches!(
            finding.kind,
            FindingKind::MoreWork
                | FindingKind::LessWork
                | FindingKind::LessPacked
                | FindingKind::NotComparable
        )
    };
    let found = check(comparison, &Thresholds::default());
    let told: Vec<&Finding> = found.iter().filter(about_counts).collect();
    let mut out = String::new();
    for finding in told.iter().take(SENTENCES) {
        let ink = if finding.severity == Severity::Failure { Ink::Bad } else { Ink::Plain };
        out.push_str(&labelled(style, 0, "Counts", 8, ink, &finding.text));
    }
    if told.len() > SENTENCES {
        let text = format!(
            "{} more: loopwright check --against {} lists them",
            told.len() - SENTENCES,
            printable(&comparison.before)
        );
        out.push_str(&paragraph(style, 10, Ink::Dim, &text));
    }
    out
}

/// Which of the two times to believe, where it is not the elapsed one.
fn judgement(comparison: &Comparison, style: &TerminalStyle) -> String {
    let Some(because) = &comparison.judged.because else { return String::new() };
    let text = format!("by CPU time: {because}");
    labelled(style, 0, "Judged", 8, Ink::Caution, &printable(&text))
}

/// `elapsed 1.32x faster`; near 1 it says that nothing can be said from one run of each.
fn pace(what: &str, (before, after): (f64, f64), style: &TerminalStyle) -> String {
    if before <= 0.0 || after <= 0.0 {
        return format!("{what} {NOT_KNOWN}");
    }
    let speedup = before / after;
    if speedup >= 1.005 {
        format!("{what} {}", filled(FASTER, [&ratio(speedup, style)]))
    } else if speedup <= 0.995 {
        format!("{what} {}", filled(SLOWER, [&ratio(1.0 / speedup, style)]))
    } else {
        format!("{what} {NO_CHANGE}")
    }
}

pub(crate) fn verdict(verdict: Verdict) -> (&'static str, Ink) {
    match verdict {
        Verdict::Faster => ("faster", Ink::Good),
        Verdict::Slower => ("slower", Ink::Bad),
        Verdict::Same => ("same", Ink::Dim),
        Verdict::Appeared => ("new", Ink::Caution),
        Verdict::Vanished => ("gone", Ink::Caution),
        Verdict::NowVectorized => ("now vectorised", Ink::Good),
        Verdict::NoLongerVectorized => ("no longer vectorised", Ink::Bad),
    }
}

/// How many loops of each verdict, the alarming first.
fn tally(comparison: &Comparison) -> Option<Vec<String>> {
    const ORDER: [Verdict; 7] = [
        Verdict::NoLongerVectorized,
        Verdict::Slower,
        Verdict::NowVectorized,
        Verdict::Faster,
        Verdict::Same,
        Verdict::Appeared,
        Verdict::Vanished,
    ];
    let notes: Vec<String> = ORDER
        .iter()
        .filter_map(|wanted| {
            let count = comparison.loops.iter().filter(|each| each.verdict == *wanted).count();
            (count > 0).then(|| format!("{count} {}", verdict(*wanted).0))
        })
        .collect();
    (!notes.is_empty()).then_some(notes)
}

/// The type before and after, where it changed.
fn types(change: &LoopChange, style: &TerminalStyle) -> String {
    let word = |side: &Option<LoopFacts>| side.as_ref().map(|facts| kind(facts, style).text().to_owned());
    match (word(&change.before), word(&change.after)) {
        (Some(before), Some(after)) if before != after => {
            format!("{before} {} {after}", style.sign("→", "->"))
        }
        (_, Some(after)) => after,
        (Some(before), None) => before,
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn changes() -> Comparison {
        let analysis = fixture::analysis();
        let (scalar, vectorized) = (analysis.loops[0].clone(), analysis.loops[1].clone());
        let change =
            |before: Option<LoopFacts>, after: Option<LoopFacts>, speedup: Option<f64>, verdict| LoopChange {
                function: after
                    .as_ref()
                    .or(before.as_ref())
                    .map(|facts| facts.function.clone())
                    .unwrap_or_default(),
                place: "lbm.c:52".into(),
                before,
                after,
                speedup,
                interval: speedup.map(|speedup| (speedup * 0.97, speedup * 1.03)),
                verdict,
                before_counts: None,
                after_counts: None,
                counted: vec![],
                note: None,
            };
        let mut quicker = scalar.clone();
        (quicker.vectorized, quicker.self_seconds, quicker.vector) = (true, 2.5, vectorized.vector.clone());
        Comparison {
            before: "naive".into(),
            after: "latest".into(),
            elapsed: (6.43, 4.1),
            cpu: (24.1, 24.05),
            before_counts: None,
            after_counts: None,
            counted: vec![],
            other_command: false,
            partial: false,
            functions: vec![],
            judged: Default::default(),
            loops: vec![
                change(Some(scalar.clone()), Some(quicker), Some(4.15), Verdict::NowVectorized),
                change(
                    Some(vectorized.clone()),
                    Some(scalar.clone()),
                    Some(0.33),
                    Verdict::NoLongerVectorized,
                ),
                change(Some(vectorized.clone()), Some(vectorized.clone()), Some(1.0), Verdict::Same),
                change(None, Some(vectorized), None, Verdict::Appeared),
                change(Some(scalar), None, None, Verdict::Vanished),
            ],
        }
    }

    #[test]
    fn tables_at_common_widths() {
        for style in fixture::styles() {
            let text = comparison(&changes(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("comparison", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn counts_are_compared_exactly() {
        let before = fixture::counts::counted();
        let mut after = before.clone();
        let hot =
            after.loops.iter_mut().find(|each| each.id == 12).and_then(|each| each.work.as_mut()).unwrap();
        hot.instructions += hot.instructions * 12 / 100;
        let compared = loopwright_analysis::compare::compare(("base", &before), ("latest", &after));
        for style in fixture::styles() {
            let text = comparison(&compared, &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("comparison_counted", &style), fixture::visible(&text));
        }
        let text = comparison(&compared, &TerminalStyle::plain(160));
        assert!(text.contains("+12.0 %") && text.contains("12 % more instructions"), "{text}");
    }

    #[test]
    fn two_empty_states_compare() {
        let empty = Comparison { loops: vec![], elapsed: (0.0, 0.0), cpu: (0.0, 0.0), ..changes() };
        let text = comparison(&empty, &TerminalStyle::plain(80));
        assert!(text.contains("elapsed not known") && text.contains("Neither state has loops"), "{text}");
    }
}
