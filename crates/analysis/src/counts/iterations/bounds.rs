//! Whether loops inside always do something, by the text: what follows from the bounds of the loops around them.
//!
//! In the body of `for (i = a; i < b; i++)` both `i - a` and `b - i - 1` are at least zero. A loop inside iterates at
//! least once where the distance that its bounds leave is a sum of such numbers, and of a constant that is not negative.

use super::declared::constant;
use super::text::Nest;
use super::variables::Variables;
use super::variables::Written;
use crate::patterns::expression::{Sort, Text};
use std::collections::BTreeMap;

/// Parentheses inside each other that are followed.
const DEEPEST: usize = 8;

/// A sum of names with whole factors, and of a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Linear<'a> {
    terms: BTreeMap<&'a str, i64>,
    number: i64,
}

impl<'a> Linear<'a> {
    fn add(&mut self, other: &Self, times: i64) -> Option<()> {
        self.number = self.number.checked_add(other.number.checked_mul(times)?)?;
        for (name, factor) in &other.terms {
            let term = self.terms.entry(name).or_default();
            *term = term.checked_add(factor.checked_mul(times)?)?;
        }
        self.terms.retain(|_, factor| *factor != 0);
        Some(())
    }

    /// `one - other + number`.
    fn between(one: &Self, other: &Self, number: i64) -> Option<Self> {
        let mut difference = one.clone();
        difference.add(other, -1)?;
        difference.number = difference.number.checked_add(number)?;
        Some(difference)
    }

    /// The value of an expression; nothing where it is more than sums and multiples of names.
    fn parse(text: &Text<'a>, first: usize, end: usize, depth: usize) -> Option<Self> {
        let (mut sum, mut at) = (Self::default(), first);
        if first >= end || depth > DEEPEST {
            return None;
        }
        while at < end {
            let sign = match text.word(at) {
                "-" => -1,
                "+" => 1,
                _ if at == first => 1,
                _ => return None,
            };
            at += usize::from(matches!(text.word(at), "+" | "-"));
            let (mut product, mut times) = (None, 1i64);
            loop {
                let (factor, next) = Self::factor(text, at, end, depth)?;
                at = next;
                if factor.terms.is_empty() {
                    times = times.checked_mul(factor.number)?;
                } else if product.replace(factor).is_some() {
                    return None;
                }
                if at >= end || text.word(at) != "*" {
                    break;
                }
                at += 1;
            }
            let product = product.unwrap_or(Self { number: 1, ..Self::default() });
            sum.add(&product, times.checked_mul(sign)?)?;
        }
        Some(sum)
    }

    /// A number, a name or parentheses, and the token after.
    fn factor(text: &Text<'a>, at: usize, end: usize, depth: usize) -> Option<(Self, usize)> {
        if at >= end {
            return None;
        }
        let word = text.word(at);
        if word == "(" {
            let close = super::declared::closing(text, at).filter(|&close| close < end)?;
            return Some((Self::parse(text, at + 1, close, depth + 1)?, close + 1));
        }
        match text.sort(at)? {
            Sort::Number => Some((Self { number: super::declared::whole(word)?, ..Self::default() }, at + 1)),
            Sort::Name if !matches!(text.word(at + 1), "(" | "[" | "." | "->" | "++" | "--") => {
                let known = match constant(text, word) {
                    Some(number) => Self { number, ..Self::default() },
                    None => Self { terms: BTreeMap::from([(word, 1)]), number: 0 },
                };
                Some((known, at + 1))
            }
            _ => None,
        }
    }
}

/// A `for` that goes from one value to another.
struct Range<'a> {
    counter: &'a str,
    /// Both are at least zero in each iteration: the distance from the first value, and that to the last.
    gone: Linear<'a>,
    left: Linear<'a>,
    /// `left` before the first iteration: there is one if it is at least zero.
    slack: Linear<'a>,
}

impl<'a> Nest<'a> {
    fn range(&self, of: Written) -> Option<Range<'a>> {
        let text = self.text();
        let variables = Variables::new(text, of);
        if text.word(of.keyword) != "for" {
            return None;
        }
        let parts = variables.head()?;
        let (first, test) = (*parts.first()?, *parts.get(1)?);
        let equals = (first.0..first.1).find(|&t| text.word(t) == "=")?;
        let counter = text.word(equals.checked_sub(1)?);
        if (equals + 1..first.1).any(|t| matches!(text.word(t), "," | "=")) || text.word(test.0) != counter {
            return None;
        }
        let step = variables.steps.get(counter).copied().flatten()?;
        let changed = (of.body..of.end).any(|t| text.word(t) == counter && self.changes(t));
        if changed {
            return None;
        }
        let from = Linear::parse(text, equals + 1, first.1, 0)?;
        let to = Linear::parse(text, test.0 + 2, test.1, 0)?;
        let own = Linear { terms: BTreeMap::from([(counter, 1)]), number: 0 };
        // Neither bound changes meanwhile.
        let fixed = |bound: &Linear| bound.terms.keys().all(|name| !variables.steps.contains_key(name));
        if !fixed(&from) || !fixed(&to) {
            return None;
        }
        let (up, strict) = match (text.word(test.0 + 1), step > 0) {
            ("<", true) => (true, -1),
            ("<=", true) => (true, 0),
            (">", false) => (false, -1),
            (">=", false) => (false, 0),
            _ => return None,
        };
        let distance = |one: &Linear<'a>, other: &Linear<'a>, number| {
            if up { Linear::between(other, one, number) } else { Linear::between(one, other, number) }
        };
        Some(Range {
            counter,
            gone: distance(&from, &own, 0)?,
            left: distance(&own, &to, strict)?,
            slack: distance(&from, &to, strict)?,
        })
    }

    /// The loop iterates at least once each time it is reached, wherever those around it have come to.
    pub(super) fn never_empty(&self, inner: Written) -> bool {
        let Some(range) = self.range(inner) else { return false };
        let around = self.all().iter().filter(|l| l.body <= inner.keyword && inner.end <= l.end);
        let ranges: Vec<Range> = around.filter_map(|l| self.range(*l)).collect();
        // Names of the bounds that are no counters stay what they are in all loops whose counters are there.
        let moves = |name: &str| {
            let holds = |l: &&Written| l.body <= inner.keyword && inner.end <= l.end;
            self.all().iter().filter(holds).any(|l| Variables::new(self.text(), *l).steps.contains_key(name))
        };
        let counters: Vec<&str> = ranges.iter().map(|range| range.counter).collect();
        if range.slack.terms.keys().any(|name| !counters.contains(name) && moves(name)) {
            return false;
        }
        let mut sums = vec![range.slack];
        for range in &ranges {
            if counters.iter().filter(|name| **name == range.counter).count() > 1 {
                continue;
            }
            let less = |sum: &Linear<'a>| {
                let without = |part: &Linear<'a>| {
                    let mut rest = sum.clone();
                    rest.add(part, -1).map(|()| rest)
                };
                [without(&range.gone), without(&range.left)]
            };
            sums.extend(sums.iter().flat_map(less).flatten().collect::<Vec<_>>());
        }
        sums.iter().any(|sum| sum.terms.is_empty() && sum.number >= 0)
    }
}
