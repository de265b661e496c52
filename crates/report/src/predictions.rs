//! What became of the earlier state's predictions: a section of `compare`.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::names::{elide_end, printable};
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{counted, ratio, ratio_range};
use crate::style::{Ink, TerminalStyle};
use loopwright_advise::predictions::Scope;
use loopwright_advise::{Outcome, Prediction};

/// Predictions shown; the rest is counted.
const SHOWN: usize = 12;
/// Notes shown below the table.
const NOTES: usize = 4;

/// The section; empty when nothing was predicted.
pub fn predictions(predictions: &[Prediction], style: &TerminalStyle) -> String {
    if predictions.is_empty() {
        return String::new();
    }
    // What was followed comes first; the others are summed up in one line where there are many.
    let mut order: Vec<&Prediction> = predictions.iter().collect();
    order.sort_by_key(|each| each.outcome == Outcome::NotFollowed);
    let table = Table::<&Prediction>::new()
        .column(Column::left("Recommendation").shorten(Shorten::End, 20), |each| {
            Cell::plain(&each.recommendation)
        })
        .column(Column::left("Place").shorten(Shorten::Middle, 12), |each| {
            Cell::new(each.place.as_deref().unwrap_or_default(), Ink::Accent)
        })
        .column(Column::left("Of").expendable(2), |each| Cell::plain(scope(each.scope)))
        .column(Column::right("Predicted"), |each| Cell::plain(ratio_range(each.predicted.into(), style)))
        .column(Column::right("Likely").expendable(3), |each| {
            each.predicted_likely.map_or_else(Cell::empty, |likely| Cell::plain(ratio(likely, style)))
        })
        .column(Column::right("Measured"), |each| {
            let ink = outcome(each.outcome).1;
            each.measured.map_or_else(Cell::empty, |measured| Cell::new(ratio(measured, style), ink))
        })
        .column(Column::right("95 % interval").expendable(1), |each| {
            each.interval.map_or_else(Cell::empty, |range| Cell::new(ratio_range(range, style), Ink::Dim))
        })
        .column(Column::left("Outcome"), |each| {
            let (word, ink) = outcome(each.outcome);
            Cell::new(word, ink)
        });
    let rows = order.iter().copied().take(SHOWN);
    let mut out = heading(style, "Predictions") + &table.render(rows, style, 0);
    if order.len() > SHOWN {
        let text = format!("{} more: --json has them all", order.len() - SHOWN);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out + &notes(&order[..order.len().min(SHOWN)], style)
}

fn outcome(outcome: Outcome) -> (&'static str, Ink) {
    match outcome {
        Outcome::CameTrue => ("came true", Ink::Good),
        Outcome::More => ("more", Ink::Good),
        Outcome::Less => ("less", Ink::Bad),
        Outcome::NotFollowed => ("not followed", Ink::Dim),
        Outcome::Unknown => ("unknown", Ink::Caution),
    }
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Loop => "loop",
        Scope::LoopTotal => "loop, total",
        Scope::Program => "program",
        Scope::Elapsed => "elapsed",
    }
}

/// Why some are unknown, and what cannot be distinguished; each reason once.
fn notes(shown: &[&Prediction], style: &TerminalStyle) -> String {
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for each in shown.iter().filter(|each| each.outcome != Outcome::NotFollowed) {
        let mut said = each.note.clone().into_iter().collect::<Vec<_>>();
        if !each.together.is_empty() {
            said.push("followed with others that cannot be distinguished from it".to_owned());
        }
        for note in said {
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, ids)) => ids.push(&each.recommendation),
                None => notes.push((note, vec![&each.recommendation])),
            }
        }
    }
    let mut out = String::new();
    for (note, mut ids) in notes.into_iter().take(NOTES) {
        ids.dedup();
        let ids: Vec<String> = ids.iter().map(|id| elide_end(&printable(id), 32, style)).collect();
        let who = match ids.as_slice() {
            [first, second, rest @ ..] if !rest.is_empty() => {
                format!("{first}, {second} and {}", counted(rest.len() as u64, "other", "others"))
            }
            few => few.join(", "),
        };
        out.push_str(&labelled(style, 0, "Note", 8, Ink::Caution, &format!("{who}: {note}")));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn prediction(id: &str, outcome: Outcome, measured: Option<f64>, note: Option<&str>) -> Prediction {
        Prediction {
            recommendation: id.into(),
            rule: id.into(),
            title: format!("Do {id}"),
            loop_id: Some(12),
            function: Some("collide".into()),
            place: Some("lbm.c:52".into()),
            scope: Scope::Loop,
            predicted: (1.5, 3.0).into(),
            predicted_likely: Some(2.1),
            measured,
            interval: measured.map(|m| (m * 0.98, m * 1.02)),
            outcome,
            together: vec![],
            note: note.map(str::to_owned),
        }
    }

    fn all() -> Vec<Prediction> {
        let mut program = prediction("narrow-isa", Outcome::Less, Some(1.1), None);
        (program.place, program.function, program.scope) = (None, None, Scope::Elapsed);
        (program.interval, program.together) = (None, vec!["vector-math".into()]);
        vec![
            prediction("pad-remainder", Outcome::NotFollowed, Some(1.0), Some("the loop's code is the same")),
            prediction("vector-math", Outcome::CameTrue, Some(2.4), None),
            program,
            prediction("block-for-cache", Outcome::More, Some(4.0), None),
            prediction("interchange-loops", Outcome::Unknown, None, Some("the loop has no counterpart")),
        ]
    }

    #[test]
    fn tables_at_common_widths() {
        for style in fixture::styles() {
            let text = predictions(&all(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("predictions", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn nothing_predicted_is_no_section() {
        assert_eq!(predictions(&[], &TerminalStyle::plain(80)), "");
    }

    #[test]
    fn hostile_names_keep_to_their_lines() {
        let mut all = all();
        for each in &mut all {
            each.recommendation = "\u{1b}[2J\n".repeat(200);
            each.place = Some("x\u{202e}\r".repeat(2000));
            each.note = Some("\u{1b}]0;x\u{7} and\n".repeat(50));
        }
        for style in fixture::styles() {
            fixture::assert_fits(&predictions(&all, &style), &style);
        }
    }
}
