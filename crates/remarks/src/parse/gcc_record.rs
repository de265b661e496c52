//! GCC's `-fsave-optimization-record`: functions, inlining and outcomes; most of its failures have no text.
//!
//! The file holds three values: its writer, the tree of passes, and the records, nested by scope. A record's
//! chain names its functions, innermost first, with the call site that leads to each next one. Source: GCC
//! manual "-fsave-optimization-record", `optinfo-emit-json.cc` (format "1"), records of GCC 12.

use crate::condense::{self, Detail, verdict};
use crate::remark::{Family, Outcome, Remark, SourcePosition};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A parsed record.
#[derive(Debug)]
pub struct Record {
    /// Compiler and version, e.g. `gcc 12.2.0`.
    pub compiler: String,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    pass: String,
    kind: String,
    place: Option<SourcePosition>,
    function: Option<String>,
    /// Innermost function first; each with the call site inside the next outer one.
    chain: Vec<(String, String, u32)>,
    text: String,
}

#[derive(Deserialize)]
struct Metadata {
    generator: Generator,
}

#[derive(Deserialize)]
struct Generator {
    #[serde(default)]
    version: String,
}

#[derive(Deserialize)]
struct Pass {
    #[serde(default)]
    id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    children: Vec<Pass>,
}

#[derive(Deserialize)]
struct RawEntry {
    #[serde(default)]
    kind: String,
    #[serde(default)]
    pass: String,
    location: Option<Location>,
    function: Option<String>,
    #[serde(default)]
    inlining_chain: Vec<Link>,
    #[serde(default)]
    message: Vec<Value>,
    #[serde(default)]
    children: Vec<RawEntry>,
}

#[derive(Deserialize)]
struct Location {
    file: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    column: u32,
}

#[derive(Deserialize)]
struct Link {
    #[serde(default)]
    fndecl: String,
    site: Option<Location>,
}

/// Reads the unpacked JSON. `serde_json` bounds the nesting.
pub fn parse(json: &str) -> Result<Record, String> {
    let (metadata, passes, raw): (Metadata, Vec<Pass>, Vec<RawEntry>) =
        serde_json::from_str(json).map_err(|cause| format!("not GCC's optimization record: {cause}"))?;
    let mut names = BTreeMap::new();
    name_passes(passes, &mut names);
    let mut entries = Vec::new();
    flatten(raw, &names, &mut entries);
    Ok(Record { compiler: format!("gcc {}", metadata.generator.version), entries })
}

fn name_passes(passes: Vec<Pass>, names: &mut BTreeMap<String, String>) {
    for pass in passes {
        names.insert(pass.id, pass.name);
        name_passes(pass.children, names);
    }
}

fn flatten(raw: Vec<RawEntry>, names: &BTreeMap<String, String>, entries: &mut Vec<Entry>) {
    for entry in raw {
        let text: String = entry.message.iter().map(words).collect();
        entries.push(Entry {
            pass: names.get(&entry.pass).cloned().unwrap_or_default(),
            kind: entry.kind,
            place: entry.location.map(|at| SourcePosition {
                file: at.file,
                line: at.line,
                column: at.column,
            }),
            function: entry.function,
            chain: chain(entry.inlining_chain),
            text: text.trim().to_string(),
        });
        flatten(entry.children, names, entries);
    }
}

/// A message is a list of strings and of objects with one printable member each.
fn words(item: &Value) -> String {
    match item {
        Value::String(text) => text.clone(),
        Value::Object(thing) => ["expr", "stmt", "symtab_node"]
            .iter()
            .find_map(|key| thing.get(*key)?.as_str())
            .unwrap_or_default()
            .trim_end()
            .to_string(),
        _ => String::new(),
    }
}

/// Each of GCC's links names a function and the call site that inlined the *previous* link's function into it.
fn chain(links: Vec<Link>) -> Vec<(String, String, u32)> {
    links.into_iter().filter_map(|link| link.site.map(|site| (link.fndecl, site.file, site.line))).collect()
}

impl Record {
    /// The loop vectoriser's verdicts as remarks, for a record without its text report.
    pub fn into_remarks(self) -> Vec<Remark> {
        let compiler = self.compiler;
        let mut remarks = Vec::new();
        let mut details: Vec<Detail> = Vec::new();
        for entry in self.entries {
            if entry.text.starts_with("Analyzing loop at ") {
                details.clear();
            }
            let Some(place) = entry.place.clone() else { continue };
            let library_call = entry.pass == "ldist" && entry.kind == "success";
            if entry.pass != "vect" && !library_call {
                continue;
            }
            let mut remark =
                Remark::new(Family::Gcc, "vect", Outcome::Missed, place.clone(), entry.text.clone());
            remark.compiler.clone_from(&compiler);
            remark.function = entry.function;
            remark.inlined_at = entry.chain;
            if library_call {
                remark.pass = "loop".to_string();
                remark.outcome = Outcome::Note;
                remark.reason = condense::classify(&remark);
                remarks.push(remark);
            } else if entry.kind == "success" && entry.text.starts_with("loop vectorized") {
                details.clear();
                remark.outcome = Outcome::Vectorized;
                remark.vector_bytes = entry.text.split_whitespace().find_map(|word| word.parse().ok());
                remarks.push(remark);
            } else if entry.text == "couldn't vectorize loop" {
                remarks.extend(verdict(remark, std::mem::take(&mut details)));
            } else if entry.kind == "failure" && !entry.text.is_empty() {
                details.push(Detail { place, text: entry.text, name: None });
            }
        }
        remarks
    }

    /// Adds compiler, function and inlining to remarks from the text report of the same compilation.
    ///
    /// Only where the record is unambiguous: a loop that was inlined in several places keeps no chain.
    pub fn annotate(&self, remarks: &mut [Remark]) {
        type Context<'a> = (&'a Option<String>, &'a Vec<(String, String, u32)>);
        let mut contexts: HashMap<&SourcePosition, HashSet<Context<'_>>> = HashMap::new();
        for entry in self.entries.iter().filter(|entry| entry.pass == "vect" && entry.function.is_some()) {
            if let Some(place) = &entry.place {
                contexts.entry(place).or_default().insert((&entry.function, &entry.chain));
            }
        }
        for remark in remarks {
            remark.compiler.clone_from(&self.compiler);
            let Some(found) = contexts.get(&remark.place()) else { continue };
            let mut found = found.iter();
            if let (Some((function, chain)), None) = (found.next(), found.next()) {
                remark.function.clone_from(function);
                remark.inlined_at.clone_from(chain);
            }
        }
    }
}
