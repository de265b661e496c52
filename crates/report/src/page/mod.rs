//! The document behind the report: all that its page shows, as values.
//!
//! `loopwright report --json` prints it and the page of `loopwright report --html` carries it. It contains the analysis
//! exactly as `loopwright show --json` prints it; what the text views compute beyond that (marks, remarks under lines,
//! whether a source is outdated) is computed here by the same code, so that text and page never disagree.

pub mod comparison;
mod details;
mod explanation;
mod html;
mod listing;
pub mod missing;
mod source;
mod table;
mod words;

pub use html::{PageError, TEMPLATE, html};

use crate::json::{analysis_value, drop_absent};
use crate::source_text::NoText;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, SCHEMA};
use loopwright_analysis::thread_trees::{ThreadTree, ThreadTrees};
use loopwright_binary::facts::FunctionCode;
use loopwright_remarks::remark::Remark;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Version of the report around the analysis, whose version is `schema`.
pub const REPORT: u32 = 1;

/// Threads with a tree of their own.
pub const THREADS: usize = 64;

/// A described function with its samples.
#[derive(Clone, Debug)]
pub struct Function {
    /// Base name of its module.
    pub module: String,
    /// The code with its listing; loops are where they are written.
    pub code: FunctionCode,
    /// Numbers of its loops, in the order of `code.loops`.
    pub loop_ids: Vec<u32>,
    /// Self time by instruction address, in nanoseconds.
    pub nanoseconds: HashMap<u64, u64>,
}

/// What others add to the document.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// What a fuller picture needs; a list.
    pub missing: Value,
    /// The same program in another state.
    pub comparison: Option<Value>,
}

/// What the document is made from.
pub struct Input<'a> {
    /// Version of the program that makes it.
    pub version: &'a str,
    /// When (RFC 3339, UTC).
    pub generated: String,
    /// Name of the state.
    pub state: &'a str,
    /// The state.
    pub analysis: &'a Analysis,
    /// What to change.
    pub recommendations: &'a [Recommendation],
    /// Functions with samples or with loops of the analysis.
    pub functions: &'a [Function],
    /// What compilers said.
    pub remarks: &'a [Remark],
    /// The text of a source file.
    pub texts: &'a dyn Fn(&str) -> Result<Rc<String>, NoText>,
    /// The trees of the threads.
    pub threads: &'a ThreadTrees,
    /// What others add.
    pub extras: Extras,
}

/// A program.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tool<'a> {
    /// Its name.
    name: &'static str,
    /// Its version.
    version: &'a str,
}

/// What `loopwright report --json FILE` writes, and what its page shows.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Report<'a> {
    /// Version of `analysis`.
    schema: u32,
    /// Version of the document around it (1).
    report: u32,
    /// The program that wrote it.
    tool: Tool<'a>,
    /// When (RFC 3339, UTC).
    generated: &'a str,
    /// The state that was asked for.
    state: &'a str,
    /// What `loopwright show --json` prints of this state.
    #[schemars(with = "Analysis")]
    analysis: Value,
    /// Source files with time or with loops of the analysis, the hottest first.
    sources: Vec<source::SourceFile<'a>>,
    /// Functions with time or with loops of the analysis whose instructions were kept, the hottest first.
    listings: Vec<listing::Listing<'a>>,
    /// Functions left out to keep the report small; absent where there are none.
    #[serde(skip_serializing_if = "is_zero")]
    listings_left_out: usize,
    /// When there are several threads, the 64 with most time.
    #[serde(skip_serializing_if = "<[ThreadTree]>::is_empty")]
    threads: &'a [ThreadTree],
    /// Threads with time beyond those; absent where there are none.
    #[serde(skip_serializing_if = "is_zero")]
    threads_left_out: usize,
    /// The reasons that `why_not` and `remarks` name, by their ids, as `loopwright explain` prints them.
    reasons: BTreeMap<&'static str, explanation::Explanation>,
    /// Sentences for names of the contract that occur: `trait:gather`, `role:body`, `chain:in-order-sum`, `idiom:memset`.
    words: BTreeMap<String, &'static str>,
    /// What a fuller picture needs, most valuable first.
    #[schemars(with = "Vec<missing::Missing>")]
    missing: Value,
    /// The comparison with another state, where one was named.
    #[schemars(with = "Option<comparison::ComparisonDocument<'_>>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Value>,
    /// In a page that would become too large: how many loops, the hottest, have all their facts; the others lack
    /// `total_work`, `by_thread`, `serial_share`, `chains`, `strides` and `compilers`, and their `instruction_mix`, `mix`,
    /// `histogram` and `roofs` are empty; `energy` has only loops and functions with 0.5 % of the run's or more. What `--json`
    /// writes has them all.
    #[serde(skip_serializing_if = "Option::is_none")]
    detailed_loops: Option<usize>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Makes the document.
///
/// # Errors
/// Only when a value cannot be represented in JSON, which no value of these types is.
pub fn document(input: Input<'_>) -> Result<Value, serde_json::Error> {
    let known: HashSet<u32> = input.analysis.loops.iter().map(|each| each.id).collect();
    let mut functions: Vec<&Function> = input.functions.iter().collect();
    functions.sort_by_key(|function| {
        let spent: u64 = function.nanoseconds.values().sum();
        (std::cmp::Reverse(spent), &function.code.function.name, function.code.function.address)
    });
    let sources = source::sources(&functions, &known, input.analysis, input.remarks, input.texts);
    let (listings, listings_left_out) = listing::listings(&functions, &known);
    let named = sources.iter().flat_map(|file| &file.remarks).filter_map(|remark| remark.reason);
    let why_not = input.analysis.loops.iter().flat_map(|each| &each.why_not);
    let reasons = explanation::explanations(named.chain(why_not.map(|why| why.reason.as_str())));
    let mut document = serde_json::to_value(Report {
        schema: SCHEMA,
        report: REPORT,
        tool: Tool { name: "loopwright", version: input.version },
        generated: &input.generated,
        state: input.state,
        analysis: Value::Null,
        sources,
        listings,
        listings_left_out,
        threads: &input.threads.threads,
        threads_left_out: input.threads.left_out,
        reasons,
        words: words::words(&input.analysis.loops),
        // The page relies on the list; with nothing missing it is empty.
        missing: if input.extras.missing.is_null() { Value::Array(Vec::new()) } else { input.extras.missing },
        comparison: input.extras.comparison,
        detailed_loops: None,
    })?;
    document["analysis"] = analysis_value(input.analysis, input.recommendations)?;
    drop_absent(&mut document);
    Ok(document)
}

/// The document as text, indented, with a final line break.
///
/// # Errors
/// See [`document`].
pub fn json(document: &Value) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(document)? + "\n")
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[cfg(test)]
mod tests;
