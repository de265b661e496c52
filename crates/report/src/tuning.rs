//! `show tune`: the builds and settings that `loopwright tune` tried, and the best of them.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::names::printable;
use crate::phrases::{
    AGAINST_ITSELF, GIVEN_UP, NO_BETTER_BUILD, NOT_TUNED, NOTHING_TO_TUNE, TUNE_RUNS, filled,
};
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{percent, ratio, ratio_range, time};
use crate::style::{Ink, TerminalStyle};
use crate::trials::{LABEL, answer, in_fresh_runs, left_alone, of_answers, outcome, parts, summary};
use loopwright_analysis::model::{
    Analysis, Axis, Semantics, TriedFacts, TriedOutcome, TuneFacts, TunedFacts,
};

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
    out.push_str(&of_answers(all, &tuning.unsteady, style));
    out.push_str(&best(tuning, style));
    out.push_str(&summary("tuned", tuning.best.as_ref(), style));
    out
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
