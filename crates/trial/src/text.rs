//! Texts of sources as they are read: without comments and literals, by names and brackets.

use loopwright_vocabulary::Language;

/// The text with comments and literals replaced by spaces, line by line the same length.
pub(crate) fn blanked(text: &str, language: Language) -> String {
    let mut out = String::with_capacity(text.len());
    let mut state = State::Code;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        let fortran = language == Language::Fortran;
        match state {
            State::Code => match (c, next) {
                ('!', _) if fortran => state = State::Line,
                ('/', Some('/')) if !fortran => state = State::Line,
                ('/', Some('*')) if !fortran => {
                    characters.next();
                    out.push(' ');
                    state = State::Block;
                }
                ('"' | '\'', _) => state = State::Literal(c),
                _ => {
                    out.push(c);
                    continue;
                }
            },
            State::Line | State::Literal(_) if c == '\n' => state = State::Code,
            State::Block if c == '*' && next == Some('/') => {
                characters.next();
                out.push(' ');
                state = State::Code;
            }
            State::Literal(_) if c == '\\' && !fortran && next != Some('\n') => {
                spaces(&mut out, characters.next());
            }
            State::Literal(quote) if c == quote => state = State::Code,
            _ => {}
        }
        if c == '\n' { out.push(c) } else { spaces(&mut out, Some(c)) }
    }
    out
}

/// As many spaces as the character has bytes: places stay the same.
fn spaces(out: &mut String, of: Option<char>) {
    out.extend(std::iter::repeat_n(' ', of.map_or(0, char::len_utf8)));
}

#[derive(Clone, Copy)]
enum State {
    Code,
    Line,
    Block,
    Literal(char),
}

/// Length of the text from an opening character to the one that closes it.
pub(crate) fn balanced(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(at + c.len_utf8());
            }
        }
    }
    None
}

/// The first of the watched names that a body may write.
pub(crate) fn written(body: &str, watched: impl Fn(&str) -> bool) -> Option<&str> {
    let mut at = 0;
    while let Some(name) = words(&body[at..]).next() {
        let begin = at + body[at..].find(name).unwrap_or(0);
        at = begin + name.len();
        let (before, after) = (body[..begin].trim_end(), body[at..].trim_start());
        let is_member = before.ends_with('.') || before.ends_with("->");
        if is_member || !watched(name) {
            continue;
        }
        let assigned = after.starts_with('=') && !after.starts_with("==");
        let changed = ["++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="];
        let led_to = before.ends_with('&') && !before.ends_with("&&");
        if assigned
            || led_to
            || changed.iter().any(|sign| after.starts_with(sign))
            || before.ends_with("++")
            || before.ends_with("--")
        {
            return Some(name);
        }
    }
    None
}

/// The names in a text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}
