//! References to memory in the tokens of a statement: what is read, what is written, and at which tokens compilers
//! place the access.
//!
//! No parser of a language: chains such as `s->v[k].y`, `*p++`, `(*m)(i,j)` are recognised wherever an operand can
//! be, operators by their precedence. What declarations say is not known, so that more may be listed than is in
//! memory; nothing that is accessed is left out.

use super::lex::{Grammar, Lexed, Sort, Token};
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reference {
    /// Its tokens, `[first, last)`.
    pub first: usize,
    pub last: usize,
    pub read: bool,
    pub written: bool,
    /// A mere name.
    pub plain: bool,
    /// Only the pointer on the way to something else.
    pub pointer: bool,
    /// Tokens at which compilers place this access.
    pub anchors: Vec<usize>,
}

impl Reference {
    /// Whether `other` is within it.
    pub fn holds(&self, other: &Self) -> bool {
        (self.first, self.last) != (other.first, other.last)
            && self.first <= other.first
            && other.last <= self.last
    }
}

/// The text, its tokens, and where statements begin.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) language: Grammar,
    pub(super) lexed: Lexed,
    /// First tokens of statements; the last one is the number of tokens.
    starts: Vec<usize>,
    /// For each bracket, the one that belongs to it.
    partners: Vec<Option<u32>>,
    /// Where each name is; Fortran's in lower case.
    names: OnceCell<HashMap<String, Vec<usize>>>,
    /// Macros that the text defines.
    macros: OnceCell<HashSet<String>>,
    /// Names whose elements are pointers or vectors, of those that were asked for.
    indirect: RefCell<HashMap<String, bool>>,
}

const CONTROL: &[&str] = &["if", "for", "while", "switch", "match", "catch"];
const OPERATOR_WORDS: &[&str] = &[
    "return", "case", "else", "do", "goto", "throw", "new", "delete", "in", "let", "mut", "as", "unsafe",
    "move",
];
const NO_OPERANDS: &[&str] = &[
    "if", "for", "while", "switch", "match", "catch", "sizeof", "alignof", "_Alignof", "decltype", "typeof",
    "int", "double", "float", "char", "long", "short", "unsigned", "signed", "void", "bool", "const",
    "static", "volatile", "register", "struct", "restrict", "auto", "f64", "f32", "usize", "isize", "u8",
    "u16", "u32", "u64", "i8", "i16", "i32", "i64", "break", "continue", "true", "false", "nullptr", "NULL",
    "this", "self", "fn", "use", "inline",
];
const INTRINSICS: &[&str] = &[
    "sqrt",
    "exp",
    "log",
    "log10",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "abs",
    "max",
    "min",
    "mod",
    "modulo",
    "real",
    "dble",
    "sngl",
    "int",
    "nint",
    "aint",
    "anint",
    "floor",
    "ceiling",
    "sign",
    "iabs",
    "dabs",
    "dsqrt",
    "dexp",
    "amax1",
    "amin1",
    "dmax1",
    "dmin1",
    "max0",
    "min0",
    "sum",
    "product",
    "maxval",
    "minval",
    "size",
    "merge",
    "cmplx",
    "aimag",
    "conjg",
    "iand",
    "ior",
    "ieor",
    "ishft",
    "if",
    "elseif",
    "while",
    "write",
    "read",
    "print",
    "do",
    "where",
    "forall",
    "concurrent",
    "call",
    "allocate",
    "deallocate",
    "select",
    "case",
    "kind",
    "dot_product",
    "matmul",
    "transpose",
    "epsilon",
    "huge",
    "tiny",
];

impl<'a> Source<'a> {
    pub fn new(text: &'a str, language: Grammar) -> Self {
        let lexed = super::lex::lex(text, language);
        let mut source = Self {
            text,
            language,
            lexed,
            starts: Vec::new(),
            partners: Vec::new(),
            names: OnceCell::new(),
            macros: OnceCell::new(),
            indirect: RefCell::default(),
        };
        source.starts = source.statement_starts();
        source.partners = source.bracket_partners();
        source
    }

    fn tokens(&self) -> &[Token] {
        &self.lexed.tokens
    }

    /// The text of a token; empty beyond the end.
    pub fn word(&self, at: usize) -> &'a str {
        self.tokens().get(at).and_then(|t| self.text.get(t.start..t.end)).unwrap_or_default()
    }

    pub(super) fn sort(&self, at: usize) -> Option<Sort> {
        self.tokens().get(at).map(|t| t.sort)
    }

    pub fn is_name(&self, at: usize) -> bool {
        self.sort(at) == Some(Sort::Name)
    }

    /// Tokens that are a name.
    pub fn places_of(&self, name: &str) -> &[usize] {
        let fortran = self.language.is_fortran();
        let spelled = |word: &str| if fortran { word.to_ascii_lowercase() } else { word.to_owned() };
        let names = self.names.get_or_init(|| {
            let mut names: HashMap<String, Vec<usize>> = HashMap::new();
            for at in (0..self.tokens().len()).filter(|&at| self.is_name(at)) {
                names.entry(spelled(self.word(at))).or_default().push(at);
            }
            names
        });
        names.get(&spelled(name)).map_or(&[], Vec::as_slice)
    }

    /// Whether the text defines a macro of this name.
    pub fn defines(&self, name: &str) -> bool {
        self.macros.get_or_init(|| self.lexed.macros.iter().cloned().collect()).contains(name)
    }

    /// Statements end at `;` and braces; the parts of a loop's head, and a condition, are statements of their own.
    fn statement_starts(&self) -> Vec<usize> {
        let count = self.tokens().len();
        let mut starts = vec![0];
        let mut begin = |at: usize| {
            if starts.last() != Some(&at) {
                starts.push(at);
            }
        };
        if self.language.is_fortran() {
            for at in 0..count {
                if self.sort(at) == Some(Sort::End) {
                    begin(at + 1);
                }
            }
            begin(count);
            return starts;
        }
        // For each open bracket, whether it is the head of a control statement.
        let mut open: Vec<bool> = Vec::new();
        for at in 0..count {
            match self.word(at) {
                "(" | "[" => {
                    let head = at > 0 && self.word(at) == "(" && CONTROL.contains(&self.word(at - 1));
                    open.push(head);
                    if head {
                        begin(at + 1);
                    }
                }
                ")" | "]" if open.pop() == Some(true) => {
                    begin(at);
                    begin(at + 1);
                }
                ";" => begin(at + 1),
                "{" | "}" => {
                    // Whatever is open inside of a body was left open by mistake, or by a macro.
                    open.clear();
                    begin(at);
                    begin(at + 1);
                }
                _ => {}
            }
        }
        begin(count);
        starts
    }

    /// The statement that holds a token.
    pub fn statement_of(&self, token: usize) -> (usize, usize) {
        let after = self.starts.partition_point(|&s| s <= token);
        let first = after.checked_sub(1).and_then(|i| self.starts.get(i)).copied().unwrap_or(0);
        (first, self.starts.get(after).copied().unwrap_or(self.tokens().len()))
    }

    /// Whether a statement begins at a token.
    pub fn begins_statement(&self, token: usize) -> bool {
        self.starts.binary_search(&token).is_ok() && token < self.tokens().len()
    }

    /// Statements with a token on the line.
    pub fn statements_on(&self, line: u32) -> Vec<(usize, usize)> {
        let from = self.tokens().partition_point(|t| t.line < line);
        let to = self.tokens().partition_point(|t| t.line <= line);
        let mut found = Vec::new();
        let mut at = from;
        while at < to {
            let (first, last) = self.statement_of(at);
            found.push((first, last));
            at = last.max(at + 1);
        }
        found
    }

    /// The token at a place.
    pub fn token_at(&self, line: u32, column: u32) -> Option<usize> {
        let after = self.tokens().partition_point(|t| (t.line, t.column) <= (line, column));
        let at = after.checked_sub(1)?;
        let token = self.tokens().get(at)?;
        let inside = token.line == line && ((column - token.column) as usize) < token.end - token.start;
        (inside && token.sort != Sort::End).then_some(at)
    }

    /// Round and square brackets that belong together; none reaches beyond braces.
    fn bracket_partners(&self) -> Vec<Option<u32>> {
        let mut partners = vec![None; self.tokens().len()];
        let mut open: Vec<usize> = Vec::new();
        for at in 0..partners.len() {
            match self.word(at) {
                "(" | "[" => open.push(at),
                ")" | "]" => {
                    if let Some(begin) = open.pop() {
                        partners[begin] = u32::try_from(at).ok();
                        partners[at] = u32::try_from(begin).ok();
                    }
                }
                "{" | "}" => open.clear(),
                _ => {}
            }
        }
        partners
    }

    fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten().map(|p| p as usize)
    }

    /// The token that closes the bracket at `at`, before `end`.
    pub fn closing(&self, at: usize, end: usize) -> Option<usize> {
        self.partner(at).filter(|&close| close > at && close < end)
    }

    /// Whether an operand can begin after the token before `at`, i.e. an operator at `at` has one operand.
    pub fn is_unary(&self, at: usize, first: usize) -> bool {
        let Some(before) = at.checked_sub(1).filter(|&b| b >= first) else { return true };
        match self.sort(before) {
            Some(Sort::Name) => OPERATOR_WORDS.contains(&self.word(before)),
            Some(Sort::Number | Sort::Literal) => false,
            _ => match self.word(before) {
                ")" => self.closes_cast(before, first),
                "]" => false,
                "++" | "--" => before == first || self.is_unary(before, first),
                _ => true,
            },
        }
    }

    /// Whether the bracket that ends at `close` is a cast such as `(double *)`.
    fn closes_cast(&self, close: usize, first: usize) -> bool {
        let Some(open) = self.partner(close).filter(|&open| open >= first && open < close) else {
            return false;
        };
        if open > first && self.is_name(open - 1) && !OPERATOR_WORDS.contains(&self.word(open - 1)) {
            return false;
        }
        self.is_type(open + 1, close)
    }

    pub fn is_type(&self, first: usize, last: usize) -> bool {
        let words = || (first..last).map(|k| self.word(k));
        let shaped =
            (first..last).all(|k| self.is_name(k) || matches!(self.word(k), "*" | "::" | "<" | ">" | "&"));
        let mut previous = false;
        let two_names =
            (first..last).any(|k| std::mem::replace(&mut previous, self.is_name(k)) && self.is_name(k));
        let known = words().any(|w| NO_OPERANDS.contains(&w) || w.ends_with("_t"));
        first < last
            && self.is_name(first)
            && shaped
            && (known || two_names || words().next_back() == Some("*"))
    }

    /// All references of a statement (or part of one).
    pub(super) fn references(&self, first: usize, last: usize) -> Vec<Reference> {
        /// No statement that a person wrote is longer.
        const LONGEST_STATEMENT: usize = 10_000;
        let mut out = Vec::new();
        if last.saturating_sub(first) > LONGEST_STATEMENT {
            return out;
        }
        self.scan(first, last, first, 0, &mut out);
        self.find_written(first, last, &mut out);
        out
    }

    /// Deeper nesting than this is not looked into.
    const DEEPEST: usize = 40;

    fn scan(&self, first: usize, last: usize, statement: usize, depth: usize, out: &mut Vec<Reference>) {
        if depth > Self::DEEPEST {
            return;
        }
        let mut at = first;
        while at < last {
            at = self.operand(at, last, statement, depth, out).max(at + 1);
        }
    }

    /// Reads an operand at `at`, if one begins there; the token after it.
    fn operand(
        &self,
        at: usize,
        last: usize,
        statement: usize,
        depth: usize,
        out: &mut Vec<Reference>,
    ) -> usize {
        if depth > Self::DEEPEST {
            return last;
        }
        let fortran = self.language.is_fortran();
        match self.word(at) {
            "*" if !fortran && self.is_unary(at, statement) => {
                let begun = out.len();
                let end = self.operand(at + 1, last, statement, depth + 1, out);
                // What the pointer is made of is read; `++` on it is not on what it points to.
                for inner in &mut out[begun..] {
                    inner.pointer |= !inner.plain && inner.last == end && inner.first == at + 1;
                }
                if end > at + 1 {
                    // `*p++` is what it points to before it moves.
                    let moved =
                        end < last && matches!(self.word(end), "++" | "--") && self.word(end - 1) != ")";
                    out.push(Reference {
                        first: at,
                        last: end + usize::from(moved),
                        read: true,
                        anchors: vec![at],
                        ..Reference::default()
                    });
                }
                end
            }
            "&" | "&&" if !fortran && self.is_unary(at, statement) => {
                let begun = out.len();
                let end = self.operand(at + 1, last, statement, depth + 1, out);
                // The address is taken, nothing is read there.
                out.retain({
                    let mut index = 0;
                    move |r| {
                        index += 1;
                        index <= begun || r.last != end || r.first != at + 1
                    }
                });
                end
            }
            "(" => {
                let Some(close) = self.closing(at, last) else { return at + 1 };
                if !fortran && self.is_type(at + 1, close) {
                    return close + 1;
                }
                let begun = out.len();
                self.scan(at + 1, close, at + 1, depth + 1, out);
                if close + 1 < last && self.word(close + 1) == "[" {
                    // `(*m)[i]`: a row, or a pointer to one.
                    let name = (at + 1..close).find(|&k| self.is_name(k)).unwrap_or(at);
                    let row = |r: &Reference| r.first == at + 1 && r.last == close && !r.plain;
                    if self.is_indirect(name) {
                        out[begun..].iter_mut().filter(|r| row(r)).for_each(|r| r.pointer = true);
                    } else {
                        let rows: Vec<Reference> = out.drain(begun..).filter(|r| !row(r)).collect();
                        out.extend(rows);
                    }
                }
                self.chain(at, close + 1, last, depth, out)
            }
            word if self.is_name(at) => {
                let lower = word.to_ascii_lowercase();
                let keyword = if fortran {
                    INTRINSICS.contains(&lower.as_str())
                } else {
                    NO_OPERANDS.contains(&word) && !matches!(word, "this" | "self")
                        || OPERATOR_WORDS.contains(&word)
                };
                if matches!(word, "sizeof" | "alignof" | "_Alignof" | "decltype" | "typeof")
                    && let Some(close) = self.closing(at + 1, last)
                {
                    return close + 1;
                }
                // A name before a name is a type.
                if keyword
                    || (self.is_name(at + 1) && at + 1 < last && !OPERATOR_WORDS.contains(&self.word(at + 1)))
                {
                    return at + 1;
                }
                self.chain(at, at + 1, last, depth, out)
            }
            _ => at + 1,
        }
    }

    /// Follows subscripts, members and calls after the operand `[first, at)`; adds what is accessed on the way.
    fn chain(
        &self,
        first: usize,
        mut at: usize,
        last: usize,
        depth: usize,
        out: &mut Vec<Reference>,
    ) -> usize {
        let fortran = self.language.is_fortran();
        let grouped = self.word(first) == "(";
        let mut now = Reference {
            first,
            last: at,
            read: true,
            plain: !grouped,
            anchors: vec![first],
            ..Reference::default()
        };
        let mut accessed = !grouped;
        // The name that subscripts belong to: where clang places the access.
        let mut subject = first;
        while at < last {
            let word = self.word(at);
            let opens = word == "[" || (word == "(" && fortran);
            if opens || word == "(" {
                let Some(close) = self.closing(at, last) else { break };
                let begun = out.len();
                self.scan(at + 1, close, at + 1, depth + 1, out);
                if opens {
                    if accessed && (now.plain || self.is_indirect(subject)) {
                        out.push(Reference { pointer: !now.plain, ..now.clone() });
                    }
                    now.anchors = vec![at, subject];
                    (accessed, now.plain) = (true, false);
                } else {
                    // A call; a macro may expand to an access.
                    accessed = now.plain && self.is_macro(first) && out[begun..].iter().all(|r| r.plain);
                    now.anchors = vec![first];
                    now.plain = false;
                }
                at = close + 1;
            } else if matches!(word, "." | "->" | "%")
                && self.is_name(at + 1)
                && at + 1 < last
                && (word != "%" || fortran)
            {
                if word == "->" && accessed {
                    out.push(Reference { pointer: !now.plain, ..now.clone() });
                }
                now.anchors = vec![at, at + 1];
                subject = at + 1;
                (accessed, now.plain) = (true, false);
                at += 2;
            } else if word == "::" && self.is_name(at + 1) && !fortran {
                now.anchors = vec![at + 1];
                subject = at + 1;
                at += 2;
            } else if word == "?" && self.language == Grammar::Rust && self.word(at + 1) == "." {
                at += 1;
                continue;
            } else {
                break;
            }
            now.last = at;
        }
        if accessed && now.last > first {
            out.push(now);
        }
        at
    }

    /// Whether the elements of what `name` calls are pointers or vectors, as far as the text shows.
    fn is_indirect(&self, name: usize) -> bool {
        if !matches!(self.language, Grammar::C | Grammar::Cxx) {
            return self.language == Grammar::Rust;
        }
        let word = self.word(name);
        let find = || {
            self.places_of(word).iter().filter(|&&k| k > 0).any(|&k| {
                let before = self.word(k - 1);
                let earlier = k.checked_sub(2).map_or("", |e| self.word(e));
                (before == "*"
                    && (earlier == "*" || (self.word(k + 1) == "[" && NO_OPERANDS.contains(&earlier))))
                    || before == ">>"
                    || (before == "&" && earlier == ">>")
                    || (before == ">" && earlier == ">")
            })
        };
        if let Some(&known) = self.indirect.borrow().get(word) {
            return known;
        }
        let found = find();
        self.indirect.borrow_mut().insert(word.to_owned(), found);
        found
    }

    fn is_macro(&self, at: usize) -> bool {
        let word = self.word(at);
        let shouted = word.len() > 1
            && word.bytes().any(|b| b.is_ascii_uppercase())
            && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        !self.language.is_fortran() && (shouted || self.defines(word))
    }

    /// Parts between commas.
    pub fn split_commas(&self, first: usize, last: usize) -> Vec<(usize, usize)> {
        let mut parts = Vec::new();
        let (mut start, mut depth) = (first, 0i64);
        for k in first..last {
            match self.word(k) {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "," if depth == 0 => {
                    parts.push((start, k));
                    start = k + 1;
                }
                _ => {}
            }
        }
        parts.push((start, last));
        parts
    }

    /// Marks what assignments and `++` write.
    fn find_written(&self, first: usize, last: usize, references: &mut [Reference]) {
        let fortran = self.language.is_fortran();
        let mut depth = 0i64;
        for at in first..last {
            match self.word(at) {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                "=" if fortran && depth == 0 => {
                    if let Some(written) = self.ends_before(at, first, references) {
                        (written.written, written.read) = (true, false);
                    }
                    return;
                }
                "=" if !fortran => {
                    if let Some(written) = self.ends_before(at, first, references) {
                        (written.written, written.read) = (true, false);
                    }
                }
                word if !fortran && is_update(word) => {
                    if let Some(written) = self.ends_before(at, first, references) {
                        written.written = true;
                    }
                }
                "++" | "--" if !fortran => {
                    let after = references.iter().filter(|r| r.first == at + 1).max_by_key(|r| r.last);
                    let prefix = self.is_unary(at, first) && after.is_some();
                    if prefix {
                        let key = after.map(|r| (r.first, r.last));
                        for r in references.iter_mut().filter(|r| Some((r.first, r.last)) == key) {
                            r.written = true;
                        }
                    } else {
                        // The innermost operand: `*p++` moves the pointer.
                        let operand =
                            references.iter_mut().filter(|r| r.last == at && self.word(r.first) != "*");
                        if let Some(written) = operand.min_by_key(|r| r.first) {
                            written.written = true;
                        } else if let Some(written) = self.ends_before(at, first, references) {
                            written.written = true;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The largest reference that ends before the operator at `at`, also in brackets of its own.
    fn ends_before<'r>(
        &self,
        at: usize,
        first: usize,
        references: &'r mut [Reference],
    ) -> Option<&'r mut Reference> {
        let mut end = at;
        loop {
            let mut found: Option<usize> = None;
            for (k, r) in references.iter().enumerate() {
                let ends = r.last == end;
                if ends && found.is_none_or(|f| r.first < references[f].first) {
                    found = Some(k);
                }
            }
            if found.is_some() {
                return found.map(|k| &mut references[k]);
            }
            if end <= first + 1 || self.word(end - 1) != ")" {
                return None;
            }
            end -= 1;
        }
    }

    /// The operands of the operator at `at`, as the tokens around it.
    pub fn operands_of(&self, at: usize, (first, last): (usize, usize)) -> Option<(usize, usize)> {
        let own = precedence(self.word(at))?;
        if own > 0 && self.is_unary(at, first) {
            return None;
        }
        let ends = |k: usize| match self.word(k) {
            "," | "?" | ":" | ";" => true,
            word if OPERATOR_WORDS.contains(&word) => true,
            word => precedence(word).is_some_and(|p| p < own && (p == 0 || !self.is_unary(k, first))),
        };
        let mut left = at;
        let mut depth = 0i64;
        while left > first {
            match self.word(left - 1) {
                ")" | "]" => depth += 1,
                "(" | "[" if depth == 0 => break,
                "(" | "[" => depth -= 1,
                _ if depth == 0 && ends(left - 1) => break,
                _ => {}
            }
            left -= 1;
        }
        let mut right = at + 1;
        depth = 0;
        while right < last {
            match self.word(right) {
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 0 => break,
                ")" | "]" => depth -= 1,
                _ if depth == 0 && ends(right) => break,
                _ => {}
            }
            right += 1;
        }
        Some((left, right))
    }

    /// What a local variable was given shortly before the statement at `first`: the statement that did.
    pub fn definition(&self, name: &str, first: usize) -> Option<(usize, usize)> {
        /// Statements that are looked at.
        const BACK: usize = 40;
        let index = self.starts.partition_point(|&s| s < first);
        for earlier in (index.saturating_sub(BACK)..index).rev() {
            let (&start, &end) = (self.starts.get(earlier)?, self.starts.get(earlier + 1)?);
            let assigns = (start + 1..end).any(|k| self.word(k) == "=" && self.word(k - 1) == name);
            if assigns {
                return Some((start, end));
            }
        }
        None
    }
}

fn is_update(word: &str) -> bool {
    matches!(word, "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=")
}

/// How strongly an operator of two operands binds; 0 for assignments.
fn precedence(word: &str) -> Option<u32> {
    Some(match word {
        "=" => 0,
        word if is_update(word) => 0,
        "||" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "==" | "!=" => 7,
        "<" | ">" | "<=" | ">=" => 8,
        "<<" | ">>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        _ => return None,
    })
}
