//! What the marks of a program say must be found.

use loopwright_testprograms::Program;
use std::collections::{BTreeMap, BTreeSet};

/// All marks of a program.
#[derive(Debug)]
pub struct Expected {
    /// The source file.
    pub source: std::path::PathBuf,
    /// Marked loops.
    pub loops: Vec<ExpectedLoop>,
    /// Accesses by line.
    pub accesses: BTreeMap<u32, Vec<ExpectedAccess>>,
}

/// A `LOOP` mark.
#[derive(Debug)]
pub struct ExpectedLoop {
    pub name: String,
    pub line: u32,
    /// Lines of the loop's body in the source: up to the next mark.
    pub until: u32,
    pub iterations: Option<u64>,
    pub entries: u64,
    /// `KIND:DISTANCE`.
    pub found: Vec<(String, u64)>,
    pub vector: Vec<String>,
    pub length: Option<u64>,
    pub parallel: Vec<String>,
    pub may: Vec<(String, u64)>,
    pub misses: Option<(u64, u64)>,
    pub threads: u32,
    pub unrolled: bool,
}

impl ExpectedLoop {
    /// Where the loop is found: GNU Fortran, and GCC for loops that threads share, give the control of some loops the
    /// place of their body; a loop that was unrolled as a whole leaves those in it.
    pub fn line_among(&self, lines: &BTreeSet<u32>) -> u32 {
        if lines.contains(&self.line) { self.line } else { self.line + 1 }
    }
}

/// One access of an `ACCESS` mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedAccess {
    pub writes: bool,
    pub element: u32,
    /// Bytes in the loop as written; absent where it varies.
    pub stride: Option<i64>,
    /// Bytes over the loop around, where stated.
    pub outer: Option<i64>,
    /// One element is moved per iteration.
    pub exact: bool,
    /// Some instruction accesses it.
    pub needed: bool,
}

impl Expected {
    /// Reads the marks.
    ///
    /// # Panics
    /// When a mark cannot be understood.
    pub fn read(program: &Program) -> Self {
        let marks = program.loops();
        let ends: Vec<u32> = marks.iter().skip(1).map(|m| m.line).chain([u32::MAX]).collect();
        let loops = marks.iter().zip(ends).map(|(mark, until)| {
            let key = |name: &str| mark.keys.get(name).map(String::as_str);
            let number =
                |name: &str| key(name).map(|v| v.parse::<u64>().unwrap_or_else(|_| panic!("{mark:?}")));
            let list = |name: &str| -> Vec<String> {
                key(name).map(|v| v.split(',').map(str::to_owned).collect()).unwrap_or_default()
            };
            let known = [
                "name",
                "class",
                "iterations",
                "entries",
                "found",
                "vector",
                "length",
                "parallel",
                "may",
                "misses",
                "threads",
                "unrolled",
            ];
            assert!(mark.keys.keys().all(|k| known.contains(&k.as_str())), "unknown key: {mark:?}");
            ExpectedLoop {
                name: mark.name.clone(),
                line: mark.line,
                until,
                iterations: number("iterations"),
                entries: number("entries").unwrap_or(1),
                found: dependences(list("found")),
                vector: list("vector"),
                length: number("length"),
                parallel: list("parallel"),
                may: dependences(list("may")),
                misses: key("misses").map(|range| {
                    let (low, high) = range.split_once("..").unwrap_or((range, range));
                    (
                        low.parse().unwrap_or_else(|_| panic!("{mark:?}")),
                        high.parse().unwrap_or_else(|_| panic!("{mark:?}")),
                    )
                }),
                unrolled: key("unrolled") == Some("yes"),
                threads: number("threads").unwrap_or(1) as u32,
            }
        });
        let text = std::fs::read_to_string(&program.source).unwrap();
        let accesses = (1..).zip(text.lines()).filter_map(|(line, text)| {
            let (_, words) = text.split_once("ACCESS ")?;
            Some((line, words.split_whitespace().map(access).collect()))
        });
        Self { source: program.source.clone(), loops: loops.collect(), accesses: accesses.collect() }
    }
}

/// `RAW:1` and the like.
fn dependences(words: Vec<String>) -> Vec<(String, u64)> {
    let read = |word: &String| {
        let (kind, distance) = word.split_once(':')?;
        Some((kind.to_owned(), distance.parse().ok()?))
    };
    words.iter().map(|word| read(word).unwrap_or_else(|| panic!("not a dependence: {word}"))).collect()
}

/// `~L8:24/512`.
fn access(word: &str) -> ExpectedAccess {
    let understood = || -> Option<ExpectedAccess> {
        let (needed, word) = word.strip_prefix('?').map_or((true, word), |rest| (false, rest));
        let (exact, rest) = word.strip_prefix('~').map_or((needed, word), |rest| (false, rest));
        let (writes, rest) = match rest.split_at_checked(1)? {
            ("L", rest) => (false, rest),
            ("S", rest) => (true, rest),
            _ => return None,
        };
        let (element, strides) = rest.split_once(':')?;
        let (stride, outer) = strides.split_once('/').map_or((strides, None), |(s, o)| (s, Some(o)));
        let stride = if stride == "?" { None } else { Some(stride.parse().ok()?) };
        let outer = match outer {
            None => None,
            Some(outer) => Some(outer.parse().ok()?),
        };
        Some(ExpectedAccess { writes, element: element.parse().ok()?, stride, outer, exact, needed })
    };
    understood().unwrap_or_else(|| panic!("not an access: {word}"))
}
