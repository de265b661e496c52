//! What is read from the source text: which loop an operator is written in, and whether all that the loop assigns is seen.
//!
//! Only asked where the code alone leaves the unit open: a loop without remainder, whose body does the work of several
//! source iterations, or of several statements or inner iterations of one.

use super::accesses::is_dereference;
use super::variables::{Variables, Written};
use crate::patterns::expression::{Grammar, Sort, Text};
use loopwright_binary::facts::SourceKind;

/// The loops of a text.
pub(super) struct Nest<'a> {
    text: Text<'a>,
    loops: Vec<Written>,
}

impl<'a> Nest<'a> {
    pub fn new(text: &'a str, language: Grammar) -> Self {
        let text = Text::new(text, language);
        let loops = if language.is_fortran() { fortran(&text) } else { curly(&text) };
        Self { text, loops }
    }

    /// The tokens.
    pub fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// All loops, in the order of their keywords.
    pub fn all(&self) -> &[Written] {
        &self.loops
    }

    /// The tokens of a loop.
    pub fn written(&self, index: usize) -> Written {
        self.loops[index]
    }

    /// Loops around a loop, in the text.
    pub fn depth(&self, index: usize) -> usize {
        let own = self.loops[index];
        self.loops.iter().filter(|l| l.keyword < own.keyword && own.end <= l.end).count()
    }

    /// The innermost loop that holds a token.
    pub fn around(&self, token: usize) -> Option<usize> {
        let holds = |l: &&Written| l.keyword <= token && token < l.end;
        let innermost = self.loops.iter().filter(holds).max_by_key(|l| l.keyword)?;
        self.loops.iter().position(|l| l == innermost)
    }

    /// Loop `index` is written in the body of another.
    pub fn is_inside(&self, index: usize, other: usize) -> bool {
        let (own, other) = (self.loops[index], self.loops[other]);
        other.body <= own.keyword && own.end <= other.end
    }

    /// Loops are written in its body.
    pub fn has_inside(&self, index: usize) -> bool {
        (0..self.loops.len()).any(|other| self.is_inside(other, index))
    }

    /// The token is in the body of this loop and in no loop inside it.
    pub fn is_own(&self, index: usize, token: usize) -> bool {
        self.around(token) == Some(index) && token >= self.loops[index].body
    }

    /// The loop whose head is on a line: the only one.
    pub fn at(&self, line: u32) -> Option<usize> {
        let heads = |l: &Written| {
            let last = l.body.saturating_sub(1).max(l.keyword);
            self.text.position(l.keyword).0 <= line && line <= self.text.position(last).0
        };
        let mut found = (0..self.loops.len()).filter(|&at| heads(&self.loops[at]));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Whether the operator at a place is written in this loop and in none inside it.
    pub fn holds(&self, index: usize, line: u32, column: u32) -> bool {
        let at = |token: usize| self.is_own(index, token);
        if self.text.language().is_fortran() || column == 0 {
            let mut tokens = self.text.on_line(line).peekable();
            return tokens.peek().is_some() && tokens.all(at);
        }
        self.text.token_at(line, column).is_some_and(at)
    }

    /// The place is in the head of this loop: its condition is tested once more than the body runs.
    pub fn in_head(&self, index: usize, line: u32, column: u32) -> bool {
        let l = self.loops[index];
        let head = |token: usize| l.keyword <= token && token < l.body;
        !self.text.language().is_fortran() && column > 0 && self.text.token_at(line, column).is_some_and(head)
    }

    /// The place is in the condition of this loop, not in what a `for` does before and after.
    pub fn in_condition(&self, index: usize, line: u32, column: u32) -> bool {
        let is_for = self.text.word(self.loops[index].keyword) == "for";
        let token = self.text.token_at(line, column);
        let part = || Variables::new(&self.text, self.loops[index]).head()?.get(1).copied();
        let (true, Some(token)) = (self.in_head(index, line, column), token) else { return false };
        !is_for || part().is_none_or(|part| part.0 <= token && token < part.1)
    }

    /// The loop's condition is one: it is left before an iteration begins, or by its body.
    pub fn has_simple_head(&self, index: usize) -> bool {
        let l = self.loops[index];
        let parts = ["&&", "||", "and", "or"];
        (l.keyword..l.body)
            .all(|token| !parts.iter().any(|part| self.text.word(token).eq_ignore_ascii_case(part)))
    }

    /// Each iteration needs every condition of the head: the head holds no alternatives (`||`, `?`).
    pub fn tests_all(&self, index: usize) -> bool {
        let l = self.loops[index];
        let word = |token: usize| self.text.word(token);
        let keyword = word(l.keyword);
        matches!(keyword, "while" | "for")
            && self.has_columns()
            && (l.keyword..l.body).all(|token| !matches!(word(token), "||" | "or" | "?" | "let" | "in" | ":"))
    }

    /// The loop's condition reads memory that moves with the loop: whether an iteration follows depends on data.
    pub fn head_reads(&self, index: usize) -> bool {
        let l = self.loops[index];
        let reads =
            |token: usize| matches!(self.text.word(token), "[" | "->") || is_dereference(&self.text, token);
        let moves = |token: usize| {
            let name = self.text.word(token);
            self.text.sort(token) == Some(Sort::Name)
                && (l.keyword..l.end).any(|t| self.text.word(t) == name && self.changes(t))
        };
        // Of names in subscripts and before arrows, and of pointers.
        let moving = |token: usize| match self.text.word(token) {
            "[" => {
                (token + 1..l.body).take_while(|&t| self.text.word(t) != "]").any(moves) || moves(token - 1)
            }
            "->" => moves(token - 1),
            _ => {
                (token + 1..l.body).take_while(|&t| !matches!(self.text.word(t), ";" | "<" | ">")).any(moves)
            }
        };
        (l.keyword..l.body).any(|token| reads(token) && moving(token))
    }

    /// Some loop inside begins or ends where this one, or one around it, has come to: for some iterations it does nothing,
    /// and compilers leave such iterations out.
    pub fn inner_bounds_vary(&self, index: usize) -> bool {
        let own = self.loops[index];
        let changes = |name: &str, skip: usize| {
            self.loops.iter().filter(|l| l.keyword <= own.keyword && own.end <= l.end).any(|l| {
                (l.keyword..l.end).any(|t| t != skip && self.text.word(t) == name && self.changes(t))
            })
        };
        let varies = |l: &Written| {
            let fortran = !self.has_columns();
            let counted = fortran || self.text.word(l.keyword) == "for";
            // Its own counter begins anew.
            let begin = (l.keyword..l.body).find(|&t| self.text.word(t) == "=");
            let counter = begin.map(|t| self.text.word(t - 1)).unwrap_or_default();
            let names = (l.keyword + 1..l.body).filter(|&t| self.text.sort(t) == Some(Sort::Name));
            let varies =
                names.into_iter().any(|t| self.text.word(t) != counter && changes(self.text.word(t), t));
            let varies = varies && !self.never_empty(*l);
            !counted || counter.is_empty() || varies || (l.keyword..l.body).any(|t| self.text.word(t) == "[")
        };
        let mut inside = self.loops.iter().filter(|l| own.body <= l.keyword && l.end <= own.end);
        inside.any(&varies) && !self.always_works(index, &varies)
    }

    /// Some loop in the body of this one, passed by in no iteration, does something each time.
    fn always_works(&self, index: usize, varies: &dyn Fn(&Written) -> bool) -> bool {
        let inside = |at: usize| self.is_inside(at, index);
        let direct = |at: &usize| {
            inside(*at) && !(0..self.loops.len()).any(|other| inside(other) && self.is_inside(*at, other))
        };
        (0..self.loops.len()).filter(direct).any(|at| {
            self.every_time(index, self.loops[at].keyword).is_some()
                && !varies(&self.loops[at])
                && (!self.has_inside(at) || self.always_works(at, varies))
        })
    }

    /// The name at a token is given a value there.
    pub fn changes(&self, token: usize) -> bool {
        let before = if token > 0 { self.text.word(token - 1) } else { "" };
        let next = self.text.word(token + 1);
        let assigns = next.ends_with('=') && !matches!(next, "==" | "!=" | "<=" | ">=");
        assigns || matches!(next, "++" | "--") || matches!(before, "++" | "--")
    }

    /// Some name occurs in this loop, or the imaginary unit.
    pub fn mentions(&self, index: usize, names: &[String]) -> bool {
        let l = self.loops[index];
        let fortran = self.text.language().is_fortran();
        let is =
            |name: &str, word: &str| if fortran { name.eq_ignore_ascii_case(word) } else { name == word };
        let imaginary = |word: &str| !fortran && matches!(word, "I" | "_Complex_I" | "CMPLX");
        (l.keyword..l.end).any(|token| {
            let word = self.text.word(token);
            imaginary(word) || names.iter().any(|name| is(name, word))
        })
    }

    /// The operator at a place is an addition: GCC moves copies of an operator to other columns.
    pub fn adds(&self, line: u32, column: u32) -> bool {
        let token = || self.text.token_at(line, column);
        let is = |token: usize| matches!(self.text.word(token), "+" | "-" | "+=" | "-=" | "++" | "--");
        !self.has_columns() || token().is_some_and(is)
    }

    /// How many operators of this kind are on the line of a place, all in this loop; nothing where a macro is there, or where
    /// the text has none of the kind.
    pub fn operators(&self, index: usize, line: u32, column: u32, kind: SourceKind) -> Option<u64> {
        if self.text.language().is_fortran() {
            return fortran_operators(&self.text, line, kind);
        }
        let token = self.text.token_at(line, column)?;
        if column == 0 || self.text.is_macro(token) {
            return None;
        }
        let is = |token: usize| match kind {
            SourceKind::Store => false,
            SourceKind::Add => matches!(self.text.word(token), "+" | "-" | "+=" | "-=" | "++" | "--"),
            SourceKind::Multiply => {
                matches!(self.text.word(token), "*" | "*=") && !is_dereference(&self.text, token)
            }
            SourceKind::Divide => matches!(self.text.word(token), "/" | "/="),
            // A function of the source, or a condition: one place is one of them.
            SourceKind::SquareRoot | SourceKind::MinMax | SourceKind::Load => false,
        };
        let (mut depth, mut found) = (0usize, 0);
        for token in self.text.on_line(line) {
            match self.text.word(token) {
                "[" => depth += 1,
                "]" => depth = depth.saturating_sub(1),
                _ => found += u64::from(depth == 0 && is(token) && self.is_own(index, token)),
            }
        }
        if kind == SourceKind::Store {
            found = self.assignments(index).iter().filter(|(at, _, memory)| *at == line && *memory).count()
                as u64;
        }
        match kind {
            SourceKind::SquareRoot | SourceKind::MinMax | SourceKind::Load => Some(1),
            _ => Some(found).filter(|&found| found > 0),
        }
    }

    /// Lines and columns of the loop's own assignments that have code, and whether they are to memory: of what the compiler
    /// puts together some loses its place.
    pub fn assignments(&self, index: usize) -> Vec<(u32, u32, bool)> {
        let l = self.loops[index];
        let is = |token: usize| {
            let word = self.text.word(token);
            let compound =
                matches!(word, "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=");
            let before = if token > l.body { self.text.word(token - 1) } else { "" };
            compound || word == "=" && (matches!(before, "]" | ")") || self.is_member(token - 1))
        };
        let own = (l.body..l.end).filter(|&token| self.around(token) == Some(index) && is(token));
        own.map(|token| {
            let (line, column) = self.text.position(token);
            (line, column, token > 0 && (self.text.word(token - 1) == "]" || self.is_member(token - 1)))
        })
        .collect()
    }

    fn is_member(&self, token: usize) -> bool {
        token > 0 && matches!(self.text.word(token - 1), "." | "->" | "*")
    }

    /// Fortran or not.
    pub fn has_columns(&self) -> bool {
        !self.text.language().is_fortran()
    }
}

/// Loops of C, C++ and Rust.
fn curly(text: &Text) -> Vec<Written> {
    let mut loops = Vec::new();
    for token in 0..text.len() {
        let rust = text.language() == Grammar::Rust;
        let body = match text.word(token) {
            "for" | "while" if rust => (token..text.len()).find(|&t| text.word(t) == "{"),
            "for" | "while" if text.word(token + 1) == "(" => Some(past(text, token + 1)),
            "do" | "loop" if text.word(token + 1) == "{" => Some(token + 1),
            _ => None,
        };
        let Some(body) = body else { continue };
        // The end of `do { } while (..);` is no loop.
        let ends_do =
            text.word(token) == "while" && token > 0 && text.word(token - 1) == "}" && text.word(body) == ";";
        if ends_do || text.sort(token) != Some(Sort::Name) {
            continue;
        }
        loops.push(Written { keyword: token, body, end: statement_end(text, body) });
    }
    loops
}

/// The token after the bracket that closes the one at `open`.
fn past(text: &Text, open: usize) -> usize {
    let mut depth = 0usize;
    for token in open..text.len() {
        match text.word(token) {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return token + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The token after the statement that begins at `token`.
fn statement_end(text: &Text, token: usize) -> usize {
    let mut at = token;
    while at < text.len() {
        match text.word(at) {
            "{" => return past(text, at),
            "(" | "[" => at = past(text, at),
            ";" => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// `do` constructs of Fortran; loops that end at a label have no end here.
fn fortran(text: &Text) -> Vec<Written> {
    let (mut open, mut loops): (Vec<usize>, Vec<Written>) = (Vec::new(), Vec::new());
    for token in 0..text.len() {
        let word = text.word(token).to_ascii_lowercase();
        let begins = token == 0 || text.sort(token - 1) == Some(Sort::End) || text.word(token - 1) == ":";
        let next = text.word(token + 1).to_ascii_lowercase();
        if begins && word == "do" && text.sort(token + 1) != Some(Sort::Number) {
            open.push(token);
        } else if begins
            && (word == "enddo" || word == "end" && next == "do")
            && let Some(keyword) = open.pop()
        {
            let body = (keyword..token).find(|&t| text.sort(t) == Some(Sort::End)).map_or(keyword, |t| t + 1);
            loops.push(Written { keyword, body, end: token });
        }
    }
    loops.sort_by_key(|l| l.keyword);
    loops
}

/// Operators of a kind on a line of Fortran, subscripts and arguments left out; nothing where a name could be a function
/// or a whole array.
fn fortran_operators(text: &Text, line: u32, kind: SourceKind) -> Option<u64> {
    let (mut depth, mut subscript, mut found, mut assignments) = (0u32, None, 0, 0);
    for token in text.on_line(line) {
        let (word, before) = (text.word(token), if token > 0 { text.word(token - 1) } else { "" });
        let after_name = token > 0 && text.sort(token - 1) == Some(Sort::Name);
        match word {
            "(" => {
                depth += 1;
                if subscript.is_none() && after_name {
                    subscript = Some(depth);
                }
            }
            ")" => {
                if subscript == Some(depth) {
                    subscript = None;
                }
                depth = depth.saturating_sub(1);
            }
            // Array sections are loops of their own.
            ":" | "&" => return None,
            _ if subscript.is_some() => {}
            "=" => assignments += 1,
            "+" | "-" if kind == SourceKind::Add && !matches!(before, "=" | "(" | "," | "") => found += 1,
            "*" if kind == SourceKind::Multiply => found += 1,
            "/" if kind == SourceKind::Divide => found += 1,
            _ => {}
        }
    }
    if assignments != 1 {
        return None;
    }
    match kind {
        SourceKind::Store => Some(1),
        SourceKind::Load => None,
        _ => (found > 0).then_some(found),
    }
}
