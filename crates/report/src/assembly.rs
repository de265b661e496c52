//! `show asm ID`: the instructions of a loop with their time, their source lines, and the loops drawn
//! in the margin.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::listing::{CodeView, contains};
use crate::names::{elide_symbol, printable};
use crate::prose::{facts, paragraph};
use crate::quantity::percent;
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::{InstructionLine, LoopCode};

/// Loops side by side in the margin.
const NESTS: usize = 6;

/// The view. `lines` gives the text of a source line, where the caller has the file.
pub fn assembly(
    view: &CodeView<'_>,
    lines: &dyn Fn(&str, u32) -> Option<String>,
    style: &TerminalStyle,
) -> String {
    let Some(this) = view.this() else {
        return paragraph(
            style,
            0,
            Ink::Plain,
            "The listing of this loop's function is not in the experiment: survey again.",
        );
    };
    let shown: Vec<&InstructionLine> =
        view.code.instructions.iter().filter(|each| contains(this, each.address)).collect();
    if shown.is_empty() {
        return paragraph(
            style,
            0,
            Ink::Plain,
            "The instructions of this loop are not in the experiment: survey again.",
        );
    }
    let place = this.location.as_ref().map(|at| format!("{}:{}", base_name(&at.file), at.line));
    let function =
        elide_symbol(&printable(&view.code.function.name), style.columns().saturating_sub(40).max(30), style);
    let mut title = vec![function];
    title.extend(place);
    let mut out = facts(style, &format!("Loop {}", view.id), 8, Ink::Strong, &title);
    out.push('\n');

    // The loop and what it encloses, outer before inner.
    let nest: Vec<&LoopCode> = view
        .code
        .loops
        .iter()
        .filter(|each| each.depth >= this.depth && contains(this, each.header))
        .collect();
    let mut table = Columns::new(vec![
        Column::right("Self %"),
        Column::left(""),
        Column::right("Address").expendable(3),
        Column::left("Instruction").shorten(Shorten::End, 24),
        Column::left("Place").shorten(Shorten::Start, 10).expendable(2),
        Column::left("Source").shorten(Shorten::End, 12).expendable(1),
    ]);
    let mut previous: Option<(Option<u32>, u32)> = None;
    for (at, each) in shown.iter().enumerate() {
        let share = view.share(view.at(each.address));
        let file = each.file.and_then(|file| view.code.files.get(file as usize));
        let here = (each.file, each.line);
        let (mut place, mut text) = (Cell::empty(), Cell::empty());
        if let Some(file) = file.filter(|_| each.line > 0 && previous != Some(here)) {
            place = Cell::new(format!("{}:{}", base_name(file), each.line), Ink::Accent);
            text = lines(file, each.line)
                .map_or_else(Cell::empty, |text| Cell::new(text.trim().replace('\t', " "), Ink::Dim));
        }
        previous = Some(here);
        let before = at.checked_sub(1).and_then(|before| shown.get(before)).map(|line| line.address);
        let after = shown.get(at + 1).map(|line| line.address);
        table.row(vec![
            if share > 0.0 {
                Cell::new(percent(share), if share >= 0.01 { Ink::Costly } else { Ink::Plain })
            } else {
                Cell::empty()
            },
            Cell::new(margin(&nest, each.address, before, after, style), Ink::Accent),
            Cell::new(format!("{:#x}", each.address), Ink::Dim),
            Cell::new(&each.text, if share >= 0.01 { Ink::Strong } else { Ink::Plain }),
            place,
            text,
        ]);
    }
    out + &table.render(style, 0)
}

/// One sign per loop of the nest: where its code begins, goes on and ends. Code of a loop that is in
/// several places begins and ends several times; the header is marked.
fn margin(
    nest: &[&LoopCode],
    address: u64,
    before: Option<u64>,
    after: Option<u64>,
    style: &TerminalStyle,
) -> String {
    let mut text = String::new();
    for each in nest.iter().take(NESTS) {
        let inside = |address: Option<u64>| address.is_some_and(|address| contains(each, address));
        text.push_str(match (contains(each, address), inside(before), inside(after)) {
            (false, ..) => " ",
            (true, false, true) => style.sign("┌", "."),
            (true, true, true) => style.sign("│", "|"),
            (true, true, false) => style.sign("└", "'"),
            (true, false, false) => style.sign("╶", "-"),
        });
    }
    if nest.iter().any(|each| each.header == address) {
        text.push_str(style.sign("▸", ">"));
    }
    text
}

#[cfg(test)]
mod tests;
