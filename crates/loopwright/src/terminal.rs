//! What the output can show, and progress on standard error.

use crate::args::{Cli, ColourChoice};
use crate::costs::Costs;
use indicatif::{ProgressBar, ProgressStyle};
use loopwright_report::TerminalStyle;
use loopwright_report::names::printable;
use std::io::{IsTerminal, StdoutLock, Write};
use std::time::Duration;

/// Default number of columns: a page of text.
const PIPE_WIDTH: usize = 120;

/// The style of standard output.
pub fn style(cli: &Cli) -> TerminalStyle {
    // Launchers of parallel jobs give every rank a pseudo-terminal that leads into a pipe.
    let terminal = std::io::stdout().is_terminal() && crate::ranks::own().is_none();
    let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).or_else(|| {
        terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| usize::from(width.0))
    });
    let colour = match cli.color {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        // https://no-color.org
        ColourChoice::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    TerminalStyle { width: width.unwrap_or(PIPE_WIDTH), colour, unicode: (terminal || colour) && utf8() }
}

/// The first of these that is set decides (POSIX, "Environment Variables", 8.2).
fn utf8() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
    let locale = locale.to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// A message, whose paths and quotations come from files, without anything that acts on a terminal; its lines stay.
pub fn lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// Standard output; an error where it was closed when the command began (`>&-`): Rust's run time then writes to nowhere.
pub fn output() -> std::io::Result<StdoutLock<'static>> {
    if loopwright_launch::was_closed(1) {
        let text = "standard output is closed, so that the result cannot be printed; redirect it to a file";
        return Err(std::io::Error::other(text));
    }
    Ok(std::io::stdout().lock())
}

/// Writes to standard output.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = output()?;
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// A line of progress beside a running program, which owns the terminal: short, and only after a while, so that
/// programs with output of their own are rarely disturbed.
#[derive(Default)]
pub struct LateProgress(Option<ProgressBar>);

impl LateProgress {
    /// How long a program runs without a line.
    const AFTER: Duration = Duration::from_secs(2);

    /// A line that is shown until the program runs.
    pub fn now(console: &Console, text: &str) -> Self {
        Self(Some(console.progress(text)))
    }

    /// Shows `text` once the program has run for a while.
    pub fn show(&mut self, console: &Console, elapsed: Duration, text: impl FnOnce() -> String) {
        if elapsed >= Self::AFTER {
            self.0.get_or_insert_with(|| console.progress("")).set_message(text());
        }
    }

    /// Takes the line away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.0.take() {
            bar.finish_and_clear();
        }
    }
}

/// Notes and progress on standard error; silent when asked to be quiet, no animation in a pipe.
pub struct Console {
    quiet: bool,
    animated: bool,
    /// What the command takes.
    pub costs: Costs,
}

impl Console {
    /// For this command line.
    pub fn new(cli: &Cli) -> Self {
        let animated = !cli.quiet && std::io::stderr().is_terminal();
        Self { quiet: cli.quiet, animated, costs: Costs::begin() }
    }

    /// A note: what is being done, or what could not be.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("loopwright: {}", lines(text));
        }
    }

    /// A line of progress that is overwritten as it changes; nothing in a pipe.
    pub fn progress(&self, text: &str) -> ProgressBar {
        if !self.animated {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new_spinner().with_message(text.to_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    }

    /// A bar from 0 to `length`; nothing in a pipe.
    pub fn bar(&self, text: &str, length: u64) -> ProgressBar {
        if !self.animated {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(length).with_message(text.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} % {elapsed}") {
            bar.set_style(style);
        }
        bar
    }
}
