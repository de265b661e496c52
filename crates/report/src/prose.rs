//! Text between tables: headings, wrapped paragraphs, labelled lines.

use crate::names::{elide_end, printable, width};
use crate::style::{Ink, TerminalStyle};
use textwrap::{Options, WordSplitter, wrap};

/// Lines of prose are no longer than this however wide the terminal is: longer ones are hard to read.
pub(crate) const READABLE: usize = 110;

/// Words after which a line is broken, each after `indent` spaces and the first after `first`.
fn wrapped(style: &TerminalStyle, first: &str, indent: usize, text: &str) -> Vec<String> {
    let margin = " ".repeat(indent);
    let options = Options::new(style.columns().min(READABLE.max(indent + 40)))
        .initial_indent(first)
        .subsequent_indent(&margin)
        .word_splitter(WordSplitter::NoHyphenation);
    wrap(text, options).into_iter().map(|line| line.trim_end().to_owned()).collect()
}

/// A heading with an empty line before it.
pub(crate) fn heading(style: &TerminalStyle, title: &str) -> String {
    format!("\n{}\n", style.paint(Ink::Title, &printable(title)))
}

/// A paragraph; its own line breaks are kept.
pub(crate) fn paragraph(style: &TerminalStyle, indent: usize, ink: Ink, text: &str) -> String {
    let margin = " ".repeat(indent);
    let mut out = String::new();
    for part in text.lines() {
        for line in wrapped(style, &margin, indent, &printable(part)) {
            let body = line.strip_prefix(margin.as_str()).unwrap_or(line.trim_start());
            if !body.is_empty() {
                out.push_str(&margin);
                out.push_str(&style.paint(ink, body));
            }
            out.push('\n');
        }
    }
    out
}

/// `label` in the margin and the text beside it, wrapped under itself.
pub(crate) fn labelled(
    style: &TerminalStyle,
    indent: usize,
    label: &str,
    label_width: usize,
    ink: Ink,
    text: &str,
) -> String {
    let label_width = label_width.max(width(label));
    let hang = indent + label_width + 2;
    let margin = " ".repeat(hang);
    let mut out = String::new();
    let mut first = true;
    for part in text.lines().chain(text.is_empty().then_some("")) {
        for line in wrapped(style, &margin, hang, &printable(part)) {
            let body = line.strip_prefix(margin.as_str()).unwrap_or(line.trim_start());
            if std::mem::take(&mut first) {
                out.push_str(&" ".repeat(indent));
                out.push_str(&style.paint(Ink::Dim, label));
                out.push_str(&" ".repeat(label_width.saturating_sub(width(label)) + 2));
            } else if !body.is_empty() {
                out.push_str(&margin);
            }
            out.push_str(&style.paint(ink, body));
            out.push('\n');
        }
    }
    out
}

/// `label` and facts beside it; lines break between facts only.
pub(crate) fn facts(
    style: &TerminalStyle,
    label: &str,
    label_width: usize,
    ink: Ink,
    facts: &[String],
) -> String {
    let facts: Vec<(String, usize)> = facts
        .iter()
        .filter(|fact| !fact.is_empty())
        .map(|fact| elide_end(&printable(fact), style.columns().saturating_sub(label_width + 3), style))
        .map(|fact| (style.paint(ink, &fact), width(&fact)))
        .collect();
    flow(style, label, label_width, style.dot(), &facts)
}

/// `label` and pieces beside it, each painted and with the columns that it takes.
pub(crate) fn flow(
    style: &TerminalStyle,
    label: &str,
    label_width: usize,
    separator: &str,
    pieces: &[(String, usize)],
) -> String {
    hanging(style, label, label_width + 2, separator, pieces)
}

/// What signs mean, `   ` between them: lines break there only.
pub(crate) fn legend(style: &TerminalStyle, text: &str) -> String {
    let pieces: Vec<(String, usize)> =
        text.split("   ").map(|each| (style.paint(Ink::Dim, each), width(each))).collect();
    hanging(style, "", 0, "   ", &pieces)
}

fn hanging(
    style: &TerminalStyle,
    label: &str,
    hang: usize,
    separator: &str,
    pieces: &[(String, usize)],
) -> String {
    let mut out = style.paint(Ink::Dim, label) + &" ".repeat(hang.saturating_sub(width(label)));
    let mut used = 0;
    for (piece, columns) in pieces {
        if used > 0 && hang + used + width(separator) + columns > style.columns() {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            used = 0;
        } else if used > 0 {
            out.push_str(separator);
            used += width(separator);
        }
        out.push_str(piece);
        used += columns;
    }
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The first sentence of a paragraph.
pub(crate) fn first_sentence(text: &str) -> &str {
    let end = text
        .match_indices(". ")
        .map(|(at, _)| at + 1)
        .find(|end| text[*end..].trim_start().starts_with(char::is_uppercase));
    text[..end.unwrap_or(text.len())].trim()
}

/// The first sentence of a paragraph and, where it is short, the second, if both fit into the columns.
pub(crate) fn first_sentences(text: &str, columns: usize) -> &str {
    /// Columns of a sentence that leaves room for another.
    const SHORT: usize = 90;
    let first = first_sentence(text);
    let begin = text.find(first).unwrap_or(0) + first.len();
    let second = first_sentence(&text[begin..]);
    let both = text[begin..].find(second).map_or(text, |at| &text[..begin + at + second.len()]).trim();
    if crate::names::width(first) < SHORT && crate::names::width(both) <= columns { both } else { first }
}

/// Code, unchanged, each line after `indent` spaces.
pub(crate) fn code(style: &TerminalStyle, indent: usize, text: &str) -> String {
    let margin = " ".repeat(indent);
    text.trim_end().lines().fold(String::new(), |out, line| {
        let line = printable(line.trim_end()).replace("\\t", "    ");
        if line.is_empty() { out + "\n" } else { out + &margin + &style.paint(Ink::Accent, &line) + "\n" }
    })
}

/// How many rows a table leaves out; nothing where it has all.
pub(crate) fn more(style: &TerminalStyle, hidden: usize) -> String {
    if hidden == 0 {
        return String::new();
    }
    paragraph(style, 0, Ink::Dim, &format!("{hidden} more; `--all` shows them"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labelled_text_hangs_under_itself() {
        let text = labelled(&TerminalStyle::plain(60), 2, "why", 4, Ink::Plain, &"word ".repeat(14));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("  why   word") && lines[1].starts_with("        word"), "{text}");
        assert!(lines.iter().all(|line| line.len() <= 60 && !line.ends_with(' ')));
    }

    #[test]
    fn lines_of_facts_break_between_facts() {
        let text = facts(
            &TerminalStyle::plain(60),
            "Run",
            4,
            Ink::Plain,
            &[
                "a fact of some length".to_owned(),
                "another one".into(),
                "and a third that does not fit".into(),
            ],
        );
        assert_eq!(text, "Run   a fact of some length, another one\n      and a third that does not fit\n");
    }

    #[test]
    fn a_legend_breaks_between_its_signs() {
        let text = legend(
            &TerminalStyle::plain(60),
            "V vectorised   s scalar   p with peel or remainder loops   I inlined here",
        );
        assert_eq!(text, "V vectorised   s scalar   p with peel or remainder loops\nI inlined here\n");
    }

    #[test]
    fn a_word_longer_than_the_line_is_broken() {
        let text = paragraph(&TerminalStyle::plain(60), 4, Ink::Plain, &"x".repeat(200));
        assert!(text.lines().all(|line| line.len() <= 60), "{text}");
    }

    #[test]
    fn an_empty_value_still_shows_its_label() {
        assert_eq!(labelled(&TerminalStyle::plain(60), 0, "flags", 5, Ink::Plain, ""), "flags  \n");
    }
}
