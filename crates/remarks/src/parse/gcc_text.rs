//! GCC's text: `-fopt-info-vec-{optimized,missed,note,all}[-internals]` streams and `-fdump-tree-vect-details` dumps.
//!
//! One loop produces a sequence of messages: details of every vector mode that was tried (only with `-internals` or in
//! a dump), then `couldn't vectorize loop` at the loop with the last mode's problem in the next line, or `loop
//! vectorized using N byte vectors`. The first mode's problem is the real one; without the details only a vague last
//! one is visible. The basic-block vectoriser prints to the same stream with the same words: `Analyzing loop at` (with
//! notes) distinguishes the two exactly, its absence needs the heuristics of [`without_markers`].
//! Source: GCC manual "GNU Developer Options" (-fopt-info), and the streams of GCC 12.

use super::position;
use crate::condense::{Detail, classify, verdict};
use crate::remark::{Family, Outcome, Remark, SourcePosition};

/// Id of the reason of outer loops.
const OUTER_LOOP: &str = "loop-nest-shape";

/// Most details kept per loop; a loop with thousands of calls repeats itself.
const MAX_DETAILS: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Missed,
    Optimized,
    Note,
}

struct Line<'a> {
    place: SourcePosition,
    kind: Kind,
    /// Leading blanks of the message: its nesting in the vectoriser; 0 for messages to the user.
    indent: usize,
    text: std::borrow::Cow<'a, str>,
}

fn split(line: &str) -> Option<Line<'_>> {
    let (place, rest) = position::leading(line)?;
    let (kind, rest) = if let Some(rest) = rest.strip_prefix("missed: ") {
        (Kind::Missed, rest)
    } else if let Some(rest) = rest.strip_prefix("optimized: ") {
        (Kind::Optimized, rest)
    } else {
        (Kind::Note, rest.strip_prefix("note: ")?)
    };
    let text = rest.trim_start();
    Some(Line { place, kind, indent: rest.len() - text.len(), text: text.trim_end().into() })
}

/// Whether a line can only come from GCC's optimisation report.
pub(super) fn is_report_line(line: &str) -> bool {
    if line.starts_with("Analyzing loop at ") || line.starts_with(";; Function ") {
        return true;
    }
    split(line).is_some_and(|line| match line.kind {
        Kind::Missed | Kind::Optimized => true,
        Kind::Note => {
            ["***** ", "=== ", "vectorized ", "loop vectorized", "LOOP VECTORIZED", "not vectorized"]
                .iter()
                .any(|start| line.text.starts_with(start))
        }
    })
}

/// A message with its continuation lines: `%G` prints a statement with a line feed, before the type.
fn whole<'a>(raw: &'a str, lines: &mut std::str::Lines<'a>) -> Option<Line<'a>> {
    let mut line = split(raw)?;
    let mut ahead = lines.clone();
    if let Some(next) = ahead.next()
        && next.trim_start().starts_with("scalar_type:")
    {
        line.text = format!("{} {}", line.text, next.trim()).into();
        *lines = ahead;
    }
    Some(line)
}

#[derive(Default)]
struct Reader<'a> {
    remarks: Vec<Remark>,
    pending: Vec<Line<'a>>,
    function: Option<String>,
    /// The stream has markers where the analysis of a loop begins.
    markers: bool,
    /// With markers: the position is between a loop's beginning and its verdict.
    in_loop: bool,
    /// The loop is the outer one of a nest: the failure is about vectorising across it, and the inner loop's
    /// verdict counts.
    outer: bool,
    /// GCC 8 and older have no closing line.
    closing_lines: bool,
}

/// Reads a report; never fails, because other text (compiler warnings, dumped code) may be in between.
pub fn parse(text: &str) -> Vec<Remark> {
    let mut reader = Reader {
        markers: text.contains("Analyzing loop at "),
        closing_lines: text.contains(": missed: ") || text.contains("Analyzing loop at "),
        ..Reader::default()
    };
    let mut lines = text.lines();
    while let Some(raw) = lines.next() {
        if raw.starts_with("Analyzing loop at ") {
            reader.pending.clear();
            reader.in_loop = true;
            reader.outer = false;
            continue;
        }
        if let Some(rest) = raw.strip_prefix(";; Function ") {
            reader.pending.clear();
            reader.function = rest.split(" (").next().map(str::to_string);
            continue;
        }
        let Some(line) = whole(raw, &mut lines) else { continue };
        if let Some(place) = reader.take(line) {
            let mut ahead = lines.clone();
            let tail = ahead.next().and_then(|next| whole(next, &mut ahead)).filter(|next| {
                next.kind == Kind::Missed && next.indent == 0 && next.text != "couldn't vectorize loop"
            });
            if tail.is_some() {
                lines = ahead;
            }
            reader.close(place, tail);
        }
    }
    reader.remarks
}

impl<'a> Reader<'a> {
    /// Adds one message; returns the place of a loop whose analysis ends in failure with it.
    fn take(&mut self, line: Line<'a>) -> Option<SourcePosition> {
        match line.kind {
            Kind::Optimized => self.optimized(line),
            Kind::Missed if line.text == "couldn't vectorize loop" => return Some(line.place),
            Kind::Missed if ends_basic_block(&line.text) => self.pending.clear(),
            Kind::Missed if self.closing_lines => {
                if (!self.markers || self.in_loop) && self.pending.len() < MAX_DETAILS {
                    self.pending.push(line);
                }
            }
            Kind::Missed | Kind::Note if !self.closing_lines && line.text.starts_with("not vectorized") => {
                let detail = Detail { place: line.place.clone(), text: line.text.into_owned(), name: None };
                let bare = self.remark(Outcome::Missed, line.place, "loop not vectorized");
                self.remarks.extend(verdict(bare, vec![detail]));
            }
            Kind::Note if line.text == "loop vectorized" => self.optimized(line),
            // `vectorized 2 loops in function.` ends the loop vectoriser's messages about a function.
            Kind::Note if line.text.starts_with("vectorized ") => {
                self.pending.clear();
                self.in_loop = false;
            }
            // Only a note distinguishes a reduction of unknown form from a recurrence: the failure has one text for both.
            Kind::Note if self.in_loop && line.text == "reduction: unknown pattern" => {
                self.pending.push(line)
            }
            Kind::Note if line.text == "Considering outer-loop vectorization." => self.outer = true,
            Kind::Missed | Kind::Note => {}
        }
        None
    }

    fn remark(&self, outcome: Outcome, place: SourcePosition, text: &str) -> Remark {
        let mut remark = Remark::new(Family::Gcc, "vect", outcome, place, text);
        remark.function.clone_from(&self.function);
        remark
    }

    fn optimized(&mut self, line: Line<'a>) {
        let text = line.text.as_ref();
        if text.starts_with("loop vectorized") || text.ends_with("LOOP VECTORIZED") {
            self.pending.clear();
            self.in_loop = false;
            let mut remark = self.remark(Outcome::Vectorized, line.place, text);
            remark.vector_bytes = bytes_of(text);
            self.remarks.push(remark);
        } else if text.starts_with("basic block") {
            self.pending.clear();
            let mut remark = self.remark(Outcome::Note, line.place, text);
            remark.pass = "slp".to_string();
            remark.vector_bytes = bytes_of(text);
            self.remarks.push(remark);
        } else if text.to_ascii_lowercase().contains("loop")
            && !["nlin", "non-loop"].iter().any(|noise| text.contains(noise))
        {
            let mut remark = self.remark(Outcome::Note, line.place, text);
            if !text.contains("vectoriz") {
                remark.pass = "loop".to_string();
                remark.reason = classify(&remark);
            }
            self.remarks.push(remark);
        }
    }

    fn close(&mut self, place: SourcePosition, tail: Option<Line<'a>>) {
        let pending = std::mem::take(&mut self.pending);
        let own = if self.markers { pending } else { without_markers(pending, &place) };
        self.in_loop = false;
        let details = own
            .into_iter()
            .chain(tail)
            .map(|line| Detail { place: line.place, text: line.text.into_owned(), name: None })
            .collect();
        let bare = self.remark(Outcome::Missed, place, "couldn't vectorize loop");
        let mut missed = verdict(bare, details);
        if self.outer {
            missed.truncate(1);
            for remark in &mut missed {
                remark.reason = Some(OUTER_LOOP.to_string());
            }
            self.outer = false;
        }
        self.remarks.extend(missed);
    }
}

/// Messages with which the basic-block vectoriser gives up: all messages before them belong to it.
fn ends_basic_block(text: &str) -> bool {
    text.starts_with("not vectorized: no grouped stores in basic block")
        || text.starts_with("not vectorized: bad operation in basic block")
        || text.starts_with("not vectorized: failed to find SLP opportunities")
        || text.starts_with("not vectorized: unhandled data")
        || text.starts_with("not vectorized: vectorization is not profitable")
        || text.starts_with("not vectorized: no vectorization possible")
}

/// Selects a loop's own details from all since the last verdict, when the stream does not show where its
/// analysis began.
///
/// The loop vectoriser reports at the loop's place, and blames a statement only right before or after a
/// message at the loop's place; other messages before the first one at the loop's place are from the
/// basic-block vectoriser about the function before.
fn without_markers<'a>(pending: Vec<Line<'a>>, place: &SourcePosition) -> Vec<Line<'a>> {
    let Some(first) = pending.iter().position(|line| line.place == *place) else {
        return Vec::new();
    };
    let talk_of_blocks = |line: &Line| {
        [
            "no vectype",
            "unsupported data-type",
            "not consecutive",
            "treating operand",
            "Build SLP",
            "original stmt",
        ]
        .iter()
        .any(|text| line.text.contains(text))
            || line.indent == 0
    };
    let start = pending.iter().take(first).rposition(talk_of_blocks).map_or(0, |at| at + 1);
    pending.into_iter().skip(start).collect()
}

/// `... using 32 byte vectors`.
fn bytes_of(text: &str) -> Option<u32> {
    let (head, _) = text.split_once(" byte vectors")?;
    head.rsplit(' ').next()?.parse().ok()
}
