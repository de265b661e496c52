//! `show reproduce`: whether two builds give the same answer, what is to blame where they do not, and what keeps the answer.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::names::printable;
use crate::phrases::*;
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{ratio, ratio_range};
use crate::style::{Ink, TerminalStyle};
use crate::trials::{LABEL, answer, instead, judged, outcome, parts, several, unsteady_text};
use loopwright_analysis::model::{
    Analysis, AnswerFacts, CodeChange, CodeChangeKind, Condition, CulpritFunction, FileCulprits, Inlining,
    ReproductionFacts, ReproductionOutcome, Side, TriedFacts, Unit, Verdict, repair,
};

/// The view.
pub fn reproduction(analysis: &Analysis, style: &TerminalStyle) -> String {
    let Some(found) = &analysis.reproduction else {
        return paragraph(style, 0, Ink::Plain, NOT_REPRODUCED);
    };
    let mut out = heading(style, "Builds");
    out.push_str(&labelled(style, 0, "First", LABEL, Ink::Plain, &side(&found.good)));
    out.push_str(&labelled(style, 0, "Second", LABEL, Ink::Plain, &side(&found.bad)));
    out.push_str(&conditions(found, style));
    out.push_str(&heading(style, "Answer of the second build"));
    out.push_str(&compared(&found.answer, style));
    for unsteady in &found.unsteady_bad {
        let text = filled(UNSTEADY_SECOND, [&unsteady_text(unsteady)]);
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Caution, &text));
    }
    for unsteady in &found.unsteady {
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, &unsteady_text(unsteady)));
    }
    out.push_str(&culprits(found, style));
    out.push_str(&repairs(found, style));
    out.push_str(&summary(found, style));
    out
}

fn side(side: &Side) -> String {
    let words: Vec<&str> = side.compiler.iter().chain(&side.options).map(String::as_str).collect();
    match words.is_empty() {
        true => AS_THE_PROJECT.to_owned(),
        false => filled(BEHIND_THE_PROJECT, [&printable(&words.join(" "))]),
    }
}

/// What a run of the first build varies.
pub(crate) fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Again => RUN_AGAIN.to_owned(),
        Condition::Threads { threads } => filled(WITH_THREADS, [&threads.to_string()]),
        Condition::OlderLibrary => OLDER_LIBRARY.to_owned(),
    }
}

fn conditions(found: &ReproductionFacts, style: &TerminalStyle) -> String {
    let mut out = heading(style, "The first build under other conditions");
    let table = Table::new()
        .column(Column::left("Condition"), |each: &&loopwright_analysis::model::ConditionFacts| {
            Cell::plain(condition(&each.condition))
        })
        .column(Column::left("Answer"), |each| match each.answer.verdict {
            Some(Verdict::Different) if each.condition == Condition::Again => Cell::new(VARIES, Ink::Caution),
            Some(verdict) => Cell::new(difference(&each.answer, verdict), judged(verdict).1),
            None => Cell::new(each.answer.note.as_deref().unwrap_or_default(), Ink::Bad),
        })
        .column(Column::left("First difference").expendable(1).shorten(Shorten::End, 24), |each| match &each
            .answer
            .first_difference
        {
            Some(first) => Cell::plain(format!("line {}: {}", first.line, first.found.trim())),
            None => Cell::empty(),
        });
    out.push_str(&table.render(found.conditions.iter().collect::<Vec<_>>(), style, 0));
    let differs = |wanted: fn(&Condition) -> bool| {
        let mut all = found.conditions.iter().filter(|one| wanted(&one.condition));
        all.any(|one| one.answer.verdict == Some(Verdict::Different))
    };
    let mut note = |text: &str| out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Caution, text));
    if differs(|one| *one == Condition::Again) {
        note(DIFFERS_AGAIN);
    }
    if differs(|one| matches!(one, Condition::Threads { .. })) {
        note(DIFFERS_BY_THREADS);
    }
    if differs(|one| *one == Condition::OlderLibrary) {
        note(DIFFERS_BY_LIBRARY);
    }
    out
}

/// An answer in words: by how much it differs, and in how many bits it agrees.
fn difference(facts: &AnswerFacts, verdict: Verdict) -> String {
    let word = judged(verdict).0;
    let Some(largest) = facts.largest_difference.filter(|_| verdict != Verdict::Same) else {
        return word.to_owned();
    };
    let by = filled(DIFFERS_BY, [word, &format!("{largest:.0e}")]);
    match facts.significant_bits.filter(|bits| *bits >= 1.0) {
        Some(bits) => by + &filled(BITS_AGREE, [&format!("{:.0}", bits.floor())]),
        None => by,
    }
}

fn compared(facts: &AnswerFacts, style: &TerminalStyle) -> String {
    let Some(verdict) = facts.verdict else {
        let text = printable(facts.note.as_deref().unwrap_or_default()).into_owned();
        return labelled(style, 0, "Answer", LABEL, Ink::Bad, &filled(NO_ANSWER, [&text]));
    };
    let (text, ink) = (difference(facts, verdict), judged(verdict).1);
    let mut out = labelled(style, 0, "Answer", LABEL, ink, &text);
    if let Some(first) = &facts.first_difference {
        out.push_str(&labelled(style, 0, "First", LABEL, Ink::Plain, &instead(first)));
    }
    out
}

/// One function, or one part of the program where no function is known.
struct Row<'f> {
    place: String,
    function: Option<&'f CulpritFunction>,
    with: String,
    note: String,
}

fn culprits(found: &ReproductionFacts, style: &TerminalStyle) -> String {
    if found.culprits.is_empty() {
        return String::new();
    }
    let mut out = heading(style, "What changes the answer");
    let mut rows = Vec::new();
    for set in &found.culprits {
        for unit in set {
            let others: Vec<String> = set.iter().filter(|one| *one != unit).map(name).collect();
            let with =
                if others.is_empty() { String::new() } else { filled(ONLY_WITH, [&others.join(", ")]) };
            rows.extend(of_unit(found, unit, &with));
        }
    }
    let table = Table::<Row>::new()
        .column(Column::left("Part").shorten(Shorten::Start, 16), |each| Cell::plain(&each.place))
        .column(Column::left("Function").shorten(Shorten::Symbol, 16), |each| {
            each.function.map_or_else(Cell::empty, |function| Cell::plain(&function.name))
        })
        .column(Column::left("How its code differs").shorten(Shorten::End, 24), |each| {
            let how = each.function.map(|function| changes(&function.changes)).unwrap_or_default();
            Cell::plain(
                [how, each.with.clone()]
                    .iter()
                    .filter(|text| !text.is_empty())
                    .cloned()
                    .collect::<Vec<_>>()
                    .join("; "),
            )
        })
        .column(Column::left("Remark").expendable(1).shorten(Shorten::End, 24), |each| {
            Cell::new(&each.note, Ink::Dim)
        });
    out.push_str(&table.render(rows, style, 0));
    for set in &found.options {
        out.push_str(&labelled(style, 0, "By", LABEL, Ink::Plain, &printable(&set.join(WITH_OPTIONS))));
    }
    if let Some(halted) = &found.halted {
        out.push_str(&labelled(style, 0, "Open", LABEL, Ink::Caution, &printable(&halted.to_string())));
    }
    out
}

fn name(unit: &Unit) -> String {
    match unit {
        Unit::Link => THE_LINK_LINE.to_owned(),
        Unit::File { file } => file.rsplit('/').next().unwrap_or(file).to_owned(),
    }
}

fn of_unit<'f>(found: &'f ReproductionFacts, unit: &Unit, with: &str) -> Vec<Row<'f>> {
    let place = name(unit);
    let row = |function, note: String| Row { place: place.clone(), function, with: with.to_owned(), note };
    let file = match unit {
        Unit::Link => None,
        Unit::File { file } => found.files.iter().find(|of| of.file == *file),
    };
    let Some(FileCulprits { functions, inlining, halted, .. }) = file else {
        return vec![row(None, if *unit == Unit::Link { LINK_REMARK.to_owned() } else { String::new() })];
    };
    let mut note = match inlining {
        Inlining::AsBuilt if !functions.is_empty() => INLINED.to_owned(),
        _ => String::new(),
    };
    if let Some(halted) = halted {
        note = halted.to_string();
    }
    if functions.is_empty() {
        return vec![row(None, note)];
    }
    let mut rows = Vec::new();
    for set in functions {
        for function in set {
            let others: Vec<&str> =
                set.iter().filter(|one| *one != function).map(|one| one.name.as_str()).collect();
            let mut row = row(Some(function), note.clone());
            if !others.is_empty() {
                row.with = filled(ONLY_WITH, [&others.join(", ")]);
            }
            rows.push(row);
        }
    }
    rows
}

/// How the code of a function differs, each kind once with its lines.
fn changes(all: &[CodeChange]) -> String {
    let mut said: Vec<(String, Vec<&CodeChange>)> = Vec::new();
    for change in all {
        let what = kind(&change.what);
        match said.iter_mut().find(|(known, _)| *known == what) {
            Some((_, changes)) => changes.push(change),
            None => said.push((what, vec![change])),
        }
    }
    if said.is_empty() {
        return OTHER_ORDER.to_owned();
    }
    let one = |(what, changes): &(String, Vec<&CodeChange>)| {
        let lines: Vec<String> =
            changes.iter().filter_map(|change| Some(change.line?.to_string())).take(5).collect();
        let in_loop = changes.iter().any(|change| change.in_loop);
        let place = match (lines.is_empty(), in_loop) {
            (true, _) => String::new(),
            (false, true) => filled(IN_LOOP_LINES, [&lines.join(", ")]),
            (false, false) => filled(IN_LINES, [&lines.join(", ")]),
        };
        format!("{what}{place}")
    };
    said.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What differs in the code.
fn kind(kind: &CodeChangeKind) -> String {
    match kind {
        CodeChangeKind::Fused => FUSED.to_owned(),
        CodeChangeKind::Vectors => IN_VECTORS.to_owned(),
        CodeChangeKind::Approximation => APPROXIMATION.to_owned(),
        CodeChangeKind::NoDivision => NO_DIVISION.to_owned(),
        CodeChangeKind::Calls { function } => filled(CALLS, [function]),
    }
}

/// What a version is, in words.
pub(crate) fn repaired(name: &str) -> &'static str {
    match name {
        repair::AS_IT_IS => SECOND_BUILD,
        repair::OPTIONS => OPTIONS_OFF,
        repair::OPTIONS_IN_FILES => OPTIONS_OFF_IN_FILES,
        repair::FILES => FILES_AS_FIRST,
        repair::LINK => LINK_AS_FIRST,
        _ => ANOTHER_BUILD,
    }
}

fn repairs(found: &ReproductionFacts, style: &TerminalStyle) -> String {
    if found.repairs.is_empty() {
        return String::new();
    }
    let mut out = heading(style, "What keeps the answer");
    let table = Table::<&TriedFacts>::new()
        .column(Column::left("Version"), |each| Cell::plain(repaired(&each.change)))
        .column(Column::right("Speed"), |each| {
            each.measured_median.map_or_else(Cell::empty, |median| Cell::plain(ratio(median, style)))
        })
        .column(Column::right("95 % interval").expendable(2), |each| {
            each.measured.map_or_else(Cell::empty, |range| Cell::new(ratio_range(range, style), Ink::Dim))
        })
        .column(Column::left("Answer"), |each| answer(each))
        .column(Column::left("Outcome").expendable(3), |each| {
            let (word, ink) = outcome(each.outcome);
            Cell::new(word, ink)
        })
        .column(Column::left("Options").expendable(1).shorten(Shorten::End, 32), |each| {
            Cell::plain(parts(&each.parts))
        });
    out.push_str(&table.render(found.repairs.iter().collect::<Vec<_>>(), style, 0));
    if let Some(best) = found.cheapest.and_then(|number| found.repairs.get(number)) {
        let text = format!("{}: {}", repaired(&best.change), printable(&parts(&best.parts)));
        out.push_str(&labelled(style, 0, "Best", LABEL, Ink::Good, &text));
    }
    let text = filled(SPEED_OF_FIRST, [&found.builds.to_string(), &found.runs.to_string()]);
    out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, &text));
    out
}

fn summary(found: &ReproductionFacts, style: &TerminalStyle) -> String {
    let sources = || {
        let files = found.culprits.iter().flatten().filter(|unit| matches!(unit, Unit::File { .. }));
        let mut names: Vec<String> = files.map(name).collect();
        names.dedup();
        names
    };
    let (text, ink) = match found.outcome {
        ReproductionOutcome::Same => (SAME_ANSWER.to_owned(), Ink::Good),
        ReproductionOutcome::Within => (WITHIN_ANSWER.to_owned(), Ink::Good),
        ReproductionOutcome::NotBuilt => (SECOND_NOT_BUILT.to_owned(), Ink::Caution),
        ReproductionOutcome::NotFound => (CAUSE_NOT_FOUND.to_owned(), Ink::Caution),
        ReproductionOutcome::Link => (LINK_IS_CAUSE.to_owned(), Ink::Plain),
        ReproductionOutcome::Sources => (
            match &sources()[..] {
                [one] => filled(SOURCE_IS_CAUSE, [one]),
                all => filled(SOURCES_ARE_CAUSE, [&several(all)]),
            },
            Ink::Plain,
        ),
    };
    paragraph(style, 0, ink, &printable(&format!("{REPRODUCED}{text}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::{
        Clock, ConditionFacts, FirstDifference, Halted, Part, TriedOutcome, Unsteady, Way,
    };

    fn compared_answer(verdict: Verdict, largest: f64) -> AnswerFacts {
        AnswerFacts {
            verdict: Some(verdict),
            largest_difference: Some(largest),
            significant_bits: (largest > 0.0).then(|| -largest.log2()),
            first_difference: (verdict == Verdict::Different).then(|| FirstDifference {
                output: "standard output".into(),
                line: 3,
                expected: "sum 1.0000".into(),
                found: "sum 1.0001".into(),
            }),
            note: None,
        }
    }

    fn version(change: &str, median: f64, verdict: Verdict) -> TriedFacts {
        TriedFacts {
            change: change.into(),
            way: Way::Options,
            parts: vec![
                Part::Options { files: Vec::new(), options: vec!["-Ofast".into()] },
                Part::Options { files: vec!["/p/sum.c".into()], options: vec!["-O2".into()] },
            ],
            predicted: None,
            predicted_likely: None,
            measured: Some((median * 0.99, median * 1.01)),
            measured_median: Some(median),
            clock: Some(Clock::Cpu),
            pairs: 9,
            in_run: None,
            not_in_run: None,
            outcome: if verdict == Verdict::Different {
                TriedOutcome::WrongAnswer
            } else {
                TriedOutcome::Faster
            },
            answer: Some(verdict),
            largest_difference: Some(1e-9),
            first_difference: None,
            note: None,
        }
    }

    fn function(name: &str) -> CulpritFunction {
        let change = |what, line| CodeChange { what, line: Some(line), in_loop: true };
        let calls = CodeChangeKind::Calls { function: "_ZGVdN4v_exp".into() };
        CulpritFunction {
            name: name.into(),
            changes: vec![
                change(CodeChangeKind::Fused, 7),
                change(CodeChangeKind::Vectors, 7),
                change(CodeChangeKind::Vectors, 9),
                change(calls, 9),
            ],
        }
    }

    fn found() -> ReproductionFacts {
        let file = Unit::File { file: "/p/sum.c".into() };
        ReproductionFacts {
            good: Side { compiler: None, options: vec!["-O2".into()] },
            bad: Side { compiler: Some("clang-19".into()), options: vec!["-Ofast".into()] },
            outcome: ReproductionOutcome::Sources,
            answer: compared_answer(Verdict::Different, 2f64.powi(-30)),
            outputs: Vec::new(),
            unsteady: Vec::new(),
            unsteady_bad: vec![Unsteady { output: "standard output".into(), lines: vec![4], ignored: false }],
            conditions: vec![
                ConditionFacts { condition: Condition::Again, answer: compared_answer(Verdict::Same, 0.0) },
                ConditionFacts {
                    condition: Condition::Threads { threads: 3 },
                    answer: compared_answer(Verdict::Different, 1e-16),
                },
            ],
            culprits: vec![vec![file.clone()], vec![Unit::Link, file]],
            files: vec![FileCulprits {
                file: "/p/sum.c".into(),
                functions: vec![vec![function("sum"), function("norm")]],
                inlining: Inlining::AsBuilt,
                halted: Some(Halted::Time),
            }],
            options: vec![vec!["-O3".into(), "-fassociative-math".into()]],
            halted: Some(Halted::Time),
            claimed_from: 1.01,
            repairs: vec![
                version(repair::AS_IT_IS, 1.41, Verdict::Different),
                version(repair::FILES, 1.38, Verdict::Same),
            ],
            cheapest: Some(1),
            builds: 17,
            runs: 99,
        }
    }

    #[test]
    fn what_is_to_blame_and_what_keeps_the_answer_are_shown() {
        let mut analysis = fixture::analysis();
        analysis.reproduction = Some(found());
        for style in fixture::styles() {
            fixture::assert_fits(&reproduction(&analysis, &style), &style);
        }
        let text = reproduction(&analysis, &TerminalStyle::plain(240));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "clang-19 -Ofast",
            "different by 9e-10, 30 bits agree",
            "line 3: sum 1.0001 instead of sum 1.0000",
            "OMP_NUM_THREADS=3 different",
            "sum.c sum",
            "_ZGVdN4v_exp",
            "-O3 together with -fassociative-math",
            "1.38x",
            "reproduce: sum.c changes the answer",
        ] {
            assert!(words.contains(part), "{part} is missing in\n{text}");
        }
        let value = serde_json::to_value(analysis.reproduction).unwrap();
        assert_valid("ReproductionFacts", &value);
    }

    #[test]
    fn builds_that_agree_need_no_more() {
        let mut analysis = fixture::analysis();
        let style = TerminalStyle::plain(100);
        assert!(reproduction(&analysis, &style).contains("loopwright reproduce"));
        analysis.reproduction = Some(ReproductionFacts {
            outcome: ReproductionOutcome::Same,
            answer: compared_answer(Verdict::Same, 0.0),
            culprits: Vec::new(),
            files: Vec::new(),
            options: Vec::new(),
            halted: None,
            repairs: Vec::new(),
            cheapest: None,
            ..found()
        });
        let text = reproduction(&analysis, &style);
        assert!(text.ends_with("reproduce: both builds give the same answer\n"), "{text}");
        assert!(!text.contains("What keeps"), "{text}");
    }
}
