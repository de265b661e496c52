//! `show source ID`: the lines around a loop with their time, the loops in the margin and the
//! compilers' remarks under their lines.
//!
//! The margin follows the loopmark listings of Cray's compilers: a letter per loop, drawn from its first
//! line (`V---<`) to its last (`V--->`), nested loops side by side.

use crate::line_remarks::remarks_by_line;
use crate::listing::{CodeView, SourceView};
use crate::loopmarks::{LEGEND, Mark, extent, marks};
use crate::names::{elide_end, printable, width};
use crate::prose::{facts, legend, paragraph};
use crate::quantity::percent;
use crate::source_text::outdated;
use crate::style::{Ink, TerminalStyle};
use loopwright_remarks::remark::{Outcome, Remark};
use std::collections::BTreeMap;

/// Lines shown before and after the loop.
const CONTEXT: u32 = 4;
/// More lines than this are not shown.
const LARGEST: u32 = 400;
/// Characters of a remark; `show loop` has it in full.
const LONGEST_REMARK: usize = 300;
/// Remarks under one line.
const REMARKS: usize = 4;

/// The view.
pub fn source(view: &SourceView<'_>, style: &TerminalStyle) -> String {
    let Some(this) = view.code.this() else {
        return paragraph(
            style,
            0,
            Ink::Plain,
            "The listing of this loop's function is not in the experiment: survey again.",
        );
    };
    let Some(location) = &this.location else {
        let text = "No source position is known for this loop: its module has no line information (build with -g). `loopwright show asm` shows its instructions.";
        return paragraph(style, 0, Ink::Plain, text);
    };
    let times = view.code.by_line(&location.file);
    let mut out = facts(
        style,
        &format!("Loop {}", view.code.id),
        8,
        Ink::Strong,
        &[format!("{}:{}", location.file, location.line)],
    );
    let (from, to) = extent(this, location.line);
    let lines: Vec<&str> = match &view.text {
        Ok(text) => text.lines().collect(),
        Err(why) => {
            let text = format!("Only line numbers of {} are shown. {why}", location.file);
            out.push_str(&paragraph(style, 0, Ink::Caution, &text));
            return out + &numbers_only(&view.code, &times, from, to, style);
        }
    };
    if let Some(text) = outdated(lines.len(), to) {
        out.push_str(&paragraph(style, 0, Ink::Caution, &text));
    }
    let margin = Margin::of(marks(view.code.code.loops.iter().map(|each| (None, each)), &location.file));
    let first = from.saturating_sub(CONTEXT).max(1);
    let last = to
        .saturating_add(CONTEXT)
        .min(u32::try_from(lines.len()).unwrap_or(u32::MAX))
        .min(first.saturating_add(LARGEST));
    let remarks = remarks_by_line(view.remarks, &location.file);
    out.push('\n');
    out.push_str(&style.paint(
        Ink::Dim,
        &format!("{:>6}  {:>6}  {}Source", "Line", "Self %", pad("Loops", margin.columns())),
    ));
    out.push('\n');
    for number in first..=last {
        let Some(text) = lines.get(number as usize - 1) else { break };
        let share = view.code.share(times.get(&number).copied().unwrap_or(0));
        out.push_str(&line(number, share, &margin.at(number), margin.columns(), text, style));
        for remark in remarks.get(&number).into_iter().flatten().take(REMARKS) {
            out.push_str(&remark_line(remark, 18 + margin.columns(), style));
        }
    }
    out.push('\n');
    out + &legend(style, LEGEND)
}

fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

fn heat(share: f64) -> Ink {
    if share >= 0.05 {
        Ink::Costly
    } else if share >= 0.005 {
        Ink::Plain
    } else {
        Ink::Dim
    }
}

fn line(
    number: u32,
    share: f64,
    marks: &str,
    mark_columns: usize,
    text: &str,
    style: &TerminalStyle,
) -> String {
    let time = if share > 0.0 { percent(share) } else { String::new() };
    let text = printable(text.replace('\t', "    ").trim_end()).into_owned();
    let text = elide_end(&text, style.columns().saturating_sub(16 + mark_columns), style);
    let number = style.paint(Ink::Dim, &format!("{number:>6}"));
    let time = style.paint(heat(share), &format!("{time:>6}"));
    let marks = style.paint(Ink::Accent, &pad(marks, mark_columns));
    let painted = if share >= 0.05 { style.paint(Ink::Strong, &text) } else { text };
    format!("{number}  {time}  {marks}{painted}").trim_end().to_owned() + "\n"
}

fn remark_line(remark: &Remark, indent: usize, style: &TerminalStyle) -> String {
    let ink = if remark.outcome == Outcome::Vectorized { Ink::Good } else { Ink::Caution };
    let text = format!("{} {}: {}", style.sign("└", "^"), remark.compiler, remark.message.replace('\n', " "));
    paragraph(style, indent, ink, &elide_end(&printable(&text), LONGEST_REMARK, style))
}

fn numbers_only(
    code: &CodeView<'_>,
    times: &BTreeMap<u32, u64>,
    from: u32,
    to: u32,
    style: &TerminalStyle,
) -> String {
    let mut out =
        String::from("\n") + &style.paint(Ink::Dim, &format!("{:>6}  {:>6}", "Line", "Self %")) + "\n";
    let mut any = false;
    for (number, time) in times.range(from..=to) {
        any = true;
        out.push_str(&line(*number, code.share(*time), "", 0, "", style));
    }
    if any { out } else { paragraph(style, 0, Ink::Plain, "None of its lines was sampled.") }
}

/// The source loops of one file, drawn beside its lines.
struct Margin {
    marks: Vec<Mark>,
    slots: usize,
}

/// Columns of one slot: letters and a space.
const SLOT: usize = 4;

/// More loops side by side would leave no room for the source.
const SLOTS: usize = 4;

impl Margin {
    fn of(mut marks: Vec<Mark>) -> Self {
        marks.retain(|mark| mark.slot < SLOTS);
        let slots = marks.iter().map(|mark| mark.slot + 1).max().unwrap_or(0);
        Self { marks, slots }
    }

    fn columns(&self) -> usize {
        if self.slots == 0 { 2 } else { (self.slots * SLOT + 4).max(7) }
    }

    fn at(&self, line: u32) -> String {
        let mut text = vec![' '; self.columns()];
        let end = self.columns().saturating_sub(3);
        for mark in self.marks.iter().filter(|mark| (mark.from..=mark.to).contains(&line)) {
            let start = mark.slot * SLOT;
            if line == mark.from || line == mark.to {
                text[start..end].fill('-');
                text[end] = match (line == mark.from, line == mark.to) {
                    (true, true) => '-',
                    (true, false) => '<',
                    _ => '>',
                };
            }
            for (at, letter) in mark.letters.chars().take(SLOT - 1).enumerate() {
                text[start + at] = letter;
            }
        }
        text.into_iter().collect::<String>().trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests;
