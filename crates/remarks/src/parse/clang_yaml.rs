//! LLVM's YAML optimization records: `-fsave-optimization-record` of clang and flang, `-Zremark-dir` of rustc.
//!
//! A file is a sequence of documents, each tagged with its kind (`!Passed`, `!Missed`, `!Analysis`,
//! `!AnalysisFPCommute`, `!AnalysisAliasing`, `!Failure`). Each document is read on its own, so that a damaged one
//! affects no other (an interrupted build leaves an incomplete last one). For a loop the vectoriser writes first the
//! reason (analysis, at a statement), then the failure (missed, at the loop); the two are joined here. Source: LLVM
//! manual "Remarks", `llvm/lib/IR/LLVMRemarkStreamer.cpp`, records of clang 14 and 19.

use crate::condense::{self, Detail, verdict};
use crate::remark::{Family, Outcome, Remark, SourcePosition};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// Most bytes of one document; longer ones are damaged.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Document {
    pass: String,
    name: String,
    debug_loc: Option<DebugLoc>,
    #[serde(default)]
    function: Text,
    #[serde(default)]
    args: Vec<BTreeMap<String, Argument>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DebugLoc {
    file: Text,
    line: u32,
    #[serde(default)]
    column: u32,
}

/// A scalar of any type as text: a function may be called `1e5` or `null`.
#[derive(Default)]
struct Text(String);

/// An argument's value: text, or the place that belongs to it.
enum Argument {
    Text(String),
    Place,
}

struct ScalarOrMap;

impl<'de> serde::de::Visitor<'de> for ScalarOrMap {
    type Value = Argument;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a scalar or a debug location")
    }
    fn visit_str<E>(self, value: &str) -> Result<Argument, E> {
        Ok(Argument::Text(value.to_string()))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Argument, E> {
        Ok(Argument::Text(value.to_string()))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Argument, E> {
        Ok(Argument::Text(value.to_string()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Argument, E> {
        Ok(Argument::Text(value.to_string()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Argument, E> {
        Ok(Argument::Text(value.to_string()))
    }
    fn visit_unit<E>(self) -> Result<Argument, E> {
        Ok(Argument::Text(String::new()))
    }
    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Argument, A::Error> {
        while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
        Ok(Argument::Place)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Argument, D::Error> {
        deserializer.deserialize_any(ScalarOrMap)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        Ok(Text(String::deserialize(deserializer)?))
    }
}

/// Reads a record file; documents of other passes are skipped before they are parsed.
pub fn parse(text: &str) -> Vec<Remark> {
    let mut groups = Groups::default();
    let mut rest = text;
    while let Some((tag, body, after)) = next_document(rest) {
        rest = after;
        if body.len() > MAX_DOCUMENT_BYTES {
            continue;
        }
        let Some(pass) = body.lines().find_map(|line| line.strip_prefix("Pass:")).map(str::trim) else {
            continue;
        };
        if !interesting(pass) {
            continue;
        }
        if let Ok(document) = serde_saphyr::from_str::<Document>(body) {
            groups.take(tag, document);
        }
    }
    groups.finish()
}

/// Splits off the next `--- !Tag` document: tag, body, and what follows.
fn next_document(text: &str) -> Option<(&str, &str, &str)> {
    let start = if text.starts_with("--- !") { 0 } else { text.find("\n--- !")? + 1 };
    let text = text.get(start + "--- !".len()..)?;
    let (tag, text) = text.split_once('\n')?;
    let end = match (text.find("\n...\n"), text.find("\n--- !")) {
        (Some(a), Some(b)) => a.min(b),
        (Some(a), None) => a,
        (None, Some(b)) => b,
        (None, None) => text.strip_suffix("\n...").unwrap_or(text).len(),
    };
    Some((tag.trim(), text.get(..end)?, text.get(end..)?))
}

/// Passes with remarks about loops; the back end's and the inliner's remarks are most of a file.
fn interesting(pass: &str) -> bool {
    matches!(
        pass,
        "loop-vectorize"
            | "slp-vectorizer"
            | "loop-idiom"
            | "loop-unroll"
            | "loop-distribute"
            | "loop-interchange"
            | "loop-delete"
            | "loop-accesses"
            | "transform-warning"
    )
}

/// The vectoriser's open details, until the verdict on their loop arrives.
#[derive(Default)]
pub(super) struct Groups {
    remarks: Vec<Remark>,
    function: Option<String>,
    details: Vec<Detail>,
}

impl Groups {
    fn take(&mut self, tag: &str, document: Document) {
        let Some(place) =
            document.debug_loc.map(|at| SourcePosition { file: at.file.0, line: at.line, column: at.column })
        else {
            return;
        };
        let mut message = String::new();
        for argument in document.args.iter().flat_map(BTreeMap::values) {
            if let Argument::Text(text) = argument {
                message.push_str(text);
            }
        }
        let function = (!document.function.0.is_empty()).then_some(document.function.0);
        self.add(tag, &document.pass, Some(document.name), function, place, message.trim());
    }

    /// Adds one remark, in the order in which the compiler wrote them. The vector length that LLVM prints is
    /// in elements of an unstated type, so that the width in bytes stays unknown.
    pub(super) fn add(
        &mut self,
        tag: &str,
        pass: &str,
        name: Option<String>,
        function: Option<String>,
        place: SourcePosition,
        message: &str,
    ) {
        if pass == "loop-vectorize" && self.function != function {
            self.flush();
            self.function.clone_from(&function);
        }
        let mut remark = Remark::new(Family::Clang, pass, Outcome::Note, place.clone(), message);
        remark.function = function;
        if pass != "loop-vectorize" {
            if tag == "Passed" || pass == "transform-warning" {
                remark.reason = condense::classify(&remark);
                self.remarks.push(remark);
            }
            return;
        }
        match tag {
            "Passed" => {
                self.details.clear();
                if message.starts_with("vectorized") {
                    remark.outcome = Outcome::Vectorized;
                }
                self.remarks.push(remark);
            }
            "Missed" => {
                remark.outcome = Outcome::Missed;
                let mut details = std::mem::take(&mut self.details);
                details.push(Detail { place, text: message.to_string(), name });
                self.remarks.extend(verdict(remark, details));
            }
            _ => self.details.push(Detail { place, text: message.to_string(), name }),
        }
    }

    /// Details whose loop never got a verdict: only `-Rpass-analysis` was requested. They keep their own positions.
    fn flush(&mut self) {
        for detail in std::mem::take(&mut self.details) {
            let mut bare = Remark::new(
                Family::Clang,
                "loop-vectorize",
                Outcome::Missed,
                detail.place.clone(),
                "loop not vectorized",
            );
            bare.function.clone_from(&self.function);
            if detail.text.contains("not vectorized") {
                self.remarks.extend(verdict(bare, vec![detail]));
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Remark> {
        self.flush();
        self.remarks
    }
}
