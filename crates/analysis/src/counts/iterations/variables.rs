//! Variables of a written loop: by how much each advances in an iteration, and values of expressions of them.
//!
//! A variable advances by the same in each iteration where one plain statement, or the head, changes it by a constant; one
//! that a loop inside starts anew does not advance. All others are left open.

use super::declared::{closing, constant, whole};
use crate::patterns::expression::{Sort, Text};
use std::collections::BTreeMap;

/// A written loop: tokens of the whole statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Written {
    pub keyword: usize,
    /// First token of the body.
    pub body: usize,
    /// Token after the last.
    pub end: usize,
}

/// What is known of the variables of a loop.
pub(super) struct Variables<'t, 'a> {
    pub text: &'t Text<'a>,
    written: Written,
    /// By how much each advances in an iteration; nothing where that is not the same in each.
    pub steps: BTreeMap<&'a str, Option<i64>>,
}

/// A value: how much it changes in an iteration, and the number where it is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub step: i64,
    pub number: Option<i64>,
}

const STILL: Value = Value { step: 0, number: None };

/// The token is in the head of a `for` inside that also gives it its first value.
fn in_inner_head(text: &Text, written: Written, token: usize) -> bool {
    let heads = (written.body..token).rev().filter(|&t| text.word(t) == "for" && text.word(t + 1) == "(");
    heads.into_iter().next().is_some_and(|head| {
        let Some(close) = closing(text, head + 1).filter(|&close| token < close) else { return false };
        let Some(first) = (head..close).find(|&t| text.word(t) == ";") else { return false };
        (head..first).any(|t| text.word(t) == text.word(token) && text.word(t + 1) == "=")
    })
}

impl<'t, 'a> Variables<'t, 'a> {
    pub fn new(text: &'t Text<'a>, written: Written) -> Self {
        let mut variables = Self { text, written, steps: BTreeMap::new() };
        let head = if text.word(written.keyword) == "for" { variables.head() } else { None };
        let after = head.as_ref().and_then(|parts| parts.get(2).copied());
        let mut steps: BTreeMap<&'a str, Option<i64>> = BTreeMap::new();
        for token in written.keyword..written.end {
            let in_init = head.as_ref().is_some_and(|parts| parts[0].0 <= token && token < parts[0].1);
            if in_init || text.sort(token) != Some(Sort::Name) || !variables.modifies(token) {
                continue;
            }
            // The counter of a loop inside begins anew.
            if token >= written.body && in_inner_head(text, written, token) {
                steps.entry(text.word(token)).or_insert(Some(0));
                continue;
            }
            let in_step = after.is_some_and(|part| part.0 <= token && token < part.1);
            let certain = in_step || token >= written.body && variables.always(token);
            let step = variables.step(token).filter(|_| certain);
            // What is changed twice is not followed.
            steps.entry(text.word(token)).and_modify(|known| *known = None).or_insert(step);
        }
        variables.steps = steps;
        variables
    }

    /// The three parts of a `for`.
    pub fn head(&self) -> Option<Vec<(usize, usize)>> {
        let open = self.written.keyword + 1;
        let close = closing(self.text, open)?;
        let (mut parts, mut begin, mut depth) = (Vec::new(), open + 1, 0usize);
        for token in open + 1..close {
            match self.text.word(token) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => {
                    parts.push((begin, token));
                    begin = token + 1;
                }
                _ => {}
            }
        }
        parts.push((begin, close));
        (parts.len() == 3).then_some(parts)
    }

    /// The name at `token` is given another value there, or its address is taken.
    fn modifies(&self, token: usize) -> bool {
        let (next, before) =
            (self.text.word(token + 1), if token > 0 { self.text.word(token - 1) } else { "" });
        let member = matches!(before, "." | "->");
        let assigns = matches!(
            next,
            "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" | "++" | "--"
        );
        let two = token > 1 && before == "&" && {
            let earlier = self.text.word(token - 2);
            matches!(earlier, "(" | "," | "=" | "return")
        };
        !member && (assigns || matches!(before, "++" | "--") || two)
    }

    /// By how much the modification at `token` changes the name.
    fn step(&self, token: usize) -> Option<i64> {
        let (text, next) = (self.text, self.text.word(token + 1));
        let before = if token > 0 { text.word(token - 1) } else { "" };
        if next == "++" || before == "++" {
            return Some(1);
        }
        if next == "--" || before == "--" {
            return Some(-1);
        }
        let end = (token + 2..self.written.end.min(token + 64))
            .find(|&t| matches!(text.word(t), ";" | "," | ")"))?;
        match next {
            "+=" => self.number(token + 2, end),
            "-=" => self.number(token + 2, end).map(|n| -n),
            "=" if text.word(token + 2) == text.word(token) && end == token + 5 => {
                let n = self.number(token + 4, end)?;
                match text.word(token + 3) {
                    "+" => Some(n),
                    "-" => Some(-n),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn number(&self, first: usize, end: usize) -> Option<i64> {
        (end == first + 1).then(|| self.constant(first)).flatten()
    }

    /// The token is executed once in each iteration: in a plain statement of the body's own level.
    fn always(&self, token: usize) -> bool {
        let text = self.text;
        let braces = usize::from(text.word(self.written.body) == "{");
        let mut depth = 0usize;
        for at in self.written.body..token {
            match text.word(at) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        if depth != braces {
            return false;
        }
        let begin = (self.written.body..token).rev().find(|&t| matches!(text.word(t), ";" | "{" | "}"));
        let begin = begin.map_or(self.written.body, |t| t + 1);
        let end = (token..self.written.end).find(|&t| text.word(t) == ";").unwrap_or(self.written.end);
        let turns = |t: usize| {
            matches!(
                text.word(t),
                "if" | "else" | "?" | "&&" | "||" | "for" | "while" | "do" | "switch" | "case" | "return"
            )
        };
        // What follows a `continue` is not always executed.
        let skipped =
            (self.written.body..token).any(|t| matches!(text.word(t), "continue" | "goto" | "case"));
        !(begin..end).any(turns) && !skipped
    }

    /// A number, or a name that the text gives one number for good.
    fn constant(&self, token: usize) -> Option<i64> {
        let (text, word) = (self.text, self.text.word(token));
        if text.sort(token) == Some(Sort::Number) {
            return whole(word);
        }
        if text.sort(token) != Some(Sort::Name) || self.steps.contains_key(word) {
            return None;
        }
        constant(text, word)
    }

    /// The value of an expression.
    pub fn value(&self, first: usize, end: usize) -> Option<Value> {
        let text = self.text;
        let (mut depth, mut split) = (0usize, None);
        for token in first..end {
            match text.word(token) {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.checked_sub(1)?,
                "+" | "-"
                    if depth == 0
                        && token > first
                        && !matches!(text.word(token - 1), "*" | "+" | "-" | "/") =>
                {
                    split = Some((token, 1));
                }
                "*" if depth == 0 && token > first && split.is_none_or(|(_, rank)| rank > 1) => {
                    split = Some((token, 2));
                }
                "?" | "<" | ">" | "&&" | "||" | "==" | "!=" | "=" => return None,
                _ => {}
            }
        }
        if let Some((at, _)) = split {
            let (a, b) = (self.value(first, at)?, self.value(at + 1, end)?);
            let both = |of: fn(i64, i64) -> Option<i64>| a.number.zip(b.number).and_then(|(a, b)| of(a, b));
            return Some(match text.word(at) {
                "+" => Value { step: a.step.checked_add(b.step)?, number: both(i64::checked_add) },
                "-" => Value { step: a.step.checked_sub(b.step)?, number: both(i64::checked_sub) },
                _ if a.step == 0 && b.step == 0 => Value { step: 0, number: both(i64::checked_mul) },
                _ if a.step == 0 => Value { step: a.number?.checked_mul(b.step)?, number: None },
                _ if b.step == 0 => Value { step: b.number?.checked_mul(a.step)?, number: None },
                _ => return None,
            });
        }
        if first >= end {
            return None;
        }
        if end == first + 1 {
            let word = text.word(first);
            if let Some(step) = self.steps.get(word) {
                return (*step).map(|step| Value { step, number: None });
            }
            let number = self.constant(first);
            return match text.sort(first)? {
                Sort::Number => number.map(|number| Value { step: 0, number: Some(number) }),
                Sort::Name => Some(Value { step: 0, number }),
                _ => None,
            };
        }
        if text.word(first) == "-" {
            let value = self.value(first + 1, end)?;
            return Some(Value {
                step: value.step.checked_neg()?,
                number: value.number.and_then(i64::checked_neg),
            });
        }
        if text.word(first) == "(" {
            let close = closing(text, first).filter(|&close| close < end)?;
            if close + 1 == end {
                return self.value(first + 1, close);
            }
            // A cast.
            let is_type = (first + 1..close).all(|t| {
                matches!(
                    text.word(t),
                    "unsigned" | "long" | "int" | "size_t" | "ptrdiff_t" | "int64_t" | "uint64_t"
                )
            });
            return if is_type { self.value(close + 1, end) } else { None };
        }
        // `i++` in a subscript: what counts is that it moves.
        let step = (first..end).find_map(|t| self.steps.get(text.word(t)));
        match step {
            Some(Some(step)) if end == first + 2 => Some(Value { step: *step, number: None }),
            Some(_) => None,
            None if (first..end).all(|t| text.word(t) != "(" && text.word(t) != "[") => Some(STILL),
            None => None,
        }
    }
}
