//! Source text as tokens with positions, for C, C++, Rust and Fortran.
//!
//! Only what distinguishing references needs: names, numbers, literals, punctuation. Comments, and lines for the
//! preprocessor, are left out. The text can contain anything: what is no token of the language becomes punctuation.

/// Family of languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Grammar {
    /// C and its relatives.
    C,
    /// C++: plain names may be references.
    Cxx,
    /// Rust: positions are those of whole expressions.
    Rust,
    /// Fortran in free form.
    Fortran,
    /// Fortran in fixed form.
    FixedFortran,
}

impl Grammar {
    /// From the name that the debug information gives (`C11`, `Fortran95`), and the file's name.
    pub(crate) fn of(name: Option<&str>, file: &str) -> Self {
        let extension = file.rsplit('.').next().filter(|e| e.len() < file.len()).unwrap_or_default();
        let named = name.unwrap_or_default().to_ascii_lowercase();
        let lower = extension.to_ascii_lowercase();
        if matches!(lower.as_str(), "f" | "for" | "ftn" | "f77") {
            Self::FixedFortran
        } else if named.starts_with("fortran")
            || matches!(lower.as_str(), "f90" | "f95" | "f03" | "f08" | "f18")
        {
            Self::Fortran
        } else if named.starts_with("rust") || lower == "rs" {
            Self::Rust
        } else if named.starts_with("c_plus")
            || named.starts_with("c++")
            || matches!(lower.as_str(), "cpp" | "cc" | "cxx" | "hpp" | "hh" | "hxx" | "cu" | "tcc")
            || extension == "C"
        {
            Self::Cxx
        } else {
            Self::C
        }
    }

    pub(crate) fn is_fortran(self) -> bool {
        matches!(self, Self::Fortran | Self::FixedFortran)
    }
}

/// Sort of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Name,
    Number,
    /// A string or character.
    Literal,
    Punctuation,
    /// End of a Fortran statement.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub sort: Sort,
    /// First byte in the text.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Line, 1-based.
    pub line: u32,
    /// Column in bytes, 1-based: as compilers count.
    pub column: u32,
}

/// Tokens beyond this many are not looked at: no source of a program is that long.
const MOST_TOKENS: usize = 4_000_000;

/// Longest first, so that the first that fits is the right one.
const PUNCTUATION: &[&str] = &[
    "<<=", ">>=", "...", "->*", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "==", "!=",
    "<=", ">=", "&&", "||", "<<", "::",
];
const FORTRAN_PUNCTUATION: &[&str] = &["**", "=>", "==", "/=", "<=", ">=", "//", "::"];

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    /// Macros that the text defines.
    pub macros: Vec<String>,
}

/// Takes a text apart.
pub(super) fn lex(text: &str, language: Grammar) -> Lexed {
    let lexer = Lexer { text, bytes: text.as_bytes(), at: 0, line: 1, line_start: 0, out: Lexed::default() };
    match language {
        Grammar::Fortran => lexer.fortran(false),
        Grammar::FixedFortran => lexer.fortran(true),
        _ => lexer.curly(language),
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    line_start: usize,
    out: Lexed,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// One byte on.
    fn step(&mut self) {
        if self.peek(0) == b'\n' {
            self.line = self.line.saturating_add(1);
            self.line_start = self.at + 1;
        }
        self.at += 1;
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && wanted(self.bytes[self.at]) {
            self.step();
        }
    }

    /// Adds the text between `start` and here.
    fn push(&mut self, sort: Sort, (start, line, column): (usize, u32, u32)) {
        self.out.tokens.push(Token { sort, start, end: self.at.min(self.bytes.len()), line, column });
    }

    fn mark(&self) -> (usize, u32, u32) {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX - 1) + 1;
        (self.at, self.line, column)
    }

    fn full(&self) -> bool {
        self.at >= self.bytes.len() || self.out.tokens.len() >= MOST_TOKENS
    }

    fn name(&mut self) {
        let mark = self.mark();
        self.skip_while(is_name);
        self.push(Sort::Name, mark);
    }

    /// A number; `.` belongs to it when a digit or nothing of a name follows (`1..n` and `1.and.` end before it).
    fn number(&mut self, fortran: bool) {
        let mark = self.mark();
        let mut previous = 0;
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            let exponent_sign =
                matches!(byte, b'+' | b'-') && matches!(previous, b'e' | b'E' | b'd' | b'D' | b'p' | b'P');
            let hexadecimal = self.bytes.get(mark.0 + 1).is_some_and(|b| matches!(b, b'x' | b'X'));
            let point = byte == b'.'
                && self.peek(1) != b'.'
                && (self.peek(1).is_ascii_digit()
                    || !is_name_start(self.peek(1))
                    || (fortran && is_exponent(&self.bytes[self.at + 1..])));
            if is_name(byte) || point || (exponent_sign && !hexadecimal) {
                previous = byte;
                self.at += 1;
            } else {
                break;
            }
        }
        self.push(Sort::Number, mark);
    }

    fn punctuation(&mut self, known: &[&str]) {
        let mark = self.mark();
        let rest = &self.bytes[self.at..];
        let length = known.iter().find(|p| rest.starts_with(p.as_bytes())).map_or(1, |p| p.len());
        for _ in 0..length {
            self.step();
        }
        self.push(Sort::Punctuation, mark);
    }

    /// A literal up to `quote`; with `escapes`, a backslash takes the next byte along. Ends at the line's end.
    fn literal(&mut self, quote: u8, escapes: bool) {
        let mark = self.mark();
        self.step();
        while self.at < self.bytes.len() && self.peek(0) != quote && self.peek(0) != b'\n' {
            if escapes && self.peek(0) == b'\\' && self.at + 1 < self.bytes.len() {
                self.step();
            }
            self.step();
        }
        if self.peek(0) == quote {
            self.step();
        }
        self.push(Sort::Literal, mark);
    }

    fn curly(mut self, language: Grammar) -> Lexed {
        let mut fresh = true;
        while !self.full() {
            let byte = self.peek(0);
            match byte {
                b'\n' => {
                    self.step();
                    fresh = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.step(),
                b'/' if self.peek(1) == b'/' => self.skip_while(|b| b != b'\n'),
                b'/' if self.peek(1) == b'*' => {
                    self.step();
                    self.step();
                    while self.at < self.bytes.len() && !(self.peek(0) == b'*' && self.peek(1) == b'/') {
                        self.step();
                    }
                    self.at += 2;
                }
                b'#' if fresh && language != Grammar::Rust => self.directive(),
                b'"' => self.literal(b'"', true),
                b'\'' if language == Grammar::Rust && self.is_lifetime() => {
                    let mark = self.mark();
                    self.step();
                    self.skip_while(is_name);
                    self.push(Sort::Literal, mark);
                }
                b'\'' => self.literal(b'\'', true),
                b'0'..=b'9' => self.number(false),
                _ if is_name_start(byte) => self.name(),
                _ => self.punctuation(PUNCTUATION),
            }
            fresh &= matches!(byte, b' ' | b'\t' | b'\n');
        }
        self.out
    }

    fn is_lifetime(&self) -> bool {
        is_name_start(self.peek(1)) && self.peek(2) != b'\''
    }

    /// Skips a preprocessor line and those that continue it; keeps the name that it defines.
    fn directive(&mut self) {
        let start = self.at;
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            if self.peek(0) == b'\\' && self.peek(1) == b'\n' {
                self.step();
            } else if self.peek(0) == b'\\' && self.peek(1) == b'\r' && self.peek(2) == b'\n' {
                self.step();
                self.step();
            }
            self.step();
        }
        let line = self.text.get(start..self.at.min(self.bytes.len())).unwrap_or_default();
        let mut words = line.trim_start_matches('#').split_whitespace();
        if words.next() == Some("define")
            && let Some(word) = words.next()
        {
            self.out.macros.push(word.split('(').next().unwrap_or_default().to_owned());
        }
    }

    fn fortran(mut self, fixed: bool) -> Lexed {
        while !self.full() {
            if self.at == self.line_start {
                self.fortran_line_start(fixed);
                if self.full() {
                    break;
                }
            }
            let byte = self.peek(0);
            match byte {
                b'\n' => self.fortran_line_end(fixed),
                b' ' | b'\t' | b'\r' => self.step(),
                b'!' => self.skip_while(|b| b != b'\n'),
                b'&' if !fixed => self.fortran_continuation(),
                b';' => {
                    let mark = self.mark();
                    self.step();
                    self.push(Sort::End, mark);
                }
                b'"' | b'\'' => self.literal(byte, false),
                b'0'..=b'9' => self.number(true),
                b'.' if is_name_start(self.peek(1)) => {
                    // `.and.`
                    let mark = self.mark();
                    self.step();
                    self.skip_while(|b| b.is_ascii_alphabetic());
                    if self.peek(0) == b'.' {
                        self.step();
                    }
                    self.push(Sort::Punctuation, mark);
                }
                _ if is_name_start(byte) => self.name(),
                _ => self.punctuation(FORTRAN_PUNCTUATION),
            }
        }
        self.out
    }

    /// Skips a comment line of fixed form, and lines for the preprocessor.
    fn fortran_line_start(&mut self, fixed: bool) {
        let comment = fixed && matches!(self.peek(0), b'c' | b'C' | b'*' | b'd' | b'D');
        if comment || self.peek(0) == b'#' {
            self.skip_while(|b| b != b'\n');
        } else if fixed && self.continues_fixed(self.at) {
            self.at += 6;
        }
    }

    /// Whether the line at `start` continues the one before, by its sixth column.
    fn continues_fixed(&self, start: usize) -> bool {
        let head = self.bytes.get(start..start + 6).unwrap_or_default();
        head.len() == 6
            && head[..5].iter().all(|&b| b == b' ')
            && !matches!(head[5], b' ' | b'0' | b'\n' | b'\r' | b'\t')
    }

    fn fortran_line_end(&mut self, fixed: bool) {
        let mark = self.mark();
        let goes_on = fixed && self.fixed_goes_on();
        self.step();
        if !goes_on {
            self.out.tokens.push(Token {
                sort: Sort::End,
                start: mark.0,
                end: mark.0,
                line: mark.1,
                column: mark.2,
            });
        }
    }

    /// Whether, after comment lines, a continuation line of fixed form follows.
    fn fixed_goes_on(&self) -> bool {
        let mut start = self.at + 1;
        while let Some(&first) = self.bytes.get(start) {
            let end =
                self.bytes[start..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| start + n);
            let blank = self.bytes[start..end].iter().all(u8::is_ascii_whitespace);
            if !blank && !matches!(first, b'c' | b'C' | b'*' | b'!' | b'#') {
                return self.continues_fixed(start);
            }
            start = end + 1;
        }
        false
    }

    /// `&` at the end of a line: the statement goes on at the next line that is no comment, after an `&` there.
    fn fortran_continuation(&mut self) {
        self.step();
        let mut ahead = self.at;
        while self.bytes.get(ahead).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r')) {
            ahead += 1;
        }
        if !matches!(self.bytes.get(ahead), None | Some(b'\n' | b'!')) {
            return;
        }
        loop {
            self.skip_while(|b| b != b'\n');
            self.skip_while(|b| b.is_ascii_whitespace());
            if self.at >= self.bytes.len() || self.peek(0) != b'!' {
                break;
            }
        }
        if self.peek(0) == b'&' {
            self.step();
        }
    }
}

fn is_exponent(rest: &[u8]) -> bool {
    let digits = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
    matches!(rest.first(), Some(b'e' | b'E' | b'd' | b'D'))
        && (digits(1) || (matches!(rest.get(1), Some(b'+' | b'-')) && digits(2)))
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_name(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, language: Grammar) -> Vec<&str> {
        lex(text, language)
            .tokens
            .iter()
            .map(|t| if t.sort == Sort::End { ";" } else { &text[t.start..t.end] })
            .collect()
    }

    #[test]
    fn c_is_taken_apart() {
        let text =
            "#define A(i) \\\n a[i]\nx->y += 1.5e-3f * p[i].z++; // no\n/* \n */ '\\'' \"a\\\"[0]\" a>>=1";
        assert_eq!(
            words(text, Grammar::C),
            [
                "x",
                "->",
                "y",
                "+=",
                "1.5e-3f",
                "*",
                "p",
                "[",
                "i",
                "]",
                ".",
                "z",
                "++",
                ";",
                "'\\''",
                "\"a\\\"[0]\"",
                "a",
                ">>=",
                "1"
            ]
        );
        assert_eq!(lex(text, Grammar::C).macros, ["A"]);
        let lexed = lex("é = ü[1];\n\tz[2];", Grammar::C);
        let z = lexed.tokens.iter().find(|t| t.line == 2).unwrap();
        assert_eq!((z.line, z.column), (2, 2));
        assert_eq!(lexed.tokens[2].column, 6, "columns count bytes");
    }

    #[test]
    fn rust_ranges_and_lifetimes() {
        assert_eq!(
            words("fn f<'a>(x: &'a [f64]) { for i in 0..n { x[i] = 'c'; } }", Grammar::Rust).join(" "),
            "fn f < 'a > ( x : & 'a [ f64 ] ) { for i in 0 . . n { x [ i ] = 'c' ; } }"
        );
    }

    #[test]
    fn fortran_continues_lines() {
        assert_eq!(
            words("a(i) = b(i) & ! more\n ! comment\n  & + 1.d0.and.x ; c = 1.eq.2\n", Grammar::Fortran)
                .join(" "),
            "a ( i ) = b ( i ) + 1.d0 .and. x ; c = 1 .eq. 2 ;"
        );
        let fixed = "c comment\n      a(i) = b(i)\nC more\n     & + c(i)\n      d = 1\n";
        assert_eq!(words(fixed, Grammar::FixedFortran).join(" "), "; a ( i ) = b ( i ) + c ( i ) ; d = 1 ;");
    }

    #[test]
    fn languages_are_told_by_name_and_file() {
        assert_eq!(Grammar::of(Some("Fortran95"), "x.F90"), Grammar::Fortran);
        assert_eq!(Grammar::of(Some("Fortran95"), "x.f"), Grammar::FixedFortran);
        assert_eq!(Grammar::of(Some("C_plus_plus_14"), "x.h"), Grammar::Cxx);
        assert_eq!(Grammar::of(None, "lib.rs"), Grammar::Rust);
        assert_eq!(Grammar::of(Some("C11"), "x.c"), Grammar::C);
    }
}
