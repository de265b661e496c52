//! How far the operands of a written loop move from one of its iterations to the next, by their subscripts.
//!
//! `p[3*i] = q[i]` in a loop with `i += 2` stores 6 elements further each time, and loads 2. What the text does not show
//! (extents that are variables, indices out of memory, pointers that something else moves) is left open.

use super::declared::{Declared, closing, declared, structure};
use super::text::Nest;
use super::variables::Variables;
use crate::patterns::expression::{Grammar, Sort, Text};
use std::collections::{BTreeMap, BTreeSet};

/// A reference to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// As written, without spaces.
    pub text: String,
    /// The array or pointer.
    pub name: String,
    pub store: bool,
    /// Bytes accessed.
    pub bytes: Option<u64>,
    /// Bytes between two iterations.
    pub moves: Option<u64>,
    /// The line has written the same before: a compiler may do both at once.
    pub again: bool,
}

/// What a line of a written loop does in one iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineWork {
    pub accesses: Vec<Access>,
    /// Arithmetic operators outside of subscripts; absent where calls or macros may hide some.
    pub operators: Option<u64>,
}

impl LineWork {
    /// References of one sort.
    pub fn of(&self, store: bool) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(move |access| access.store == store)
    }

    /// Bytes that all references of one sort access, if all are known; each counts once.
    pub fn bytes(&self, store: bool) -> Option<u64> {
        self.of(store).filter(|access| !access.again).map(|access| access.bytes).sum()
    }

    /// The same with what is written again.
    pub fn most_bytes(&self, store: bool) -> Option<u64> {
        self.of(store).map(|access| access.bytes).sum()
    }

    /// As many bytes are loaded, in whatever order, as iterations are done: every reference is to an array of its own, and
    /// moves from one element to the next.
    pub fn loads_once(&self) -> bool {
        let mut names = BTreeSet::new();
        let mut loads = self.of(false).filter(|access| !access.again).peekable();
        loads.peek().is_some()
            && loads.all(|access| {
                access.bytes.is_some_and(|bytes| bytes > 0)
                    && access.moves == access.bytes
                    && names.insert(access.name.as_str())
            })
    }
}

/// What the lines of a written loop do in one iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    pub lines: BTreeMap<u32, LineWork>,
    /// Lines of loops inside.
    pub inner: BTreeSet<u32>,
    /// All lines of the loop's own body are understood.
    pub complete: bool,
}

fn is_bracket(word: &str) -> bool {
    matches!(word, "{" | "}" | ";")
}

impl Nest<'_> {
    /// What a loop's lines do in one of its iterations.
    pub fn work(&self, index: usize) -> Work {
        let (text, written) = (self.text(), self.written(index));
        let mut work = Work::default();
        if !matches!(text.language(), Grammar::C | Grammar::Cxx) {
            return work;
        }
        let variables = Variables::new(text, written);
        work.complete = true;
        let (first, last) = (text.position(written.body).0, text.position(written.end.saturating_sub(1)).0);
        for line in first..=last {
            let inside = |token: usize| written.body <= token && token < written.end;
            let loops: BTreeSet<Option<usize>> = text
                .on_line(line)
                .filter(|&token| inside(token) && !is_bracket(text.word(token)))
                .map(|token| self.around(token))
                .collect();
            let of_line = match (loops.len(), loops.first().copied().flatten()) {
                (0, _) => continue,
                (1, Some(inner)) if inner != index => {
                    work.inner.insert(line);
                    self.inner_line(index, inner, &variables, line)
                }
                (1, _) => self.line(index, &variables, line),
                _ => None,
            };
            match of_line {
                Some(of_line) => drop(work.lines.insert(line, of_line)),
                None if work.inner.contains(&line) => {}
                None => work.complete = false,
            }
        }
        work
    }

    /// The work of a line of a loop inside, in one iteration of the loop around, where its iterations are a known number.
    fn inner_line(&self, index: usize, inner: usize, variables: &Variables, line: u32) -> Option<LineWork> {
        let (mut times, mut at) = (1u64, inner);
        while at != index {
            times = times.checked_mul(self.trips(at).filter(|_| self.runs_out(at))?)?;
            at = self.around(self.written(at).keyword.checked_sub(1)?)?;
        }
        let own = Variables::new(self.text(), self.written(inner));
        let (mut work, of_inner) = (self.line(inner, variables, line)?, self.line(inner, &own, line)?);
        for (access, of_inner) in work.accesses.iter_mut().zip(&of_inner.accesses) {
            // What stays where it is in the loop inside may be accessed once.
            let bytes = access.bytes.filter(|_| of_inner.moves.is_some_and(|moves| moves > 0));
            access.bytes = bytes.and_then(|bytes| bytes.checked_mul(times));
        }
        work.operators = work.operators.and_then(|n| n.checked_mul(times));
        Some(work)
    }

    fn line(&self, index: usize, variables: &Variables, line: u32) -> Option<LineWork> {
        let text = self.text();
        let mut work = LineWork { accesses: Vec::new(), operators: Some(0) };
        let mut subscripts = 0usize;
        for token in text.on_line(line) {
            let word = text.word(token);
            if !self.is_own(index, token) {
                // Heads, and code of other loops, are executed as often as other rules find.
                if word == "[" || word == "->" || is_dereference(text, token) {
                    return None;
                }
                continue;
            }
            match word {
                "[" => subscripts += 1,
                "]" => subscripts = subscripts.saturating_sub(1),
                _ => {}
            }
            if let Some(found) = variables.reference(token)? {
                work.accesses.extend(found);
            }
            let calls = text.sort(token) == Some(Sort::Name)
                && text.word(token + 1) == "("
                && !matches!(word, "if" | "while" | "for" | "switch" | "return" | "sizeof");
            if calls || word == "?" || word == "<<" || word == ">>" {
                work.operators = None;
            }
            let arithmetic = matches!(word, "+" | "-" | "/" | "*" | "%") && !is_dereference(text, token)
                || matches!(word, "+=" | "-=" | "*=" | "/=" | "%=");
            if arithmetic && subscripts == 0 {
                work.operators = work.operators.map(|n| n + 1);
            }
        }
        let mut seen = BTreeSet::new();
        for access in &mut work.accesses {
            access.again = !seen.insert((access.text.clone(), access.store));
        }
        Some(work)
    }

    /// Everything in the loop's body is executed in each of its iterations, and nothing leaves it early.
    pub fn is_straight(&self, index: usize) -> bool {
        let (text, written) = (self.text(), self.written(index));
        let turns = [
            "if", "?", "&&", "||", "switch", "break", "continue", "goto", "return", "exit", "cycle", "throw",
            "try",
        ];
        !(written.body..written.end)
            .any(|token| turns.iter().any(|word| text.word(token).eq_ignore_ascii_case(word)))
    }

    /// Nothing in the loop leaves it but its head, as far as the text shows.
    pub fn runs_out(&self, index: usize) -> bool {
        let (text, written) = (self.text(), self.written(index));
        let leaves = ["break", "goto", "return", "exit", "throw", "longjmp", "abort", "stop", "cycle"];
        !(written.body..written.end)
            .any(|token| leaves.iter().any(|word| text.word(token).eq_ignore_ascii_case(word)))
    }

    /// Iterations of each entry, where the head has it in numbers.
    pub fn trips(&self, index: usize) -> Option<u64> {
        let (text, written) = (self.text(), self.written(index));
        if !matches!(text.language(), Grammar::C | Grammar::Cxx) || text.word(written.keyword) != "for" {
            return None;
        }
        let variables = Variables::new(text, written);
        let parts = variables.head()?;
        let (init, condition) = (parts.first()?, parts.get(1)?);
        // `i = 0` with or without a type; one comparison.
        let equals = (init.0..init.1).find(|&t| text.word(t) == "=")?;
        let name = text.word(equals.checked_sub(1)?);
        let from = variables.value(equals + 1, init.1)?.number?;
        let step = variables.steps.get(name).copied().flatten().filter(|&step| step != 0)?;
        let mut comparisons =
            (condition.0..condition.1).filter(|&t| matches!(text.word(t), "<" | ">" | "<=" | ">=" | "!="));
        let (at, None) = (comparisons.next()?, comparisons.next()) else { return None };
        if at != condition.0 + 1 || text.word(condition.0) != name {
            return None;
        }
        let to = variables.value(at + 1, condition.1)?.number?;
        let distance = match (text.word(at), step > 0) {
            ("<", true) | (">", false) => to.checked_sub(from)?,
            ("<=", true) => to.checked_sub(from)?.checked_add(1)?,
            (">=", false) => to.checked_sub(from)?.checked_sub(1)?,
            ("!=", _) if to.checked_sub(from)? % step == 0 => to.checked_sub(from)?,
            _ => return None,
        };
        let (distance, step) = if step > 0 { (distance, step) } else { (-distance, -step) };
        // Narrow counters wrap around before large bounds: such a loop has no end.
        u64::try_from(distance).ok().map(|distance| distance.div_ceil(step.unsigned_abs()))
    }
}

/// A star before a pointer, not between factors.
pub(super) fn is_dereference(text: &Text, token: usize) -> bool {
    // A macro at the begin of a statement is no factor.
    let begins = token > 1 && text.is_macro(token - 1) && matches!(text.word(token - 2), "{" | "}" | ";");
    text.word(token) == "*"
        && token > 0
        && (begins || !matches!(text.sort(token - 1), Some(Sort::Name | Sort::Number)))
        && !matches!(text.word(token - 1), ")" | "]")
        && (text.sort(token + 1) == Some(Sort::Name)
            || matches!(text.word(token + 1), "(" | "++" | "--" | "*"))
}

impl Variables<'_, '_> {
    /// The reference that begins at `token`: loaded, stored, or both. The outer absence: the text there is not understood.
    #[allow(clippy::option_option, reason = "nothing there, and not understood, differ")]
    pub(super) fn reference(&self, token: usize) -> Option<Option<Vec<Access>>> {
        let text = self.text;
        let before = if token > 0 { text.word(token - 1) } else { "" };
        if is_dereference(text, token) {
            return self.pointed_at(token).map(Some);
        }
        if text.sort(token) == Some(Sort::Literal) && text.word(token + 1) == "[" {
            return None;
        }
        if text.sort(token) != Some(Sort::Name) || matches!(before, "." | "->") {
            return Some(None);
        }
        let typed = token > 0 && text.sort(token - 1) == Some(Sort::Name) && !text.is_macro(token - 1);
        let declares = typed && !matches!(before, "return" | "else" | "do" | "case");
        if declares && text.word(token + 1) == "[" {
            return None;
        }
        let name = text.word(token);
        let (mut at, mut subscripts) = (token + 1, Vec::new());
        while text.word(at) == "[" {
            let close = closing(text, at)?;
            subscripts.push((at + 1, close));
            at = close + 1;
        }
        if subscripts.is_empty() && text.word(at) != "->" {
            return Some(None);
        }
        if matches!(before, "&") && matches!(text.word(token.checked_sub(2)?), "(" | "," | "=") {
            return None;
        }
        let known = declared(text, name, token);
        let (mut bytes, mut moves) = (None, None);
        if let Some(declared) = &known
            && subscripts.len() == declared.levels
        {
            bytes = Some(declared.bytes);
            moves = self.moves(declared, &subscripts);
        }
        if subscripts.is_empty() {
            // `p->x`: the pointer moves, or nothing does.
            let declared = known.as_ref().filter(|declared| declared.levels == 1);
            let step = self.steps.get(name).copied().unwrap_or(Some(0));
            moves = declared.zip(step).map(|(declared, step)| declared.bytes * step.unsigned_abs());
            bytes = declared.map(|declared| declared.bytes);
        }
        if matches!(text.word(at), "." | "->") {
            let structure = known.as_ref().and_then(|known| known.structure.as_deref());
            let member = text.word(at + 1);
            let members = structure.and_then(|name| structure_of(text, name));
            bytes = members
                .and_then(|all| all.into_iter().find(|(name, _)| name == member))
                .map(|(_, bytes)| bytes);
            at += 2;
            if matches!(text.word(at), "[" | "." | "->" | "(") {
                return None;
            }
        }
        if text.word(at) == "(" {
            return None;
        }
        Some(Some(both(text, token, at, name, bytes, moves)))
    }

    /// What `*p`, `*p++` and `*++p` access.
    fn pointed_at(&self, star: usize) -> Option<Vec<Access>> {
        let text = self.text;
        let at = if matches!(text.word(star + 1), "++" | "--") { star + 2 } else { star + 1 };
        if text.sort(at) != Some(Sort::Name) {
            return None;
        }
        let name = text.word(at);
        let end = if matches!(text.word(at + 1), "++" | "--") && at == star + 1 { at + 2 } else { at + 1 };
        if matches!(text.word(end), "[" | "." | "->" | "(") {
            return None;
        }
        let known = declared(text, name, star).filter(|declared| declared.levels == 1);
        let step = self.steps.get(name).copied().unwrap_or(Some(0));
        let bytes = known.as_ref().map(|declared| declared.bytes);
        let moves = bytes.zip(step).map(|(bytes, step)| bytes * step.unsigned_abs());
        Some(both(text, star, end, name, bytes, moves))
    }

    /// Bytes that the subscripts move in an iteration.
    fn moves(&self, declared: &Declared, subscripts: &[(usize, usize)]) -> Option<u64> {
        let steps: Vec<i64> = subscripts
            .iter()
            .map(|&(first, end)| Some(self.value(first, end)?.step))
            .collect::<Option<_>>()?;
        let (last, others) = steps.split_last()?;
        let mut elements = *last;
        if others.iter().any(|step| *step != 0) {
            let extents = declared.extents.as_ref().filter(|extents| extents.len() == others.len())?;
            let mut row = 1i64;
            for (step, extent) in others.iter().zip(extents).rev() {
                row = row.checked_mul(i64::try_from(*extent).ok()?)?;
                elements = elements.checked_add(step.checked_mul(row)?)?;
            }
        }
        elements.unsigned_abs().checked_mul(declared.bytes)
    }
}

fn structure_of(text: &Text, name: &str) -> Option<Vec<(String, u64)>> {
    structure(text, name, 0).map(|structure| structure.members)
}

/// A reference from `first` to before `end`, by what is done with it.
fn both(
    text: &Text,
    first: usize,
    end: usize,
    name: &str,
    bytes: Option<u64>,
    moves: Option<u64>,
) -> Vec<Access> {
    let written: String = (first..end).map(|token| text.word(token)).collect();
    let access = |store: bool| Access {
        text: written.clone(),
        name: name.to_owned(),
        store,
        bytes,
        moves,
        again: false,
    };
    let before = if first > 0 { text.word(first - 1) } else { "" };
    match text.word(end) {
        "=" => vec![access(true)],
        "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" | "++" | "--" => {
            vec![access(false), access(true)]
        }
        _ if matches!(before, "++" | "--") => vec![access(false), access(true)],
        _ => vec![access(false)],
    }
}
