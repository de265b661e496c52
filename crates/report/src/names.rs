//! Names from elsewhere (symbols, paths, command lines, thread names) made fit to print.
//!
//! A symbol table is untrusted input: a name may hold escape sequences that rewrite the terminal, line
//! breaks that forge table rows, or text-direction marks that make it read as another name. And a C++
//! symbol may be ten thousand characters long.

use crate::style::TerminalStyle;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that `text` takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `name` without anything that acts on a terminal: such characters are written as escapes.
pub fn printable(name: &str) -> Cow<'_, str> {
    if !name.chars().any(acts) {
        return Cow::Borrowed(name);
    }
    let mut safe = String::with_capacity(name.len() + 8);
    for character in name.chars() {
        match character {
            '\u{1b}' => safe.push_str("\\e"),
            _ if acts(character) => safe.extend(character.escape_default()),
            _ => safe.push(character),
        }
    }
    Cow::Owned(safe)
}

/// Control characters, text-direction marks, separators and invisible characters.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The first characters of `text` that fit into `columns`.
fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// The last characters of `text` that fit into `columns`.
fn tail(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, character) in text.char_indices().rev() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return &text[at + character.len_utf8()..];
        }
    }
    text
}

/// Cuts the end off.
pub(crate) fn elide_end(text: &str, columns: usize, style: &TerminalStyle) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mark = style.ellipsis();
    match columns.checked_sub(width(mark)) {
        Some(rest) => format!("{}{mark}", head(text, rest).trim_end()),
        None => head(text, columns).to_owned(),
    }
}

/// Cuts the end off a sentence, after a word.
pub(crate) fn elide_words(text: &str, columns: usize, style: &TerminalStyle) -> String {
    let short = elide_end(text, columns, style);
    let kept = short.strip_suffix(style.ellipsis()).filter(|_| short != text);
    match kept.and_then(|kept| Some((kept, kept.rsplit_once(' ')?))) {
        // A word that ends where the text is cut is whole.
        Some((kept, (words, _))) if text[kept.len()..].chars().next().is_some_and(|c| c != ' ') => {
            format!("{} {}", words.trim_end_matches([',', ':', ';', ' ']), style.ellipsis())
        }
        _ => short,
    }
}

/// Cuts the beginning off: for paths, whose end identifies them best.
pub(crate) fn elide_start(text: &str, columns: usize, style: &TerminalStyle) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mark = style.ellipsis();
    match columns.checked_sub(width(mark)) {
        Some(rest) => format!("{mark}{}", tail(text, rest)),
        None => tail(text, columns).to_owned(),
    }
}

/// Cuts a piece out of the middle.
pub(crate) fn elide_middle(text: &str, columns: usize, style: &TerminalStyle) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mark = style.ellipsis();
    match columns.checked_sub(width(mark)) {
        Some(rest) => format!("{}{mark}{}", head(text, rest - rest / 2), tail(text, rest / 2)),
        None => head(text, columns).to_owned(),
    }
}

/// Shortens a function name: first its parameter lists fold, then they go with what is around them (the type of the result,
/// `const`), then template arguments fold, then its middle goes, more of its end being kept: namespaces identify least.
pub(crate) fn elide_symbol(name: &str, columns: usize, style: &TerminalStyle) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let folded = fold(name, '(', ')', style);
    if width(&folded) <= columns {
        return folded;
    }
    let bare = bare(name, style);
    if width(&bare) <= columns {
        return bare;
    }
    let folded = fold(&bare, '<', '>', style);
    if width(&folded) <= columns {
        return folded;
    }
    // The scope identifies less than the function itself.
    let mark = style.ellipsis();
    match folded.rfind("::").filter(|at| width(&folded[*at..]) + width(mark) <= columns) {
        Some(at) => format!("{mark}{}", &folded[at..]),
        None => keep_the_end(&folded, columns, style),
    }
}

/// Cuts a piece out before the last two thirds.
fn keep_the_end(name: &str, columns: usize, style: &TerminalStyle) -> String {
    let mark = style.ellipsis();
    match columns.checked_sub(width(mark)) {
        Some(rest) => format!("{}{mark}{}", head(name, rest / 3), tail(name, rest - rest / 3)),
        None => head(name, columns).to_owned(),
    }
}

/// A function's name with its scope and its template arguments only: without parameters, what follows them, and the type of
/// the result, which only templates have. Parameters within the scope (of lambdas, of functions that hold a type) go as well.
fn bare(name: &str, style: &TerminalStyle) -> String {
    let whole = name.replace("(anonymous namespace)::", "");
    let name = whole.as_str();
    let (mut depth, mut space, mut list, mut named) = (0_usize, None, None, false);
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        let at = name.len() - rest.len();
        if let Some(operator) = operator_at(rest) {
            // What follows `operator<< ` are its template arguments.
            named |= depth == 0;
            rest = &rest[operator.len()..];
            continue;
        }
        match character {
            '(' | '<' | '[' | '{' => {
                if character == '(' && depth == 0 {
                    list = Some(at);
                }
                depth += 1;
            }
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            // `operator new`, `operator bool`; and what follows the parameters is no name.
            ' ' if depth == 0 && list.is_none() && !named && !name[..at].ends_with("operator") => {
                space = Some(at)
            }
            ':' if depth == 0 => list = None,
            _ => {}
        }
        rest = &rest[character.len_utf8()..];
    }
    let Some(end) = list.filter(|end| *end > 0) else {
        return fold(name, '(', ')', style).replace(&format!("({})", style.ellipsis()), "");
    };
    let start = space.filter(|space| *space < end).map_or(0, |space| space + 1);
    fold(&name[start..end], '(', ')', style).replace(&format!("({})", style.ellipsis()), "")
}

/// Shortens the names of one column. Names that would look alike keep what distinguishes them: `System<double>::step()`
/// and `System<float>::step()` are not both `System<...>::step`.
pub(crate) fn elide_symbols(names: &[&str], columns: usize, style: &TerminalStyle) -> Vec<String> {
    let mut shown: Vec<String> = names.iter().map(|name| elide_symbol(name, columns, style)).collect();
    // Alike in short, or but for their template arguments.
    let folded: Vec<String> = names.iter().map(|name| fold(&bare(name, style), '<', '>', style)).collect();
    let mut alike: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for ((name, folded), short) in names.iter().zip(&folded).zip(&shown) {
        alike.entry(folded).or_default().insert(name);
        alike.entry(short).or_default().insert(name);
    }
    let others: Vec<BTreeSet<&str>> = folded
        .iter()
        .zip(&shown)
        .map(|(folded, short)| {
            let same = &alike[short.as_str()];
            // A name in full is distinct.
            let kin = short.contains(style.ellipsis()).then(|| &alike[folded.as_str()]);
            same.iter().chain(kin.into_iter().flatten()).copied().collect()
        })
        .collect();
    for ((name, short), others) in names.iter().zip(&mut shown).zip(&others) {
        if others.len() > 1 {
            *short = distinct(name, others, columns, style);
        }
    }
    shown
}

/// The part of `name` in which it differs from the others, with as much around it as there is room for.
fn distinct(name: &str, others: &BTreeSet<&str>, columns: usize, style: &TerminalStyle) -> String {
    let others = || others.iter().copied().filter(|other| *other != name);
    let short = bare(name, style);
    if others().any(|other| bare(other, style) == short) {
        return difference(name, others(), columns, style);
    }
    let others: Vec<String> = others().map(|other| bare(other, style)).collect();
    difference(&short, others.iter().map(String::as_str), columns, style)
}

fn difference<'a>(
    name: &str,
    others: impl Iterator<Item = &'a str>,
    columns: usize,
    style: &TerminalStyle,
) -> String {
    if width(name) <= columns {
        return name.to_owned();
    }
    let same =
        |a: &str, b: &str| a.char_indices().zip(b.chars()).find(|((_, x), y)| x != y).map(|((at, _), _)| at);
    let Some(start) = others.map(|other| same(name, other).unwrap_or(name.len().min(other.len()))).min()
    else {
        return elide_symbol(name, columns, style);
    };
    // What precedes the difference is dropped up to the beginning of the word in which it is; the bracket that opens an
    // argument stays.
    let boundary = |(_, c): &(usize, char)| !c.is_alphanumeric() && *c != '_';
    let word = name[..start].char_indices().rev().find(boundary).map_or(0, |(at, c)| match c {
        '<' | '(' | '[' => at,
        _ => at + c.len_utf8(),
    });
    let mark = if word > 0 { style.ellipsis() } else { "" };
    let rest = &name[word..];
    match columns.checked_sub(width(mark)) {
        Some(room) if width(rest) <= room => format!("{mark}{rest}"),
        // Others may differ in the end as well: methods of one class.
        Some(room) => format!("{mark}{}", keep_the_end(rest, room, style)),
        None => elide_end(rest, columns, style),
    }
}

/// Replaces the text between outermost brackets by an ellipsis; keeps `operator<` and its like,
/// and arrows.
fn fold(name: &str, open: char, close: char, style: &TerminalStyle) -> String {
    let mut folded = String::new();
    let mut depth = 0_usize;
    let mut rest = name;
    while let Some(character) = rest.chars().next() {
        if let Some(operator) = operator_at(rest) {
            if depth == 0 {
                folded.push_str(operator);
            }
            rest = &rest[operator.len()..];
            continue;
        }
        if character == open {
            if depth == 0 {
                folded.push(open);
                if !rest[1..].starts_with(close) {
                    folded.push_str(style.ellipsis());
                }
            }
            depth += 1;
        } else if character == close && depth > 0 {
            depth -= 1;
            if depth == 0 {
                folded.push(close);
            }
        } else if depth == 0 {
            folded.push(character);
        }
        rest = &rest[character.len_utf8()..];
    }
    folded
}

/// A C++ operator name (or an arrow) that holds brackets which are none.
fn operator_at(text: &str) -> Option<&str> {
    const OPERATORS: [&str; 14] = [
        "operator<=>",
        "operator<<=",
        "operator>>=",
        "operator->*",
        "operator()",
        "operator<<",
        "operator>>",
        "operator<=",
        "operator>=",
        "operator->",
        "operator<",
        "operator>",
        "->",
        "=>",
    ];
    OPERATORS.iter().find(|operator| text.starts_with(**operator)).map(|operator| &text[..operator.len()])
}

/// A command line as one would type it.
pub(crate) fn command_line(command: &[String]) -> String {
    let word = |word: &String| {
        let bare = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(bare) {
            word.clone()
        } else {
            match word.chars().any(acts) {
                false => format!("'{}'", word.replace('\'', r"'\''")),
                true => format!("$'{}'", word.chars().map(escaped).collect::<String>()),
            }
        }
    };
    command.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// A character within `$'..'`, with which bash and zsh read back what cannot be seen.
fn escaped(character: char) -> String {
    match character {
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        '\'' | '\\' => format!("\\{character}"),
        _ if !acts(character) => character.to_string(),
        _ if u32::from(character) <= 0xffff => format!("\\u{:04x}", u32::from(character)),
        _ => format!("\\U{:08x}", u32::from(character)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: TerminalStyle = TerminalStyle { width: 80, colour: false, unicode: false };

    #[test]
    fn escape_sequences_in_names_do_not_reach_the_terminal() {
        assert_eq!(printable("f\u{1b}[2J\r\ng"), "f\\e[2J\\r\\ng");
        assert_eq!(printable("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert_eq!(printable("größe<λ>"), "größe<λ>");
    }

    #[test]
    fn templates_and_parameters_fold_before_the_name_is_cut() {
        let name = "std::vector<std::pair<int, double>>::push_back(std::pair<int, double> const&)";
        assert_eq!(elide_symbol(name, 62, &PLAIN), "std::vector<std::pair<int, double>>::push_back(...)");
        assert_eq!(elide_symbol(name, 48, &PLAIN), "std::vector<std::pair<int, double>>::push_back");
        assert_eq!(elide_symbol(name, 40, &PLAIN), "std::vector<...>::push_back");
        assert_eq!(elide_symbol(name, 20, &PLAIN), "...::push_back");
    }

    #[test]
    fn what_stands_around_the_parameters_goes_with_them() {
        let bare = |name| bare(name, &PLAIN);
        assert_eq!(bare("double integrate<double, 10>(System<double>&, int)"), "integrate<double, 10>");
        assert_eq!(bare("System<float>::energy() const"), "System<float>::energy");
        assert_eq!(bare("main::{lambda(int)#1}::operator()(int) const"), "main::{lambda#1}::operator()");
        assert_eq!(bare("operator new(unsigned long)"), "operator new");
        assert_eq!(bare("std::ostream& operator<< <char>(std::ostream&, char)"), "operator<< <char>");
        assert_eq!(bare("f(int) [clone .part.0]"), "f");
        assert_eq!(bare("a::(anonymous namespace)::f(int)"), "a::f");
        for whole in ["main", "mult._omp_fn.0", "<a as b>::c", "(", ")", "", "core::fmt::Formatter::pad"] {
            assert!(!bare(whole).contains('(') || whole == "(", "{}", bare(whole));
        }
    }

    #[test]
    fn names_of_one_column_keep_what_tells_them_apart() {
        let both = ["System<double>::step()", "System<float>::step()", "main"];
        assert_eq!(elide_symbols(&both, 17, &PLAIN), ["...<double>::step", "...<float>::step", "main"]);
        assert_eq!(elide_symbols(&both, 30, &PLAIN), both);
        let outlined = ["__solver_MOD_advance_mp_fn.0", "__solver_MOD_advance_mp_fn.1"];
        assert_eq!(elide_symbols(&outlined, 16, &PLAIN), ["__so...e_mp_fn.0", "__so...e_mp_fn.1"]);
        let overloads =
            ["grid::apply(vector<double> const&, double)", "grid::apply(vector<double> const&, float)"];
        assert_eq!(elide_symbols(&overloads, 12, &PLAIN), ["...double)", "...float)"]);
        assert_eq!(
            elide_symbols(&["f<int>::g", "f<int>::g"], 6, &PLAIN),
            ["...::g", "...::g"],
            "one function"
        );
        for columns in 0..30 {
            let names = ["größe<漢字>::f()", "größe<漢>::f()", "größe", "größe<漢字>::f(漢)", ""];
            for (name, short) in names.iter().zip(elide_symbols(&names, columns, &PLAIN)) {
                assert!(width(&short) <= columns.max(width(name).min(columns)), "{short:?} in {columns}");
            }
        }
    }

    #[test]
    fn operators_are_not_brackets() {
        let name = "operator<< <std::char_traits<char>>(std::basic_ostream<char>&, char const*)";
        assert_eq!(elide_symbol(name, 30, &PLAIN), "operator<< <...>");
        assert_eq!(
            elide_symbol("a::operator()(int, int, int, int, int, int) const", 24, &PLAIN),
            "a::operator()(...) const"
        );
    }

    #[test]
    fn a_huge_symbol_takes_no_more_than_its_column() {
        let name = format!("f{}x{}::run", "<a".repeat(5_000), ">".repeat(5_000));
        assert_eq!(elide_symbol(&name, 30, &PLAIN), "f<...>::run");
        for columns in 0..40 {
            let wide = "漢字".repeat(2_000);
            assert!(width(&elide_symbol(&wide, columns, &PLAIN)) <= columns);
            assert!(width(&elide_start(&wide, columns, &PLAIN)) <= columns);
            assert!(width(&elide_end(&wide, columns, &PLAIN)) <= columns);
        }
    }

    #[test]
    fn unbalanced_brackets_are_no_trouble() {
        for name in [
            "<<<<<<<<<<<<<<<<<<<<",
            ">>>>>>>>>>>>>>>>>>>>>",
            "f(((((((((((((((((((((",
            "operatoroperatoroperator<",
        ] {
            assert!(width(&elide_symbol(name, 10, &PLAIN)) <= 10);
        }
    }

    #[test]
    fn a_command_line_can_be_typed_again() {
        let words = ["./a.out", "-n", "3", "two words", "it's", ""].map(String::from);
        assert_eq!(command_line(&words), r"./a.out -n 3 'two words' 'it'\''s' ''");
        // A script given as an argument stays on the line, and the shell reads it as it was.
        let script = ["python3", "-c", "a = 'x\\y'\nprint(a)\u{202e}\u{1b}"].map(String::from);
        assert_eq!(command_line(&script), r"python3 -c $'a = \'x\\y\'\nprint(a)\u202e\u001b'");
    }
}
