//! The source files of the report: their text, the time of their lines, the loops beside them and the compilers' remarks.

use super::{Function, seconds};
use crate::line_remarks::remarks_by_line;
use crate::listing::time_by_line;
use crate::loopmarks::{Mark, marks};
use crate::source_text::{NoText, outdated};
use loopwright_analysis::model::Analysis;
use loopwright_binary::facts::LoopCode;
use loopwright_remarks::remark::{Outcome, Remark};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Largest text, in bytes: generated sources can be of any size, and a browser has to lay the text out.
const LARGEST: u64 = 2 << 20;
/// Most lines of a text.
const LONGEST: u64 = 40_000;
/// Room for all texts, in bytes.
const ROOM: u64 = 12 << 20;

/// A source file: its text, time by line, loops in the margin, remarks.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SourceFile<'a> {
    /// As the debug information names it.
    file: &'a str,
    /// Its text as kept with the runs, else as it is on disk.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    #[schemars(with = "Option<String>")]
    text: Option<Rc<String>>,
    /// Why there is no text, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
    /// Why the text is probably not what the program was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    outdated: Option<String>,
    /// Pairs of line and self seconds, lines with samples only.
    lines: Vec<(u32, f64)>,
    /// Loops as written.
    marks: Vec<Mark>,
    /// What compilers said, by line.
    pub(super) remarks: Vec<LineRemark<'a>>,
}

fn shared<S: Serializer>(text: &Option<Rc<String>>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().serialize(serializer)
}

/// A remark under its line.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LineRemark<'a> {
    /// Line.
    line: u32,
    /// Column.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Compiler and version.
    compiler: &'a str,
    /// What it is about.
    outcome: Outcome,
    /// Message, verbatim.
    message: &'a str,
    /// Reason id as in `loopwright explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}

/// What is known of one file before its text is read.
#[derive(Default)]
struct Gathered<'a> {
    lines: BTreeMap<u32, u64>,
    loops: Vec<(Option<u32>, &'a LoopCode)>,
    /// It holds a loop of the analysis.
    has_loop: bool,
}

/// Files with time or with loops of the analysis, the hottest first; `functions` are sorted so.
pub(super) fn sources<'a>(
    functions: &[&'a Function],
    known: &HashSet<u32>,
    analysis: &'a Analysis,
    remarks: &'a [Remark],
    texts: &dyn Fn(&str) -> Result<Rc<String>, NoText>,
) -> Vec<SourceFile<'a>> {
    let mut files: HashMap<&str, Gathered> = HashMap::new();
    for function in functions {
        for (file, lines) in time_by_line(&function.code, &function.nanoseconds) {
            let gathered = files.entry(file).or_default();
            for (line, time) in lines {
                *gathered.lines.entry(line).or_default() += time;
            }
        }
        for (each, id) in function.code.loops.iter().zip(&function.loop_ids) {
            if let Some(location) = each.location.as_ref().filter(|location| location.line > 0) {
                let gathered = files.entry(location.file.as_str()).or_default();
                let id = known.contains(id).then_some(*id);
                gathered.has_loop |= id.is_some();
                gathered.loops.push((id, each));
            }
        }
    }
    // Loops whose function was described in no detail still name their file.
    for file in analysis.loops.iter().filter_map(|each| each.file.as_deref()) {
        files.entry(file).or_default().has_loop = true;
    }
    let mut order: Vec<(u64, &str, Gathered)> = files
        .into_iter()
        .map(|(file, gathered)| (gathered.lines.values().sum(), file, gathered))
        .filter(|(time, _, gathered)| *time > 0 || gathered.has_loop)
        .collect();
    order.sort_by_key(|(time, file, _)| (std::cmp::Reverse(*time), *file));
    let mut room = ROOM;
    order
        .into_iter()
        .map(|(_, file, gathered)| {
            let text = texts(file).and_then(|text| fitting(text, room));
            if let Ok(text) = &text {
                room -= text.len() as u64;
            }
            source(file, gathered, text, remarks)
        })
        .collect()
}

/// The text, when there is room for it.
fn fitting(text: Rc<String>, room: u64) -> Result<Rc<String>, NoText> {
    let (bytes, lines) = (text.len() as u64, text.lines().count() as u64);
    if bytes > LARGEST {
        Err(NoText::TooLarge { bytes, largest: LARGEST })
    } else if lines > LONGEST {
        Err(NoText::TooLong { lines, longest: LONGEST })
    } else if bytes > room {
        Err(NoText::NoRoom { room: ROOM })
    } else {
        Ok(text)
    }
}

fn source<'a>(
    file: &'a str,
    gathered: Gathered<'a>,
    text: Result<Rc<String>, NoText>,
    remarks: &'a [Remark],
) -> SourceFile<'a> {
    let marks = marks(gathered.loops, file);
    let last_mark = marks.iter().map(|mark| mark.to).max();
    let named = last_mark.into_iter().chain(gathered.lines.keys().next_back().copied()).max().unwrap_or(0);
    let remarks = remarks_by_line(remarks, file).into_iter().flat_map(|(line, here)| {
        here.into_iter().map(move |remark| LineRemark {
            line,
            column: (remark.column > 0).then_some(remark.column),
            compiler: &remark.compiler,
            outcome: remark.outcome,
            message: &remark.message,
            reason: remark.reason.as_deref(),
        })
    });
    SourceFile {
        file,
        outdated: text.as_ref().ok().and_then(|text| outdated(text.lines().count(), named)),
        missing: text.as_ref().err().map(ToString::to_string),
        text: text.ok(),
        lines: gathered.lines.into_iter().map(|(line, time)| (line, seconds(time))).collect(),
        marks,
        remarks: remarks.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::fixture::code::{self, FILE};

    fn described() -> Function {
        Function {
            module: "lbm".into(),
            code: code::function(),
            loop_ids: vec![7, 8],
            nanoseconds: code::times(),
        }
    }

    fn of(text: &dyn Fn(&str) -> Result<Rc<String>, NoText>) -> Vec<serde_json::Value> {
        let mut analysis = fixture::analysis();
        analysis.loops.clear();
        let function = described();
        let known = HashSet::from([8]);
        let files = sources(&[&function], &known, &analysis, &[], text);
        files.iter().map(|file| serde_json::to_value(file).unwrap()).collect()
    }

    #[test]
    fn lines_have_their_time_and_only_loops_with_facts_are_named() {
        let files = of(&|_| Ok(Rc::new(code::TEXT.to_owned())));
        assert_eq!(files.len(), 1);
        let file = &files[0];
        assert_eq!(file["file"], FILE);
        assert_eq!(file["lines"], serde_json::json!([[3, 2e-9], [5, 5e-8], [6, 6e-7]]));
        assert_eq!(
            file["marks"],
            serde_json::json!([
                {"from": 3, "to": 8, "letters": "s", "slot": 0, "loops": []},
                {"from": 5, "to": 7, "letters": "Vr", "slot": 1, "loops": [8]},
            ])
        );
        assert!(file.get("missing").is_none() && file.get("outdated").is_none());
    }

    #[test]
    fn a_text_that_does_not_fit_is_left_out_with_the_reason() {
        let why = |text: &dyn Fn(&str) -> Result<Rc<String>, NoText>| {
            let file = of(text).remove(0);
            assert!(file.get("text").is_none());
            file["missing"].as_str().unwrap().to_owned()
        };
        let large = "x".repeat(LARGEST as usize + 1);
        assert_eq!(why(&|_| Ok(Rc::new(large.clone()))), "It has 2.00 MiB; texts up to 2 MiB are shown.");
        let long = "\n".repeat(LONGEST as usize + 1);
        assert!(why(&|_| Ok(Rc::new(long.clone()))).contains("40,001 lines"));
        assert!(why(&|_| Err(NoText::Unreadable("denied".into()))).contains("denied"));
        let short = of(&|_| Ok(Rc::new("one\n".to_owned()))).remove(0);
        assert!(short["outdated"].as_str().unwrap().contains("at least 8"), "{short}");
    }
}
