//! The ladder of a case: time, gains, rates, share of the ceiling, predicted against measured.

use super::hit_rate;
use crate::columns::{Cell, Column, Columns, Shorten};
use crate::phrases::{NONE_EXPECTED, NOT_GIVEN_FOR, NOT_TIMED, ROUNDS, TOO_LATE, filled};
use crate::prose::{heading, paragraph};
use crate::quantity::{UNKNOWN, percent, rate, ratio, ratio_range, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_casebook::record::{CaseRecord, Estimate, HitRate, Ladder, Measured, StageRecord};

/// Every ladder of a case, with what went wrong and what was left out.
pub fn ladders(record: &CaseRecord, style: &TerminalStyle) -> String {
    let mut out = paragraph(style, 0, Ink::Title, &format!("{}: {}", record.case, record.title));
    for ladder in &record.ladders {
        out.push_str(&heading(style, &title(ladder)));
        out.push_str(&table(ladder, style));
        for stage in &ladder.stages {
            if let Some(wrong) = &stage.wrong {
                out.push_str(&paragraph(style, 2, Ink::Bad, &format!("{}: {wrong}", stage.name)));
            }
            if let Some(reason) = &stage.left_out {
                let text = format!("{} was left out: it {reason}", stage.name);
                out.push_str(&paragraph(style, 2, Ink::Dim, &text));
            }
        }
    }
    for note in &record.notes {
        out.push_str(&paragraph(style, 0, Ink::Caution, &format!("Note: {note}")));
    }
    let held = HitRate::of([record]);
    if held.rungs > 0 {
        out.push('\n');
        out.push_str(&paragraph(style, 0, Ink::Plain, &format!("Advice: {}.", hit_rate(&held))));
    }
    out
}

/// Language, compilers and rounds of a ladder.
pub(super) fn title(ladder: &Ladder) -> String {
    let track = ladder.track.as_ref().map(|track| format!("{track}, ")).unwrap_or_default();
    let rounds = match ladder.rounds {
        0 => NOT_TIMED.to_owned(),
        rounds => filled(ROUNDS, [&rounds.to_string()]),
    };
    format!("{track}{} ({rounds})", ladder.versions.join(", "))
}

fn table(ladder: &Ladder, style: &TerminalStyle) -> String {
    let mut table = Columns::new(vec![
        Column::left("Stage").shorten(Shorten::End, 12),
        Column::right("Time"),
        Column::right("+-%").expendable(5),
        Column::right("Gain"),
        Column::right("Of first"),
        Column::right("GFLOP/s").expendable(3),
        Column::right("GB/s").expendable(4),
        Column::right("Ceiling %").expendable(2),
        Column::left("of").expendable(6),
        Column::right("Program"),
        Column::right("Predicted"),
        Column::left("Advice").shorten(Shorten::End, 14).expendable(1),
    ]);
    for stage in &ladder.stages {
        table.row(row(ladder, stage, style));
    }
    table.render(style, 0)
}

fn row(ladder: &Ladder, stage: &StageRecord, style: &TerminalStyle) -> Vec<Cell> {
    let name = Cell::new(&stage.name, if stage.wrong.is_some() { Ink::Bad } else { Ink::Strong });
    let Some(m) = &stage.measured else {
        let state = match (&stage.wrong, &stage.left_out) {
            (Some(_), _) => Cell::new("wrong", Ink::Bad),
            (None, Some(_)) => Cell::new("left out", Ink::Dim),
            (None, None) => Cell::new("verified", Ink::Good),
        };
        return vec![name, state];
    };
    let number = |value: Option<f64>| Cell::plain(value.map_or_else(|| UNKNOWN.to_owned(), rate));
    let gain = |value: &Option<Estimate>| {
        value.as_ref().map_or_else(Cell::empty, |gain| {
            let ink = if gain.low > 1.0 { Ink::Good } else { Ink::Plain };
            Cell::new(ratio(gain.median, style), ink)
        })
    };
    let ceiling = |m: &Measured| m.ceiling.as_ref().map(|c| (percent(c.share), c.name.clone()));
    let (share, of) = ceiling(m).unwrap_or_default();
    let spread = (m.seconds.high - m.seconds.low) / 2.0 / m.seconds.median;
    let advice = advice(ladder, stage, style);
    vec![
        name,
        Cell::plain(time(m.seconds.median)),
        Cell::new(percent(spread), Ink::Dim),
        gain(&m.gain),
        gain(&m.gain_first),
        number(m.gflops),
        number(m.gbytes),
        Cell::plain(share),
        Cell::new(of, Ink::Dim),
        gain(&m.program_gain),
        advice.0,
        advice.1,
    ]
}

/// What a search found of what the stage expects.
pub(super) fn matched(stage: &StageRecord) -> Vec<&str> {
    let found = stage.search.iter().flat_map(|search| &search.found);
    found.filter(|one| stage.expected.contains(one)).map(String::as_str).collect()
}

/// What was predicted, and by which recommendation; what a search measured, and what it found.
pub(super) fn advice(ladder: &Ladder, stage: &StageRecord, style: &TerminalStyle) -> (Cell, Cell) {
    let Some(rung) = &stage.rung else {
        let text = if stage.because.is_some() { NONE_EXPECTED } else { "" };
        return (Cell::empty(), Cell::new(text, Ink::Dim));
    };
    let range = rung.predicted.map(|[low, high]| ratio_range((low, high), style)).unwrap_or_default();
    let predicted = match rung.came_true {
        Some(true) => Cell::new(range, Ink::Good),
        Some(false) => Cell::new(format!("{range} !"), Ink::Caution),
        None => Cell::plain(range),
    };
    let from = stage.from.and_then(|from| ladder.stages.get(from)).map_or("", |from| &from.name);
    let advice = match (&rung.id, rung.rank) {
        (Some(verb), _) if stage.search.is_some() => {
            Cell::new(format!("{verb}: {}", matched(stage).join(", ")), Ink::Good)
        }
        (Some(id), Some(rank)) if rung.recommended() => Cell::new(format!("{rank}. {id}"), Ink::Good),
        (Some(id), Some(rank)) => Cell::new(filled(TOO_LATE, [&format!("{rank}. {id}")]), Ink::Caution),
        _ => Cell::new(filled(NOT_GIVEN_FOR, [&stage.expected.join(" or "), from]), Ink::Caution),
    };
    (predicted, advice)
}
