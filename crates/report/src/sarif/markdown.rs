//! Help of rules in GitHub-flavoured Markdown. Text may hold names from a binary: none of it is markup.

/// Plain text inside Markdown: characters that could begin markup or an element are escaped.
pub(super) fn text(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len() + 16);
    for character in plain.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '*' | '_' | '[' | ']' | '#' | '!' | '|' | '~' | '`' => {
                out.push('\\');
                out.push(character);
            }
            '\n' | '\r' => out.push(' '),
            _ => out.push(character),
        }
    }
    out
}

/// A block of code: the fence is longer than any run of backticks inside it (CommonMark 4.5).
pub(super) fn code(language: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", code.trim_end())
}

/// Words to type, inside a line.
pub(super) fn typed(words: &str) -> String {
    let longest = words.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let words = words.replace(['\n', '\r'], " ");
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{words}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        assert_eq!(text("<img src=x> [a](b) *c*"), "&lt;img src=x&gt; \\[a\\](b) \\*c\\*");
        assert_eq!(text("one\ntwo"), "one two");
    }

    #[test]
    fn code_cannot_leave_its_fence() {
        assert_eq!(code("c", "x;\n"), "```c\nx;\n```\n");
        assert_eq!(code("c", "````\nx"), "`````c\n````\nx\n`````\n");
        assert_eq!(typed("-O3"), "`-O3`");
        assert_eq!(typed("a`b"), "`` a`b ``");
    }
}
