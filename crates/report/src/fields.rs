//! Tables that several media show: one list of fields, each with what text, CSV and page make of it.
//!
//! A field's name, its layout and the value that it takes from a row are one entry, so no header can be above another
//! column's values. The list is in the order of the CSV, which scripts may go by; the text names the fields that it shows in
//! its own order, the page in its own. What a heading means is in [`mod@crate::glossary`], once for all media.

use crate::columns::{Cell, CellOf, Column, Table};
use crate::names::printable;
use crate::value::{Kind, Typed, Value};
use crate::vocabulary;
use loopwright_analysis::timestamp::rfc3339;
use std::borrow::Cow;

/// What a field is in a file for spreadsheets and other programs: its name, and its value in full.
pub(crate) struct Data<'a, R> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) value: Box<dyn Fn(&R) -> Value + 'a>,
}

/// A field of rows `R`.
pub(crate) struct Field<'a, R> {
    id: &'static str,
    csv: Option<Data<'a, R>>,
    text: Option<(Column, CellOf<'a, R>)>,
    page: Option<PageColumn>,
}

impl<'a, R> Field<'a, R> {
    /// A field by its name in this program and on the page.
    pub(crate) fn new(id: &'static str) -> Self {
        Self { id, csv: None, text: None, page: None }
    }

    pub(crate) fn id(&self) -> &'static str {
        self.id
    }

    /// In CSV, under its name.
    pub(crate) fn csv<T: Typed>(self, value: impl Fn(&R) -> T + 'a) -> Self {
        let id = self.id;
        self.csv_as(id, value)
    }

    /// In CSV, under a name that scripts know.
    pub(crate) fn csv_as<T: Typed>(mut self, name: &'static str, value: impl Fn(&R) -> T + 'a) -> Self {
        self.csv = Some(Data { name, kind: T::KIND, value: Box::new(move |row| value(row).value()) });
        self
    }

    /// In text.
    pub(crate) fn text(mut self, column: Column, cell: impl Fn(&R) -> Cell + 'a) -> Self {
        self.text = Some((column, Box::new(cell)));
        self
    }

    /// On the page.
    pub(crate) fn page(mut self, column: PageColumn) -> Self {
        self.page = Some(column);
        self
    }
}

/// How the page shows a field; the value is its own, for it sorts and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code, reason = "tests write it into the page's source"))]
pub(crate) struct PageColumn {
    /// The heading.
    pub(crate) title: &'static str,
    /// In pixels.
    pub(crate) width: u32,
    /// Numbers are aligned right and sorted from the largest.
    pub(crate) number: bool,
    /// Shown when the reader has not chosen columns.
    pub(crate) usual: bool,
    /// The command that collects it; empty where every state has it.
    pub(crate) from: &'static str,
}

impl PageColumn {
    pub(crate) const fn text(title: &'static str, width: u32) -> Self {
        Self { title, width, number: false, usual: true, from: "" }
    }

    pub(crate) const fn number(title: &'static str, width: u32) -> Self {
        Self { number: true, ..Self::text(title, width) }
    }

    pub(crate) const fn from(self, from: &'static str) -> Self {
        Self { from, ..self }
    }

    /// Shown only when the reader chooses it.
    pub(crate) const fn on_request(self) -> Self {
        Self { usual: false, ..self }
    }
}

/// The fields that text shows, in this order.
pub(crate) fn table<'a, R>(mut fields: Vec<Field<'a, R>>, order: &[&str]) -> Table<'a, R> {
    let mut table = Table::new();
    for id in order {
        let known = fields.iter_mut().find(|field| field.id == *id).and_then(|field| field.text.take());
        debug_assert!(known.is_some(), "no field {id} with a text");
        if let Some((column, cell)) = known {
            table = table.boxed(column, cell);
        }
    }
    debug_assert!(fields.iter().all(|field| field.text.is_none()), "a text that no order names");
    table
}

/// The fields that the page shows, in this order: name, column, and what its heading means.
#[cfg(test)]
pub(crate) fn of_page<R>(
    fields: &[Field<'_, R>],
    order: &[&'static str],
) -> Vec<(&'static str, PageColumn, &'static str)> {
    let shown = fields.iter().filter(|field| field.page.is_some()).count();
    assert_eq!(shown, order.len(), "a field of the page that the order does not name");
    let column = |id: &&'static str| {
        let field = fields.iter().find(|field| field.id == *id).unwrap_or_else(|| panic!("no field {id}"));
        let column = field.page.unwrap_or_else(|| panic!("{id} is not on the page"));
        let heading = field.text.as_ref().map_or(column.title, |(column, _)| column.title());
        let help = crate::glossary::help(heading);
        (*id, column, help.unwrap_or_else(|| panic!("no meaning of {heading}")))
    };
    order.iter().map(column).collect()
}

/// The headings of the texts.
#[cfg(test)]
pub(crate) fn headings<R>(fields: &[Field<'_, R>]) -> Vec<String> {
    fields
        .iter()
        .filter_map(|field| field.text.as_ref())
        .map(|(column, _)| column.title().to_owned())
        .collect()
}

/// The fields that files for programs have, in their order.
pub(crate) fn data<R>(fields: Vec<Field<'_, R>>) -> Vec<Data<'_, R>> {
    fields.into_iter().filter_map(|field| field.csv).collect()
}

/// CSV (RFC 4180): a header, and a line for each row.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub(crate) fn csv<R>(
    fields: Vec<Field<'_, R>>,
    rows: impl IntoIterator<Item = R>,
) -> Result<String, csv::Error> {
    let columns = data(fields);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| column.name))?;
    for row in rows {
        writer.write_record(columns.iter().map(|column| in_csv((column.value)(&row))))?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Nothing where the value is not known; control characters of names are escaped as in the tables.
fn in_csv(value: Value) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Text(text) => in_spreadsheet(&printable(&text)).into_owned(),
        Value::Whole(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        Value::Instant(seconds) => rfc3339(seconds),
    }
}

/// A cell that a spreadsheet takes for what it is. It calculates whatever begins like a formula, and formulas can run programs
/// and send what is in other cells elsewhere; a name in a program may begin so. An apostrophe makes it text (OWASP, "CSV
/// Injection"); numbers stay numbers.
fn in_spreadsheet(text: &str) -> Cow<'_, str> {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if formula && text.parse::<f64>().is_err() { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Names of the contract in one value.
pub(crate) fn contract_names<T: serde::Serialize>(values: &[T]) -> String {
    values.iter().map(vocabulary::contract_name).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::in_spreadsheet;

    #[test]
    fn numbers_stay_numbers_and_formulas_become_text() {
        for number in ["-3.5", "+1", "-0", "-1e-7", "12", ""] {
            assert_eq!(in_spreadsheet(number), number);
        }
        assert_eq!(in_spreadsheet("=1+1"), "'=1+1");
    }
}
