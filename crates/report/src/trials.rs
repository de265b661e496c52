//! `show trials`: what `loopwright try` measured, one row for each change.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::names::printable;
use crate::phrases::{
    AGAINST_ITSELF, CONFIRMED, DIFFERS_BY, IGNORED_LINES, IN_FRESH_RUNS, LINE_INSTEAD, NO_CHANGE_TRIED,
    NONE_FASTER, NOT_CONFIRMED, NOT_TOGETHER, PAIR, TRIED_BY, TRIED_MEASURED, TRIED_SAME, TRIED_WITHIN,
    UNSTEADY, UNSTEADY_IN_LINES, WHO_CHANGED_IT, filled,
};
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{counted, fine_range, fine_ratio, many, percent, ratio, ratio_range};
use crate::style::{Ink, TerminalStyle};
use loopwright_advise::Tried;
use loopwright_analysis::model::{
    Analysis, Clock, FirstDifference, Part, TrialFacts, TriedFacts, TriedOutcome, Unsteady, Verdict, Way,
};

/// Columns of the label before a note.
pub(crate) const LABEL: usize = 8;

/// The view.
pub fn trials(analysis: &Analysis, style: &TerminalStyle) -> String {
    let Some(trials) = &analysis.trials else {
        let text = "Nothing was tried. Try the advice with: loopwright try -- PROGRAM (after loopwright build -- make)";
        return paragraph(style, 0, Ink::Plain, text);
    };
    let mut out = heading(style, "Tried");
    out.push_str(&table(trials, style));
    out.push_str(&left_alone(trials.tried.iter(), style));
    out.push_str(&notes(trials, style));
    out.push_str(&together(trials, style));
    out.push_str(&summary("tried", trials.together.as_ref(), style));
    out
}

fn table(trials: &TrialFacts, style: &TerminalStyle) -> String {
    let rows: Vec<&TriedFacts> =
        trials.tried.iter().filter(|tried| tried.outcome != TriedOutcome::LeftAlone).collect();
    let table = Table::<&TriedFacts>::new()
        .column(Column::left("Change"), |each| Cell::plain(&each.change))
        .column(Column::left("By"), |each| Cell::plain(way(each.way)))
        .column(Column::right("Predicted").expendable(1), |each| {
            each.predicted.map_or_else(Cell::empty, |range| Cell::plain(ratio_range(range, style)))
        })
        .column(Column::right("Measured"), |each| {
            let ink = outcome(each.outcome).1;
            let shown =
                |median| if is_in_run(each) { fine_ratio(median, style) } else { ratio(median, style) };
            each.measured_median.map_or_else(Cell::empty, |median| Cell::new(shown(median), ink))
        })
        .column(Column::right("95 % interval").expendable(2), |each| {
            let shown =
                |range| if is_in_run(each) { fine_range(range, style) } else { ratio_range(range, style) };
            each.measured.map_or_else(Cell::empty, |range| Cell::new(shown(range), Ink::Dim))
        })
        .column(Column::left("In").expendable(4), |each| match each.clock {
            Some(Clock::Calls) => Cell::plain("the run"),
            Some(Clock::Cpu | Clock::Elapsed | Clock::Figure) => Cell::plain("runs"),
            None => Cell::empty(),
        })
        .column(Column::left("Answer"), |each| answer(each))
        .column(Column::left("Outcome"), |each| {
            let (word, ink) = outcome(each.outcome);
            Cell::new(word, ink)
        })
        .column(Column::left("What").expendable(3).shorten(Shorten::End, 24), |each| match &each.note {
            Some(note) => Cell::new(note, Ink::Caution),
            None => Cell::plain(parts(&each.parts)),
        });
    if rows.is_empty() {
        return paragraph(style, 0, Ink::Plain, NO_CHANGE_TRIED);
    }
    table.render(rows, style, 0)
}

/// Measured by calls that alternated inside a run.
fn is_in_run(tried: &TriedFacts) -> bool {
    tried.clock == Some(Clock::Calls)
}

/// How a change is made, in a word.
pub(crate) fn way(way: Way) -> &'static str {
    match way {
        Way::Options => "options",
        Way::Simd => "omp simd",
        Way::Ivdep => "ivdep",
        Way::Restrict => "restrict",
        Way::Parallel => "omp parallel",
        Way::Count => "constant count",
        Way::NoVector => "no vectors",
        Way::Compiler => "compiler",
        Way::Profile => "profile",
        Way::Environment => "environment",
        Way::Several => "several",
    }
}

/// What a trial showed.
pub(crate) fn outcome(outcome: TriedOutcome) -> (&'static str, Ink) {
    match outcome {
        TriedOutcome::Faster => ("faster", Ink::Good),
        TriedOutcome::NoDifference => ("no difference", Ink::Dim),
        TriedOutcome::Slower => ("slower", Ink::Bad),
        TriedOutcome::WrongAnswer => ("wrong answer", Ink::Bad),
        TriedOutcome::NotBuilt => ("not built", Ink::Caution),
        TriedOutcome::SameCode => ("same code", Ink::Dim),
        TriedOutcome::Failed => ("failed", Ink::Bad),
        TriedOutcome::Hung => ("hung", Ink::Bad),
        TriedOutcome::LeftAlone => ("left alone", Ink::Dim),
    }
}

/// The answer in a table.
pub(crate) fn answer(tried: &TriedFacts) -> Cell {
    let Some(verdict) = tried.answer else { return Cell::empty() };
    let (word, ink) = judged(verdict);
    match tried.largest_difference.filter(|_| verdict != Verdict::Same) {
        Some(largest) => Cell::new(filled(DIFFERS_BY, [word, &format!("{largest:.0e}")]), ink),
        None => Cell::new(word, ink),
    }
}

/// How an answer compares with that of the unchanged program.
pub(crate) fn judged(verdict: Verdict) -> (&'static str, Ink) {
    match verdict {
        Verdict::Same => ("same", Ink::Good),
        Verdict::Within => ("within", Ink::Good),
        Verdict::Different => ("different", Ink::Bad),
    }
}

/// The time that was compared.
pub(crate) fn clock(clock: Clock) -> &'static str {
    match clock {
        Clock::Cpu => "CPU time",
        Clock::Elapsed => "elapsed time",
        Clock::Calls => "calls in the run",
        Clock::Figure => "what the program reports",
    }
}

/// What a trial of a recommendation showed, in a few words.
pub(crate) fn in_words(tried: &Tried, style: &TerminalStyle) -> String {
    let measured = tried
        .measured_median
        .zip(tried.measured)
        .map(|(median, range)| filled(TRIED_MEASURED, [&ratio(median, style), &ratio_range(range, style)]));
    let answer = in_an_answer(tried.answer);
    filled(TRIED_BY, [outcome(tried.outcome).0, way(tried.way)]) + &measured.unwrap_or_default() + answer
}

/// Files of a change that are named, of more.
const MOST_NAMED: usize = 4;

/// The first of several names, and the number of the others.
pub(crate) fn several(names: &[String]) -> String {
    let shown = names.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What was changed, in one line: options, lines, variables.
pub(crate) fn parts(parts: &[Part]) -> String {
    let base = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
    let bases = |files: &[String]| several(&files.iter().map(|file| base(file)).collect::<Vec<_>>());
    let mut said: Vec<String> = Vec::new();
    for part in parts {
        said.push(match part {
            Part::Options { files, options } if files.is_empty() => options.join(" "),
            Part::Options { files, options } => format!("{} ({})", options.join(" "), bases(files)),
            Part::Edit { file, line, .. } => format!("{}:{line}", base(file)),
            Part::Compiler { files, compiler, without } if without.is_empty() => {
                format!("{} ({})", base(compiler), bases(files))
            }
            Part::Compiler { files, compiler, without } => {
                format!("{} ({}) without {}", base(compiler), bases(files), without.join(" "))
            }
            Part::Profile { files } => format!("profile of a run ({})", bases(files)),
            Part::Link { options, without } if without.is_empty() => {
                format!("{} (linker)", options.join(" "))
            }
            Part::Link { options, without } => {
                format!("{} (linker) without {}", options.join(" "), without.join(" "))
            }
            Part::Variable { name, value } => format!("{name}={value}"),
        });
    }
    said.join("; ")
}

/// The changes that were not tried, by reason.
pub(crate) fn left_alone<'f>(all: impl Iterator<Item = &'f TriedFacts>, style: &TerminalStyle) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for tried in all.filter(|tried| tried.outcome == TriedOutcome::LeftAlone) {
        let why = tried.note.as_deref().unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, changes)) => changes.push(&tried.change),
            None => reasons.push((why, vec![&tried.change])),
        }
    }
    let mut out = String::new();
    for (at, (why, mut changes)) in reasons.into_iter().enumerate() {
        changes.dedup();
        let label = if at == 0 { "Not" } else { "" };
        let text = format!("{}: {}", printable(&changes.join(", ")), printable(why));
        out.push_str(&labelled(style, 0, label, LABEL, Ink::Dim, &text));
    }
    out
}

/// The best changes together, or that there are none.
fn together(trials: &TrialFacts, style: &TerminalStyle) -> String {
    let Some(best) = &trials.together else {
        let any = trials.tried.iter().any(|tried| tried.outcome == TriedOutcome::Faster);
        let text = if any { NOT_TOGETHER } else { NONE_FASTER };
        return labelled(style, 0, "Best", LABEL, Ink::Plain, text);
    };
    let (text, ink) = in_fresh_runs(best, style);
    let mut out = labelled(style, 0, "Best", LABEL, ink, &text);
    out.push_str(&labelled(style, 0, "", LABEL, Ink::Plain, &printable(&parts(&best.parts))));
    out
}

/// What was measured on runs of its own, in words.
pub(crate) fn in_fresh_runs(best: &TriedFacts, style: &TerminalStyle) -> (String, Ink) {
    let measured = best.measured_median.zip(best.measured).map(|(median, range)| {
        let by = clock(best.clock.unwrap_or(Clock::Cpu));
        let pairs = many(u64::from(best.pairs), PAIR);
        filled(IN_FRESH_RUNS, [&ratio(median, style), &ratio_range(range, style), &pairs, by])
    });
    match best.outcome {
        TriedOutcome::Faster => (filled(CONFIRMED, [&measured.unwrap_or_default()]), Ink::Good),
        other => (
            filled(NOT_CONFIRMED, [outcome(other).0])
                + &measured.map(|measured| format!(", {measured}")).unwrap_or_default(),
            Ink::Caution,
        ),
    }
}

/// The last line: what it came to.
pub(crate) fn summary(done: &str, best: Option<&TriedFacts>, style: &TerminalStyle) -> String {
    let faster = best.filter(|best| best.outcome == TriedOutcome::Faster);
    let gain = faster.and_then(|best| Some((ratio(best.measured_median?, style), in_an_answer(best.answer))));
    let (text, ink) = match gain {
        Some((gain, answer)) => (format!("{done}: {gain}{answer}"), Ink::Good),
        None => (format!("{done}: no gain for certain"), Ink::Plain),
    };
    paragraph(style, 0, ink, &text)
}

/// What follows a gain: whether the answer is the same.
fn in_an_answer(answer: Option<Verdict>) -> &'static str {
    match answer {
        Some(Verdict::Same) => TRIED_SAME,
        Some(Verdict::Within) => TRIED_WITHIN,
        Some(Verdict::Different) | None => "",
    }
}

fn notes(trials: &TrialFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    let mut note = |text: &str| out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, text));
    note(&filled(AGAINST_ITSELF, [&percent(trials.claimed_from - 1.0)]));
    for (tried, in_run) in trials.tried.iter().filter_map(|tried| Some((tried, tried.in_run.as_ref()?))) {
        note(&format!(
            "{}: {} in two versions in the same runs, {}: {} ({}), {} of the time",
            printable(&tried.change),
            printable(&in_run.function),
            counted(in_run.calls, "call", "calls"),
            fine_ratio(in_run.measured_median, style),
            fine_range(in_run.measured, style),
            percent(in_run.share)
        ));
    }
    let mut reasons: Vec<&str> =
        trials.tried.iter().filter_map(|tried| tried.not_in_run.as_deref()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for why in reasons {
        note(&format!("measured by whole runs: {}", printable(why)));
    }
    out.push_str(&of_answers(trials.tried.iter(), &trials.unsteady, style));
    out
}

/// What was not compared, and where the first wrong answer is wrong.
pub(crate) fn of_answers<'f>(
    mut all: impl Iterator<Item = &'f TriedFacts>,
    unsteady: &[Unsteady],
    style: &TerminalStyle,
) -> String {
    let mut out = String::new();
    let mut note = |text: &str| out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, text));
    for unsteady in unsteady {
        note(&unsteady_text(unsteady));
    }
    let wrong = all.find(|tried| tried.outcome == TriedOutcome::WrongAnswer);
    if let Some((tried, first)) = wrong.and_then(|tried| Some((tried, tried.first_difference.as_ref()?))) {
        note(&format!("{}: {}", printable(&tried.change), instead(first)));
        let whole = tried.parts.iter().find_map(|part| match part {
            Part::Options { files, options } if files.is_empty() => Some(options.join(" ")),
            _ => None,
        });
        // What is shown to be typed into a shell must be options alone: the experiment may be somebody else's.
        let is_plain =
            |options: &String| options.chars().all(|c| c.is_ascii_alphanumeric() || "-=+._, ".contains(c));
        if let Some(options) = whole.filter(|options| tried.parts.len() == 1 && is_plain(options)) {
            note(&filled(WHO_CHANGED_IT, [&printable(&options)]));
        }
    }
    out
}

/// The first line that is not accepted, and what it is instead of.
pub(crate) fn instead(first: &FirstDifference) -> String {
    let (found, expected) = (printable(first.found.trim()), printable(first.expected.trim()));
    filled(LINE_INSTEAD, [&*printable(&first.output), &first.line.to_string(), &*found, &*expected])
}

pub(crate) fn unsteady_text(unsteady: &Unsteady) -> String {
    let output = printable(&unsteady.output);
    if unsteady.ignored {
        return filled(IGNORED_LINES, [&output, &first_lines(&unsteady.lines)]);
    }
    if unsteady.lines.is_empty() {
        return filled(UNSTEADY, [&output]);
    }
    filled(UNSTEADY_IN_LINES, [&output, &first_lines(&unsteady.lines)])
}

/// The first of several lines.
fn first_lines(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(5).map(u32::to_string).collect();
    let more = if lines.len() > shown.len() { ", .." } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::InRunFacts;

    fn tried(change: &str, outcome: TriedOutcome, median: Option<f64>) -> TriedFacts {
        TriedFacts {
            change: change.into(),
            way: Way::Ivdep,
            parts: vec![
                Part::Options { files: vec!["/p/site.c".into()], options: vec!["-O3".into()] },
                Part::Edit {
                    file: "/p/site.c".into(),
                    line: 14,
                    before: "for (;;)\n".into(),
                    after: "#pragma GCC ivdep\nfor (;;)\n".into(),
                },
            ],
            predicted: Some((1.0, 1.8)),
            predicted_likely: Some(1.4),
            measured: median.map(|m| (m * 0.99, m * 1.01)),
            measured_median: median,
            clock: median.map(|_| Clock::Cpu),
            pairs: 7 * u32::from(median.is_some()),
            in_run: None,
            not_in_run: None,
            outcome,
            answer: median.map(|_| Verdict::Same),
            largest_difference: None,
            first_difference: None,
            note: None,
        }
    }

    fn in_run() -> TriedFacts {
        let mut small = tried("fewer-instructions", TriedOutcome::Faster, Some(1.006));
        (small.clock, small.pairs) = (Some(Clock::Calls), 0);
        small.in_run = Some(InRunFacts {
            function: "relax".into(),
            calls: 20_000,
            share: 0.6,
            measured: (1.009, 1.011),
            measured_median: 1.01,
        });
        small
    }

    fn all() -> TrialFacts {
        let mut wrong = tried("reorder-fp-sum", TriedOutcome::WrongAnswer, Some(1.3));
        (wrong.answer, wrong.largest_difference) = (Some(Verdict::Different), Some(3.1e-9));
        wrong.first_difference = Some(FirstDifference {
            output: "standard output".into(),
            line: 3,
            expected: "sum 1.0000".into(),
            found: "sum 1.0001".into(),
        });
        let mut alone = tried("array-of-structures", TriedOutcome::LeftAlone, None);
        alone.note = Some("only a person can make this change; its predicted range remains".into());
        TrialFacts {
            claimed_from: 1.012,
            outputs: vec!["out.txt".into()],
            unsteady: vec![Unsteady { output: "standard output".into(), lines: vec![9], ignored: false }],
            tried: vec![tried("promise-no-alias", TriedOutcome::Faster, Some(1.1)), in_run(), wrong, alone],
            together: Some(tried("together", TriedOutcome::Faster, Some(1.11))),
        }
    }

    #[test]
    fn predicted_measured_and_answers_are_in_one_table() {
        let mut analysis = fixture::analysis();
        analysis.trials = Some(all());
        for style in fixture::styles() {
            let text = trials(&analysis, &style);
            fixture::assert_fits(&text, &style);
            for part in [
                "promise-no-alias",
                "faster",
                "wrong answer",
                "only a person",
                "confirmed",
                "1.2 %",
                "tried: 1.11",
            ] {
                assert!(text.contains(part), "{part} is missing in\n{text}");
            }
        }
        if let Some(facts) = &mut analysis.trials {
            facts.unsteady.push(Unsteady { output: "out.txt".into(), lines: vec![1, 7], ignored: true });
        }
        let wide = trials(&analysis, &TerminalStyle::plain(200));
        assert!(wide.contains("out.txt: line 1, 7 not compared, as you asked (--ignore)"), "{wide}");
        assert!(
            wide.contains("1.006x") && wide.contains("the run") && wide.contains("relax in two versions"),
            "{wide}"
        );
        assert!(wide.contains("different by 3e-9") && wide.contains("-O3 (site.c); site.c:14"), "{wide}");
        assert!(wide.contains("line 3: sum 1.0001 instead of sum 1.0000"), "{wide}");
        let words = wide.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("in line 9, where the same words alone were compared"), "{wide}");
        assert!(wide.ends_with("tried: 1.11x, same answer\n"), "{wide}");
    }

    #[test]
    fn options_that_change_the_answer_lead_to_what_finds_the_function() {
        let mut analysis = fixture::analysis();
        let mut facts = all();
        facts.tried[2].parts =
            vec![Part::Options { files: Vec::new(), options: vec!["-Ofast".into(), "-march=native".into()] }];
        analysis.trials = Some(facts);
        let text = trials(&analysis, &TerminalStyle::plain(200));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            words(&text).contains("loopwright reproduce --bad \"-Ofast -march=native\" -- PROGRAM"),
            "{text}"
        );
        if let Some(Part::Options { options, .. }) =
            analysis.trials.as_mut().and_then(|facts| facts.tried[2].parts.first_mut())
        {
            options.push("\"; reboot #".into());
        }
        let text = trials(&analysis, &TerminalStyle::plain(200));
        assert!(!text.contains("loopwright reproduce"), "an experiment gives no orders: {text}");
    }

    #[test]
    fn nothing_tried_and_nothing_faster_are_said() {
        let mut analysis = fixture::analysis();
        let style = TerminalStyle::plain(100);
        assert!(trials(&analysis, &style).contains("loopwright try -- PROGRAM"));
        let none = TrialFacts { tried: Vec::new(), together: None, unsteady: Vec::new(), ..all() };
        analysis.trials = Some(none);
        let text = trials(&analysis, &style);
        assert!(text.contains("No change was tried") && text.contains("No change is faster"), "{text}");
    }

    #[test]
    fn trials_are_in_the_document_as_its_schema_says() {
        let mut analysis = fixture::analysis();
        analysis.trials = Some(all());
        let mut advice = fixture::recommendations();
        advice[0].id = "promise-no-alias".into();
        let document = crate::json::analysis_value(&analysis, &advice).unwrap();
        assert_eq!(document["trials"]["tried"][0]["outcome"], "faster");
        assert_eq!(document["trials"]["tried"][0]["parts"][1]["kind"], "edit");
        assert_valid("Analysis", &document);
        let tried = document["advice"].as_array().unwrap().iter().find_map(|card| card.get("tried")).unwrap();
        assert_eq!(tried["way"], "ivdep");
        let text = crate::recommendations(&analysis, &advice, true, &TerminalStyle::plain(120));
        assert!(text.contains("faster by ivdep, program 1.10x"), "{text}");
    }
}
