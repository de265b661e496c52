//! Which loops a directive can stand before: those of OpenMP need its canonical form (OpenMP 5.2, 4.4.1 *Canonical Loop Nest Form*),
//! those of compilers take more.
//!
//! One variable, compared with a bound, is stepped by a fixed amount; nothing leaves the loop. A compiler refuses some other loops, and
//! makes something else of the rest (a body that writes the variable): both are left alone.

use crate::jumps;
use crate::text::{balanced, words, written};
use loopwright_experiment::trials::LoopObstacle;
use loopwright_remarks::remark::Family;

/// Operators that bind less than a comparison, or do the same: with one of them a condition is no plain comparison.
const NOT_IN_A_BOUND: [&str; 10] = ["&&", "||", "?", "==", "!=", "<=", ">=", "<", ">", ","];

/// What keeps `directive` from the loop of C or C++ that `text`, without comments and literals, begins with.
pub(crate) fn of_c(text: &str, directive: &str, family: Family) -> Result<(), LoopObstacle> {
    let of_openmp = directive.starts_with("omp ");
    let counted = text.trim_start().starts_with("for");
    if !of_openmp && !counted {
        return Ok(());
    }
    if !counted {
        return Err(LoopObstacle::NotCounted);
    }
    let open = text.find('(').ok_or(LoopObstacle::Unseen)?;
    let close = open + balanced(&text[open..], '(', ')').ok_or(LoopObstacle::Unseen)?;
    let parts = split(&text[open + 1..close - 1]);
    if !of_openmp {
        // GCC: "missing loop condition in loop with 'GCC ivdep' pragma".
        let endless =
            directive.starts_with("GCC ") && parts.get(1).is_some_and(|test| test.trim().is_empty());
        return if endless { Err(LoopObstacle::NoCondition) } else { Ok(()) };
    }
    let simd = directive.starts_with("omp simd");
    let watched = match &parts[..] {
        [init, test, step] => counts(init, test, step)?,
        // `for (x : values)`: GCC takes iterators of classes for threads only.
        [range] if range.contains(':') && !(simd && family == Family::Gcc) => Vec::new(),
        [_] => return Err(LoopObstacle::Range),
        _ => return Err(LoopObstacle::Start),
    };
    let body = jumps::of_c(text, close).ok_or(LoopObstacle::Unseen)?;
    if let Some(by) = body.leaves.or_else(|| (simd && body.throws).then(|| "throw".to_owned())) {
        return Err(LoopObstacle::Left { by });
    }
    match written(&text[close..body.end], |name| watched.contains(&name)) {
        Some(name) => Err(LoopObstacle::Written { name: name.to_owned() }),
        None => Ok(()),
    }
}

/// The same of Fortran, where `text` begins with `do i = ..`.
pub(crate) fn of_fortran(text: &str, directive: &str) -> Result<(), LoopObstacle> {
    if !directive.starts_with("omp ") {
        return Ok(());
    }
    match jumps::of_fortran(text).ok_or(LoopObstacle::Unseen)?.leaves {
        Some(by) => Err(LoopObstacle::Left { by }),
        None => Ok(()),
    }
}

/// The parts of a head, between semicolons that are in no brackets.
fn split(head: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0usize, 0);
    for (at, c) in head.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => {
                parts.push(&head[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&head[begin..]);
    parts
}

/// Which way a loop goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
    /// Its step is no plain number.
    Either,
}

/// The plain names that must stay during an iteration: the variable and its bound.
fn counts<'t>(init: &'t str, test: &'t str, step: &'t str) -> Result<Vec<&'t str>, LoopObstacle> {
    let variable = started(init).ok_or(LoopObstacle::Start)?;
    let (sign, bound) = compared(test, variable).ok_or(LoopObstacle::Test)?;
    let (way, by) = stepped(step, variable).ok_or(LoopObstacle::Step)?;
    let fits = match sign {
        "!=" => by == "1",
        "<" | "<=" => way != Way::Down,
        _ => way != Way::Up,
    };
    if !fits {
        return Err(LoopObstacle::Step);
    }
    // What a member or an element is read from is not written by an assignment to the plain name.
    let plain = bound.chars().all(|c| c.is_ascii_alphanumeric() || " _+-*/%()\t\n".contains(c));
    Ok(words(bound).filter(|_| plain).chain([variable]).collect())
}

/// The one variable that the beginning of a head sets.
fn started(init: &str) -> Option<&str> {
    let (left, right) = init.split_once('=')?;
    let flat = flattened(right);
    if right.starts_with('=') || flat.contains(',') {
        return None;
    }
    let declared = flattened(left.trim());
    let variable = words(left).last().filter(|name| left.trim_end().ends_with(name))?;
    let kind = declared[..declared.len() - variable.len()].trim_end();
    let of_no_kind = ["float", "double", "bool", "_Bool"];
    let is_kind = |c: char| c.is_ascii_alphanumeric() || " _:*<>\t\n".contains(c);
    // A reference names what is elsewhere.
    let fits = kind.chars().all(is_kind) && !(kind.starts_with('*') || kind.ends_with(':'));
    let counts = kind.contains('*') || !words(kind).any(|word| of_no_kind.contains(&word));
    (fits && counts && !words(right).any(|word| word == variable)).then_some(variable)
}

/// The comparison of the variable, as if the variable stood on its left, and its bound.
fn compared<'t>(test: &'t str, variable: &str) -> Option<(&'static str, &'t str)> {
    const SIGNS: [(&str, &str); 5] = [("<=", ">="), (">=", "<="), ("!=", "!="), ("<", ">"), (">", "<")];
    let flat = flattened(test);
    let bytes = flat.as_bytes();
    let is_plain = |at: usize, sign: &str| {
        // Shifts and arrows are none.
        let behind = bytes.get(at + sign.len());
        let before = at.checked_sub(1).map(|before| bytes[before]);
        sign.len() == 2
            || (!matches!(behind, Some(b'<' | b'>' | b'=')) && !matches!(before, Some(b'<' | b'>' | b'-')))
    };
    let found = SIGNS.iter().find_map(|(sign, turned)| {
        let (at, _) = flat.match_indices(sign).find(|(at, _)| is_plain(*at, sign))?;
        Some((at, *sign, *turned))
    });
    let (at, sign, turned) = found?;
    let (left, right) = (&test[..at], &test[at + sign.len()..]);
    let is_variable = |side: &str| {
        let mut side = side.trim();
        while let Some(inner) = side.strip_prefix('(').and_then(|side| side.strip_suffix(')')) {
            side = inner.trim();
        }
        side == variable
    };
    let (sign, bound) = if is_variable(left) {
        (sign, right)
    } else if is_variable(right) {
        (turned, left)
    } else {
        return None;
    };
    (is_fixed(bound, variable)).then_some((sign, bound))
}

/// An expression that does not have the variable, nor an operator that binds less than the comparison or sum that it belongs to.
fn is_fixed(expression: &str, variable: &str) -> bool {
    let flat = flattened(expression).replace("->", "  ").replace("<<", "  ").replace(">>", "  ");
    // `&` and `*` before an operand are an address and what a pointer leads to.
    let bits = flat.trim_start().trim_start_matches(['&', '*', '-', '+', '!', '~']).contains(['&', '|', '^']);
    !expression.trim().is_empty()
        && !bits
        && !flat.contains('=')
        && !NOT_IN_A_BOUND.iter().any(|sign| flat.contains(sign))
        && !words(expression).any(|word| word == variable)
}

/// Which way the end of a head steps the variable, and by what.
fn stepped<'t>(step: &'t str, variable: &str) -> Option<(Way, &'t str)> {
    let step = step.trim();
    for (sign, way) in [("++", Way::Up), ("--", Way::Down)] {
        let rest = step.strip_prefix(sign).or_else(|| step.strip_suffix(sign));
        if rest.is_some_and(|rest| rest.trim() == variable) {
            return Some((way, "1"));
        }
    }
    let rest = step.strip_prefix(variable)?.trim_start();
    let (sign, by) = if let Some(by) = rest.strip_prefix("+=") {
        ('+', by)
    } else if let Some(by) = rest.strip_prefix("-=") {
        ('-', by)
    } else {
        let sum = rest.strip_prefix('=')?.trim();
        let behind = sum.strip_prefix(variable).map(str::trim_start);
        match behind.and_then(|behind| Some((behind.chars().next()?, behind.get(1..)?))) {
            Some((sign @ ('+' | '-'), by)) => (sign, by),
            // `i = 2 + i`
            _ => ('+', sum.strip_suffix(variable)?.trim_end().strip_suffix('+')?),
        }
    };
    let by = by.trim();
    let is_number = by.starts_with(|c: char| c.is_ascii_digit());
    let way = match (sign, is_number) {
        ('+', true) => Way::Up,
        (_, true) => Way::Down,
        _ => Way::Either,
    };
    is_fixed(by, variable).then_some((way, by))
}

/// The text with what is in brackets, and the arguments of templates, as spaces: places stay the same.
fn flattened(text: &str) -> String {
    let mut depth = 0usize;
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    for c in text.bytes() {
        let closes = matches!(c, b')' | b']' | b'}');
        if closes {
            depth = depth.saturating_sub(1);
        }
        let shown = depth == 0 && !closes && c.is_ascii();
        out.push(if shown { c } else { b' ' });
        if matches!(c, b'(' | b'[' | b'{') {
            depth += 1;
        }
    }
    let plain = String::from_utf8(out).unwrap_or_default();
    without_templates(&plain, text)
}

/// `static_cast<int>(..)` and `vector<int>::iterator`: the angle brackets are no comparison.
fn without_templates(plain: &str, text: &str) -> String {
    let mut out = plain.to_owned();
    for (at, _) in plain.match_indices('<') {
        let Some(length) = balanced(&plain[at..], '<', '>') else { continue };
        let is_kind = |c: char| c.is_ascii_alphanumeric() || "_: ,*<>".contains(c);
        let behind = text[at + length..].trim_start();
        let named = plain[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let called = behind.starts_with('(') || behind.starts_with("::");
        if named && called && plain[at..at + length].chars().all(is_kind) {
            out.replace_range(at..at + length, &" ".repeat(length));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<(), LoopObstacle> {
        of_c(text, "omp simd", Family::Gcc)
    }

    /// Each was given to GCC 12 and clang 14, which take it.
    #[test]
    fn loops_of_the_canonical_form_are_taken() {
        for head in [
            "int i = 0; i < n; i++",
            "i = 0; i != n; ++i",
            "int i = 0; n > i; i += 2",
            "int i = n - 1; i >= 0; i--",
            "long i = 0; i < n >> 1; i = i + 2",
            "size_t i = k; i <= f(n, 2); i = 2 + i",
            "int i = n; i > 0; i = i - k",
            "float *p = a; p < a + n; p++",
            "float *p = a; p < &a[n]; p++",
            "const char *p = s; p != s->end; p++",
            "int i = 0; i < static_cast<int>(v.size()); i++",
            "std::size_t i = 0; (i) < v.size(); i++",
            "int i = 0; i < (n ? 3 : k); i += step",
            "i = j = 0; i < n; i++",
        ] {
            assert_eq!(of(&format!("for ({head}) a[0] += b[i];")), Ok(()), "{head}");
        }
        for body in
            ["{ if (a[i] < 0) continue; a[i] += n; }", "{ while (x) break; }", ";", "if (a) b(); else c();"]
        {
            assert_eq!(of(&format!("for (int i = 0; i < n; i++) {body}")), Ok(()), "{body}");
        }
    }

    #[test]
    fn others_are_not() {
        use LoopObstacle::{Left, NotCounted, Range, Start, Step, Test, Unseen, Written};
        for (head, why) in [
            ("; i < n; i++", Start),
            ("int i = 0, j = 0; i < n; i++", Start),
            ("i = 0, j = 0; i < n; i++", Start),
            ("double x = 0; x < n; x++", Start),
            ("s.i = 0; s.i < n; s.i++", Start),
            ("*k = 0; *k < n; ++*k", Start),
            ("int i(0); i < n; i++", Start),
            ("i = i; i < n; i++", Start),
            ("int i = 0; ; i++", Test),
            ("int i = n; i; i--", Test),
            ("int i = 0; i == n; i++", Test),
            ("int i = 0; i < n && a[i]; i++", Test),
            ("int i = 0; a[i] > 0; i++", Test),
            ("int i = 0; i < n - i; i++", Test),
            ("int i = 0; i < n & m; i++", Test),
            ("int i = 0; i < n ? 3 : n; i++", Test),
            ("int i = 0; i < n < k; i++", Test),
            ("i = n; i--; ", Test),
            ("int i = 0; i < n; ", Step),
            ("int i = 1; i < n; i *= 2", Step),
            ("int i = 0; i < n; i++, b++", Step),
            ("int i = 0; i < n; i--", Step),
            ("int i = n; i > 0; i = 2 - i", Step),
            ("int i = 0; i != n; i += 2", Step),
            ("auto &x : v", Range),
        ] {
            assert_eq!(of(&format!("for ({head}) a[0] += b[0];")), Err(why), "{head}");
        }
        for (body, why) in [
            ("{ if (a[i]) break; }", Left { by: "break".into() }),
            ("{ if (a[i]) throw 1; }", Left { by: "throw".into() }),
            ("{ i += a[i]; }", Written { name: "i".into() }),
            ("{ g(&n); }", Written { name: "n".into() }),
            ("{", Unseen),
        ] {
            assert_eq!(of(&format!("for (int i = 0; i < n; i++) {body}")), Err(why), "{body}");
        }
        assert_eq!(of("while (i < n) a[i++] = 0;"), Err(NotCounted));
        assert_eq!(of("do a[i] = 0; while (i++ < n);"), Err(NotCounted));
    }

    #[test]
    fn directives_of_compilers_take_more() {
        for text in ["while (i < n) { break; }", "for (; i < n; i++) return;", "do a(); while (x);"] {
            for (directive, family) in
                [("GCC ivdep", Family::Gcc), ("clang loop vectorize(assume_safety)", Family::Clang)]
            {
                assert_eq!(of_c(text, directive, family), Ok(()), "{text}");
            }
        }
        let endless = "for (;;) a();";
        assert_eq!(of_c(endless, "GCC ivdep", Family::Gcc), Err(LoopObstacle::NoCondition));
        assert_eq!(of_c(endless, "clang loop vectorize(disable)", Family::Clang), Ok(()));
        let range = "for (auto &x : v) x = 0;";
        assert_eq!(of_c(range, "omp parallel for", Family::Gcc), Ok(()));
        assert_eq!(of_c(range, "omp simd", Family::Clang), Ok(()));
    }

    #[test]
    fn loops_of_fortran_that_are_left_are_not_taken() {
        let of = |body: &str| of_fortran(&format!("do i = 1, n\n{body}\nend do\n"), "omp simd");
        assert_eq!(of("a(i) = 1"), Ok(()));
        assert_eq!(of("if (a(i) > 1) exit"), Err(LoopObstacle::Left { by: "exit".into() }));
        assert_eq!(of_fortran("do i = 1, n\n exit\nend do\n", "GCC$ ivdep"), Ok(()));
    }
}
