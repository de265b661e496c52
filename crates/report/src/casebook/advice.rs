//! Which recommendations fired on each stage, and which were expected.

use super::hit_rate;
use super::ladder::{matched, title};
use crate::columns::{Cell, Column, Columns, Shorten};
use crate::prose::{heading, paragraph};
use crate::quantity::{ratio, ratio_range};
use crate::style::{Ink, TerminalStyle};
use loopwright_casebook::record::{CaseRecord, Fired, HitRate, Ladder, StageRecord, TOP};

/// Every stage that leads on with its recommendations, and how often the advice was right over all cases.
pub fn advice(records: &[CaseRecord], style: &TerminalStyle) -> String {
    let mut out = String::new();
    for record in records {
        for ladder in &record.ladders {
            let name = format!("{}: {}", record.case, title(ladder));
            out.push_str(&heading(style, &name));
            out.push_str(&table(ladder, style));
        }
        for note in &record.notes {
            out.push_str(&paragraph(style, 0, Ink::Caution, &format!("Note: {note}")));
        }
    }
    out.push_str(&missed(records, style));
    out.push('\n');
    let rate = hit_rate(&HitRate::of(records));
    out.push_str(&paragraph(style, 0, Ink::Strong, &format!("Over {} cases: {rate}.", records.len())));
    out
}

fn table(ladder: &Ladder, style: &TerminalStyle) -> String {
    let mut table = Columns::new(vec![
        Column::left("Stage").shorten(Shorten::End, 10),
        Column::right(""),
        Column::left("Recommendation").shorten(Shorten::End, 16),
        Column::right("Predicted"),
        Column::left("leads to"),
        Column::right("Measured"),
        Column::left("Where").shorten(Shorten::End, 10).expendable(1),
    ]);
    for (index, stage) in ladder.stages.iter().enumerate() {
        let next: Vec<&StageRecord> =
            ladder.stages.iter().filter(|next| next.rung.is_some() && next.from == Some(index)).collect();
        let (searched, next): (Vec<_>, Vec<_>) = next.into_iter().partition(|next| next.search.is_some());
        let mut first = true;
        for n in searched {
            table.row(searched_row(if first { &stage.name } else { "" }, n, style));
            first = false;
        }
        let Some(advice) = &stage.advice else { continue };
        let leads_to = |fired: &Fired| -> Option<&&StageRecord> {
            next.iter().find(|n| n.rung.as_ref().is_some_and(|rung| rung.id.as_deref() == Some(&fired.id)))
        };
        for (place, fired) in advice.recommendations.iter().enumerate() {
            let followed = leads_to(fired);
            if place >= TOP && followed.is_none() {
                continue;
            }
            table.row(row(if first { &stage.name } else { "" }, place + 1, fired, followed.copied(), style));
            first = false;
        }
        for n in next.iter().filter(|n| n.rung.as_ref().is_some_and(|rung| rung.id.is_none())) {
            table.row(vec![
                Cell::new(if first { &stage.name } else { "" }, Ink::Strong),
                Cell::plain("-"),
                Cell::new(format!("{} (did not fire)", n.expected.join(" or ")), Ink::Caution),
                Cell::empty(),
                Cell::plain(&n.name),
                measured(n, style),
            ]);
            first = false;
        }
    }
    if table.is_empty() {
        return paragraph(style, 0, Ink::Dim, "no advice was asked for");
    }
    table.render(style, 0)
}

/// A stage that a search leads to.
fn searched_row(name: &str, next: &StageRecord, style: &TerminalStyle) -> Vec<Cell> {
    let Some(search) = &next.search else { return Vec::new() };
    let (text, ink) = if search.hit {
        (format!("{}: {}", search.verb, matched(next).join(", ")), Ink::Good)
    } else {
        (format!("{}: {} (not found)", search.verb, next.expected.join(" or ")), Ink::Caution)
    };
    vec![
        Cell::new(name, Ink::Strong),
        Cell::plain(if search.hit { "1" } else { "-" }),
        Cell::new(text, ink),
        Cell::plain(search.gain.map(|[low, high]| ratio_range((low, high), style)).unwrap_or_default()),
        Cell::plain(&next.name),
        measured(next, style),
        Cell::new(search.found.join(" "), Ink::Dim),
    ]
}

fn row(
    name: &str,
    place: usize,
    fired: &Fired,
    next: Option<&StageRecord>,
    style: &TerminalStyle,
) -> Vec<Cell> {
    let ink = match next {
        Some(_) if place <= TOP => Ink::Good,
        Some(_) => Ink::Caution,
        None => Ink::Plain,
    };
    let range = fired.program_gain.map(|[low, high]| ratio_range((low, high), style)).unwrap_or_default();
    vec![
        Cell::new(name, Ink::Strong),
        Cell::plain(place.to_string()),
        Cell::new(&fired.id, ink),
        Cell::plain(range),
        Cell::plain(next.map_or("", |next| &next.name)),
        next.map_or_else(Cell::empty, |next| measured(next, style)),
        Cell::new(fired.places.join("; "), Ink::Dim),
    ]
}

fn measured(stage: &StageRecord, style: &TerminalStyle) -> Cell {
    let Some(gain) = stage.measured.as_ref().and_then(|m| m.program_gain) else { return Cell::empty() };
    let ink = match stage.rung.as_ref().and_then(|rung| rung.came_true) {
        Some(true) => Ink::Good,
        Some(false) => Ink::Caution,
        None => Ink::Plain,
    };
    Cell::new(ratio(gain.median, style), ink)
}

/// A rung on which the advice was wrong: where, what was wrong, and why as far as the case knows.
pub(super) struct Miss<'a> {
    pub(super) place: String,
    pub(super) what: Vec<String>,
    pub(super) why: Option<&'a str>,
}

/// The rungs on which the advice was wrong.
pub(super) fn misses<'a>(
    records: impl IntoIterator<Item = &'a CaseRecord>,
    style: &TerminalStyle,
) -> Vec<Miss<'a>> {
    let mut misses = Vec::new();
    for record in records {
        for ladder in &record.ladders {
            for stage in &ladder.stages {
                let Some(rung) = stage.rung.as_ref().filter(|rung| rung.missed()) else { continue };
                let place = match &ladder.track {
                    Some(track) => format!("{} {} {}, {}", record.case, track, ladder.family, stage.name),
                    None => format!("{} {}, {}", record.case, ladder.family, stage.name),
                };
                let mut what = Vec::new();
                match (&rung.id, rung.rank) {
                    (None, _) if stage.search.is_some() => {
                        let verb = stage.search.as_ref().map_or("", |search| &search.verb);
                        what.push(format!("{verb} did not find {}", stage.expected.join(" or ")));
                    }
                    (None, _) => what.push(format!("{} did not fire", stage.expected.join(" or "))),
                    (Some(id), Some(rank)) if rank > TOP => what.push(format!("{id} only at place {rank}")),
                    _ => {}
                }
                let gain = stage.measured.as_ref().and_then(|m| m.program_gain);
                if let (Some(false), Some([low, high]), Some(gain)) = (rung.came_true, rung.predicted, gain) {
                    let (range, gain) = (ratio_range((low, high), style), ratio(gain.median, style));
                    what.push(format!("predicted {range}, measured {gain}"));
                }
                misses.push(Miss { place, what, why: stage.miss.as_deref() });
            }
        }
    }
    misses
}

fn missed(records: &[CaseRecord], style: &TerminalStyle) -> String {
    let misses = misses(records, style);
    if misses.is_empty() {
        return String::new();
    }
    let mut out = heading(style, "Where the advice was wrong");
    for miss in misses {
        out.push_str(&paragraph(style, 2, Ink::Plain, &format!("{}: {}", miss.place, miss.what.join("; "))));
        if let Some(why) = miss.why {
            out.push_str(&paragraph(style, 6, Ink::Dim, why));
        }
    }
    out
}
