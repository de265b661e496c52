//! How the body of a loop ends, and what leaves it before: `break`, `return`, `goto` and their like, seen in the text.
//!
//! Statements are walked by their first words alone. What a macro hides, and what is inside an expression, is not seen.

use crate::text::balanced;

/// Statements inside one another that are walked; what is deeper is not looked at.
const DEEPEST: usize = 100;

/// What a body does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Jumps {
    /// Where it ends.
    pub end: usize,
    /// The word of the first statement that leaves the loop.
    pub leaves: Option<String>,
    /// A statement that throws.
    pub throws: bool,
}

/// The statement of C or C++ that begins at a place of a text without comments and literals: the body of a loop.
pub(crate) fn of_c(blank: &str, at: usize) -> Option<Jumps> {
    let mut walk = Walk { text: blank, at, ..Walk::default() };
    walk.statement(false)?;
    let outside = walk.targets.iter().any(|target| !walk.labels.contains(target));
    let leaves = walk.leaves.or(outside.then_some("goto"));
    Some(Jumps { end: walk.at, leaves: leaves.map(str::to_owned), throws: walk.throws })
}

#[derive(Default)]
struct Walk<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    leaves: Option<&'static str>,
    throws: bool,
    labels: Vec<&'t str>,
    targets: Vec<&'t str>,
}

impl<'t> Walk<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Goes to what is neither white space nor a line of the preprocessor.
    fn skip(&mut self) {
        loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// The word here.
    fn word(&self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Goes behind the parentheses that come next.
    fn parentheses(&mut self) -> Option<()> {
        self.at += self.rest().find('(')?;
        self.at += balanced(self.rest(), '(', ')')?;
        Some(())
    }

    /// Goes behind the end of an expression; not behind the block that it is the last of.
    fn expression(&mut self) -> Option<()> {
        loop {
            self.at += self.rest().find([';', '(', '[', '{', '}'])?;
            match self.rest().as_bytes()[0] {
                b';' => {
                    self.at += 1;
                    return Some(());
                }
                b'}' => return Some(()),
                b'(' => self.at += balanced(self.rest(), '(', ')')?,
                b'[' => self.at += balanced(self.rest(), '[', ']')?,
                _ => self.at += balanced(self.rest(), '{', '}')?,
            }
        }
    }

    /// Walks a statement; `inner` inside a loop or `switch` of the body, which a `break` leaves.
    fn statement(&mut self, inner: bool) -> Option<()> {
        self.depth += 1;
        let walked = if self.depth > DEEPEST { None } else { self.one(inner) };
        self.depth -= 1;
        walked
    }

    fn one(&mut self, inner: bool) -> Option<()> {
        self.skip();
        if self.rest().starts_with('{') {
            self.at += 1;
            loop {
                self.skip();
                if self.rest().starts_with('}') {
                    self.at += 1;
                    return Some(());
                }
                self.statement(inner)?;
            }
        }
        let word = self.word();
        match word {
            "for" | "while" | "switch" => {
                self.parentheses()?;
                self.statement(true)
            }
            "do" => {
                self.at += word.len();
                self.statement(true)?;
                self.expression()
            }
            "if" => {
                self.parentheses()?;
                self.statement(inner)?;
                let behind = self.at;
                self.skip();
                if self.word() != "else" {
                    self.at = behind;
                    return Some(());
                }
                self.at += "else".len();
                self.statement(inner)
            }
            "try" | "else" => {
                self.at += word.len();
                self.statement(inner)
            }
            "catch" | "_Pragma" => {
                self.parentheses()?;
                self.statement(inner)
            }
            _ => self.plain(word, inner),
        }
    }

    fn plain(&mut self, word: &'t str, inner: bool) -> Option<()> {
        let behind = self.rest()[word.len()..].trim_start();
        let is_label = !word.is_empty() && behind.starts_with(':') && !behind.starts_with("::");
        if is_label || word == "case" {
            if word != "default" {
                self.labels.push(word);
            }
            let colon = |(at, _): &(usize, &str)| {
                let around = self.rest().as_bytes();
                around.get(at + 1) != Some(&b':') && (*at == 0 || around[at - 1] != b':')
            };
            self.at += self.rest().match_indices(':').find(colon)?.0 + 1;
            self.skip();
            return if self.rest().starts_with('}') { Some(()) } else { self.statement(inner) };
        }
        match word {
            "break" if !inner => self.leaves = self.leaves.or(Some("break")),
            "return" => self.leaves = self.leaves.or(Some("return")),
            "throw" => self.throws = true,
            "goto" => {
                let name = behind.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
                self.targets.push(name.unwrap_or_default());
            }
            _ => {}
        }
        self.expression()
    }
}

/// The loop of Fortran that a text without comments and literals begins with; its end is the line of its `end do`.
pub(crate) fn of_fortran(blank: &str) -> Option<Jumps> {
    // Names of the loops around a line, and of other constructs inside.
    let (mut loops, mut others): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let (mut labels, mut targets, mut leaves) = (Vec::new(), Vec::new(), None);
    let mut at = 0;
    for line in blank.split_inclusive('\n') {
        let lower = line.to_ascii_lowercase();
        for statement in lower.split(';').map(str::trim) {
            let number = statement.find(|c: char| !c.is_ascii_digit()).unwrap_or(statement.len());
            let (label, statement) = statement.split_at(number);
            labels.push(label.to_owned());
            let (name, statement) = named(statement.trim_start());
            if let Some(rest) = do_of(statement) {
                // It ends at a label.
                if rest.starts_with(|c: char| c.is_ascii_digit()) {
                    return None;
                }
                loops.push(name.to_owned());
                continue;
            }
            if !name.is_empty() {
                others.push(name.to_owned());
            }
            if ends_do(statement) {
                loops.pop();
                if loops.is_empty() {
                    let goes = |target: &String| !labels.contains(target);
                    leaves = leaves.or_else(|| targets.iter().any(goes).then(|| "go to".to_owned()));
                    return Some(Jumps { end: at, leaves, throws: false });
                }
                continue;
            }
            let statement = behind_condition(statement);
            let mut words = statement.split_whitespace();
            let (first, of) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let inside =
                |own: bool| loops.iter().skip(usize::from(!own)).chain(&others).any(|known| known == of);
            let out = match first {
                "exit" if of.is_empty() => loops.len() == 1,
                "exit" => !inside(false),
                "cycle" => !of.is_empty() && !inside(true),
                "return" => !statement.contains('='),
                _ => false,
            };
            if out {
                leaves = leaves.or_else(|| Some(first.to_owned()));
            }
            if let Some(target) =
                statement.strip_prefix("go").map(str::trim_start).and_then(|s| s.strip_prefix("to"))
            {
                targets.push(target.trim().to_owned());
            }
        }
        at += line.len();
    }
    None
}

/// The name of a construct, and what is behind it: `outer: do i = 1, n`.
pub(crate) fn named(statement: &str) -> (&str, &str) {
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match statement.split_once(':') {
        Some((name, rest)) if is_name(name.trim_end()) && !rest.starts_with(':') => {
            (name.trim_end(), rest.trim_start())
        }
        _ => ("", statement),
    }
}

/// What is behind the `do` of a loop.
pub(crate) fn do_of(statement: &str) -> Option<&str> {
    let rest = statement.strip_prefix("do")?;
    let is_word = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (is_word && !rest.trim_start().starts_with('=')).then(|| rest.trim_start())
}

fn ends_do(statement: &str) -> bool {
    let rest = statement.strip_prefix("end").map(str::trim_start).and_then(|rest| rest.strip_prefix("do"));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// The statement of an `if` on one line; else the statement itself.
fn behind_condition(statement: &str) -> &str {
    let condition = statement.strip_prefix("if").map(str::trim_start).filter(|rest| rest.starts_with('('));
    let behind = condition.and_then(|rest| Some(rest[balanced(rest, '(', ')')?..].trim_start()));
    behind.unwrap_or(statement)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(body: &str) -> Option<Jumps> {
        of_c(body, 0)
    }

    #[test]
    fn what_leaves_a_loop_of_c_is_seen() {
        let leaves = |body: &str| c(body).unwrap().leaves;
        for (body, by) in [
            ("{ if (x) break; a(); }", "break"),
            ("{ if (x) { a(); } else return 3; }", "return"),
            ("if (x) goto out; else b();", "goto"),
            ("{ switch (x) { case 1: break; default: return; } }", "return"),
            ("{ do { a(); } while (x); break; }", "break"),
            ("{\n#pragma omp x\n  for (;;) a();\n  A::b(); if constexpr (x) break; }", "break"),
            ("{ goto *p; }", "goto"),
        ] {
            assert_eq!(leaves(body).as_deref(), Some(by), "{body}");
        }
        for body in [
            "{ for (;;) { if (x) break; } while (y) break; continue; }",
            "{ switch (x) { case A::B: break; default: a(); } }",
            "{ if (x) goto in; a(); in: ; }",
            "{ if (x) goto in; a(); in: }",
            "{ auto f = [&] { return 1; }; breaks = returned(f); }",
            "a[i] = b ? c : d;",
            ";",
        ] {
            assert_eq!(leaves(body), None, "{body}");
        }
        assert!(c("{ if (x) throw 1; }").unwrap().throws);
    }

    #[test]
    fn a_body_ends_where_its_statement_does() {
        let end = |body: &str| c(body).map(|jumps| body[..jumps.end].to_owned());
        for body in ["if (a) b(); else c();", "if (a) b();", "for (;;) while (x) y();", "x = (T){1, 2};"] {
            assert_eq!(end(&format!("{body} d();")).as_deref(), Some(body));
        }
        for text in ["{ a();", "if (a", "", "do a(); while (x)"] {
            assert_eq!(end(text), None, "{text}");
        }
        assert_eq!(c(&"{".repeat(100_000)), None);
    }

    #[test]
    fn what_leaves_a_loop_of_fortran_is_seen() {
        let leaves = |body: &str| of_fortran(&format!("do i = 1, n\n{body}\nend do\n")).unwrap().leaves;
        for (body, by) in [
            ("if (x) exit", "exit"),
            ("IF (a(i) > 0) RETURN", "return"),
            ("if (x) then\n exit outer\n end if", "exit"),
            ("inner: do j = 1, n\n cycle outer\n enddo inner", "cycle"),
            ("go to 20", "go to"),
            ("a = 1; exit", "exit"),
        ] {
            assert_eq!(leaves(body).as_deref(), Some(by), "{body}");
        }
        for body in [
            "do\n if (x) exit\n end do",
            "do while (x)\n exit\n end do",
            "inner: do j = 1, n\n exit inner\n end do inner",
            "part: block\n if (x) exit part\n end block part",
            "if (x) goto 20\n a = 1\n20 continue",
            "cycle",
            "done = x; returns(i) = 1; exits = 2",
        ] {
            assert_eq!(leaves(body), None, "{body}");
        }
        assert_eq!(of_fortran("do i = 1, n\ndo 10 j = 1, n\n10 continue\nend do\n"), None);
        assert_eq!(of_fortran("do i = 1, n\n"), None);
    }
}
