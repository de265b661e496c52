//! How text looks: width, colour and character set, decided by the caller and passed in.
//!
//! Colours are the terminal's own sixteen, so that they fit the user's theme; no fact is shown by colour
//! alone. Whether the output is a terminal is the command line's business.

use anstyle::{AnsiColor, Style};

/// What the output can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns that a line may take.
    pub width: usize,
    /// Write colour escape sequences.
    pub colour: bool,
    /// Use line drawing, blocks and typographic signs; else ASCII.
    pub unicode: bool,
}

/// Narrower than this nothing is laid out any more: lines may then be longer than the terminal.
pub(crate) const NARROWEST: usize = 60;

impl TerminalStyle {
    /// For a pipe or a file: ASCII without colour.
    pub fn plain(width: usize) -> Self {
        Self { width, colour: false, unicode: false }
    }

    /// For a terminal that shows everything.
    pub fn terminal(width: usize) -> Self {
        Self { width, colour: true, unicode: true }
    }

    /// The width that layouts use.
    pub(crate) fn columns(&self) -> usize {
        self.width.max(NARROWEST)
    }

    /// `text` in `ink`, when colours are on.
    pub(crate) fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.colour || ink == Ink::Plain || text.is_empty() {
            return text.to_owned();
        }
        let style = ink.style();
        format!("{}{text}{}", style.render(), style.render_reset())
    }

    /// Picks the typographic or the ASCII form of a sign.
    pub(crate) fn sign<'a>(&self, unicode: &'a str, ascii: &'a str) -> &'a str {
        if self.unicode { unicode } else { ascii }
    }

    /// Printed in place of text left out.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.unicode { "…" } else { "..." }
    }

    /// Between two facts on one line.
    pub(crate) fn dot(&self) -> &'static str {
        if self.unicode { " · " } else { ", " }
    }

    /// Times, as in "2.1x faster".
    pub(crate) fn times(&self) -> &'static str {
        if self.unicode { "×" } else { "x" }
    }
}

/// The meaning of a piece of text; each has one look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ink {
    #[default]
    Plain,
    /// Headings.
    Title,
    /// What the eye should find first.
    Strong,
    /// Labels, units and whatever supports.
    Dim,
    /// Vectorised; faster; enabled.
    Good,
    /// Scalar; what costs time.
    Costly,
    /// Slower; failed.
    Bad,
    /// Warnings and doubts.
    Caution,
    /// Names of commands to type, and source places.
    Accent,
}

impl Ink {
    fn style(self) -> Style {
        let colour = |colour: AnsiColor| Style::new().fg_color(Some(colour.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Title => Style::new().bold().underline(),
            Self::Strong => Style::new().bold(),
            Self::Dim => Style::new().dimmed(),
            Self::Good => colour(AnsiColor::Green),
            Self::Costly => colour(AnsiColor::Yellow),
            Self::Bad => colour(AnsiColor::Red).bold(),
            Self::Caution => colour(AnsiColor::Magenta),
            Self::Accent => colour(AnsiColor::Cyan),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_gets_no_escape_sequences() {
        assert_eq!(TerminalStyle::plain(80).paint(Ink::Bad, "slow"), "slow");
    }

    #[test]
    fn every_coloured_text_is_reset() {
        let text = TerminalStyle::terminal(80).paint(Ink::Bad, "slow");
        assert!(text.starts_with("\u{1b}[") && text.ends_with("\u{1b}[0m"), "{text:?}");
    }
}
