//! Tables with one line per row that fit their width.
//!
//! A table that is too wide first shortens its long columns (a symbol in its middle, a path at its
//! start), then leaves out its least important ones; and it leaves out empty columns.
//! Table libraries wrap cells instead, which makes loops with long names unreadable; what is left of
//! their work, padding, is little.

use crate::names::{elide_end, elide_middle, elide_start, elide_symbols, printable, width};
use crate::style::{Ink, TerminalStyle};

/// Between two columns.
const GAP: usize = 2;

/// Columns that a text keeps on the narrowest terminal.
const NARROW: usize = 4;

/// How a column's text is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shorten {
    Never,
    End,
    Start,
    Middle,
    Symbol,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    title: String,
    right: bool,
    /// 0 stays; the highest goes first.
    expendable: u8,
    shorten: Shorten,
    least: usize,
}

impl Column {
    /// Text.
    pub(crate) fn left(title: impl Into<String>) -> Self {
        Self { title: title.into(), right: false, expendable: 0, shorten: Shorten::Never, least: 0 }
    }

    /// Numbers.
    pub(crate) fn right(title: impl Into<String>) -> Self {
        Self { right: true, ..Self::left(title) }
    }

    #[cfg(test)]
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    /// May be left out; the highest number goes first.
    pub(crate) fn expendable(mut self, order: u8) -> Self {
        self.expendable = order;
        self
    }

    /// May be shortened down to `least` columns.
    pub(crate) fn shorten(mut self, how: Shorten, least: usize) -> Self {
        (self.shorten, self.least) = (how, least);
        self
    }
}

/// A piece of text with its meaning.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    ink: Ink,
}

impl Cell {
    /// The text is made printable here, so that no table can be forged by a name.
    pub(crate) fn new(text: impl AsRef<str>, ink: Ink) -> Self {
        Self { text: printable(text.as_ref()).into_owned(), ink }
    }

    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        Self::new(text, Ink::Plain)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Painted, with the columns that it takes.
    pub(crate) fn painted(&self, style: &TerminalStyle) -> (String, usize) {
        (style.paint(self.ink, &self.text), width(&self.text))
    }

    pub(crate) fn empty() -> Self {
        Self::default()
    }

    /// What is known; nothing where it is not.
    pub(crate) fn known<T: AsRef<str>>(text: Option<T>) -> Self {
        text.map_or_else(Self::empty, Self::plain)
    }
}

/// A table of rows `R`: each column beside the cell that it makes of a row.
pub(crate) struct Table<'a, R> {
    columns: Vec<Column>,
    cells: Vec<CellOf<'a, R>>,
}

/// What a column shows of a row.
pub(crate) type CellOf<'a, R> = Box<dyn Fn(&R) -> Cell + 'a>;

impl<'a, R> Table<'a, R> {
    pub(crate) fn new() -> Self {
        Self { columns: Vec::new(), cells: Vec::new() }
    }

    /// Adds a column.
    pub(crate) fn column(self, column: Column, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.boxed(column, Box::new(cell))
    }

    /// Adds a column whose cell is already a value.
    pub(crate) fn boxed(mut self, column: Column, cell: CellOf<'a, R>) -> Self {
        self.columns.push(column);
        self.cells.push(cell);
        self
    }

    /// The table with a header, each line after `indent` spaces; nothing when it has no rows.
    pub(crate) fn render(
        self,
        rows: impl IntoIterator<Item = R>,
        style: &TerminalStyle,
        indent: usize,
    ) -> String {
        let mut columns = Columns::new(self.columns);
        for row in rows {
            columns.row(self.cells.iter().map(|cell| cell(&row)).collect());
        }
        if columns.is_empty() { String::new() } else { columns.render(style, indent) }
    }
}

/// A table whose rows are cells: for rows that are no values of one type.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Columns {
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The widths of the columns that are shown; `None` for those left out.
    fn layout(&self, room: usize) -> Vec<Option<usize>> {
        // Nothing is wider than the room, however long a name is: the loops below count down from there.
        let cells: Vec<Vec<usize>> = (0..self.columns.len())
            .map(|column| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| width(&cell.text).min(room))
                    .collect()
            })
            .collect();
        let title = |column: usize| width(&self.columns[column].title);
        let natural: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                cells[column]
                    .iter()
                    .max()
                    .filter(|widest| **widest > 0)
                    .map_or(0, |widest| (*widest).max(title(column)))
            })
            .collect();
        let least: Vec<usize> = (0..self.columns.len())
            .map(|column| match self.columns[column].shorten {
                Shorten::Never => natural[column],
                _ => natural[column].min(self.columns[column].least.max(title(column))),
            })
            .collect();
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|column| natural[*column] > 0).collect();
        let gaps = |shown: &[usize]| GAP * shown.len().saturating_sub(1);
        while shown.iter().map(|column| least[*column]).sum::<usize>() + gaps(&shown) > room {
            let expendable = |column: &&usize| self.columns[**column].expendable > 0;
            let Some(first) = shown
                .iter()
                .filter(expendable)
                .max_by_key(|column| self.columns[**column].expendable)
                .copied()
            else {
                break;
            };
            shown.retain(|column| *column != first);
        }
        let mut widths = natural;
        let mut excess =
            (shown.iter().map(|column| widths[*column]).sum::<usize>() + gaps(&shown)).saturating_sub(room);
        while excess > 0 {
            // Where fewest cells lose anything; of those, where what is lost matters least.
            let price = |column: &usize| {
                let cut = cells[*column].iter().filter(|cell| **cell >= widths[*column]).count();
                (cut, self.columns[*column].shorten == Shorten::End, std::cmp::Reverse(widths[*column]))
            };
            let cheapest =
                shown.iter().copied().filter(|column| widths[*column] > least[*column]).min_by_key(price);
            // A terminal too narrow for what should be left: rather cut than break lines.
            let narrow =
                |column: &usize| self.columns[*column].shorten != Shorten::Never && widths[*column] > NARROW;
            let last_resort = || shown.iter().copied().filter(narrow).max_by_key(|column| widths[*column]);
            let Some(column) = cheapest.or_else(last_resort) else { break };
            widths[column] -= 1;
            excess -= 1;
        }
        (0..self.columns.len()).map(|column| shown.contains(&column).then_some(widths[column])).collect()
    }

    /// The table with a header, each line after `indent` spaces.
    pub(crate) fn render(&self, style: &TerminalStyle, indent: usize) -> String {
        self.lines(style, indent).into_iter().map(|line| line + "\n").collect()
    }

    fn lines(&self, style: &TerminalStyle, indent: usize) -> Vec<String> {
        let layout = self.layout(style.columns().saturating_sub(indent));
        let margin = " ".repeat(indent);
        let mut lines = Vec::with_capacity(self.rows.len() + 2);
        let titles: Vec<Cell> =
            self.columns.iter().map(|column| Cell { text: column.title.clone(), ink: Ink::Dim }).collect();
        lines.push(margin.clone() + &self.line(&titles, &layout, style, true));
        let shown: Vec<usize> = layout.iter().flatten().copied().collect();
        let total = shown.iter().sum::<usize>() + GAP * shown.len().saturating_sub(1);
        lines.push(margin.clone() + &style.paint(Ink::Dim, &style.sign("─", "-").repeat(total)));
        let named = self.with_short_symbols(&layout, style);
        lines.extend(
            named
                .iter()
                .map(|row| (margin.clone() + &self.line(row, &layout, style, false)).trim_end().to_owned()),
        );
        lines
    }

    /// The rows with the symbols of each column shortened together.
    fn with_short_symbols(&self, layout: &[Option<usize>], style: &TerminalStyle) -> Vec<Vec<Cell>> {
        let mut rows = self.rows.clone();
        for (at, column) in self.columns.iter().enumerate() {
            let (Shorten::Symbol, Some(columns)) = (column.shorten, layout[at]) else { continue };
            let cells: Vec<&mut Cell> = rows.iter_mut().filter_map(|row| row.get_mut(at)).collect();
            let names: Vec<String> = cells.iter().map(|cell| cell.text.clone()).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            for (cell, short) in cells.into_iter().zip(elide_symbols(&names, columns, style)) {
                cell.text = short;
            }
        }
        rows
    }

    fn line(&self, cells: &[Cell], layout: &[Option<usize>], style: &TerminalStyle, title: bool) -> String {
        let empty = Cell::empty();
        let mut line = String::new();
        let mut pending = 0;
        for (at, column) in self.columns.iter().enumerate() {
            let Some(columns) = layout[at] else { continue };
            let cell = cells.get(at).unwrap_or(&empty);
            let text = match column.shorten {
                _ if title => elide_end(&cell.text, columns, style),
                // Symbols have been shortened, together.
                Shorten::Never | Shorten::Symbol => cell.text.clone(),
                Shorten::End => elide_end(&cell.text, columns, style),
                Shorten::Start => elide_start(&cell.text, columns, style),
                Shorten::Middle => elide_middle(&cell.text, columns, style),
            };
            let room = columns.saturating_sub(width(&text));
            if column.right {
                pending += room;
            }
            if !text.is_empty() {
                line.push_str(&" ".repeat(std::mem::take(&mut pending)));
                line.push_str(&style.paint(cell.ink, &text));
            } else {
                pending += if column.right { 0 } else { room };
            }
            if !column.right && !text.is_empty() {
                pending += room;
            }
            pending += GAP;
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Columns {
        let mut table = Columns::new(vec![
            Column::right("ID"),
            Column::left("Function").shorten(Shorten::Symbol, 12),
            Column::left("File").shorten(Shorten::Start, 8).expendable(1),
            Column::left("Notes").expendable(2),
            Column::left("Never filled"),
        ]);
        table.row(vec![
            Cell::plain("7"),
            Cell::plain("std::vector<std::pair<int, double>>::push_back"),
            Cell::plain("/usr/include/c++/12/bits/stl_vector.h:1278"),
            Cell::plain("spills, calls"),
            Cell::empty(),
        ]);
        table.row(vec![Cell::plain("12"), Cell::plain("main"), Cell::plain("main.c:3")]);
        table
    }

    #[test]
    fn long_columns_shrink_before_others_go_and_empty_ones_are_not_shown() {
        let text = table().render(&TerminalStyle::plain(100), 2);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[2].starts_with("   7  std::vector<")
                && lines[2].ends_with("stl_vector.h:1278  spills, calls"),
            "{text}"
        );
        let mut narrow = table();
        narrow.row(vec![
            Cell::plain("13"),
            Cell::plain("x"),
            Cell::plain("y"),
            Cell::plain("notes that would take forty columns alone"),
        ]);
        let text = narrow.render(&TerminalStyle::plain(60), 2);
        assert!(!text.contains("Notes") && text.contains("File"), "{text}");
        assert!(!text.contains("Never"), "{text}");
    }

    #[test]
    fn no_line_is_wider_than_asked() {
        for columns in [60, 70, 80, 100, 200] {
            for line in table().render(&TerminalStyle::plain(columns), 2).lines() {
                assert!(width(line) <= columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn wide_characters_keep_columns_aligned() {
        let mut table = Columns::new(vec![Column::left("Name"), Column::right("N")]);
        table.row(vec![Cell::plain("漢字"), Cell::plain("1")]);
        table.row(vec![Cell::plain("abcd"), Cell::plain("2")]);
        assert!(table.render(&TerminalStyle::plain(80), 0).ends_with("-\n漢字  1\nabcd  2\n"));
    }

    #[test]
    fn a_name_cannot_forge_a_row() {
        let mut table = Columns::new(vec![Column::left("Name")]);
        table.row(vec![Cell::plain("a\n99  innocent")]);
        assert!(table.render(&TerminalStyle::plain(80), 0).ends_with("-\na\\n99  innocent\n"));
    }
}
