//! `show functions` and `show modules`: time and counts by other units than loops.

use crate::columns::{Cell, Column, Shorten};
use crate::fields::{Field, table};
use crate::prose::paragraph;
use crate::quantity::{TimeUnit, amount, percent, share};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{Analysis, FunctionFacts, InlinedFunction, ModuleSummary, WorkRow};
use loopwright_analysis::place::base_name;

/// Without `all`, what has a smaller share is left out.
const NOTICEABLE: f64 = 0.001;
/// The same for functions that were inlined: code of C++ and Rust holds dozens of small ones.
const NOTICEABLE_INLINED: f64 = 0.01;

/// In place of the module of a function that was inlined.
const INLINED: &str = "(inlined)";

/// A row of the table of functions: one with code of its own, or one that was inlined into the last one of these.
pub(crate) struct FunctionRow<'r> {
    pub(crate) function: &'r str,
    self_seconds: f64,
    pub(crate) self_share: f64,
    total_seconds: f64,
    pub(crate) total_share: f64,
    samples: u64,
    /// Facts of functions with code of their own.
    own: Option<&'r FunctionFacts>,
}

impl<'r> FunctionRow<'r> {
    pub(crate) fn own(each: &'r FunctionFacts) -> Self {
        Self {
            function: &each.function,
            self_seconds: each.self_seconds,
            self_share: each.self_share,
            total_seconds: each.total_seconds,
            total_share: each.total_share,
            samples: each.samples,
            own: Some(each),
        }
    }

    fn inlined(each: &'r InlinedFunction) -> Self {
        Self {
            function: &each.function,
            self_seconds: each.self_seconds,
            self_share: each.self_share,
            total_seconds: each.total_seconds,
            total_share: each.total_share,
            samples: each.samples,
            own: None,
        }
    }

    /// The module, or that it was inlined.
    pub(crate) fn module(&self) -> &'r str {
        self.own.map_or(INLINED, |own| &own.module)
    }

    fn work(&self) -> Option<&'r WorkRow> {
        self.own.and_then(|own| own.work.as_ref())
    }
}

/// The rows of a function, with those of the functions inlined into it for which `shown` returns true.
pub(crate) fn rows_of<'r>(
    each: &'r FunctionFacts,
    shown: impl Fn(&InlinedFunction) -> bool,
) -> impl Iterator<Item = FunctionRow<'r>> {
    let inlined = each.inlined.iter().filter(move |inlined| shown(inlined));
    std::iter::once(FunctionRow::own(each)).chain(inlined.map(FunctionRow::inlined))
}

/// The functions, by self time.
pub fn functions(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let timed = analysis.program.samples > 0 || analysis.counts.is_none();
    let (shown, hidden): (Vec<_>, Vec<_>) =
        analysis.functions.iter().partition(|each| all || !timed || each.self_share >= NOTICEABLE);
    if shown.is_empty() {
        return paragraph(style, 0, Ink::Plain, "No function has a noticeable share of the time.");
    }
    let unit = TimeUnit::for_largest(shown.iter().map(|each| each.total_seconds).fold(0.0, f64::max));
    let table = table(function_fields(unit), &FUNCTIONS);
    let rest: f64 = hidden.iter().map(|each| each.self_share).sum();
    let noticeable = |inlined: &InlinedFunction| all || inlined.total_share >= NOTICEABLE_INLINED;
    let rows: Vec<_> = shown.into_iter().flat_map(|each| rows_of(each, noticeable)).collect();
    let note = if rows.iter().any(|row| row.own.is_none()) {
        let note = format!(
            "Rows with {INLINED} are part of the last function above them without it, and of its time; one may hold the next."
        );
        paragraph(style, 0, Ink::Dim, &note)
    } else {
        String::new()
    };
    table.render(rows, style, 0) + &note + &left_out(hidden.len(), rest, "functions", style)
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
    table(module_fields(unit), &MODULES).render(&analysis.modules, style, 0)
}

/// The order of the text of functions.
const FUNCTIONS: [&str; 10] = [
    "self_share",
    "self_seconds",
    "total_share",
    "total_seconds",
    "function",
    "place",
    "module",
    "calls",
    "instructions",
    "flop",
];

/// The fields of functions.
pub(crate) fn function_fields<'a, 'r>(unit: TimeUnit) -> Vec<Field<'a, FunctionRow<'r>>> {
    let timed = |name: &str| Column::right(format!("{name} {}", unit.symbol()));
    let field = Field::<FunctionRow<'r>>::new;
    vec![
        field("function")
            .csv(|each| each.function.to_owned())
            .text(Column::left("Function").shorten(Shorten::Symbol, 20), |each| Cell::plain(each.function)),
        field("module")
            .csv(|each| each.own.map(|own| own.module.clone()))
            .text(Column::left("Module").shorten(Shorten::Middle, 10), |each| {
                Cell::new(each.module(), Ink::Dim)
            }),
        field("file").csv(|each| each.own.and_then(|own| own.file.clone())),
        field("line").csv(|each| each.own.and_then(|own| own.line)),
        field("place").text(Column::left("Place").shorten(Shorten::Start, 10).expendable(1), |each| {
            let place = match each.own.map(|own| (&own.file, own.line)) {
                Some((Some(file), Some(line))) => format!("{}:{line}", base_name(file)),
                _ => String::new(),
            };
            Cell::new(place, Ink::Accent)
        }),
        field("self_seconds")
            .csv(|each| each.self_seconds)
            .text(timed("Self").expendable(2), move |each| Cell::plain(unit.number(each.self_seconds))),
        field("self_share")
            .csv(|each| each.self_share)
            .text(Column::right("Self %"), |each| Cell::new(percent(each.self_share), Ink::Strong)),
        field("total_seconds")
            .csv(|each| each.total_seconds)
            .text(timed("Total").expendable(3), move |each| Cell::plain(unit.number(each.total_seconds))),
        field("total_share")
            .csv(|each| each.total_share)
            .text(Column::right("Total %"), |each| Cell::plain(percent(each.total_share))),
        field("samples").csv(|each| each.samples),
        field("calls")
            .csv(|each| each.own.and_then(|own| own.calls))
            .text(Column::right("Calls").expendable(4), |each| {
                Cell::known(each.own.and_then(|own| own.calls).map(amount))
            }),
        field("instructions")
            .csv_as("executed_instructions", |each| each.work().map(|work| work.instructions))
            .text(Column::right("Instr.").expendable(5), move |each| {
                Cell::known(each.work().map(|work| amount(work.instructions)))
            }),
        field("flop")
            .csv(|each| each.work().map(|work| work.flop))
            .text(Column::right("FLOP").expendable(6), move |each| {
                Cell::known(each.work().filter(|work| work.flop > 0).map(|work| amount(work.flop)))
            }),
        field("int_ops").csv(|each| each.work().map(|work| work.int_ops)),
        field("bytes_loaded").csv(|each| each.work().map(|work| work.bytes_loaded)),
        field("bytes_stored").csv(|each| each.work().map(|work| work.bytes_stored)),
    ]
}

/// The order of the text of modules.
const MODULES: [&str; 7] =
    ["self_share", "self_seconds", "path", "has_symbols", "has_lines", "compiler", "build_id"];

/// The fields of modules.
pub(crate) fn module_fields<'a, 'r>(unit: TimeUnit) -> Vec<Field<'a, &'r ModuleSummary>> {
    let field = Field::<&'r ModuleSummary>::new;
    let known = |known: bool| if known { Cell::plain("yes") } else { Cell::new("no", Ink::Caution) };
    vec![
        field("path")
            .csv(|each| each.path.clone())
            .text(Column::left("Module").shorten(Shorten::Start, 20), |each| {
                Cell::new(&each.path, if each.main_module { Ink::Strong } else { Ink::Plain })
            }),
        field("self_seconds")
            .csv(|each| each.self_seconds)
            .text(Column::right(format!("Self {}", unit.symbol())).expendable(2), move |each| {
                Cell::plain(unit.number(each.self_seconds))
            }),
        field("self_share")
            .csv(|each| each.self_share)
            .text(Column::right("Self %"), |each| Cell::new(percent(each.self_share), Ink::Strong)),
        field("has_symbols")
            .csv(|each| each.has_symbols)
            .text(Column::left("Symbols"), move |each| known(each.has_symbols)),
        field("has_lines")
            .csv(|each| each.has_lines)
            .text(Column::left("Lines"), move |each| known(each.has_lines)),
        field("compiler").text(Column::left("Compiler").shorten(Shorten::End, 12).expendable(1), |each| {
            Cell::known(each.producers.first())
        }),
        field("build_id")
            .csv(|each| each.build_id.clone())
            .text(Column::left("Build id").shorten(Shorten::End, 12).expendable(3), |each| {
                each.build_id.as_ref().map_or_else(Cell::empty, |id| Cell::new(id, Ink::Dim))
            }),
    ]
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
