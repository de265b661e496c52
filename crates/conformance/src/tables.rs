//! Tables of command lines, the files `programs/*.table`: the real programs to run, and how.
//!
//! ```text
//! # Lines that begin with a hash say why.
//! title   Debian's tools
//! needs   gzip xz
//! prepare gzip -9c "$DATA/text" > text.gz
//! filter  sed -E 's/0x[0-9a-f]+/ADDRESS/g'
//! each    level 1 6 9
//! run     gzip-{level}: gzip -{level}c "$DATA/text"
//! list    openssl list -1 -digest-algorithms | sed 's/.*/&: openssl dgst -&/'
//! ```
//!
//! `needs` names commands (or files) without which the table is skipped. `prepare` runs once, in the folder `$INPUT`.
//! `run` is one row, a command line for the shell; each run has a new folder to write to. `each` repeats the following
//! rows for each word. `list` prints rows. `filter` removes from texts the parts that differ from run to run.

use anyhow::{Context as _, Result, bail};
use std::path::Path;

/// A table of programs, read from one file.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its file's name.
    pub name: String,
    /// Its title in results.
    pub title: String,
    /// Commands and files that must be there.
    pub needs: Vec<String>,
    /// Command lines that run once.
    pub prepare: Vec<String>,
    /// Command lines that print rows.
    pub list: Vec<String>,
    /// A command line that texts are piped through.
    pub filter: Option<String>,
    /// The programs, one a row.
    pub rows: Vec<Row>,
}

/// A command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Unique in its table.
    pub name: String,
    /// For `sh -c`.
    pub command: String,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// When the file cannot be read or a line is of no known kind.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Self::parse(&name, &text).with_context(|| format!("cannot understand {}", path.display()))
    }

    fn parse(name: &str, text: &str) -> Result<Self> {
        let mut table = Self { name: name.to_owned(), title: name.to_owned(), ..Self::default() };
        let mut each: Vec<(String, Vec<String>)> = Vec::new();
        for (number, line) in joined(text) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
            let value = value.trim();
            match key {
                "title" => table.title = value.to_owned(),
                "needs" => table.needs.extend(value.split_whitespace().map(str::to_owned)),
                "prepare" => table.prepare.push(value.to_owned()),
                "list" => table.list.push(value.to_owned()),
                "filter" => table.filter = Some(value.to_owned()),
                "each" => {
                    let mut words = value.split_whitespace().map(str::to_owned);
                    let Some(key) = words.next() else { bail!("line {number}: each without a name") };
                    let words: Vec<String> = words.flat_map(|word| range(&word)).collect();
                    each.retain(|(known, _)| *known != key);
                    if !words.is_empty() {
                        each.push((key, words));
                    }
                }
                "run" => {
                    let row = Row::parse(value).with_context(|| format!("line {number}"))?;
                    table.rows.extend(repeated(row, &each));
                }
                _ => bail!("line {number}: {key} is not a key of a table"),
            }
        }
        Ok(table)
    }
}

impl Row {
    /// `name: command`.
    ///
    /// # Errors
    /// When there is no colon.
    pub fn parse(text: &str) -> Result<Self> {
        let (name, command) = text.split_once(':').context("a row is `name: command`")?;
        Ok(Self { name: name.trim().to_owned(), command: command.trim().to_owned() })
    }
}

/// Lines with their numbers; a backslash at the end joins the next.
fn joined(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (number, line) in (1..).zip(text.lines()) {
        let (line, goes_on) =
            line.trim().strip_suffix('\\').map_or((line.trim(), false), |l| (l.trim(), true));
        match lines.last_mut() {
            Some((_, last)) if open => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push((number, line.to_owned())),
        }
        open = goes_on;
    }
    lines
}

/// `1..4` means 1 2 3 4.
fn range(word: &str) -> Vec<String> {
    let ends =
        word.split_once("..").and_then(|(a, b)| Some((a.parse::<u32>().ok()?, b.parse::<u32>().ok()?)));
    ends.map_or_else(|| vec![word.to_owned()], |(a, b)| (a..=b).map(|n| n.to_string()).collect())
}

/// A row for each combination of the words that it names.
fn repeated(row: Row, each: &[(String, Vec<String>)]) -> Vec<Row> {
    let mut rows = vec![row];
    for (key, words) in each {
        let place = format!("{{{key}}}");
        rows = rows
            .into_iter()
            .flat_map(|row| {
                if !row.command.contains(&place) && !row.name.contains(&place) {
                    return vec![row];
                }
                let with = |word: &String| Row {
                    name: row.name.replace(&place, word),
                    command: row.command.replace(&place, word),
                };
                words.iter().map(with).collect()
            })
            .collect();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn rows_are_repeated_for_each_word_that_they_name() {
        let text = "title T\neach n 1..3\neach s a b\nrun x{n}{s}: echo {n} \\\n  {s}\nrun y: true\n";
        let table = Table::parse("t", text).unwrap();
        let rows: Vec<String> = table.rows.iter().map(|r| format!("{}={}", r.name, r.command)).collect();
        assert_eq!(rows[0], "x1a=echo 1 a");
        assert_eq!(rows.len(), 7);
        assert_eq!(rows[6], "y=true");
    }

    #[test]
    fn what_is_not_understood_is_named_by_its_line() {
        let error = Table::parse("t", "title T\nfoo bar\n").unwrap_err();
        assert!(format!("{error:#}").contains("line 2: foo"), "{error:#}");
    }

    #[test]
    fn every_table_of_the_repository_is_understood() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "table") {
                let table = Table::read(&path).unwrap();
                assert!(!table.rows.is_empty() || !table.list.is_empty(), "{} has no rows", table.name);
                let mut names: Vec<&str> = table.rows.iter().map(|r| r.name.as_str()).collect();
                names.sort_unstable();
                let count = names.len();
                names.dedup();
                assert_eq!(names.len(), count, "{} has a name twice", table.name);
                seen += 1;
            }
        }
        assert!(seen > 0, "no table was found");
    }
}
