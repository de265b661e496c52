//! Intel's classic optimisation reports: `.optrpt` of icc, icpc and ifort 15 to 2021, and the older `-vec-report` lines.
//!
//! `LOOP BEGIN at f.c(9,3) inlined into g.c(20,5)` ... `LOOP END` nest; a source loop shows up once per piece, with the
//! piece in angle brackets (`<Peeled loop for vectorization>`, `<Remainder loop for vectorization>`, `<Multiversioned
//! v1>`). Messages carry numbers: 15xxx for vectorisation, 25xxx for loop transformations. Source: Intel C++ Compiler
//! Classic Developer Guide, "Optimization Report Options" and the lists of vectorization diagnostics.

use crate::condense::{Detail, classify, verdict};
use crate::remark::{Family, Outcome, Remark, SourcePosition};

/// Most levels of nesting, more than in any program; a damaged report must not grow the stack without end.
const MAX_DEPTH: usize = 256;

struct Open {
    place: SourcePosition,
    inlined_at: Vec<(String, String, u32)>,
    piece: Option<String>,
    details: Vec<Detail>,
    vectorized: Option<String>,
    gain: Option<String>,
    bytes: Option<u32>,
}

/// Reads a report. Damaged nesting is tolerated: a loop that is never closed ends with the file.
pub fn parse(text: &str) -> Vec<Remark> {
    let mut reader = Reader::default();
    for line in text.lines() {
        reader.take(line);
    }
    while let Some(open) = reader.stack.pop() {
        reader.close(open);
    }
    reader.remarks
}

#[derive(Default)]
struct Reader {
    remarks: Vec<Remark>,
    stack: Vec<Open>,
    function: Option<String>,
    compiler: String,
}

impl Reader {
    fn take(&mut self, raw: &str) {
        let line = raw.trim();
        if let Some(rest) = line.strip_prefix("LOOP BEGIN at ") {
            if self.stack.len() < MAX_DEPTH
                && let Some(open) = begin(rest)
            {
                self.stack.push(open);
            }
        } else if line.starts_with("LOOP END") {
            if let Some(open) = self.stack.pop() {
                self.close(open);
            }
        } else if let Some(rest) = line
            .strip_prefix("Begin optimization report for:")
            .or_else(|| line.strip_prefix("Global optimization report for :"))
        {
            self.function = Some(rest.trim().to_string()).filter(|name| !name.is_empty());
        } else if line.starts_with("Intel(R) ") && line.contains("Version ") {
            let version =
                line.split("Version ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
            let name = if line.contains("Fortran") { "ifort" } else { "icc" };
            self.compiler = format!("{name} {version}");
        } else if let Some(open) = self.stack.last_mut() {
            if let Some(piece) = line.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
                open.piece = Some(piece.to_string());
            } else if let Some(rest) = line.strip_prefix("remark #") {
                open.remark(rest, line);
            }
        } else if let Some(remark) = old_style(line) {
            self.remarks.push(remark);
        }
    }

    fn close(&mut self, open: Open) {
        let outcome = if open.vectorized.is_some() { Outcome::Vectorized } else { Outcome::Missed };
        let auxiliary = open.piece.as_deref().is_some_and(|piece| {
            piece.contains("Peel") || piece.contains("Remainder") || piece.contains("remainder")
        });
        let mut bare = Remark::new(Family::Intel, "vec", outcome, open.place, "loop was not vectorized");
        bare.compiler.clone_from(&self.compiler);
        bare.function.clone_from(&self.function);
        bare.inlined_at = open.inlined_at;
        bare.estimated_gain = open.gain;
        bare.vector_bytes = open.bytes;
        if let Some(message) = open.vectorized {
            bare.message = message;
            if auxiliary {
                bare.outcome = Outcome::Note;
            }
            self.remarks.push(bare);
        } else if open.details.iter().any(|detail| says_missed(&detail.text)) {
            let mut missed = verdict(bare, open.details);
            if auxiliary {
                for remark in &mut missed {
                    remark.outcome = Outcome::Note;
                }
            }
            self.remarks.extend(missed);
        } else {
            for detail in open.details.into_iter().filter(|_| !auxiliary) {
                let mut note = bare.clone();
                note.outcome = Outcome::Note;
                note.message = detail.text;
                note.reason = classify(&note);
                note.pass = "loop".to_string();
                self.remarks.push(note);
            }
        }
    }
}

impl Open {
    fn remark(&mut self, rest: &str, whole: &str) {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let Ok(number) = digits.parse::<u32>() else { return };
        if says_vectorized(whole) {
            self.vectorized.get_or_insert_with(|| whole.to_string());
        } else if number == 15478 {
            self.gain = whole.rsplit(':').next().map(|gain| gain.trim().to_string());
        } else {
            self.details.push(Detail { place: self.statement(rest), text: whole.to_string(), name: None });
        }
    }

    /// Messages end with `[ file.c(12,5) ]` where they blame a statement.
    fn statement(&self, rest: &str) -> SourcePosition {
        rest.rsplit_once("[ ")
            .and_then(|(_, place)| parse_place(place.trim_end_matches(']').trim()))
            .unwrap_or_else(|| self.place.clone())
    }
}

/// `LOOP WAS VECTORIZED`, `PERMUTED LOOP WAS VECTORIZED`, `remainder loop was vectorized`, ...: many numbers, one phrase.
fn says_vectorized(text: &str) -> bool {
    text.to_ascii_lowercase().contains("loop was vectorized")
}

fn says_missed(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("not vectorized") || text.contains("not auto-vectorized") || text.contains("#15398")
}

/// `f.c(9,3)`, with `inlined into g.c(20,5)` any number of times.
fn begin(rest: &str) -> Option<Open> {
    let mut parts = rest.split(" inlined into ");
    let place = parse_place(parts.next()?.trim())?;
    let inlined_at = parts
        .filter_map(|part| parse_place(part.trim()))
        .map(|at| (String::new(), at.file, at.line))
        .collect();
    Some(Open {
        place,
        inlined_at,
        piece: None,
        details: Vec::new(),
        vectorized: None,
        gain: None,
        bytes: None,
    })
}

/// `file.c(12,5)` or `file.c(12)`.
fn parse_place(text: &str) -> Option<SourcePosition> {
    let (file, position) = text.strip_suffix(')')?.rsplit_once('(')?;
    let (line, column) = position.split_once(',').unwrap_or((position, "0"));
    let place = SourcePosition {
        file: file.trim_end().to_string(),
        line: line.trim().parse().ok()?,
        column: column.trim().parse().ok()?,
    };
    (!place.file.is_empty()).then_some(place)
}

/// `mm.F90(14): (col. 3) remark: LOOP WAS VECTORIZED.`
fn old_style(line: &str) -> Option<Remark> {
    let (head, rest) = line.split_once(": (col. ")?;
    let (column, message) = rest.split_once(") remark: ")?;
    let mut place = parse_place(head)?;
    place.column = column.parse().ok()?;
    let message = message.trim().trim_end_matches('.');
    let lower = message.to_ascii_lowercase();
    let outcome = if lower.contains("was not vectorized") {
        Outcome::Missed
    } else if lower.contains("was vectorized") {
        Outcome::Vectorized
    } else {
        Outcome::Note
    };
    let mut remark = Remark::new(Family::Intel, "vec", outcome, place, message);
    if outcome != Outcome::Vectorized {
        remark.reason = classify(&remark);
    }
    Some(remark)
}
