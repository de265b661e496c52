//! One unit's line table.

use super::super::layout::Layout;
use super::{Dwarf, LineRow, Slice, Unit};
use crate::facts::SourceLocation;
use gimli::{AttributeValue, ColumnType};
use std::sync::Arc;

/// A row of the table: holds from `address` to the next row of its sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    address: u64,
    file: u32,
    line: u32,
    column: u32,
    is_stmt: bool,
}

/// A contiguous stretch of code, with its rows as a range of `Lines::rows`.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    start: u64,
    end: u64,
    first: u32,
    last: u32,
}

/// The line table of a unit.
#[derive(Debug)]
pub(super) struct Lines {
    files: Vec<Arc<str>>,
    sequences: Vec<Sequence>,
    rows: Vec<Row>,
}

impl Lines {
    /// Runs the unit's line program. Sequences outside of the program's code (functions that the
    /// linker discarded) are left out; a broken program keeps the sequences before the damage.
    pub(super) fn read(dwarf: &Dwarf<'_>, unit: &Unit<'_>, layout: &Layout) -> Option<Self> {
        let program = unit.line_program.clone()?;
        let mut lines = Self { files: files(dwarf, unit), sequences: Vec::new(), rows: Vec::new() };
        let mut rows = program.rows();
        let mut first = 0usize;
        while let Ok(Some((_, row))) = rows.next_row() {
            let address = row.address();
            if row.end_sequence() {
                lines.close(first, address, layout);
                first = lines.rows.len();
                continue;
            }
            let narrow = |value: u64| u32::try_from(value).unwrap_or(0);
            let new = Row {
                address,
                file: u32::try_from(row.file_index()).unwrap_or(u32::MAX),
                line: row.line().map_or(0, |l| narrow(l.get())),
                column: match row.column() {
                    ColumnType::LeftEdge => 0,
                    ColumnType::Column(column) => narrow(column.get()),
                },
                is_stmt: row.is_stmt(),
            };
            match lines.rows.get_mut(first..).and_then(<[Row]>::last_mut) {
                // Of several rows for one address the last counts: the others are empty.
                Some(last) if last.address == address => {
                    *last = Row { is_stmt: new.is_stmt || last.is_stmt, ..new };
                }
                _ => lines.rows.push(new),
            }
        }
        lines.rows.truncate(first);
        lines.sequences.sort_by_key(|s| s.start);
        Some(lines)
    }

    fn close(&mut self, first: usize, end: u64, layout: &Layout) {
        let start = self.rows.get(first).map(|row| row.address);
        let ascending = self.rows.get(first..).is_some_and(|rows| rows.is_sorted_by_key(|row| row.address));
        let bounds = (u32::try_from(first), u32::try_from(self.rows.len()));
        if let (Some(start), (Ok(first), Ok(last))) = (start, bounds)
            && start < end
            && ascending
            && layout.is_executable(start)
        {
            self.sequences.push(Sequence { start, end, first, last });
        } else {
            self.rows.truncate(first);
        }
    }

    /// Bounds of all sequences.
    pub(super) fn sequences(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.sequences.iter().map(|s| (s.start, s.end))
    }

    fn rows_of(&self, sequence: &Sequence) -> &[Row] {
        self.rows.get(sequence.first as usize..sequence.last as usize).unwrap_or_default()
    }

    /// The row that holds `address`.
    pub(super) fn row_at(&self, address: u64) -> Option<Row> {
        let after = self.sequences.partition_point(|s| s.start <= address);
        let sequence = self.sequences.get(after.checked_sub(1)?).filter(|s| address < s.end)?;
        let rows = self.rows_of(sequence);
        let after = rows.partition_point(|row| row.address <= address);
        rows.get(after.checked_sub(1)?).copied()
    }

    /// Name of a file by its number in this unit.
    pub(super) fn file(&self, index: u64) -> Option<&Arc<str>> {
        self.files.get(usize::try_from(index).ok()?).filter(|name| !name.is_empty())
    }

    /// The place that a row names.
    pub(super) fn location(&self, row: Row) -> Option<SourceLocation> {
        let file = self.file(u64::from(row.file))?.to_string();
        Some(SourceLocation { file, line: row.line, column: row.column })
    }

    /// Appends the rows that overlap `[start, end)`, cut to it.
    pub(super) fn rows_in(&self, start: u64, end: u64, into: &mut Vec<LineRow>) {
        let after = self.sequences.partition_point(|s| s.start <= start);
        for sequence in self.sequences.get(after.saturating_sub(1)..).unwrap_or_default() {
            if sequence.start >= end {
                break;
            }
            let rows = self.rows_of(sequence);
            let from = rows.partition_point(|row| row.address <= start).saturating_sub(1);
            for (index, row) in rows.iter().enumerate().skip(from) {
                let next = rows.get(index + 1).map_or(sequence.end, |next| next.address);
                let (from, to) = (row.address.max(start), next.min(end));
                if row.address >= end {
                    break;
                }
                if from >= to {
                    continue;
                }
                let Some(file) = self.file(u64::from(row.file)) else { continue };
                into.push(LineRow {
                    address: from,
                    end: to,
                    file: Arc::clone(file),
                    line: row.line,
                    column: row.column,
                    is_stmt: row.is_stmt && row.address >= start,
                });
            }
        }
    }
}

/// Paths of the unit's files by number; numbers without a file are empty.
fn files(dwarf: &Dwarf<'_>, unit: &Unit<'_>) -> Vec<Arc<str>> {
    let Some(program) = &unit.line_program else { return Vec::new() };
    let header = program.header();
    let directory = unit.comp_dir.map(|d| d.to_string_lossy().into_owned()).unwrap_or_default();
    let text = |value: AttributeValue<Slice<'_>>| {
        let text = dwarf.attr_string(unit, value).ok()?;
        Some(text.to_string_lossy().into_owned())
    };
    let path = |number: u64| -> Option<String> {
        let file = header.file(number)?;
        let mut path = directory.clone();
        if let Some(folder) = file.directory(header).and_then(text) {
            join(&mut path, &folder);
        }
        join(&mut path, &text(file.path_name())?);
        Some(normalise(&path))
    };
    // Numbers start at 1 up to DWARF 4 and at 0 from DWARF 5.
    let count = header.file_names().len() as u64 + u64::from(header.version() <= 4);
    (0..count).map(|number| path(number).unwrap_or_default().into()).collect()
}

fn join(path: &mut String, part: &str) {
    if part.starts_with('/') {
        path.clear();
    } else if !path.is_empty() && !path.ends_with('/') {
        path.push('/');
    }
    path.push_str(part);
}

/// Removes `.` and `..` by their text: the files need not exist here.
fn normalise(path: &str) -> String {
    if !path.split('/').any(|part| part == "." || part == ".." || part.is_empty()) {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_normalised() {
        for (directory, file, expected) in [
            ("/build", "a.c", "/build/a.c"),
            ("/build/", "../src/./a.c", "/src/a.c"),
            ("/build", "/src//a.c", "/src/a.c"),
            ("", "a.c", "a.c"),
            ("..", "../a.c", "../../a.c"),
            ("/", "../../a.c", "/a.c"),
        ] {
            let mut path = directory.to_owned();
            join(&mut path, file);
            assert_eq!(normalise(&path), expected);
        }
    }
}
