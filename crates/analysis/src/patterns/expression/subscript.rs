//! Subscripts as polynomials, to find which of two references comes first in memory, and by how much.
//!
//! `lbv[i*3+1]` and `lbv[3*i]` differ by one element, `u(i+1,j)` and `u(i-1,j)` by two, `u[i*n+j]` and `u[(i-1)*n+j]`
//! by `n` elements, of which only the sign is known.

use super::lex::Sort;
use super::references::{Reference, Source};
use std::collections::BTreeMap;

/// A sum of products of symbols with whole coefficients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Polynomial(BTreeMap<Vec<String>, i64>);

/// More terms are not worth it.
const MOST_TERMS: usize = 64;

impl Polynomial {
    fn constant(n: i64) -> Self {
        Self(BTreeMap::from([(Vec::new(), n)])).without_zeros()
    }

    fn symbol(name: String) -> Self {
        Self(BTreeMap::from([(vec![name], 1)]))
    }

    fn without_zeros(mut self) -> Self {
        self.0.retain(|_, n| *n != 0);
        self
    }

    fn plus(mut self, other: &Self, sign: i64) -> Option<Self> {
        for (symbols, n) in &other.0 {
            let sum = self.0.entry(symbols.clone()).or_default();
            *sum = sum.checked_add(n.checked_mul(sign)?)?;
        }
        (self.0.len() <= MOST_TERMS).then(|| self.without_zeros())
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (a, n) in &self.0 {
            for (b, m) in &other.0 {
                let mut symbols = [a.as_slice(), b.as_slice()].concat();
                symbols.sort();
                let term = Self(BTreeMap::from([(symbols, n.checked_mul(*m)?)]));
                product = product.plus(&term, 1)?;
            }
        }
        Some(product)
    }

    /// The difference to another.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.clone().plus(other, -1)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Its value, when it has no symbols.
    pub fn value(&self) -> Option<i64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((symbols, n)) if self.0.len() == 1 && symbols.is_empty() => Some(*n),
            _ => None,
        }
    }

    /// 1 or -1 when all terms have that sign and extents are positive.
    pub fn sign(&self) -> Option<i64> {
        let mut signs = self.0.values().map(|n| n.signum());
        let first = signs.next()?;
        signs.all(|s| s == first).then_some(first)
    }
}

/// Reads the tokens `[first, last)`.
pub(super) fn polynomial(source: &Source<'_>, first: usize, last: usize) -> Option<Polynomial> {
    let mut reader = Reader { source, at: first, last, depth: 0 };
    let sum = reader.sum()?;
    (reader.at == last).then_some(sum)
}

struct Reader<'a, 'b> {
    source: &'b Source<'a>,
    at: usize,
    last: usize,
    depth: u32,
}

impl Reader<'_, '_> {
    fn word(&self) -> &str {
        if self.at < self.last { self.source.word(self.at) } else { "" }
    }

    fn sum(&mut self) -> Option<Polynomial> {
        let mut sign = 1;
        while matches!(self.word(), "+" | "-") {
            sign = if self.word() == "-" { -sign } else { sign };
            self.at += 1;
        }
        let mut total = Polynomial::default().plus(&self.product()?, sign)?;
        while matches!(self.word(), "+" | "-") {
            let sign = if self.word() == "-" { -1 } else { 1 };
            self.at += 1;
            total = total.plus(&self.product()?, sign)?;
        }
        Some(total)
    }

    fn product(&mut self) -> Option<Polynomial> {
        let mut total = self.factor()?;
        while self.word() == "*" {
            self.at += 1;
            total = total.times(&self.factor()?)?;
        }
        Some(total)
    }

    fn factor(&mut self) -> Option<Polynomial> {
        self.depth += 1;
        if self.depth > 30 {
            return None;
        }
        let begin = self.at;
        let mut value = None;
        if self.word() == "(" {
            let close = self.source.closing(self.at, self.last)?;
            if self.source.is_type(self.at + 1, close) {
                self.at = close + 1;
                let inner = self.factor();
                self.depth -= 1;
                return inner;
            }
            value = polynomial_at(self, self.at + 1, close);
            self.at = close + 1;
        } else if self.source.sort(self.at) == Some(Sort::Number) && self.at < self.last {
            let digits = self.word().trim_end_matches(['u', 'U', 'l', 'L']);
            value = Some(Polynomial::constant(digits.parse().ok()?));
            self.at += 1;
        } else if self.source.is_name(self.at) && self.at < self.last {
            self.at += 1;
        } else {
            return None;
        }
        // Subscripts, members, calls: the whole is a symbol.
        loop {
            match self.word() {
                "[" | "(" => self.at = self.source.closing(self.at, self.last)? + 1,
                "." | "->" | "%" if self.source.is_name(self.at + 1) && self.at + 1 < self.last => {
                    self.at += 2
                }
                "as" if self.source.is_name(self.at + 1) => {
                    let end = self.at;
                    self.at += 2;
                    self.depth -= 1;
                    let symbol = value.or_else(|| Some(Polynomial::symbol(self.text(begin, end))));
                    return symbol;
                }
                _ => break,
            }
            value = None;
        }
        self.depth -= 1;
        Some(match value {
            Some(value) => value,
            None => Polynomial::symbol(self.text(begin, self.at)),
        })
    }

    fn text(&self, first: usize, last: usize) -> String {
        let words: Vec<&str> = (first..last).map(|k| self.source.word(k)).collect();
        if self.source.language.is_fortran() { words.concat().to_ascii_lowercase() } else { words.concat() }
    }
}

fn polynomial_at(reader: &Reader<'_, '_>, first: usize, last: usize) -> Option<Polynomial> {
    let mut inner = Reader { source: reader.source, at: first, last, depth: reader.depth };
    let sum = inner.sum()?;
    (inner.at == last).then_some(sum)
}

/// A reference taken apart: the text around its subscripts, and these.
#[derive(Clone, Debug, Default)]
pub(super) struct Form {
    /// Its text with empty brackets.
    pub skeleton: String,
    /// Tokens between brackets, `[first, last)`, part by part where commas separate them.
    pub parts: Vec<(usize, usize)>,
    /// The part in which one more is the next element.
    contiguous: Option<usize>,
}

/// Takes a reference apart.
pub(super) fn form(source: &Source<'_>, reference: &Reference) -> Form {
    let fortran = source.language.is_fortran();
    let mut form = Form::default();
    let mut at = reference.first;
    let mut last_group = 0..0;
    let mut ends_in_group = false;
    while at < reference.last {
        let word = source.word(at);
        form.skeleton.push_str(&if fortran { word.to_ascii_lowercase() } else { word.to_owned() });
        ends_in_group = false;
        if matches!(word, "(" | "[")
            && let Some(close) = source.closing(at, reference.last)
        {
            let begun = form.parts.len();
            form.parts.extend(source.split_commas(at + 1, close));
            last_group = begun..form.parts.len();
            form.skeleton.push_str(source.word(close));
            ends_in_group = word == "[" || fortran || form.skeleton == "*()";
            at = close;
        }
        at += 1;
    }
    if ends_in_group {
        form.contiguous = if fortran { Some(last_group.start) } else { last_group.end.checked_sub(1) };
    }
    form
}

/// Whether `second` can be `bytes` after `first` when elements have `element` bytes.
pub(super) fn can_differ(
    source: &Source<'_>,
    (first, second): (&Form, &Form),
    bytes: i64,
    element: u32,
) -> bool {
    if first.skeleton != second.skeleton || first.parts.len() != second.parts.len() {
        return true;
    }
    let mut only_near = true;
    let mut near = 0;
    let mut signs = Vec::new();
    for (k, (a, b)) in first.parts.iter().zip(&second.parts).enumerate() {
        let difference =
            polynomial(source, b.0, b.1).zip(polynomial(source, a.0, a.1)).and_then(|(b, a)| b.minus(&a));
        let Some(difference) = difference else {
            if words(source, *a).ne(words(source, *b)) {
                return true;
            }
            continue;
        };
        if difference.is_zero() {
            continue;
        }
        match difference.value().filter(|_| first.contiguous == Some(k)) {
            Some(elements) => near = elements,
            None => {
                only_near = false;
                let Some(sign) = difference.sign() else { return true };
                signs.push(sign);
            }
        }
    }
    if only_near {
        if near == 0 {
            return bytes == 0;
        }
        // Complex elements have two of the machine's.
        let element = i64::from(element.max(1));
        return near.checked_mul(element) == Some(bytes) || near.checked_mul(element * 2) == Some(bytes);
    }
    let Some(&sign) = signs.first() else { return true };
    // A row is longer than what two references are apart in it.
    !signs.iter().all(|&s| s == sign) || bytes.signum() == sign
}

fn words<'a>(source: &'a Source<'_>, (first, last): (usize, usize)) -> impl Iterator<Item = &'a str> {
    (first..last).map(|k| source.word(k))
}

#[cfg(test)]
mod tests {
    use super::super::lex::Grammar;
    use super::*;

    fn differ(a: &str, b: &str, language: Grammar) -> Option<Polynomial> {
        let text = format!("{a};{b}");
        let source = Source::new(&text, language);
        let semicolon = (0..).find(|&k| source.word(k) == ";").unwrap();
        let end = (semicolon..).find(|&k| source.word(k).is_empty()).unwrap();
        polynomial(&source, semicolon + 1, end)?.minus(&polynomial(&source, 0, semicolon)?)
    }

    #[test]
    fn differences_of_subscripts_are_expanded() {
        let value = |a, b| differ(a, b, Grammar::C).and_then(|d| d.value());
        assert_eq!(value("i*3+1", "3*i"), Some(-1));
        assert_eq!(value("(i+1)*4", "4*i+2"), Some(-2));
        assert_eq!(value("(size_t)i*n+j", "n*i+(j-1)"), Some(-1));
        assert_eq!(value("i", "j"), None);
        assert_eq!(value("-i + 2", "2 - i"), Some(0));
        let row = differ("i*n+j", "(i-1)*n+j", Grammar::C).unwrap();
        assert_eq!((row.value(), row.sign()), (None, Some(-1)));
        assert_eq!(value("idx[i]+1", "idx[i]"), Some(-1));
        assert_eq!(value("i % 4", "i"), None);
        assert_eq!(value("9223372036854775807 + i", "i - 2"), None, "overflow is no answer");
    }

    #[test]
    fn constant_distances_must_be_met() {
        let text = "u(i-1,j) = u(i+1,j) + u(i,j+1) + u(i,j-1)\n";
        let source = Source::new(text, Grammar::Fortran);
        let all = source.references(0, source.statement_of(0).1);
        let of = |wanted: &str| {
            let words = |r: &Reference| (r.first..r.last).map(|k| source.word(k)).collect::<String>();
            form(&source, all.iter().find(|r| words(r) == wanted).unwrap())
        };
        let (west, east, north, south) = (of("u(i-1,j)"), of("u(i+1,j)"), of("u(i,j-1)"), of("u(i,j+1)"));
        assert!(can_differ(&source, (&west, &east), 16, 8));
        assert!(!can_differ(&source, (&west, &east), -16, 8));
        assert!(!can_differ(&source, (&west, &east), 8, 8));
        assert!(!can_differ(&source, (&west, &east), 160, 48));
        assert!(can_differ(&source, (&north, &south), 160, 8));
        assert!(!can_differ(&source, (&north, &south), -160, 8));
    }
}
