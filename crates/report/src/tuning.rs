//! `show tune`: the builds and settings that `loopwright tune` tried, and the best of them.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::names::printable;
use crate::phrases::{
    AGAINST_ITSELF, COMPARED_CPU, COMPARED_PRINTED, COMPARED_RATE, COMPARED_WALL, DISTURBED_RUNS, GIVEN_UP,
    NO_BETTER_BUILD, NOT_TUNED, NOTHING_TO_TUNE, SCALAR_LOOP, SEVERAL_PROCESSORS, TUNE_RUNS,
    VECTORS_AT_A_TIME, filled,
};
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{percent, rate, ratio, ratio_range, share, time};
use crate::style::{Ink, TerminalStyle};
use crate::trials::{LABEL, answer, in_fresh_runs, left_alone, of_answers, outcome, parts, summary};
use crate::vocabulary;
use loopwright_analysis::model::{
    Analysis, Axis, BuiltLoop, DisturbanceFacts, Metric, RebuiltLoop, Semantics, TriedFacts, TriedOutcome,
    TuneFacts, TunedFacts,
};
use loopwright_analysis::place::base_name;

/// A run that loses its CPU this often each second, or a machine on which work waits for a CPU in this part of the time, is busy with
/// other things: an idle machine of two CPUs showed below 5 and 1 %.
const PREEMPTED: f64 = 20.0;
const PRESSURE: f64 = 0.05;

/// The view.
pub fn tuning(analysis: &Analysis, style: &TerminalStyle) -> String {
    let Some(tuning) = &analysis.tuning else {
        return paragraph(style, 0, Ink::Plain, NOT_TUNED);
    };
    let mut out = heading(style, "Builds");
    out.push_str(&table(tuning, style));
    let all = tuning.candidates.iter().map(|one| &one.tried);
    out.push_str(&left_alone(all.clone(), style));
    let mut note = |text: &str| out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, text));
    note(&filled(AGAINST_ITSELF, [&percent(tuning.claimed_from - 1.0)]));
    note(&filled(TUNE_RUNS, [&tuning.runs.to_string()]));
    if let Some(compared) = tuning.metric.as_ref().map(metric) {
        note(&compared);
    }
    if let Some(text) = tuning.disturbed.and_then(disturbed) {
        note(&text);
    }
    if tuning.processors.len() > 1 {
        note(&filled(SEVERAL_PROCESSORS, [&tuning.processors.join(", ")]));
    }
    out.push_str(&of_answers(all, &tuning.unsteady, style));
    out.push_str(&best(tuning, style));
    out.push_str(&loops(&tuning.loops_changed, style));
    out.push_str(&summary("tuned", tuning.best.as_ref(), style));
    out
}

/// What is compared, as the user asked.
fn metric(metric: &Metric) -> String {
    match metric {
        Metric::Cpu => COMPARED_CPU.to_owned(),
        Metric::Wall => COMPARED_WALL.to_owned(),
        Metric::SelfReported { pattern, rate } => {
            let phrase = if *rate { COMPARED_RATE } else { COMPARED_PRINTED };
            filled(phrase, [&printable(pattern)])
        }
    }
}

/// What disturbed the runs, where it is worth a word.
fn disturbed(found: DisturbanceFacts) -> Option<String> {
    let (preempted, pressure) =
        (found.preempted_per_second.unwrap_or_default(), found.pressure.unwrap_or_default());
    let is_busy = preempted >= PREEMPTED || pressure >= PRESSURE;
    is_busy.then(|| filled(DISTURBED_RUNS, [&rate(preempted), &share(pressure)]))
}

fn table(tuning: &TuneFacts, style: &TerminalStyle) -> String {
    let rows: Vec<&TunedFacts> =
        tuning.candidates.iter().filter(|one| one.tried.outcome != TriedOutcome::LeftAlone).collect();
    if rows.is_empty() {
        return paragraph(style, 0, Ink::Plain, NOTHING_TO_TUNE);
    }
    let table = Table::<&TunedFacts>::new()
        .column(Column::left("Build").shorten(Shorten::End, 24), |each| Cell::plain(&each.tried.change))
        .column(Column::left("Varies").expendable(2), |each| Cell::plain(axis(each.axis)))
        .column(Column::left("Float").expendable(1), |each| Cell::plain(semantics(each.semantics)))
        .column(Column::right("Build time").expendable(4), |each| {
            each.build_seconds.map_or_else(Cell::empty, |seconds| Cell::plain(time(seconds)))
        })
        .column(Column::right("Rounds").expendable(5), |each| match each.tried.pairs {
            0 => Cell::empty(),
            pairs => Cell::plain(pairs.to_string()),
        })
        .column(Column::right("Measured"), |each| {
            let ink = if each.given_up { Ink::Dim } else { outcome(each.tried.outcome).1 };
            let cell = |median| Cell::new(ratio(median, style), ink);
            each.tried.measured_median.map_or_else(Cell::empty, cell)
        })
        .column(Column::left("Answer"), |each| answer(&each.tried))
        .column(Column::left("Outcome"), |each| {
            let (word, ink) = outcome(each.tried.outcome);
            if each.given_up { Cell::new(GIVEN_UP, Ink::Dim) } else { Cell::new(word, ink) }
        })
        .column(Column::left("What").expendable(3).shorten(Shorten::End, 24), |each| {
            match &each.tried.note {
                Some(note) => Cell::new(note, Ink::Caution),
                None => Cell::plain(parts(&each.tried.parts)),
            }
        });
    table.render(rows, style, 0)
}

/// What a candidate varies.
pub(crate) fn axis(axis: Axis) -> &'static str {
    match axis {
        Axis::Flags => "options",
        Axis::Compiler => "compiler",
        Axis::Lto => "link time",
        Axis::Pgo => "profile",
        Axis::Files => "one file",
        Axis::Env => "memory",
        Axis::Threads => "threads",
        Axis::Several => "several",
    }
}

/// What options let a compiler do to floating-point results.
pub(crate) fn semantics(semantics: Semantics) -> &'static str {
    match semantics {
        Semantics::Exact => "exact",
        Semantics::Contract => "contract",
        Semantics::Reassoc => "reassoc",
        Semantics::Fast => "fast",
    }
}

/// What the best build is, in one line for the head of a file.
pub fn tuned_title(best: &TriedFacts) -> String {
    let style = TerminalStyle::plain(0);
    let measured = best.measured_median.zip(best.measured).map(|(median, range)| {
        format!(", {} times as fast ({})", ratio(median, &style), ratio_range(range, &style))
    });
    format!("The best build that loopwright tune found: {}{}", best.change, measured.unwrap_or_default())
}

/// What the best build made of the hot loops, where it is something else.
fn loops(changed: &[RebuiltLoop], style: &TerminalStyle) -> String {
    if changed.is_empty() {
        return String::new();
    }
    let built = |built: &BuiltLoop| Cell::plain(vectors(built, style));
    let table = Table::<&RebuiltLoop>::new()
        .column(Column::left("Loop").shorten(Shorten::Start, 24), |one| {
            Cell::plain(format!("{}:{}", base_name(&one.file), one.line))
        })
        .column(Column::left("Function").shorten(Shorten::End, 16).expendable(1), |one| {
            Cell::plain(&one.function)
        })
        .column(Column::right("Self %"), |one| Cell::plain(percent(one.share)))
        .column(Column::left("Before"), move |one| built(&one.before))
        .column(Column::left("In the best build"), move |one| built(&one.after));
    format!(
        "{}{}",
        heading(style, "Loops that the best build made otherwise"),
        table.render(changed.iter().collect::<Vec<_>>(), style, 0)
    )
}

/// `AVX2 256b x4, 2 at a time`, `scalar`.
fn vectors(built: &BuiltLoop, style: &TerminalStyle) -> String {
    let Some(isa) = built.isa else { return SCALAR_LOOP.to_owned() };
    let mut text = format!("{} {}b {}{}", vocabulary::isa(isa), built.bits, style.times(), built.elements);
    if built.unroll > 1 {
        text.push_str(&filled(VECTORS_AT_A_TIME, [&built.unroll.to_string()]));
    }
    text
}

/// The best one, or that there is none.
fn best(tuning: &TuneFacts, style: &TerminalStyle) -> String {
    let Some(best) = &tuning.best else {
        return labelled(style, 0, "Best", LABEL, Ink::Plain, NO_BETTER_BUILD);
    };
    let (text, ink) = in_fresh_runs(best, style);
    let mut out = labelled(style, 0, "Best", LABEL, ink, &format!("{}: {text}", printable(&best.change)));
    out.push_str(&labelled(style, 0, "", LABEL, Ink::Plain, &printable(&parts(&best.parts))));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_binary::facts::Isa;

    fn search() -> TuneFacts {
        let vectors = BuiltLoop { isa: Some(Isa::AVX2), bits: 256, elements: 4, unroll: 2, instructions: 9 };
        let scalar = BuiltLoop { isa: None, bits: 0, elements: 0, unroll: 0, instructions: 5 };
        let of = |line, before, after| RebuiltLoop {
            file: "/p/grid.c".into(),
            line,
            function: "relax".into(),
            share: 0.4,
            before,
            after,
        };
        TuneFacts {
            claimed_from: 1.02,
            outputs: Vec::new(),
            unsteady: Vec::new(),
            semantics: Semantics::Exact,
            metric: Some(Metric::SelfReported { pattern: "^MLUPS ([0-9.]+)".into(), rate: true }),
            disturbed: Some(DisturbanceFacts { preempted_per_second: Some(41.0), pressure: Some(0.12) }),
            processors: vec!["A".into(), "B".into()],
            runs: 40,
            candidates: Vec::new(),
            best: None,
            loops_changed: vec![of(7, scalar.clone(), vectors.clone()), of(9, vectors, scalar)],
        }
    }

    #[test]
    fn what_was_compared_what_disturbed_and_which_loops_changed_are_shown() {
        let mut analysis = fixture::analysis();
        analysis.tuning = Some(search());
        for style in fixture::styles() {
            fixture::assert_fits(&tuning(&analysis, &style), &style);
        }
        let text = tuning(&analysis, &TerminalStyle::plain(200));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "more is better (--metric self-reported-rate:^MLUPS ([0-9.]+))",
            "lost its CPU 41.0 times a second, and work waited for a CPU in 12 % of the time",
            "jobs ran on several kinds of processors (A, B)",
            "grid.c:7 relax 40.0 scalar AVX2 256b x4, 2 at a time",
            "grid.c:9 relax 40.0 AVX2 256b x4, 2 at a time scalar",
        ] {
            assert!(words.contains(part), "{part} is missing in\n{text}");
        }
        assert_valid("TuneFacts", &serde_json::to_value(&analysis.tuning).unwrap());
    }

    #[test]
    fn a_quiet_machine_is_not_mentioned() {
        let quiet = DisturbanceFacts { preempted_per_second: Some(2.0), pressure: None };
        assert_eq!(disturbed(quiet), None);
        assert_eq!(metric(&Metric::Wall), COMPARED_WALL);
    }
}
