//! `show source ID`: the lines around a loop with their time, the loops in the margin and the
//! compilers' remarks under their lines.
//!
//! The margin follows the loopmark listings of Cray's compilers: a letter per loop, drawn from its first
//! line (`V---<`) to its last (`V--->`), nested loops side by side.

use crate::listing::{CodeView, SourceView};
use crate::names::{base_name, elide_end, printable, width};
use crate::prose::{facts, paragraph};
use crate::quantity::percent;
use crate::style::{Ink, TerminalStyle};
use loopwright_binary::facts::{LoopCode, LoopRole};
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
    let lines: Option<Vec<&str>> = view.text.map(|text| text.lines().collect());
    let Some(lines) = lines else {
        let text = format!(
            "The file {} cannot be read here, so only its line numbers are shown. Put it at that place to see its text.",
            location.file
        );
        out.push_str(&paragraph(style, 0, Ink::Caution, &text));
        return out + &numbers_only(&view.code, &times, from, to, style);
    };
    if u32::try_from(lines.len()).unwrap_or(u32::MAX) < to {
        let text = format!(
            "The file has {} lines, but the program was built from one with at least {to}: it was changed since.",
            lines.len()
        );
        out.push_str(&paragraph(style, 0, Ink::Caution, &text));
    }
    let marks = Marks::of(&view.code, &location.file);
    let first = from.saturating_sub(CONTEXT).max(1);
    let last = to
        .saturating_add(CONTEXT)
        .min(u32::try_from(lines.len()).unwrap_or(u32::MAX))
        .min(first.saturating_add(LARGEST));
    let remarks = remarks_by_line(view.remarks, &location.file);
    out.push('\n');
    out.push_str(&style.paint(
        Ink::Dim,
        &format!("{:>6}  {:>6}  {}Source", "Line", "Self %", pad("Loops", marks.columns())),
    ));
    out.push('\n');
    for number in first..=last {
        let Some(text) = lines.get(number as usize - 1) else { break };
        let share = view.code.share(times.get(&number).copied().unwrap_or(0));
        out.push_str(&line(number, share, &marks.at(number), marks.columns(), text, style));
        for remark in remarks.get(&number).into_iter().flatten().take(REMARKS) {
            out.push_str(&remark_line(remark, 18 + marks.columns(), style));
        }
    }
    out.push('\n');
    out + &paragraph(
        style,
        0,
        Ink::Dim,
        "V vectorised   s scalar   r unrolled   p with peel or remainder loops   c calls functions   I inlined here",
    )
}

/// First and last line to show: the loop's own.
fn extent(this: &LoopCode, line: u32) -> (u32, u32) {
    let (from, to) = this.lines.unwrap_or((line, line));
    (from.min(line).max(1), to.max(line).max(1))
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

/// Each message once per line, those about vectorisation first.
fn remarks_by_line<'a>(remarks: &'a [Remark], file: &str) -> BTreeMap<u32, Vec<&'a Remark>> {
    let mut lines: BTreeMap<u32, Vec<&Remark>> = BTreeMap::new();
    for remark in remarks.iter().filter(|remark| base_name(&remark.file) == base_name(file)) {
        let here = lines.entry(remark.line).or_default();
        if !here.iter().any(|known| known.message == remark.message && known.compiler == remark.compiler) {
            here.push(remark);
        }
    }
    for here in lines.values_mut() {
        here.sort_by_key(|remark| (remark.outcome == Outcome::Note, remark.reason.is_none()));
    }
    lines
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

/// A source loop in the margin.
struct Mark {
    from: u32,
    to: u32,
    letters: String,
    slot: usize,
}

/// Source loops of one file, with their places in the margin.
struct Marks {
    marks: Vec<Mark>,
    slots: usize,
}

/// Columns of one slot: letters and a space.
const SLOT: usize = 4;

impl Marks {
    fn of(code: &CodeView<'_>, file: &str) -> Self {
        let mut extents: BTreeMap<(u32, u32), Vec<&LoopCode>> = BTreeMap::new();
        for each in &code.code.loops {
            if let Some(location) =
                each.location.as_ref().filter(|location| location.file == file && location.line > 0)
            {
                let (from, to) = extent(each, location.line);
                extents.entry((from, to)).or_default().push(each);
            }
        }
        let mut marks: Vec<Mark> = extents
            .into_iter()
            .map(|((from, to), pieces)| Mark { from, to, letters: letters(&pieces), slot: 0 })
            .collect();
        marks.sort_by_key(|mark| (mark.from, std::cmp::Reverse(mark.to)));
        for at in 0..marks.len() {
            let (before, rest) = marks.split_at_mut(at);
            let this = &mut rest[0];
            let taken: Vec<usize> =
                before.iter().filter(|other| other.to >= this.from).map(|other| other.slot).collect();
            this.slot = taken.iter().max().map_or(0, |slot| slot + 1);
        }
        // More than four loops side by side would leave no room for the source.
        marks.retain(|mark| mark.slot < 4);
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

/// What the pieces at one place are: `Vrp`, `sc`, ...
fn letters(pieces: &[&LoopCode]) -> String {
    let main = pieces.iter().find(|piece| piece.role == LoopRole::Body).or_else(|| pieces.first());
    let Some(main) = main else { return String::new() };
    let vectorized = pieces.iter().any(|piece| piece.vectorized && piece.role != LoopRole::Version);
    let mut letters = String::from(if vectorized { "V" } else { "s" });
    if main.vector.as_ref().is_some_and(|vector| vector.unroll > 1) {
        letters.push('r');
    }
    if pieces.iter().any(|piece| matches!(piece.role, LoopRole::Peel | LoopRole::Remainder)) {
        letters.push('p');
    }
    if !main.calls.is_empty() {
        letters.push('c');
    }
    if !main.inlined_from.is_empty() {
        letters.push('I');
    }
    letters
}

#[cfg(test)]
mod tests;
