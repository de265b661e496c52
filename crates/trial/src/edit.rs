//! Edits of a copy of a source: a directive before a loop. Only where the line can be seen to begin a loop.
//!
//! A source is read as lines, with comments and literals blanked out: no parser of C++ fits in here, and none is needed to
//! see `for (` at the beginning of a line. What is not seen is left alone.

use crate::canonical;
use crate::jumps;
use crate::text::{balanced, blanked};
use loopwright_experiment::trials::{LoopObstacle, Part, Why};
use loopwright_remarks::remark::Family;
use loopwright_vocabulary::Language;

/// Applies edits to a text, from its end to its beginning.
///
/// # Errors
/// When the lines are not those that the edits replace, or two edits replace the same line.
pub(crate) fn apply(text: &str, edits: &[&Part]) -> Result<String, String> {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut sorted: Vec<(usize, &str, &str)> = edits
        .iter()
        .filter_map(|part| match part {
            Part::Edit { line, before, after, .. } => Some((*line as usize, before.as_str(), after.as_str())),
            _ => None,
        })
        .collect();
    sorted.sort_unstable();
    sorted.dedup();
    let mut untouched = lines.len();
    for (line, before, after) in sorted.into_iter().rev() {
        let first = line.saturating_sub(1);
        let end = first + before.split_inclusive('\n').count();
        if end > untouched {
            return Err(format!("two changes of line {line}"));
        }
        if lines.get(first..end).is_none_or(|lines| lines.concat() != before) {
            return Err(format!("line {line} has changed since it was read"));
        }
        lines.splice(first..end, [after.to_owned()]);
        untouched = first;
    }
    Ok(lines.concat())
}

/// Beginnings of lines with a directive.
const DIRECTIVES: [&str; 4] = ["#pragma", "!$", "!dir$", "!gcc$"];

/// A source that is looked at.
pub(crate) struct Source<'a> {
    /// As the command names it.
    pub file: &'a str,
    pub language: Language,
    pub text: &'a str,
}

impl Source<'_> {
    /// A part that puts a directive before the loop that begins at a line, where the compiler takes it there.
    pub fn before_loop(&self, line: u32, directive: &str, family: Family) -> Result<Part, Why> {
        let text = self.loop_line(line)?;
        self.takes(line, directive, family).map_err(|obstacle| Why::NotTaken {
            directive: directive.split(['(', ' ']).take(2).collect::<Vec<_>>().join(" "),
            file: self.file.to_owned(),
            line,
            obstacle,
        })?;
        let indent: String = text.chars().take_while(|c| c.is_whitespace()).collect();
        let sentinel = match (self.language, directive.starts_with("GCC$")) {
            (Language::Fortran, true) => "!",
            (Language::Fortran, false) => "!$",
            _ => "#pragma ",
        };
        Ok(Part::Edit {
            file: self.file.to_owned(),
            line,
            before: text.to_owned(),
            after: format!("{indent}{sentinel}{directive}\n{text}"),
        })
    }

    /// Whether a directive can stand before the loop at a line.
    fn takes(&self, line: u32, directive: &str, family: Family) -> Result<(), LoopObstacle> {
        let blank = blanked(self.text, self.language);
        let rest: String = blank.split_inclusive('\n').skip(line as usize - 1).collect();
        if self.language != Language::Fortran {
            return canonical::of_c(&rest, directive, family);
        }
        match begins_loop(&rest, self.language) {
            true => canonical::of_fortran(&rest, directive),
            false => Err(LoopObstacle::NotCounted),
        }
    }

    /// The text of a line that begins a loop without a directive.
    pub fn loop_line(&self, line: u32) -> Result<&str, Why> {
        let no_loop = || Why::NoLoop { file: self.file.to_owned(), line };
        let at = (line as usize).checked_sub(1).ok_or_else(no_loop)?;
        let blank = blanked(self.text, self.language);
        let seen = blank.split_inclusive('\n').nth(at).ok_or_else(no_loop)?;
        let text = self.text.split_inclusive('\n').nth(at).ok_or_else(no_loop)?;
        if !begins_loop(seen, self.language) && !begins_other_loop(seen, self.language) {
            return Err(no_loop());
        }
        let before = self.text.lines().take(at).filter(|line| !line.trim().is_empty()).last();
        let continued = before.is_some_and(|line| line.ends_with('\\') || line.trim_end().ends_with('&'));
        if continued || text.trim_end().ends_with('\\') {
            return Err(no_loop());
        }
        let directive = before.map(|line| line.trim_start().to_ascii_lowercase());
        if directive.is_some_and(|line| DIRECTIVES.iter().any(|beginning| line.starts_with(beginning))) {
            return Err(Why::HasDirective { file: self.file.to_owned(), line });
        }
        Ok(text)
    }

    /// The scalars that the loop at a line adds up: `s += ..` or `s = s + ..` of a plain name that the loop does not
    /// declare.
    pub fn sums(&self, line: u32) -> Result<Vec<String>, Why> {
        self.loop_line(line)?;
        let blank = blanked(self.text, self.language);
        let rest: String = blank.split_inclusive('\n').skip(line as usize - 1).collect();
        let body = if self.language == Language::Fortran { fortran_body(&rest) } else { body(&rest) };
        let mut names: Vec<String> = Vec::new();
        for statement in body.split([';', '{', '}', '\n']) {
            let name =
                if self.language == Language::Fortran { fortran_sum(statement) } else { sum(statement) };
            names.extend(name.filter(|name| !names.contains(name) && !declares(&body, name)));
        }
        if names.is_empty() { Err(Why::NoSum { file: self.file.to_owned(), line }) } else { Ok(names) }
    }
}

/// Whether a line begins a loop that counts.
pub(crate) fn begins_loop(line: &str, language: Language) -> bool {
    let text = line.trim_start();
    if language == Language::Fortran {
        let text = text.lines().next().unwrap_or_default().to_ascii_lowercase();
        // `do i = 1, n`; a `do while` has no count, and a label ends elsewhere.
        let counted = jumps::do_of(jumps::named(&text).1).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains('=') && rest.contains(',')
        });
        let words = |word: &str| text.contains(word);
        return counted && !words(";") && !words("while") && !words("concurrent");
    }
    text.strip_prefix("for").is_some_and(|rest| rest.trim_start().starts_with('('))
}

/// Whether a line begins a loop without a count.
fn begins_other_loop(line: &str, language: Language) -> bool {
    let text = line.trim_start().trim_end();
    if language == Language::Fortran {
        let text = text.to_ascii_lowercase();
        let rest = jumps::do_of(jumps::named(&text).1);
        return rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
    }
    if let Some(rest) = text.strip_prefix("while").map(str::trim_start).filter(|rest| rest.starts_with('(')) {
        // The end of a `do` looks alike.
        return !balanced(rest, '(', ')').is_some_and(|end| rest[end..].trim_start().starts_with(';'));
    }
    text.strip_prefix("do").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '{']))
}

/// What follows the head of the loop that `text` begins with, and the heads of loops right inside, up to its end.
fn body(text: &str) -> String {
    let mut rest = text;
    loop {
        let Some(open) = rest.find('(') else { return String::new() };
        let Some(head) = balanced(&rest[open..], '(', ')') else { return String::new() };
        rest = rest[open + head..].trim_start();
        if rest.starts_with('{') {
            return balanced(rest, '{', '}').map(|end| rest[..end].to_owned()).unwrap_or_default();
        }
        if !begins_loop(rest, Language::C) {
            return rest.split(';').next().unwrap_or_default().to_owned();
        }
    }
}

/// The loop that `text` begins with, up to its end, in small letters.
fn fortran_body(text: &str) -> String {
    let end = jumps::of_fortran(text).map_or(0, |jumps| jumps.end);
    text[..end].to_ascii_lowercase()
}

/// The name that a statement adds to: `name += ..`, `name = name + ..`.
fn sum(statement: &str) -> Option<String> {
    let (left, right) = statement.split_once('=')?;
    if right.starts_with('=') {
        return None;
    }
    let left = left.trim();
    if let Some(name) = left.strip_suffix('+') {
        return plain_name(name.trim());
    }
    let name = plain_name(left)?;
    let right = right.trim_start();
    let rest = right.strip_prefix(name.as_str())?.trim_start();
    (rest.starts_with('+') && !rest.starts_with("++")).then_some(name)
}

fn fortran_sum(statement: &str) -> Option<String> {
    let (left, right) = statement.split_once('=')?;
    let name = plain_name(left.trim())?;
    let rest = right.trim_start().strip_prefix(name.as_str())?.trim_start();
    rest.starts_with('+').then_some(name)
}

/// A name without an index, a member or an indirection. Before it may be the closing parenthesis of a condition.
fn plain_name(text: &str) -> Option<String> {
    let text = match text.rfind(')') {
        Some(at) if text.trim_start().starts_with("if") => text[at + 1..].trim(),
        _ => text,
    };
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| text.to_owned())
}

/// Whether a body declares the name: a word of a type is right before it somewhere.
fn declares(body: &str, name: &str) -> bool {
    body.match_indices(name).any(|(at, _)| {
        let whole = !body[at + name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let before = body[..at].trim_end_matches([' ', '\t', '*', '&']);
        let gap = before.len() < at;
        let word =
            before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
        let keyword = ["return", "else", "in", "do", "case", "goto"].contains(&word);
        let typed = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !keyword;
        let begins = before[..before.len() - word.len()].trim_end();
        let first = begins.is_empty() || begins.ends_with([';', '{', '}', '(', '\n']) || is_type(begins);
        whole && gap && typed && first
    })
}

/// Ends with a word of a type.
fn is_type(text: &str) -> bool {
    ["double", "float", "int", "long", "short", "unsigned", "signed", "const", "auto", "char", "size_t"]
        .iter()
        .any(|word| text.trim_end().ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source<'_> {
        Source { file: "/p/a.c", language: Language::C, text }
    }

    #[test]
    fn a_directive_goes_before_a_loop_and_nowhere_else() {
        let text = "void f(void) {\n    for (int i = 0; i < 9; i++)\n        g(i);\n    // for (;;)\n}\n";
        let part = source(text).before_loop(2, "GCC ivdep", Family::Gcc).unwrap();
        let edited = apply(text, &[&part]).unwrap();
        assert!(edited.contains("{\n    #pragma GCC ivdep\n    for (int i"), "{edited}");
        for line in [0, 1, 3, 4, 5, 99] {
            let wrong = source(text).before_loop(line, "x", Family::Gcc);
            assert!(matches!(wrong, Err(Why::NoLoop { .. })), "{line}: {wrong:?}");
        }
        let again = source(&edited).before_loop(3, "x", Family::Gcc);
        assert!(matches!(again, Err(Why::HasDirective { .. })));
        let of_macro = source("#define F \\\nfor (;;) \\\n x\n").before_loop(2, "x", Family::Gcc);
        assert!(of_macro.is_err());
        assert!(apply("other\ntext\n", &[&part]).is_err(), "the lines must be those that were read");
        assert!(source("formula(1);\n").before_loop(1, "x", Family::Gcc).is_err());
    }

    #[test]
    fn fortran_has_its_own_loops_and_sentinel() {
        let text = "  do i = 1, n\n    s = s + a(i)\n  end do\n  do while (x > 0)\n";
        let source = Source { file: "a.f90", language: Language::Fortran, text };
        let Part::Edit { after, .. } = source.before_loop(1, "omp simd", Family::Gcc).unwrap() else {
            panic!()
        };
        assert_eq!(after, "  !$omp simd\n  do i = 1, n\n");
        assert_eq!(source.sums(1).unwrap(), ["s"]);
        assert!(source.before_loop(4, "omp simd", Family::Gcc).is_err());
    }

    #[test]
    fn sums_are_named_and_locals_are_not() {
        let sums = |body: &str| source(&format!("for (int i = 0; i < n; i++) {body}\n")).sums(1).ok();
        assert_eq!(sums("s += a[i];"), Some(vec!["s".into()]));
        assert_eq!(sums("{ s = s + a[i]; t += 1; }"), Some(vec!["s".into(), "t".into()]));
        assert_eq!(sums("{ double d = a[i]; d += b[i]; s += d * s2; }"), Some(vec!["s".into()]));
        for none in
            ["a[i] += b[i];", "p->x += b[i];", "*p += b[i];", "if (s == 3) f(i);", "/* s += 1; */ f(i);"]
        {
            assert_eq!(sums(none), None, "{none}");
        }
        assert_eq!(sums("if (a[i] > 0) s += a[i];"), Some(vec!["s".into()]));
        assert_eq!(sums("for (int j = 0; j < n; j++) s += a[j];"), Some(vec!["s".into()]));
    }

    #[test]
    fn hostile_text_is_survived() {
        let words = [
            "for (",
            ")",
            "{",
            "}",
            "s += ",
            "\"",
            "'",
            "/*",
            "*/",
            "//",
            "\n",
            "\\",
            "é",
            "=",
            ";",
            "f(",
            "do i = 1, n",
        ];
        let mut state = 1u64;
        for _ in 0..3000 {
            let mut text = String::new();
            for _ in 0..40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(words[(state >> 33) as usize % words.len()]);
            }
            for language in [Language::C, Language::Fortran] {
                let source = Source { file: "a", language, text: &text };
                assert_eq!(blanked(&text, language).len(), text.len());
                for line in 0..6 {
                    let _ = source.sums(line);
                    let _ = crate::parameters::restrict(&source, "f", line);
                    if let Ok(part) = source.before_loop(line, "x", Family::Gcc) {
                        assert!(apply(&text, &[&part]).is_ok(), "{text}");
                    }
                }
            }
        }
        let deep = format!("{}\n", "for (;;) ".repeat(200_000));
        let _ = source(&deep).sums(1);
    }

    #[test]
    fn several_edits_are_applied_from_the_end() {
        let text = "for (;;)\n;\nfor (;;)\n;\n";
        let parts = [
            source(text).before_loop(1, "a", Family::Gcc).unwrap(),
            source(text).before_loop(3, "b", Family::Gcc).unwrap(),
        ];
        let all = apply(text, &[&parts[0], &parts[1], &parts[0]]).unwrap();
        assert_eq!(all, "#pragma a\nfor (;;)\n;\n#pragma b\nfor (;;)\n;\n");
    }
}
