//! The expression behind a memory operand, as written: `lbv[i*3+1]`.
//!
//! Debug information gives an instruction a line and a column. What the compilers write there differs: Clang gives a load the
//! begin of the reference, or the member's name, GCC the bracket or dot; a load that became part of an arithmetic
//! instruction has the operator's place, a store that of the assignment; rustc gives the whole expression's begin, GNU
//! Fortran a place that is the same for the whole statement. So a place leaves several references open. Which one it
//! is follows from all operands of the loop together: different operands are different references, and those of one
//! array are as far apart as their subscripts say. What is still open after that is not guessed: the
//! answer then is what the possible references have in common (`lbv[i*3+…]`), or nothing.
//!
//! The positions are those that GCC 12, Clang 14 to 19, rustc 1.95 and GNU Fortran 12 were seen to write; the tests
//! compile programs and compare.

mod assignment;
mod lex;
mod references;
mod subscript;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use lex::{Grammar, Sort};
pub(crate) use text::Text;

use assignment::{Link, Search, components};
use loopwright_patterns::facts::AccessKind;
use references::Reference;
pub(crate) use references::Source;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use subscript::Form;

/// A memory operand to be named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Operand<'v> {
    /// Source line, 1-based.
    pub line: u32,
    /// Column in bytes, 1-based; 0 when unknown.
    pub column: u32,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes of one element.
    pub element: u32,
    /// A variable in the function's frame.
    pub frame: bool,
    /// Its address changes from one iteration to the next.
    pub moves: bool,
    /// Operands with the same number go through the same array with the same stride, this number of bytes after its first.
    pub place: Option<(u32, i64)>,
    /// The variable that contains it, where its address shows it.
    pub variable: Option<&'v str>,
    /// Operands with the same number were seen at common addresses.
    pub array: Option<u32>,
}

/// Longest answer in characters.
const LONGEST: usize = 60;
/// References that an operand can be; more are not distinguished.
const MOST_CANDIDATES: usize = 24;
/// References that are looked at in one statement; tables of constants have more.
const MOST_REFERENCES: usize = 400;

/// The sources of traced code. Each file is taken apart once, however many loops and operands are in it.
pub(crate) struct Sources<'a> {
    texts: &'a BTreeMap<String, String>,
    read: RefCell<HashMap<(&'a str, Grammar), Rc<Source<'a>>>>,
}

impl<'a> Sources<'a> {
    /// Of these texts, by path.
    pub(crate) fn new(texts: &'a BTreeMap<String, String>) -> Self {
        Self { texts, read: RefCell::default() }
    }
}

/// Sources by path. (As a trait, because what remembers within itself fixes its lifetime, and loops are shorter-lived.)
pub(crate) trait Read {
    /// A file in its language.
    fn get(&self, file: &str, language: Grammar) -> Option<Rc<Source<'_>>>;

    /// Whether the text of a file is there.
    fn has(&self, file: &str) -> bool;
}

impl Read for Sources<'_> {
    fn get(&self, file: &str, language: Grammar) -> Option<Rc<Source<'_>>> {
        let (path, text) = self.texts.get_key_value(file)?;
        let mut read = self.read.borrow_mut();
        let source = read.entry((path, language)).or_insert_with(|| Rc::new(Source::new(text, language)));
        let source: Rc<Source<'_>> = Rc::clone(source);
        Some(source)
    }

    fn has(&self, file: &str) -> bool {
        self.texts.contains_key(file)
    }
}

/// The expressions behind the operands of a loop that are in one source file, in order of their addresses. Copies of
/// one source operand in an unrolled loop count as one.
pub(crate) fn expressions(source: &Source<'_>, operands: &[Operand]) -> Vec<Option<String>> {
    Namer::new(source).name(operands)
}

/// How many references the places of operands leave open, all together.
pub(crate) fn candidates(source: &Source<'_>, operands: &[Operand]) -> usize {
    let mut namer = Namer::new(source);
    let mut found: BTreeSet<usize> = operands.iter().flat_map(|operand| namer.candidates(operand)).collect();
    // The target of a pointer is elsewhere than the pointer.
    if found.iter().any(|&r| !namer.at(r).pointer) {
        found.retain(|&r| !namer.at(r).pointer);
    }
    let texts: BTreeSet<String> = found.iter().map(|&r| namer.text(r, &[])).collect();
    texts.len()
}

struct Namer<'a> {
    source: &'a Source<'a>,
    /// References by statement.
    statements: BTreeMap<(usize, usize), Vec<usize>>,
    /// All references met so far, with their forms.
    seen: Vec<(Reference, Form)>,
    /// Whether two references can be this many bytes apart, at this size of elements.
    apart: RefCell<HashMap<(usize, usize, i64, u32), bool>>,
}

impl<'a> Namer<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        Self { source, statements: BTreeMap::new(), seen: Vec::new(), apart: RefCell::default() }
    }

    fn name(&mut self, operands: &[Operand]) -> Vec<Option<String>> {
        // What the place leaves open is the same for all operands of that place that do the same.
        let mut known: HashMap<Operand, Vec<usize>> = HashMap::new();
        let candidates: Vec<Vec<usize>> = operands
            .iter()
            .map(|operand| {
                let place = Operand { place: None, array: None, ..*operand };
                known.entry(place).or_insert_with(|| self.candidates(operand)).clone()
            })
            .collect();
        let possible = self.assign(operands, &candidates);
        possible.into_iter().map(|possible| self.common(&possible)).collect()
    }

    fn references(&mut self, statement: (usize, usize)) -> Vec<usize> {
        if let Some(known) = self.statements.get(&statement) {
            return known.clone();
        }
        let mut found = self.source.references(statement.0, statement.1);
        if found.len() > MOST_REFERENCES {
            found.clear();
        }
        let begun = self.seen.len();
        for reference in found {
            let form = subscript::form(self.source, &reference);
            self.seen.push((reference, form));
        }
        let indices: Vec<usize> = (begun..self.seen.len()).collect();
        self.statements.insert(statement, indices.clone());
        indices
    }

    fn at(&self, reference: usize) -> &Reference {
        &self.seen[reference].0
    }

    /// The references that the operand can be: more than one where its place leaves that open, never without the
    /// right one if that is in the text.
    fn candidates(&mut self, operand: &Operand) -> Vec<usize> {
        if operand.line == 0 {
            return Vec::new();
        }
        let fortran = self.source.language.is_fortran();
        let token = (operand.column > 0 && !fortran)
            .then(|| self.source.token_at(operand.line, operand.column))
            .flatten()
            // The bracket of a condition: what is in it.
            .map(|token| {
                token + usize::from(self.source.word(token) == "(" && self.source.begins_statement(token + 1))
            });
        let mut found = match token {
            Some(token) if operand.frame => self.variable(token),
            _ if operand.frame => Vec::new(),
            Some(token) if operand.kind == AccessKind::Load => self.loads_at(token, operand),
            Some(token) => self.stores_at(token, operand),
            None => self.on_line(operand),
        };
        found.sort_unstable();
        found.dedup();
        // What goes through a pointer may be in any variable: its name need not be on this line.
        if let Some(variable) = operand.variable {
            let own = |&r: &usize| self.root(r).is_some_and(|root| self.is_same_name(root, variable));
            if found.iter().any(own) {
                found.retain(own);
            }
        }
        if found.len() > MOST_CANDIDATES { Vec::new() } else { found }
    }

    /// The variable that a reference begins with: `b` of `ns::b[i]` and `b.x`, nothing for `*f(x)`.
    fn root(&self, reference: usize) -> Option<&str> {
        let reference = self.at(reference);
        let mut root = None;
        for token in reference.first..reference.last {
            match self.source.word(token) {
                "(" | "*" | "&" if root.is_none() => {}
                "::" => {}
                _ if self.source.is_name(token) => root = Some(self.source.word(token)),
                _ => break,
            }
        }
        root
    }

    fn is_same_name(&self, written: &str, variable: &str) -> bool {
        let last = variable.rsplit("::").next().unwrap_or(variable);
        if self.source.language.is_fortran() { written.eq_ignore_ascii_case(last) } else { written == last }
    }

    /// The variable named at a place.
    fn variable(&mut self, token: usize) -> Vec<usize> {
        let all = self.references(self.source.statement_of(token));
        all.into_iter().filter(|&r| self.at(r).plain && self.at(r).first == token).collect()
    }

    fn fits(&self, reference: usize, operand: &Operand) -> bool {
        let reference = self.at(reference);
        let does = if operand.kind == AccessKind::Load { reference.read } else { reference.written };
        // A mere name stays where it is, unless it is a macro for something else.
        let moves = !reference.plain || !operand.moves || self.can_move(reference);
        let size = !reference.pointer || operand.element == 8 || operand.element == 0;
        does && moves && size
    }

    fn can_move(&self, reference: &Reference) -> bool {
        let word = self.source.word(reference.first);
        match self.source.language {
            Grammar::C | Grammar::Rust => self.source.defines(word),
            Grammar::Cxx => {
                self.source.defines(word)
                    || self.source.places_of(word).iter().filter(|&&k| k >= 2).any(|&k| {
                        matches!(self.source.word(k - 1), "&" | "&&")
                            && (self.source.is_name(k - 2) || matches!(self.source.word(k - 2), ">" | ">>"))
                    })
            }
            // Whole arrays and sections.
            Grammar::Fortran | Grammar::FixedFortran => {
                let (first, last) = self.source.statement_of(reference.first);
                let equals = (first..last).find(|&k| self.source.word(k) == "=").unwrap_or(last);
                let section = (first..equals).any(|k| self.source.word(k) == ":");
                let whole = equals > first && self.source.is_name(equals - 1);
                let element = self.source.word(reference.last) == "(";
                section || whole && !element && !self.is_declared_scalar(word)
            }
        }
    }

    /// Fortran: the name is that of a real or integer variable without dimensions, wherever it is declared in this file.
    fn is_declared_scalar(&self, name: &str) -> bool {
        const TYPES: [&str; 4] = ["real", "integer", "double", "logical"];
        let is = |token: usize, word: &str| self.source.word(token).eq_ignore_ascii_case(word);
        let mut declared = false;
        for &token in self.source.places_of(name) {
            let (first, last) = self.source.statement_of(token);
            // Arrays, and names that may get their shape elsewhere.
            if is(token + 1, "(") && token != first
                || (first..last).any(|k| is(k, "dimension") || is(k, "allocatable") || is(k, "pointer"))
            {
                return false;
            }
            declared |= TYPES.iter().any(|of| is(first, of));
        }
        declared
    }

    fn fitting(&self, references: Vec<usize>, operand: &Operand) -> Vec<usize> {
        references.into_iter().filter(|&r| self.fits(r, operand)).collect()
    }

    fn stores_at(&mut self, token: usize, operand: &Operand) -> Vec<usize> {
        let statement = self.source.statement_of(token);
        let all = self.references(statement);
        let all = self.fitting(all, operand);
        let word = self.source.word(token);
        let here: Vec<usize> = all
            .iter()
            .copied()
            .filter(|&r| {
                let reference = self.at(r);
                let assigns = word.ends_with('=') || matches!(word, "++" | "--");
                if assigns {
                    // Brackets and `++` may be between.
                    let between = if token >= reference.last {
                        reference.last..token
                    } else {
                        token + 1..reference.first
                    };
                    between.clone().all(|k| matches!(self.source.word(k), ")" | "(" | "++" | "--"))
                        && (token >= reference.last || token < reference.first)
                } else {
                    reference.anchors.contains(&token) || (reference.first..reference.last).contains(&token)
                }
            })
            .collect();
        if here.is_empty() { all } else { here }
    }

    fn loads_at(&mut self, token: usize, operand: &Operand) -> Vec<usize> {
        let statement = self.source.statement_of(token);
        let all = self.references(statement);
        let word = self.source.word(token);
        if let Some(operands) = self.source.operands_of(token, statement) {
            let inside: Vec<usize> = all
                .iter()
                .copied()
                .filter(|&r| operands.0 <= self.at(r).first && self.at(r).last <= operands.1)
                .collect();
            // A value that was loaded into a variable just before may be loaded here only.
            let mut found = self.with_definitions(&inside, statement.0);
            if found.is_empty() {
                found = all;
            }
            return self.fitting(found, operand);
        }
        let anchored: Vec<usize> =
            all.iter().copied().filter(|&r| self.at(r).anchors.contains(&token)).collect();
        if anchored.is_empty() {
            let found = self.with_definitions(&all, statement.0);
            return self.fitting(found, operand);
        }
        let mut found = anchored.clone();
        if matches!(word, "[" | "." | "->" | "*") {
            // GCC: what the address is computed from may be loaded here, too.
            for &r in &all {
                if anchored.iter().any(|&a| self.at(a).holds(self.at(r))) && !self.at(r).plain {
                    found.push(r);
                }
            }
        } else if self.source.language == Grammar::Rust {
            // The whole expression's begin: any of its parts.
            found.extend(all.iter().copied().filter(|&r| self.at(r).first >= token));
        } else if self.anchor_is_declared(token) {
            let whole = self.with_definitions(&all, statement.0);
            return self.fitting(whole, operand);
        }
        let fitting = self.fitting(found, operand);
        if !fitting.is_empty() {
            return fitting;
        }
        self.fitting(all, operand)
    }

    /// `double t = r[i]`: GCC places the load at `t`.
    fn anchor_is_declared(&self, token: usize) -> bool {
        self.source.is_name(token) && self.source.word(token + 1) == "="
    }

    /// With what the plain names among `references` were last given, where that was loaded.
    fn with_definitions(&mut self, references: &[usize], first: usize) -> Vec<usize> {
        let mut found = references.to_vec();
        for &r in references {
            if !self.at(r).plain || !self.at(r).read {
                continue;
            }
            let name = self.source.word(self.at(r).first).to_owned();
            if let Some(definition) = self.source.definition(&name, first) {
                let given = self.references(definition);
                found.extend(given.into_iter().filter(|&g| !self.at(g).plain && self.at(g).read));
            }
        }
        found
    }

    fn on_line(&mut self, operand: &Operand) -> Vec<usize> {
        let mut found = Vec::new();
        for statement in self.source.statements_on(operand.line) {
            let all = self.references(statement);
            // Loads may come from definitions before, when the compiler gives no column at all.
            let all = if operand.kind == AccessKind::Load && !self.source.language.is_fortran() {
                self.with_definitions(&all, statement.0)
            } else {
                all
            };
            found.extend(self.fitting(all, operand));
        }
        found
    }

    /// For each operand, the references that it is in some assignment of all.
    fn assign(&self, operands: &[Operand], candidates: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
        let mut possible = vec![BTreeSet::new(); operands.len()];
        // Operands are linked by what they can both be, and by an array.
        let links = |operand: usize, arrays: bool| {
            let array = operands[operand].array.filter(|_| arrays).map(Link::Array);
            candidates[operand].iter().copied().map(Link::Reference).chain(array)
        };
        let open = || (0..operands.len()).filter(|&operand| !candidates[operand].is_empty());
        // Operands that were seen at common addresses go through one variable, unless two pointers lead there.
        for component in components(open(), |operand| links(operand, true)) {
            let mut search = Search::new(self, operands, candidates, &component, true);
            if search.run() && search.found.iter().all(|found| !found.is_empty()) {
                for (&operand, found) in component.iter().zip(search.found) {
                    possible[operand] = found;
                }
                continue;
            }
            for component in components(component.into_iter(), |operand| links(operand, false)) {
                let mut search = Search::new(self, operands, candidates, &component, false);
                // Without any assignment, the operands contradict each other: none is believed.
                let complete = search.run();
                for (&operand, found) in component.iter().zip(search.found) {
                    possible[operand] =
                        if complete { found } else { candidates[operand].iter().copied().collect() };
                }
            }
        }
        possible
    }

    /// What the possible references have in common.
    fn common(&self, possible: &BTreeSet<usize>) -> Option<String> {
        let texts: BTreeSet<String> = possible.iter().map(|&r| self.text(r, &[])).collect();
        if texts.len() <= 1 {
            return texts.into_iter().next().map(shortened);
        }
        let first = &self.seen[*possible.first()?].1;
        let alike = possible.iter().all(|&r| {
            let form = &self.seen[r].1;
            form.skeleton == first.skeleton && form.parts.len() == first.parts.len()
        });
        if !alike || first.parts.is_empty() {
            return None;
        }
        let parts: Vec<Option<String>> = (0..first.parts.len())
            .map(|k| {
                let texts: BTreeSet<String> =
                    possible.iter().map(|&r| self.source_text(self.seen[r].1.parts[k])).collect();
                if texts.len() == 1 {
                    return None;
                }
                Some(self.common_part(possible, k))
            })
            .collect();
        Some(shortened(self.text(*possible.first()?, &parts)))
    }

    /// What a subscript has in common: its shortest form without a constant, where they differ by one only.
    fn common_part(&self, possible: &BTreeSet<usize>, k: usize) -> String {
        let polynomials: Option<Vec<_>> = possible
            .iter()
            .map(|&r| {
                let (first, last) = self.seen[r].1.parts[k];
                subscript::polynomial(self.source, first, last)
            })
            .collect();
        let constant = polynomials.is_some_and(|all| {
            all.iter().all(|p| p.minus(&all[0]).is_some_and(|difference| difference.value().is_some()))
        });
        let shortest =
            possible.iter().map(|&r| self.source_text(self.seen[r].1.parts[k])).min_by_key(String::len);
        match shortest {
            Some(shortest) if constant => {
                let bare = shortest.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
                let bare = bare.strip_suffix(['+', '-']).map_or(shortest.as_str(), str::trim_end);
                format!("{bare}+…")
            }
            _ => "…".to_owned(),
        }
    }

    fn source_text(&self, (first, last): (usize, usize)) -> String {
        self.joined(first, last, &[])
    }

    fn text(&self, reference: usize, parts: &[Option<String>]) -> String {
        let (reference, form) = &self.seen[reference];
        let replaced: Vec<((usize, usize), &str)> = form
            .parts
            .iter()
            .zip(parts)
            .filter_map(|(&range, part)| Some((range, part.as_deref()?)))
            .collect();
        self.joined(reference.first, reference.last, &replaced)
    }

    /// Tokens as written, with white space made even.
    fn joined(&self, first: usize, last: usize, replaced: &[((usize, usize), &str)]) -> String {
        let mut text = String::new();
        let mut end = None;
        let mut at = first;
        while at < last && text.len() < LONGEST * 8 {
            let Some(token) = self.source.lexed.tokens.get(at) else { break };
            let word = self.source.word(at);
            let bracketed = text.ends_with(['(', '[']) || word.starts_with([')', ']']);
            if end.is_some_and(|end| end < token.start) && !bracketed && !text.is_empty() {
                text.push(' ');
            }
            if let Some((range, part)) = replaced.iter().find(|(range, _)| range.0 == at && range.1 > at) {
                text.push_str(part);
                at = range.1;
            } else {
                text.push_str(word);
                at += 1;
            }
            end = self.source.lexed.tokens.get(at - 1).map(|t| t.end);
        }
        text
    }
}

fn shortened(text: String) -> String {
    if text.chars().count() <= LONGEST {
        return text;
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}
