//! Whether two outputs are the same answer.

use crate::line::{Number, Piece, pieces};
use std::collections::HashMap;

/// How outputs are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    /// Byte for byte.
    Exact,
    /// Number by number.
    Numbers(Tolerance),
}

/// How much a floating-point number may differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a share of the largest magnitude in its column.
    pub relative: f64,
    /// In the number's own unit.
    pub absolute: f64,
}

/// What a comparison decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Equal to the last byte.
    Same,
    /// Other bytes, but every number is within the tolerance.
    Within,
    /// Another answer.
    Different,
}

/// The first place that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line, from 1.
    pub line: usize,
    /// What was expected there; empty where the expected output has ended.
    pub expected: String,
    /// What is there; empty where the output has ended.
    pub found: String,
}

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The decision.
    pub verdict: Verdict,
    /// Largest difference of a number over the largest magnitude in its column; 0 where all are equal.
    pub largest: f64,
    /// Fewest significant digits among the floating-point numbers that differ; absent where none does. Below about nine, a
    /// small tolerance is finer than what is printed.
    pub digits: Option<u32>,
    /// The first place that is not accepted.
    pub first: Option<Difference>,
}

impl Comparison {
    /// Bits in which the answers agree, of the largest number in its column: `-log2(largest)`; absent where all are equal.
    pub fn significant_bits(&self) -> Option<f64> {
        (self.largest > 0.0).then(|| -self.largest.log2())
    }
}

/// From this many written digits on, numbers may differ by one unit in the last one: values that agree to many more digits may
/// still be rounded to different neighbours.
const ROUNDED_FROM: u32 = 6;

/// Compares `found` with `expected`.
pub fn compare(expected: &[u8], found: &[u8], check: Check) -> Comparison {
    let same = Comparison { verdict: Verdict::Same, largest: 0.0, digits: None, first: None };
    if expected == found {
        return same;
    }
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let tolerance = match check {
        Check::Exact => Tolerance { relative: 0.0, absolute: 0.0 },
        Check::Numbers(tolerance) => tolerance,
    };
    let mut result = Comparison { verdict: Verdict::Within, ..same };
    let columns = Columns::of(&expected);
    let (mut left, mut right) = (expected.lines(), found.lines());
    for line in 1.. {
        let (expected, found) = match (left.next(), right.next()) {
            (None, None) => break,
            (expected, found) => (expected, found),
        };
        let accepted = expected.zip(found).is_some_and(|(expected, found)| {
            lines(expected, found, &columns, tolerance, &mut result)
                && (matches!(check, Check::Numbers(_)) || expected == found)
        });
        if !accepted && result.first.is_none() {
            let text = |line: Option<&str>| line.unwrap_or_default().to_owned();
            result.first = Some(Difference { line, expected: text(expected), found: text(found) });
        }
    }
    // Outputs may differ in line ends or bytes that are not text alone.
    if result.first.is_some() || check == Check::Exact {
        result.verdict = Verdict::Different;
    }
    result
}

/// Compares two lines; notes how far their numbers are apart.
fn lines<'a>(
    expected: &'a str,
    found: &str,
    columns: &Columns<'a>,
    tolerance: Tolerance,
    result: &mut Comparison,
) -> bool {
    let (left, right) = (pieces(expected), pieces(found));
    if left.len() != right.len() {
        return false;
    }
    let largest = columns.largest(&left);
    let mut column = 0;
    let mut good = true;
    for pair in left.iter().zip(&right) {
        good &= match pair {
            (Piece::Text(a), Piece::Text(b)) => a == b,
            (Piece::Number(a), Piece::Number(b)) => {
                let largest = largest.get(column).copied().unwrap_or(0.0);
                column += 1;
                numbers(a, b, largest, tolerance, result)
            }
            _ => false,
        };
    }
    good
}

fn numbers(a: &Number, b: &Number, largest: f64, tolerance: Tolerance, result: &mut Comparison) -> bool {
    if a.text == b.text || (a.value.is_nan() && b.value.is_nan()) || a.value == b.value {
        return true;
    }
    let difference = (a.value - b.value).abs();
    let scale = largest.max(a.value.abs()).max(b.value.abs());
    let share = if difference.is_finite() && scale > 0.0 { difference / scale } else { f64::INFINITY };
    result.largest = result.largest.max(share);
    if (a.whole && b.whole) || !difference.is_finite() {
        return false;
    }
    let digits = a.digits().min(b.digits());
    result.digits = Some(result.digits.map_or(digits, |least| least.min(digits)));
    // The units are those of decimal digits: a little more than one of them is one, rounded to binary.
    let unit = a.resolution().max(b.resolution()) * (1.0 + 1e-9);
    let rounded = digits >= ROUNDED_FROM && difference <= unit && tolerance.relative > 0.0;
    difference <= tolerance.absolute + tolerance.relative * largest || rounded
}

/// The largest finite magnitude of each column, by the text around the numbers of its lines.
struct Columns<'a>(HashMap<Vec<Option<&'a str>>, Vec<f64>>);

impl<'a> Columns<'a> {
    fn of(text: &'a str) -> Self {
        let mut columns: HashMap<_, Vec<f64>> = HashMap::new();
        for line in text.lines() {
            let pieces = pieces(line);
            let values =
                pieces.iter().filter_map(|p| if let Piece::Number(n) = p { Some(n.value) } else { None });
            let values = values.map(|value| if value.is_finite() { value.abs() } else { 0.0 });
            let known = columns.entry(shape(&pieces)).or_default();
            for (at, value) in values.enumerate() {
                match known.get_mut(at) {
                    Some(largest) => *largest = largest.max(value),
                    None => known.push(value),
                }
            }
        }
        Self(columns)
    }

    fn largest(&self, pieces: &[Piece<'a>]) -> &[f64] {
        self.0.get(&shape(pieces)).map_or(&[], Vec::as_slice)
    }
}

/// The text of a line, numbers left out.
fn shape<'a>(pieces: &[Piece<'a>]) -> Vec<Option<&'a str>> {
    pieces.iter().map(|piece| if let Piece::Text(text) = piece { Some(*text) } else { None }).collect()
}

#[cfg(test)]
mod tests;
