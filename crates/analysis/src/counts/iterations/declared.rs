//! Sizes of what names denote, by the declarations in the source text.
//!
//! The nearest declaration before a use is taken. Types whose size the text does not show (`typedef` of another file,
//! templates) have none: then nothing follows from them.

use crate::patterns::expression::{Grammar, Sort, Text};

/// A declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// Bytes of what is left when all is indexed; of a structure the whole.
    pub bytes: u64,
    /// Name of the structure.
    pub structure: Option<String>,
    /// Stars and brackets.
    pub levels: usize,
    /// Constant extents of the brackets after the first, outermost first; absent when one is not constant.
    pub extents: Option<Vec<u64>>,
}

/// Bytes of plain types under the LP64 data model (System V ABI for x86-64, table 3.1).
fn plain(word: &str) -> Option<u64> {
    Some(match word {
        "char" | "bool" | "_Bool" | "int8_t" | "uint8_t" | "i8" | "u8" => 1,
        "short" | "int16_t" | "uint16_t" => 2,
        "int" | "float" | "unsigned" | "signed" | "int32_t" | "uint32_t" => 4,
        "long" | "double" | "int64_t" | "uint64_t" | "size_t" | "ssize_t" | "ptrdiff_t" | "intptr_t"
        | "uintptr_t" => 8,
        _ => return None,
    })
}

fn qualifies(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "volatile"
            | "static"
            | "restrict"
            | "__restrict"
            | "__restrict__"
            | "register"
            | "extern"
            | "inline"
    )
}

/// Bytes of a type written as the words before a declarator, and the structure that it names.
fn of_words(text: &Text, words: &[&str], depth: usize) -> Option<(u64, Option<String>)> {
    let words: Vec<&str> = words.iter().copied().filter(|word| !qualifies(word)).collect();
    let is_complex = words.iter().any(|word| matches!(*word, "complex" | "_Complex"));
    if let [.., "struct", name] = words.as_slice() {
        return Some((structure(text, name, depth)?.bytes, Some((*name).to_owned())));
    }
    if let [name] = words.as_slice()
        && plain(name).is_none()
    {
        if let Some(structure) = structure(text, name, depth) {
            return Some((structure.bytes, Some((*name).to_owned())));
        }
        let other = other_name(text, name).filter(|_| depth < DEEPEST)?;
        return of_words(text, &other, depth + 1);
    }
    let mut sizes = Vec::new();
    for word in words.iter().filter(|word| !matches!(**word, "complex" | "_Complex")) {
        sizes.push((*word, plain(word)?));
    }
    let has = |name: &str| sizes.iter().any(|(word, _)| *word == name);
    let bytes = match sizes.as_slice() {
        [] => return None,
        [(_, bytes)] => *bytes,
        _ if has("double") => return None,
        _ if has("char") => 1,
        _ if has("short") => 2,
        _ if has("long") => 8,
        _ => 4,
    };
    Some((if is_complex { 2 * bytes } else { bytes }, None))
}

/// The words that a macro or `typedef` of the text gives a name to, where it does so once.
fn other_name<'a>(text: &Text<'a>, name: &str) -> Option<Vec<&'a str>> {
    let is_type = |word: &str| plain(word).is_some() || qualifies(word);
    match text.definitions(name) {
        [] => {}
        [value] => {
            let words: Vec<&str> = value.split_whitespace().collect();
            return words.iter().all(|word| is_type(word)).then_some(words);
        }
        _ => return None,
    }
    let ends = text.uses(name).iter().copied().filter(|&t| text.word(t + 1) == ";");
    let mut found = ends.filter_map(|end| {
        let begin = (end.saturating_sub(4)..end).find(|&t| text.word(t) == "typedef")?;
        Some((begin + 1..end).map(|t| text.word(t)).collect::<Vec<&str>>())
    });
    let words = found.next()?;
    (found.next().is_none() && words.iter().all(|word| is_type(word))).then_some(words)
}

/// Nested structures that are followed.
const DEEPEST: usize = 4;

/// The layout of a structure.
pub(super) struct Structure {
    bytes: u64,
    align: u64,
    /// Plain members, with the bytes of one element.
    pub members: Vec<(String, u64)>,
}

/// The structure of this name.
pub(super) fn structure(text: &Text, name: &str, depth: usize) -> Option<Structure> {
    if depth > DEEPEST || text.language().is_fortran() {
        return None;
    }
    // `struct name {`, or `struct .. { .. } name;`.
    let is_structure =
        |open: usize| (1..=2).any(|back| open.checked_sub(back).is_some_and(|t| text.word(t) == "struct"));
    let opens = text.uses(name).iter().filter_map(|&at| {
        let open = if text.word(at + 1) == "{" {
            at.checked_sub(1).filter(|&t| text.word(t) == "struct").map(|_| at + 1)
        } else {
            at.checked_sub(1).filter(|_| text.word(at + 1) == ";").and_then(|close| opening(text, close))
        };
        open.filter(|&open| is_structure(open))
    });
    let open = opens.min()?;
    let close = closing(text, open)?;
    if text.word(close + 1).starts_with("__attribute") {
        return None;
    }
    let (mut size, mut align, mut members) = (0u64, 1u64, Vec::new());
    let mut at = open + 1;
    while at < close {
        let end = (at..close).find(|&t| text.word(t) == ";")?;
        let words: Vec<&str> = (at..end).map(|t| text.word(t)).collect();
        // Names, stars, commas and constant extents: bit fields and functions are not followed.
        let first = words.iter().position(|word| matches!(*word, "," | "[" | "*")).unwrap_or(words.len());
        let types = if words.get(first) == Some(&"*") { first } else { first.checked_sub(1)? };
        let base = of_words(text, words.get(..types)?, depth + 1);
        let mut rest = words.get(types..)?.split(|word| *word == ",");
        rest.try_for_each(|declarator| {
            let stars = declarator.iter().take_while(|word| **word == "*").count();
            let (member, extents) = declarator.get(stars..)?.split_first()?;
            let mut count = 1u64;
            for extent in extents.chunks(3) {
                let ["[", number, "]"] = extent else { return None };
                count = count.checked_mul(number.parse::<u64>().ok()?)?;
            }
            let bytes = if stars > 0 { 8 } else { base.as_ref()?.0 };
            let own = match &base {
                Some((_, Some(inner))) if stars == 0 => structure(text, inner, depth + 1)?.align,
                _ if stars == 0 => bytes.min(8),
                _ => 8,
            };
            size = size.checked_next_multiple_of(own)?.checked_add(bytes.checked_mul(count)?)?;
            align = align.max(own);
            members.push(((*member).to_owned(), bytes));
            Some(())
        })?;
        at = end + 1;
    }
    (size > 0).then(|| Structure { bytes: size.next_multiple_of(align), align, members })
}

/// The token that closes the bracket at `open`.
pub(super) fn closing(text: &Text, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for token in open..text.len() {
        match text.word(token) {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(token);
                }
            }
            _ => {}
        }
    }
    None
}

/// The curly bracket that the one at `close` closes.
fn opening(text: &Text, close: usize) -> Option<usize> {
    if text.word(close) != "}" {
        return None;
    }
    let mut depth = 0usize;
    for token in (0..=close).rev() {
        match text.word(token) {
            ")" | "}" | "]" => depth += 1,
            "(" | "{" | "[" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (text.word(token) == "{").then_some(token);
                }
            }
            _ => {}
        }
    }
    None
}

/// What a name denotes at `token`: its nearest declaration before.
pub(super) fn declared(text: &Text, name: &str, token: usize) -> Option<Declared> {
    if !matches!(text.language(), Grammar::C | Grammar::Cxx) {
        return None;
    }
    let uses = text.uses(name);
    let before = &uses[..uses.partition_point(|&at| at < token)];
    before.iter().rev().filter(|&&at| at > 0).find_map(|&at| declaration(text, at))
}

/// The declaration of the name at `at`, if it is one.
fn declaration(text: &Text, at: usize) -> Option<Declared> {
    if !matches!(text.word(at + 1), "," | ";" | ")" | "=" | "[") {
        return None;
    }
    let (mut first, mut stars) = (at, 0);
    while first > 0 && (text.word(first - 1) == "*" || qualifies(text.word(first - 1))) {
        first -= 1;
        stars += usize::from(text.word(first) == "*");
    }
    // `double a[3], *b;`: back to the type of the statement, over declarators without values.
    if first > 0 && text.word(first - 1) == "," && !in_parameters(text, first) {
        let begin =
            (0..first - 1).rev().take_while(|&t| !matches!(text.word(t), ";" | "{" | "}" | "(" | ")"));
        let begin = begin.last()?;
        let words: Vec<usize> = (begin..first - 1).collect();
        let simple = words.iter().all(|&t| {
            matches!(text.word(t), "," | "*" | "[" | "]")
                || matches!(text.sort(t), Some(Sort::Name | Sort::Number))
        });
        let end = words.iter().position(|&t| matches!(text.word(t), "," | "*" | "["));
        let end = begin + end.unwrap_or(words.len());
        if !simple || end == begin {
            return None;
        }
        first = if text.word(end) == "*" { end } else { end - 1 };
        return finish(text, begin, first, at, stars);
    }
    let mut begin = first;
    while begin > 0
        && text.sort(begin - 1) == Some(Sort::Name)
        && !matches!(text.word(begin - 1), "return" | "else" | "case" | "goto" | "sizeof")
    {
        begin -= 1;
    }
    if begin == first
        || begin > 0
            && !matches!(text.word(begin - 1), ";" | "{" | "}" | "(" | ",")
            && text.position(begin - 1).0 == text.position(begin).0
            && text.word(begin - 1) != ")"
    {
        return None;
    }
    finish(text, begin, first, at, stars)
}

/// The comma before `token` separates parameters.
fn in_parameters(text: &Text, token: usize) -> bool {
    let mut depth = 0i32;
    for at in (0..token).rev() {
        match text.word(at) {
            ")" | "]" => depth += 1,
            "(" if depth == 0 => return true,
            "(" | "[" => depth -= 1,
            ";" | "{" | "}" => return false,
            _ => {}
        }
    }
    false
}

fn finish(text: &Text, begin: usize, end: usize, at: usize, stars: usize) -> Option<Declared> {
    let mut words: Vec<&str> = (begin..end).map(|t| text.word(t)).collect();
    // Names of macros before the type are attributes.
    while words.len() > 1
        && plain(words[0]).is_none()
        && !qualifies(words[0])
        && words[0] != "struct"
        && text.is_macro(begin)
    {
        words.remove(0);
    }
    let (bytes, structure) = of_words(text, &words, 0)?;
    let (mut levels, mut extents, mut open) = (stars, Some(Vec::new()), at + 1);
    while text.word(open) == "[" {
        let close = closing(text, open)?;
        let extent = (close == open + 2).then(|| text.word(open + 1).parse::<u64>().ok()).flatten();
        if open > at + 1 || stars > 0 {
            extents = extents.zip(extent).map(|(mut all, extent): (Vec<u64>, u64)| {
                all.push(extent);
                all
            });
        }
        levels += 1;
        open = close + 1;
    }
    if stars > 1 || stars > 0 && levels > stars {
        extents = None;
    }
    Some(Declared { bytes, structure, levels, extents })
}

/// A whole number as C writes it.
pub(super) fn whole(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    if digits.len() > 1 && digits.starts_with('0') {
        let hexadecimal = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"))?;
        return i64::from_str_radix(hexadecimal, 16).ok();
    }
    digits.parse().ok()
}

/// The number that a name denotes everywhere in the text: a macro, an enumerator, or a constant.
pub(super) fn constant(text: &Text, name: &str) -> Option<i64> {
    match text.definitions(name) {
        [] => {}
        [value] => return whole(value),
        _ => return None,
    }
    let mut assigned =
        text.uses(name).iter().map(|&t| (t + 1, t + 2)).filter(|&(equals, _)| text.word(equals) == "=");
    let (equals, at) = assigned.next()?;
    let enumerator =
        matches!(text.word(equals.checked_sub(2)?), "{" | ",") && matches!(text.word(at + 1), "," | "}");
    let is_constant = (equals.saturating_sub(5)..equals)
        .any(|t| matches!(text.word(t), "const" | "constexpr"))
        && text.word(at + 1) == ";";
    let once = assigned.next().is_none();
    (once && (enumerator || is_constant)).then(|| whole(text.word(at))).flatten()
}
