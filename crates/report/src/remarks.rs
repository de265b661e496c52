//! `loopwright remarks`: what compilers said, one line per remark, in the form that editors jump to.

use crate::names::printable;
use crate::style::{Ink, TerminalStyle};
use loopwright_remarks::remark::{Outcome, Remark};

/// The remarks in the order given. Lines may be longer than the terminal: `file:line:column:` must stay whole.
pub fn remarks(remarks: &[Remark], style: &TerminalStyle) -> String {
    let mut out = String::new();
    for remark in remarks {
        let column = if remark.column > 0 { format!(":{}", remark.column) } else { String::new() };
        let (word, ink) = match remark.outcome {
            Outcome::Vectorized => ("vectorised", Ink::Good),
            Outcome::Missed => ("missed", Ink::Caution),
            Outcome::Note => ("note", Ink::Dim),
        };
        let reason = remark.reason.as_ref().map(|id| format!(" [{id}]")).unwrap_or_default();
        out.push_str(&format!(
            "{}:{}{column}: {}{}: {} ({})\n",
            printable(&remark.file),
            remark.line,
            style.paint(ink, word),
            style.paint(Ink::Accent, &reason),
            printable(&remark.message),
            printable(&remark.compiler),
        ));
    }
    if out.is_empty() {
        out.push_str("No remarks.\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_remarks::remark::{Family, Place};

    #[test]
    fn a_remark_is_one_line_that_an_editor_understands() {
        let place = Place { file: "a\x1b[2J.c".into(), line: 7, column: 3 };
        let mut remark = Remark::new(Family::Gcc, "vect", Outcome::Missed, place, "two\nlines");
        remark.compiler = "gcc 12.2.0".into();
        remark.reason = Some("early-exit".into());
        let text = remarks(&[remark], &TerminalStyle::plain(80));
        assert_eq!(text, "a\\e[2J.c:7:3: missed [early-exit]: two\\nlines (gcc 12.2.0)\n");
        assert_eq!(remarks(&[], &TerminalStyle::plain(80)), "No remarks.\n");
    }
}
