//! `restrict` at the pointer parameters of a function, in a copy of its source.
//!
//! Only the definition is changed: qualifiers of the parameters themselves are no part of a function's type, so that its
//! declarations elsewhere still fit. `__restrict` is a word of GCC's and clang's C and C++ alike.

use crate::edit::Source;
use crate::text::{balanced, blanked};
use loopwright_experiment::trials::{Part, Why};
use loopwright_vocabulary::Language;

/// The part that says that no two pointer parameters of the function around a line lead to the same memory.
pub(crate) fn restrict(source: &Source, function: &str, line: u32) -> Result<Part, Why> {
    let none = || Why::NoParameters { file: source.file.to_owned(), function: function.to_owned() };
    if !matches!(source.language, Language::C | Language::Cxx) {
        return Err(none());
    }
    // `ns::f(double *)` is written as `f` where it is defined.
    let name = plain_name(function);
    let name = name.as_str();
    let blank = blanked(source.text, source.language);
    let upto: usize = blank.split_inclusive('\n').take(line as usize).map(str::len).sum();
    let list = definition(&blank, name, upto).ok_or_else(none)?;
    let (start, end) = list;
    let mut new = String::new();
    let mut changed = 0;
    let original = &source.text[start..end];
    for (at, c) in original.char_indices() {
        new.push(c);
        let rest = &blank[start + at + c.len_utf8()..end];
        if blank[start + at..].starts_with('*') && is_outermost(rest) && !is_called(&blank[end..], rest) {
            new.push_str("__restrict ");
            changed += 1;
        }
    }
    // One pointer alone has nothing to overlap with but globals; the promise is about several.
    if changed < 2 || original.contains("restrict") {
        return Err(none());
    }
    let first = source.text[..start].rfind('\n').map_or(0, |at| at + 1);
    let last = source.text[end..].find('\n').map_or(source.text.len(), |at| end + at + 1);
    let before = &source.text[first..last];
    Ok(Part::Edit {
        file: source.file.to_owned(),
        line: 1 + u32::try_from(source.text[..first].matches('\n').count()).unwrap_or(u32::MAX),
        before: before.to_owned(),
        after: format!("{}{new}{}", &source.text[first..start], &source.text[end..last]),
    })
}

/// The name alone, without what a demangled one has around it: `double ns::sum<double, 3>(double const*)` is `sum`.
fn plain_name(function: &str) -> String {
    let (mut depth, mut name) = (0usize, String::new());
    for c in function.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            // The type of the result, or the scope, was before it.
            ' ' | ':' if depth == 0 => name.clear(),
            c if depth == 0 => name.push(c),
            _ => {}
        }
    }
    name
}

/// A `*` of the parameter itself: its name follows, and then the parameter ends.
fn is_outermost(rest: &str) -> bool {
    let rest = rest.trim_start().trim_start_matches("const ").trim_start();
    let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.len() < rest.len() && name.trim_start().starts_with([',', ')'])
}

/// Whether the function body that follows calls the parameter that begins a text: code has no `restrict`.
fn is_called(behind: &str, rest: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = rest.trim_start().trim_start_matches("const ").trim_start();
    let name: &str = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
    let Some(open) = behind.find('{').filter(|_| !name.is_empty()) else { return false };
    let body = balanced(&behind[open..], '{', '}').map_or("", |length| &behind[open..open + length]);
    body.match_indices(name).any(|(at, _)| {
        !body[..at].ends_with(is_part)
            && body[at + name.len()..].trim_start_matches([' ', ')']).starts_with('(')
    })
}

/// Where the parameter list of the last definition of `name` before `upto` is, parentheses included.
fn definition(blank: &str, name: &str, upto: usize) -> Option<(usize, usize)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = None;
    for (at, _) in blank[..upto].match_indices(name) {
        let whole = !blank[..at].ends_with(is_part);
        let after = &blank[at + name.len()..];
        let open = at + name.len() + (after.len() - after.trim_start().len());
        if !whole || !blank[open..].starts_with('(') {
            continue;
        }
        let Some(length) = balanced(&blank[open..], '(', ')') else { continue };
        let behind = blank[open + length..].trim_start();
        let behind = ["const", "noexcept"]
            .iter()
            .fold(behind, |text, word| text.trim_start_matches(word).trim_start());
        if behind.starts_with('{') && open + length < upto {
            found = Some((open, open + length));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::apply;

    fn tried(text: &str, function: &str, line: u32) -> Option<String> {
        let source = Source { file: "a.c", language: Language::C, text };
        restrict(&source, function, line).ok().map(|part| apply(text, &[&part]).unwrap())
    }

    #[test]
    fn pointers_of_the_definition_are_qualified() {
        let text = "void add(double *a, const double *b, int n);\nvoid add(double *a,\n         const double *b, int n)\n{\n    for (;;) a[0] = b[0] * n;\n}\n";
        let new = tried(text, "add", 5).unwrap();
        assert!(
            new.contains(
                "int n);\nvoid add(double *__restrict a,\n         const double *__restrict b, int n)\n{"
            ),
            "{new}"
        );
        let calls = "void f(int *a, Fun* g, int *b) {\n  for(;;) a[0] = g(b[0]);\n}\n";
        assert!(tried(calls, "f", 2).unwrap().contains("int *__restrict a, Fun* g, int *__restrict b"));
        let nested = "int f(double **rows, char *const *names) {\n  for(;;);\n}\n";
        assert!(
            tried(nested, "f", 2)
                .unwrap()
                .contains("double **__restrict rows, char *const *__restrict names")
        );
    }

    #[test]
    fn names_of_templates_are_those_of_their_definition() {
        assert_eq!(plain_name("add"), "add");
        assert_eq!(plain_name("ns::add(double*, double const*)"), "add");
        assert_eq!(plain_name("void ns::add<float, f(int)>(float*)"), "add");
        let text =
            "template <class T>\nvoid add(T *a, const T *b, int n) {\n    for (;;) a[0] = b[0] * n;\n}\n";
        let source = Source { file: "a.h", language: Language::Cxx, text };
        let part = restrict(&source, "void add<double>(double*, double const*, int)", 3).unwrap();
        assert!(apply(text, &[&part]).unwrap().contains("T *__restrict a, const T *__restrict b"));
    }

    #[test]
    fn what_is_not_seen_is_left_alone() {
        assert_eq!(tried("int f(int n) {\n  for(;;);\n}\n", "f", 2), None);
        assert_eq!(tried("int f(int *p) {\n  for(;;);\n}\n", "f", 2), None, "one pointer");
        assert_eq!(tried("int f(int *restrict p, int *q) {\n  for(;;);\n}\n", "f", 2), None, "it is there");
        assert_eq!(tried("#define F f(int *p, int *q)\nint F {\n  for(;;);\n}\n", "f", 3), None);
        assert_eq!(tried("int g(int *p, int *q) {\n  for(;;);\n}\n", "f", 2), None);
    }
}
