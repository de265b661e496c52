//! A loop of C or C++ beside a copy of it with the number of its iterations as a constant: `if (n == 8) { .. i < 8 .. } else { .. }`.
//!
//! Where the number differs the loop runs as it is written, so that the change is right for every input. Only a head of the
//! plain form is changed, whose bound the body does not write.

use crate::edit::{Source, begins_loop};
use crate::text::{balanced, blanked, words, written};
use loopwright_analysis::model::{Analysis, LoopFacts};
use loopwright_experiment::trials::{Part, Why};
use loopwright_vocabulary::Language;

/// Loops of more iterations gain little from a compiler that knows the number, and would be written out at length.
const MOST: u64 = 64;

/// Words of a body that cannot be written twice (labels), or whose copies would not be the same (`static`).
const NOT_TWICE: [&str; 4] = ["goto", "static", "case", "default"];

/// The one number of iterations that all entries of the loop as written had.
pub(crate) fn constant(analysis: &Analysis, of: &LoopFacts) -> Option<u64> {
    let mut entered = analysis
        .loops
        .iter()
        .filter(|piece| piece.group == of.group)
        .filter_map(|piece| piece.trip_count.as_ref())
        .filter(|trips| trips.iterations > 0);
    // Pieces that share out the iterations could share them out differently each time.
    let trips = entered.next().filter(|_| entered.next().is_none())?;
    let same =
        !trips.approximate && trips.min.is_some() && trips.min == trips.max && trips.straight_iterations == 0;
    let count = trips.source_mean.filter(|mean| same && trips.group_complete && mean.fract() == 0.0)? as u64;
    (2..=MOST).contains(&count).then_some(count)
}

/// The part that puts the copy beside the loop that begins at a line.
pub(crate) fn guarded(source: &Source, line: u32, count: u64) -> Result<Part, Why> {
    let none = || Why::NoBound { file: source.file.to_owned(), line };
    source.loop_line(line)?;
    let blank = blanked(source.text, source.language);
    let head = blank.split_inclusive('\n').nth(line as usize - 1).unwrap_or_default();
    if !matches!(source.language, Language::C | Language::Cxx) || !begins_loop(head, source.language) {
        return Err(none());
    }
    let begin: usize = blank.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let open = begin + blank[begin..].find('(').ok_or_else(none)?;
    let head = balanced(&blank[open..], '(', ')').ok_or_else(none)?;
    let close = open + head - 1;
    let end = statement(&blank, close + 1).ok_or_else(none)?;
    let last = blank[end..].find('\n').map_or(blank.len(), |at| end + at + 1);
    let body = &blank[close + 1..end];
    let has = |word: &str| words(body).any(|known| known == word);
    let clear =
        blank[end..last].trim().is_empty() && !body.contains('#') && !NOT_TWICE.iter().any(|word| has(word));
    let bound =
        bound(&blank, open + 1, close).filter(|bound| clear && !writes(body, bound)).ok_or_else(none)?;
    let text = source.text;
    let before = &text[begin..last];
    let indent: String = before.chars().take_while(|c| c.is_whitespace()).collect();
    let (limit, start) = (&text[bound.limit.0..bound.limit.1], &text[bound.start.0..bound.start.1]);
    let fixed = format!("({start}) + {count}");
    let copy = format!("{}{fixed}{}", &text[begin..bound.limit.0], &text[bound.limit.1..last]);
    let newline = if before.ends_with('\n') { "" } else { "\n" };
    Ok(Part::Edit {
        file: source.file.to_owned(),
        line,
        before: before.to_owned(),
        after: format!(
            "{indent}if (({limit}) - ({start}) == {count}) {{\n{copy}{newline}{indent}}} else {{\n{before}{newline}{indent}}}\n"
        ),
    })
}

/// What a head says: `for (i = START; i < LIMIT; i++)`.
struct Bound<'a> {
    variable: &'a str,
    start: (usize, usize),
    limit: (usize, usize),
    words: Vec<&'a str>,
}

fn bound(blank: &str, from: usize, to: usize) -> Option<Bound<'_>> {
    let head = &blank[from..to];
    let first = head.find(';')?;
    let second = first + 1 + head[first + 1..].find(';')?;
    let (init, test, step) = (&head[..first], &head[first + 1..second], &head[second + 1..]);
    let equals = init.find('=')?;
    let variable = words(&init[..equals]).last()?;
    let step: String = step.split_whitespace().collect();
    let forward = [format!("{variable}++"), format!("++{variable}"), format!("{variable}+=1")];
    let less = test.find('<')?;
    // Variables and numbers only: what a pointer leads to may be written under another name.
    let plain = |text: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || " _+-*\t\n".contains(c);
        let product =
            |at: usize| text[..at].trim_end().ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        !text.trim().is_empty()
            && text.chars().all(allowed)
            && !text.contains("++")
            && !text.contains("--")
            && text.match_indices('*').all(|(at, _)| product(at))
    };
    let right = test[less + 1..].trim_start_matches(char::is_whitespace);
    let seen = forward.contains(&step)
        && test[..less].trim() == variable
        && plain(right)
        && plain(&init[equals + 1..])
        && !words(right).any(|word| word == variable);
    let place = |text: &str, at: usize| {
        let begin = at + (text.len() - text.trim_start().len());
        (from + begin, from + begin + text.trim().len())
    };
    seen.then(|| Bound {
        variable,
        start: place(&init[equals + 1..], equals + 1),
        limit: place(&test[less + 1..], first + 1 + less + 1),
        words: words(right).chain(words(&init[equals + 1..])).collect(),
    })
}

/// Whether a body may write the counter or a word of its bounds.
fn writes(body: &str, bound: &Bound) -> bool {
    written(body, |name| name == bound.variable || bound.words.contains(&name)).is_some()
}

/// The end of the statement that begins at a place: a block, a plain statement, or a loop of one of these.
fn statement(blank: &str, at: usize) -> Option<usize> {
    let begin = at + (blank[at..].len() - blank[at..].trim_start().len());
    let rest = &blank[begin..];
    if rest.starts_with('{') {
        return Some(begin + balanced(rest, '{', '}')?);
    }
    if begins_loop(rest, Language::C) {
        let open = rest.find('(')?;
        return statement(blank, begin + open + balanced(&rest[open..], '(', ')')?);
    }
    // A condition may go on behind its statement.
    let first = words(rest).next().filter(|word| rest.starts_with(word));
    if first.is_some_and(|word| ["if", "while", "do", "switch", "else", "try"].contains(&word)) {
        return None;
    }
    let end = rest.find(';')? + 1;
    (!rest[..end].contains(['{', '}'])).then_some(begin + end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    fn tried(text: &str, line: u32) -> Option<String> {
        let source = Source { file: "a.c", language: Language::C, text };
        guarded(&source, line, 8).ok().map(|part| apply(text, &[&part]).unwrap())
    }

    #[test]
    fn the_loop_is_kept_beside_its_copy() {
        let text = "void f(double *a, int n) {\n    for (int i = 0; i < n; i++) {\n        a[i] += 1; // }\n    }\n}\n";
        let new = "void f(double *a, int n) {\n    if ((n) - (0) == 8) {\n    for (int i = 0; i < (0) + 8; i++) {\n        a[i] += 1; // }\n    }\n    } else {\n    for (int i = 0; i < n; i++) {\n        a[i] += 1; // }\n    }\n    }\n}\n";
        assert_eq!(tried(text, 2).unwrap(), new);
        let nest = "  for (i = k; i < n; ++i)\n    for (j = 0; j < m; j++)\n      a[i][j] = 0;\n";
        assert!(
            tried(nest, 1).unwrap().starts_with("  if ((n) - (k) == 8) {\n  for (i = k; i < (k) + 8; ++i)\n")
        );
    }

    #[test]
    fn what_is_not_certain_is_left_alone() {
        for text in [
            "for (i = 0; i < f(n); i++)\n  a[i] = 0;\n",
            "for (i = 0; i < s->n; i++)\n  a[i] = 0;\n",
            "for (i = 0; i < *n; i++)\n  a[i] = 0;\n",
            "for (i = 0; i <= n; i++)\n  a[i] = 0;\n",
            "for (i = 0; i < n; i += 2)\n  a[i] = 0;\n",
            "for (i = 0; i < n && b; i++)\n  a[i] = 0;\n",
            "for (i = 0; i < n; i++)\n  if (a[i]) n = 3;\n",
            "for (i = 0; i < n; i++) {\n  n--;\n}\n",
            "for (i = 0; i < n; i++) {\n  g(&n);\n}\n",
            "for (i = 0; i < n; i++) {\n  i += a[i];\n}\n",
            "for (i = 0; i < n; i++) {\n  if (a[i]) goto out;\n}\n",
            "for (i = 0; i < n; i++) {\n#if X\n  a[i] = 0;\n#endif\n}\n",
            "for (i = 0; i < n; i++) a[i] = 0; b = 1;\n",
            "for (i = 0; i < n; i++) {\n",
            "for (;;) {\n}\n",
            "do {\n  for (i = 0; i < n; i++)\n    a[i] = 0;\n} while (b);\n",
        ] {
            assert_eq!(tried(text, 1), None, "{text}");
        }
    }
}
