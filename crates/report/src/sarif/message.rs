//! Messages: what SARIF gives a meaning to is escaped, names from elsewhere are made printable and short.
//!
//! Braces are placeholders of arguments (3.11.5) and brackets before parentheses are links (3.11.6), in every message,
//! so both are escaped. A C++ `operator[](unsigned long)` would be a link otherwise.

use super::log::Message;
use crate::names::{elide_end, elide_symbol, printable};
use crate::style::TerminalStyle;

/// Width and signs of names and quantities inside a message.
pub(super) const STYLE: TerminalStyle = TerminalStyle { width: 200, colour: false, unicode: true };

/// A function's name, or another symbol, in a sentence.
pub(super) fn symbol(name: &str) -> String {
    elide_symbol(&printable(name), 120, &STYLE)
}

/// A sentence or a place in a message: on one line, and of a length that a list can show.
pub(super) fn sentence(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    elide_end(&printable(&text), 600, &STYLE)
}

/// `text` escaped so that a message shows it unchanged. Brackets that cannot be taken for a link stay: `a[i]` is
/// frequent, and not every reader takes the backslashes out again.
pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('{', "{{").replace('}', "}}");
    if reads_as_link(&text) { with_backslashes(&text) } else { text }
}

/// Whether brackets or backslashes could mean something here, or to a link that follows.
fn reads_as_link(text: &str) -> bool {
    let mut open = 0_usize;
    for character in text.chars() {
        match character {
            '[' => open += 1,
            ']' if open == 0 => return true,
            ']' => open -= 1,
            '\\' => return true,
            _ => {}
        }
    }
    open > 0 || text.contains("](")
}

fn with_backslashes(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if matches!(character, '[' | ']' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// A whole message without links.
pub(super) fn plain(text: &str) -> Message {
    Message { text: escaped(&sentence(text)) }
}

/// A link to the related location `id`, as a part of a message.
pub(super) fn link(text: &str, id: usize) -> String {
    let text = sentence(text).replace('{', "{{").replace('}', "}}");
    format!("[{}]({id})", with_backslashes(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_links_are_text() {
        assert_eq!(escaped("set {0} and {{x}}"), "set {{0}} and {{{{x}}}}");
        assert_eq!(escaped("a::operator[](int)"), "a::operator\\[\\](int)");
        assert_eq!(escaped("b[i] + c[j]"), "b[i] + c[j]");
        assert_eq!(escaped("b[i"), "b\\[i");
        assert_eq!(escaped("c:\\x"), "c:\\\\x");
        assert_eq!(link("a[i] {0}", 3), "[a\\[i\\] {{0}}](3)");
    }

    #[test]
    fn a_message_is_one_printable_line() {
        let message = plain("a\n\tb \u{1b}[2J");
        assert_eq!(message.text, "a b \\\\e\\[2J");
        assert!(plain(&"x".repeat(10_000)).text.chars().count() <= 600);
    }
}
