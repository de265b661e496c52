//! `explain`: a reason why loops are not vectorised, and the list of all reasons.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::glossary::glossary;
use crate::phrases::NOTHING_TO_DO;
use crate::prose::{code, heading, labelled, paragraph};
use crate::style::{Ink, TerminalStyle};
use loopwright_remarks::explain::explain as explanation;
use loopwright_remarks::reasons::{self, Reason};

/// The list.
pub fn reasons(style: &TerminalStyle) -> String {
    let mut table =
        Columns::new(vec![Column::left("Reason"), Column::left("In short").shorten(Shorten::End, 20)]);
    for reason in reasons::all() {
        table.row(vec![Cell::new(reason.id, Ink::Accent), Cell::plain(reason.title)]);
    }
    table.render(style, 0)
        + "\n"
        + &paragraph(
            style,
            0,
            Ink::Dim,
            "loopwright explain REASON says what it means, what it costs and what helps; `loopwright explain glossary` what \
             every column and term means.",
        )
        + &glossary()
            .into_iter()
            .map(|(group, names)| heading(style, group) + &paragraph(style, 2, Ink::Plain, &names.join(", ")))
            .collect::<String>()
}

/// One of them.
pub fn explain(reason: &'static Reason, style: &TerminalStyle) -> String {
    let all = explanation(reason);
    let mut out = format!("{}  {}\n\n", style.paint(Ink::Title, all.id), style.paint(Ink::Strong, all.title));
    if all.benign {
        out.push_str(&paragraph(style, 0, Ink::Good, NOTHING_TO_DO));
        out.push('\n');
    }
    out.push_str(&paragraph(style, 0, Ink::Plain, &joined(all.meaning)));
    if !all.cost.is_empty() {
        out.push_str(&heading(style, "What it costs"));
        out.push_str(&paragraph(style, 0, Ink::Plain, &joined(all.cost)));
    }
    if !all.remedies.is_empty() {
        out.push_str(&heading(style, "What helps"));
        let longest = all.remedies.iter().map(|(by, _)| by.len()).max().unwrap_or(0);
        for (by, what) in &all.remedies {
            out.push_str(&labelled(style, 2, by, longest, Ink::Plain, &joined(what)));
        }
    }
    if !all.caveats.is_empty() {
        out.push_str(&heading(style, "When not"));
        out.push_str(&paragraph(style, 0, Ink::Plain, &joined(all.caveats)));
    }
    for (language, bad, mended, flags) in &all.examples {
        out.push_str(&heading(style, &format!("In {language}")));
        if bad == mended {
            out.push_str(&code(style, 4, bad));
            if !flags.is_empty() {
                out.push_str(&labelled(style, 2, "mended by", 9, Ink::Accent, flags));
            }
            continue;
        }
        out.push_str(&paragraph(style, 2, Ink::Dim, "as written"));
        out.push_str(&code(style, 4, bad));
        let with = if flags.is_empty() { "mended".to_owned() } else { format!("mended, with {flags}") };
        out.push_str(&paragraph(style, 2, Ink::Dim, &with));
        out.push_str(&code(style, 4, mended));
    }
    if !all.words.is_empty() {
        out.push_str(&heading(style, "How compilers say it"));
        let longest = all.words.iter().map(|(compiler, _)| compiler.len()).max().unwrap_or(0);
        for (compiler, words) in &all.words {
            out.push_str(&labelled(style, 2, compiler, longest, Ink::Dim, words));
        }
    }
    out
}

/// The table's texts are wrapped for its source; paragraphs end at empty lines.
pub(crate) fn joined(text: &str) -> String {
    text.split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn every_reason_prints_within_its_width() {
        for style in fixture::styles() {
            let list = fixture::without_colour(&reasons(&style));
            let ids: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
            assert!(reasons::all().all(|reason| ids.contains(&reason.id)), "{list}");
            for reason in reasons::all() {
                let text = explain(reason, &style);
                let plain = fixture::without_colour(&text);
                assert!(plain.starts_with(reason.id), "{plain}");
                // Code is shown as it is written and may be wider.
                assert!(plain.contains("What helps") && plain.contains("In Fortran"), "{plain}");
            }
        }
    }

    #[test]
    fn wrapped_source_text_becomes_paragraphs() {
        assert_eq!(joined("a\n b\n\nc"), "a b\n\nc");
    }
}
