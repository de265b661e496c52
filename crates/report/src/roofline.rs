//! `roofline`: how far each counted loop is from what the machine can do, as a chart and as a table.
//!
//! Loops without FLOP are placed on an axis of their own (integer operations, or bytes), never at zero.

use crate::columns::{Cell, Column, Columns, Shorten, Table};
use crate::loop_words::kind;
use crate::loop_words::place;
use crate::names::command_line;
use crate::phrases::BY_LEVEL;
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{counted, percent, rate, ratio, share};
use crate::roofline_chart::{Line, Point, Shape, chart};
use crate::style::{Ink, TerminalStyle};
use crate::trip_counts::{at_most, totals};
use crate::vocabulary;
use crate::warnings::warnings;
use loopwright_analysis::model::{Analysis, LoopFacts, RoofKind, RooflineKind, RooflinePoint};
use loopwright_binary::facts::LoopRole;
use loopwright_vocabulary::MemoryLevel;

/// Width of the label column.
const LABEL: usize = 10;
/// Without `all`, loops with a smaller share of the time are left out.
const NOTICEABLE: f64 = 0.005;
/// Loops in the table without `all`; those of a chart have a letter each.
const LOOPS: usize = 26;
/// Warnings shown.
const WARNINGS: usize = 4;
/// Hot loops without counts that are named.
const MISSING: usize = 5;

/// What to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RooflineOptions {
    /// Every counted loop, also those with hardly any time.
    pub all: bool,
}

/// A loop in the picture.
struct Placed<'a> {
    facts: &'a LoopFacts,
    point: &'a RooflinePoint,
    mark: Option<char>,
}

/// The page.
pub fn roofline(analysis: &Analysis, options: &RooflineOptions, style: &TerminalStyle) -> String {
    let Some(counts) = &analysis.counts else {
        let text =
            "Nothing was counted in this state: loopwright roofline -- PROGRAM collects what is missing.";
        return paragraph(style, 0, Ink::Plain, text);
    };
    let mut out = facts(style, "Program", LABEL, Ink::Strong, &[command_line(&analysis.program.command)]);
    out.push_str(&totals(counts, style));
    let timed = analysis.program.samples > 0;
    let known: Vec<(&LoopFacts, &RooflinePoint)> =
        analysis.loops.iter().filter_map(|each| Some((each, each.roofline.as_ref()?))).collect();
    let worth = |facts: &LoopFacts| options.all || !timed || facts.self_share >= NOTICEABLE;
    let most = if options.all { known.len() } else { LOOPS };
    let mut marks = ('A'..='Z').chain('a'..='z');
    let shown: Vec<Placed<'_>> = known
        .iter()
        .filter(|(facts, _)| worth(facts))
        .take(most)
        .map(|&(facts, point)| {
            let drawn = point.intensity.is_some() && point.achieved().is_some();
            Placed { facts, point, mark: if drawn { marks.next() } else { None } }
        })
        .collect();
    if shown.is_empty() {
        out.push('\n');
        out.push_str(&paragraph(style, 0, Ink::Plain, "No counted loop has a noticeable share of the time."));
    }
    for (kind, axes) in [
        (RooflineKind::Flop, ("FLOP per byte", "GFLOP/s")),
        (RooflineKind::Integer, ("integer operations per byte", "10^9 integer operations/s")),
    ] {
        out.push_str(&picture(&shown, kind, axes, style).unwrap_or_default());
    }
    if !shown.is_empty() {
        out.push('\n');
        out.push_str(&table(&shown, style));
    }
    if known.len() > shown.len() {
        let text = format!("{} more loops: loopwright show roofline --all", known.len() - shown.len());
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out.push_str(&ceilings(&shown, style));
    out.push_str(&by_level(&shown, style));
    out.push_str(&uncounted(analysis, style));
    out.push_str(&missing(analysis, &shown, style));
    let hottest = shown.first().map(|placed| format!("loopwright show loop {}", placed.facts.id));
    let next: Vec<String> =
        hottest.into_iter().chain(["loopwright show recommendations".to_owned()]).collect();
    out.push('\n');
    out.push_str(&facts(style, "Next", LABEL, Ink::Accent, &next));
    out + &warnings(&analysis.warnings, WARNINGS, style)
}

/// The hottest point of a kind whose ceilings are known: they are those that are drawn.
fn measure<'a>(shown: &'a [Placed<'a>], kind: RooflineKind) -> Option<&'a Placed<'a>> {
    shown.iter().find(|placed| placed.point.kind == kind && !placed.point.roofs.is_empty())
}

fn picture(
    shown: &[Placed<'_>],
    kind: RooflineKind,
    axes: (&str, &str),
    style: &TerminalStyle,
) -> Option<String> {
    let leader = measure(shown, kind)?;
    let lines: Vec<Line<'_>> = leader
        .point
        .roofs
        .iter()
        .filter_map(|roof| {
            let shape = match roof.kind {
                RoofKind::Compute => Shape::Flat(roof.value),
                RoofKind::Memory => Shape::Slope(roof.gbytes?),
            };
            Some(Line { name: &roof.name, shape })
        })
        .collect();
    let points: Vec<Point> = shown
        .iter()
        .filter(|placed| placed.point.kind == kind)
        .filter_map(|placed| {
            let (intensity, rate) = (placed.point.intensity?, placed.point.achieved()?);
            Some(Point { mark: placed.mark?, intensity, rate })
        })
        .collect();
    let on = leader
        .point
        .cores
        .map_or_else(String::new, |n| format!(" on {}", counted(n.into(), "core", "cores")));
    let title = if kind == RooflineKind::Integer { "Roofline of integer operations" } else { "Roofline" };
    let ceilings =
        format!("Lines: the ceilings{on} of loop {}. Letters: loops of the table.", leader.facts.id);
    let drawn = chart(&lines, &points, axes, style)?;
    Some(heading(style, title) + &paragraph(style, 0, Ink::Dim, &ceilings) + &drawn)
}

fn unit(kind: RooflineKind) -> &'static str {
    match kind {
        RooflineKind::Flop => "GFLOP/s",
        RooflineKind::Integer => "Gop/s",
        RooflineKind::Bytes => "GB/s",
    }
}

fn table(shown: &[Placed<'_>], style: &TerminalStyle) -> String {
    let number = |value: Option<f64>| Cell::known(value.map(rate));
    let table = Table::<&Placed<'_>>::new()
        .column(Column::left(""), |each| {
            each.mark.map_or_else(Cell::empty, |mark| Cell::new(mark.to_string(), Ink::Strong))
        })
        .column(Column::right("Loop"), |each| Cell::new(each.facts.id.to_string(), Ink::Strong))
        .column(Column::right("Self %"), |each| {
            Cell::known((each.facts.self_share > 0.0).then(|| percent(each.facts.self_share)))
        })
        .column(Column::left("Function").shorten(Shorten::Symbol, 12), |each| Cell::plain(each.facts.name()))
        .column(Column::left("Place").shorten(Shorten::Middle, 12), |each| {
            Cell::new(place(each.facts), Ink::Accent)
        })
        .column(Column::left("Piece").expendable(4), |each| {
            let whole = each.facts.role == LoopRole::Whole;
            Cell::new(if whole { "" } else { vocabulary::role(each.facts.role) }, Ink::Dim)
        })
        .column(Column::left("Type").shorten(Shorten::End, 10).expendable(6), |each| kind(each.facts, style))
        .column(Column::right("Per byte"), |each| number(each.point.intensity))
        .column(Column::right("Achieved"), |each| {
            let is_bound = each.facts.work.as_ref().is_some_and(|work| work.flop_is_bound);
            let bound = at_most(is_bound && each.point.kind == RooflineKind::Flop, style);
            let achieved = each.point.achieved();
            achieved.map_or_else(Cell::empty, |value| Cell::new(bound.to_owned() + &rate(value), Ink::Strong))
        })
        .column(Column::left("Unit"), |each| Cell::new(unit(each.point.kind), Ink::Dim))
        .column(Column::right("GB/s").expendable(3), |each| number(each.point.gbytes_per_second))
        .column(Column::left("Bound by").shorten(Shorten::End, 10), |each| {
            Cell::known(each.point.bound.as_ref())
        })
        .column(Column::right("Ceiling").expendable(1), |each| number(each.point.ceiling))
        .column(Column::right("Headroom"), |each| {
            each.point.headroom.map_or_else(Cell::empty, |headroom| headroom_cell(headroom, style))
        })
        .column(Column::right("Cores").expendable(5), |each| {
            Cell::known(each.point.cores.map(|cores| cores.to_string()))
        });
    table.render(shown, style, 0)
}

/// Half of the ceiling or more is little to gain; less is worth a look.
fn headroom_cell(headroom: f64, style: &TerminalStyle) -> Cell {
    Cell::new(ratio(headroom, style), if headroom <= 2.0 { Ink::Good } else { Ink::Costly })
}

/// The ceilings that were drawn, in numbers.
fn ceilings(shown: &[Placed<'_>], style: &TerminalStyle) -> String {
    let kinds = [RooflineKind::Flop, RooflineKind::Integer, RooflineKind::Bytes];
    let Some(leader) = kinds.into_iter().find_map(|kind| measure(shown, kind)) else { return String::new() };
    let on =
        leader.point.cores.map_or_else(String::new, |n| format!(", {}", counted(n.into(), "core", "cores")));
    let items: Vec<String> = leader
        .point
        .roofs
        .iter()
        .map(|roof| {
            let how = vocabulary::provenance(roof.provenance);
            match (roof.gbytes, &roof.kernel) {
                (Some(gbytes), Some(kernel)) => {
                    format!("{} {} GB/s ({kernel}, {how})", roof.name, rate(gbytes))
                }
                (Some(gbytes), None) => format!("{} {} GB/s ({how})", roof.name, rate(gbytes)),
                _ => format!("{} {} {} ({how})", roof.name, rate(roof.value), unit(leader.point.kind)),
            }
        })
        .collect();
    let title = format!("Ceilings of loop {}{on}", leader.facts.id);
    heading(style, &title) + &facts(style, "", 0, Ink::Plain, &items)
}

/// Operations per byte of each memory level, where caches were simulated: intensity, and the ceiling that follows from it.
fn by_level(shown: &[Placed<'_>], style: &TerminalStyle) -> String {
    let simulated: Vec<&Placed<'_>> = shown.iter().filter(|placed| !placed.point.levels.is_empty()).collect();
    let mut names: Vec<MemoryLevel> = Vec::new();
    for level in simulated.iter().flat_map(|placed| &placed.point.levels) {
        if !names.contains(&level.name) {
            names.push(level.name);
        }
    }
    if names.is_empty() {
        return String::new();
    }
    let mut columns =
        vec![Column::right("Loop"), Column::left("Place").shorten(Shorten::Middle, 12), Column::left("Unit")];
    for (at, name) in names.iter().enumerate() {
        columns.push(Column::right(format!("{name} /byte")));
        columns.push(Column::right("at most").expendable(1 + (names.len() - at).min(9) as u8));
    }
    let mut table = Columns::new(columns);
    for Placed { facts, point, .. } in simulated {
        let mut cells = vec![
            Cell::new(facts.id.to_string(), Ink::Strong),
            Cell::new(place(facts), Ink::Accent),
            Cell::new(unit(point.kind), Ink::Dim),
        ];
        for name in &names {
            let level = point.levels.iter().find(|level| level.name == *name);
            let number =
                |value: Option<f64>| value.map_or_else(Cell::empty, |value| Cell::plain(rate(value)));
            cells.push(number(level.and_then(|level| level.estimated_intensity)));
            cells.push(number(level.and_then(|level| level.estimated_ceiling)));
        }
        table.row(cells);
    }
    heading(style, "By memory level (simulated)")
        + &table.render(style, 0)
        + &paragraph(style, 0, Ink::Dim, BY_LEVEL)
}

/// Hot loops that are not in the picture, each with its reason.
fn uncounted(analysis: &Analysis, style: &TerminalStyle) -> String {
    let hot: Vec<&LoopFacts> = analysis
        .loops
        .iter()
        .filter(|each| each.self_share >= NOTICEABLE && each.roofline.is_none() && each.work.is_none())
        .collect();
    if hot.is_empty() {
        return String::new();
    }
    let mut out = heading(style, "Not counted");
    for each in hot.iter().take(MISSING) {
        let why = each.not_counted.as_ref().map_or_else(
            || "not among what was counted: loopwright tripcounts --all".to_owned(),
            ToString::to_string,
        );
        let text = format!("loop {} ({}, {}): {why}", each.id, place(each), share(each.self_share));
        out.push_str(&labelled(style, 2, "-", 1, Ink::Plain, &text));
    }
    if hot.len() > MISSING {
        let text = format!("{} more: loopwright show loops", hot.len() - MISSING);
        out.push_str(&paragraph(style, 2, Ink::Dim, &text));
    }
    out
}

/// What is missing for a whole answer, with the way to it.
fn missing(analysis: &Analysis, shown: &[Placed<'_>], style: &TerminalStyle) -> String {
    let mut out = String::new();
    let mut warn = |text: &str| out.push_str(&labelled(style, 0, "Missing", LABEL, Ink::Caution, text));
    if analysis.program.samples == 0 {
        warn(&format!(
            "time: without a survey there are intensities but no rates; loopwright roofline -- {}",
            command_line(&analysis.program.command)
        ));
    }
    let unmeasured = analysis.machine.as_ref().is_none_or(|machine| machine.ceilings.is_none());
    if unmeasured {
        warn("ceilings: this machine was not measured; loopwright machine --measure does it in 30 s, once");
    } else if !shown.is_empty() && shown.iter().all(|placed| placed.point.bound.is_none()) {
        let mut hows: Vec<&str> = shown.iter().map(|placed| placed.point.how.as_str()).collect();
        hows.retain(|how| !how.is_empty());
        hows.dedup();
        if let Some(how) = hows.first() {
            warn(how);
        }
    }
    if out.is_empty() { out } else { "\n".to_owned() + &out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn pages_at_common_widths() {
        let analysis = fixture::counts::counted();
        for style in fixture::styles() {
            let text = roofline(&analysis, &RooflineOptions::default(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("roofline", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn simulated_levels_have_a_table_of_their_own() {
        let analysis = fixture::patterns::traced();
        for style in fixture::styles() {
            let text = roofline(&analysis, &RooflineOptions::default(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("roofline_levels", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn loops_without_flop_have_their_own_axis() {
        let style = TerminalStyle::plain(160);
        let text = roofline(&fixture::counts::counted(), &RooflineOptions::default(), &style);
        assert!(text.contains("Gop/s") && text.contains("integer operations per byte"), "{text}");
        let bytes = text.lines().find(|line| line.contains(" 41 ")).unwrap_or_default();
        assert!(bytes.contains("9.20") && bytes.contains("GB/s"), "{text}");
    }

    #[test]
    fn without_time_there_are_intensities_and_the_way_to_rates() {
        let style = TerminalStyle::plain(120);
        let mut analysis = fixture::counts::only_counted();
        if let Some(machine) = &mut analysis.machine {
            machine.ceilings = None;
        }
        let text = roofline(&analysis, &RooflineOptions::default(), &style);
        assert!(text.contains("0.175") && !text.contains("Achieved"), "{text}");
        assert!(text.contains("loopwright roofline -- ./lbm"), "{text}");
        assert!(text.contains("loopwright machine --measure"), "{text}");
    }

    #[test]
    fn hot_loops_without_counts_are_named_with_their_reason() {
        let style = TerminalStyle::plain(160);
        let text = roofline(&fixture::counts::counted(), &RooflineOptions::default(), &style);
        assert!(
            text.contains("loop 40") && text.contains("an indirect jump leads to unknown places"),
            "{text}"
        );
    }
}
