//! `show functions` and `show modules`: time and counts by other units than loops.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::prose::paragraph;
use crate::quantity::{TimeUnit, amount, percent, share};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::Analysis;

/// Without `all`, what has a smaller share is left out.
const NOTICEABLE: f64 = 0.001;

/// The functions, by self time.
pub fn functions(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let timed = analysis.program.samples > 0 || analysis.counts.is_none();
    let (shown, hidden): (Vec<_>, Vec<_>) =
        analysis.functions.iter().partition(|each| all || !timed || each.self_share >= NOTICEABLE);
    if shown.is_empty() {
        return paragraph(style, 0, Ink::Plain, "No function has a noticeable share of the time.");
    }
    let unit = TimeUnit::for_largest(shown.iter().map(|each| each.total_seconds).fold(0.0, f64::max));
    let mut table = Columns::new(vec![
        Column::right("Self %"),
        Column::right(format!("Self {}", unit.symbol())).expendable(2),
        Column::right("Total %"),
        Column::right(format!("Total {}", unit.symbol())).expendable(3),
        Column::left("Function").shorten(Shorten::Symbol, 20),
        Column::left("Place").shorten(Shorten::Start, 10).expendable(1),
        Column::left("Module").shorten(Shorten::Middle, 10),
        Column::right("Calls").expendable(4),
        Column::right("Instr.").expendable(5),
        Column::right("FLOP").expendable(6),
    ]);
    let number = |n: Option<u64>| n.map_or_else(Cell::empty, |n| Cell::plain(amount(n)));
    for each in &shown {
        let place = match (&each.file, each.line) {
            (Some(file), Some(line)) => format!("{}:{line}", crate::names::base_name(file)),
            _ => String::new(),
        };
        table.row(vec![
            Cell::new(percent(each.self_share), Ink::Strong),
            Cell::plain(unit.number(each.self_seconds)),
            Cell::plain(percent(each.total_share)),
            Cell::plain(unit.number(each.total_seconds)),
            Cell::plain(&each.function),
            Cell::new(place, Ink::Accent),
            Cell::new(&each.module, Ink::Dim),
            number(each.calls),
            number(each.work.as_ref().map(|work| work.instructions)),
            number(each.work.as_ref().map(|work| work.flop).filter(|flop| *flop > 0)),
        ]);
    }
    let rest: f64 = hidden.iter().map(|each| each.self_share).sum();
    table.render(style, 0) + &left_out(hidden.len(), rest, "functions", style)
}

pub(crate) fn left_out(count: usize, rest: f64, view: &str, style: &TerminalStyle) -> String {
    if count == 0 {
        return String::new();
    }
    paragraph(
        style,
        0,
        Ink::Dim,
        &format!("{count} more with {} together: loopwright show {view} --all", share(rest)),
    )
}

/// The modules, by self time.
pub fn modules(analysis: &Analysis, style: &TerminalStyle) -> String {
    if analysis.modules.is_empty() {
        return paragraph(style, 0, Ink::Plain, "No module was sampled.");
    }
    let unit =
        TimeUnit::for_largest(analysis.modules.iter().map(|each| each.self_seconds).fold(0.0, f64::max));
    let mut table = Columns::new(vec![
        Column::right("Self %"),
        Column::right(format!("Self {}", unit.symbol())).expendable(2),
        Column::left("Module").shorten(Shorten::Start, 20),
        Column::left("Symbols"),
        Column::left("Lines"),
        Column::left("Compiler").shorten(Shorten::End, 12).expendable(1),
        Column::left("Build id").shorten(Shorten::End, 12).expendable(3),
    ]);
    let known = |known: bool| if known { Cell::plain("yes") } else { Cell::new("no", Ink::Caution) };
    for each in &analysis.modules {
        table.row(vec![
            Cell::new(percent(each.self_share), Ink::Strong),
            Cell::plain(unit.number(each.self_seconds)),
            Cell::new(&each.path, if each.main_module { Ink::Strong } else { Ink::Plain }),
            known(each.has_symbols),
            known(each.has_lines),
            each.producers.first().map_or_else(Cell::empty, Cell::plain),
            each.build_id.as_ref().map_or_else(Cell::empty, |id| Cell::new(id, Ink::Dim)),
        ]);
    }
    table.render(style, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn tables_at_common_widths() {
        let analysis = fixture::analysis();
        for style in fixture::styles() {
            for (what, text) in
                [("functions", functions(&analysis, false, &style)), ("modules", modules(&analysis, &style))]
            {
                fixture::assert_fits(&text, &style);
                insta::assert_snapshot!(fixture::label(what, &style), fixture::visible(&text));
            }
        }
    }
}
