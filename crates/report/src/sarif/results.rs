//! One result for each recommendation: where, how much, why, and a fingerprint that outlives shifted lines.

use super::log::{Level, Location, LogicalLocation, Message, PhysicalLocation, Rule, RunResult};
use super::message::{STYLE, escaped, link, plain, sentence, symbol};
use super::uri::SourceRoot;
use crate::prose::first_sentence;
use crate::quantity::{gain, share};
use loopwright_advise::{Confidence, Recommendation};
use loopwright_analysis::compare::undecorated;
use loopwright_analysis::model::{Analysis, LoopFacts};
use loopwright_analysis::place::base_name;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// From this predicted gain of the whole program on, a change that is likely to help is a warning: 5 % is what a
/// program's owner notices, and twice what runs of one program differ by.
const WORTH_A_WARNING: f64 = 1.05;
/// Compilers' messages that a result links to.
const REMARKS: usize = 6;
/// Dependences that a result links to.
const DEPENDENCES: usize = 4;
/// Name and version of the fingerprint (3.5.4); hosts add their own from the text of the line.
const FINGERPRINT: &str = "loopwrightPlace/v1";

/// The results, in the order of the recommendations.
pub(super) fn results_of(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    rules: &[Rule],
    root: &SourceRoot,
) -> Vec<RunResult> {
    let ordinals = ordinals(analysis, recommendations);
    recommendations
        .iter()
        .zip(ordinals)
        .map(|(advice, ordinal)| {
            let about = loop_of(analysis, advice);
            let related = about.map(|about| related(about, root)).unwrap_or_default();
            RunResult {
                rule_id: advice.id.clone(),
                // Every id has its rule; they were made from these recommendations.
                rule_index: rules.iter().position(|rule| rule.id == advice.id).unwrap_or_default(),
                level: level(advice),
                message: message(advice, about, &related),
                locations: location(analysis, advice, about, root).into_iter().collect(),
                related_locations: related.into_iter().map(|place| place.location).collect(),
                partial_fingerprints: BTreeMap::from([(FINGERPRINT, fingerprint(advice, about, ordinal))]),
                rank: rank(advice),
                properties: properties(advice),
            }
        })
        .collect()
}

fn loop_of<'a>(analysis: &'a Analysis, advice: &Recommendation) -> Option<&'a LoopFacts> {
    let id = advice.loop_id?;
    analysis.loops.iter().find(|each| each.id == id)
}

fn level(advice: &Recommendation) -> Level {
    let gain = advice.program_gain.map_or(1.0, |gain| gain.likely());
    if advice.confidence > Confidence::Low && gain >= WORTH_A_WARNING { Level::Warning } else { Level::Note }
}

/// Percent of the program's time that the change is predicted to save, by its likely gain; no less than nothing.
fn rank(advice: &Recommendation) -> Option<f64> {
    let gain = advice.program_gain?.likely();
    Some(((1.0 - 1.0 / gain).max(0.0) * 1000.0).round() / 10.0).filter(|rank| rank.is_finite())
}

/// What to do, where, what it is worth, the evidence, and links to what compilers and traces say.
fn message(advice: &Recommendation, about: Option<&LoopFacts>, related: &[Related]) -> Message {
    let mut text = sentence(&advice.title);
    let mut place = Vec::new();
    if let Some(part) = advice.share {
        place.push(format!("{} of the time", share(part)));
    }
    let function = advice.function.as_deref().or(about.map(|about| about.function.as_str()));
    let mut at = advice.place.as_deref().map(sentence).unwrap_or_default();
    if let Some(function) = function {
        at = if at.is_empty() { symbol(function) } else { format!("{} at {at}", symbol(function)) };
    }
    if !at.is_empty() {
        place.insert(0, at);
    }
    if !place.is_empty() {
        text.push_str(&format!(" ({})", place.join(", ")));
    }
    text.push('.');
    let mut worth = Vec::new();
    if let Some(there) = advice.loop_gain {
        worth.push(format!("there {}", gain(there, &STYLE)));
    }
    if let Some(of_program) = advice.program_gain {
        worth.push(format!("the program {}", gain(of_program, &STYLE)));
    }
    if !worth.is_empty() {
        text.push_str(&format!(" Predicted speed-up: {}.", worth.join("; ")));
    }
    text.push_str(&format!(" Confidence: {}.", word(advice.confidence)));
    if !advice.evidence.is_empty() {
        let facts: Vec<String> = advice.evidence.iter().map(|fact| sentence(&fact.to_string())).collect();
        text.push_str(&format!(" Evidence: {}.", facts.join("; ")));
    }
    let how = sentence(first_sentence(&advice.how.text));
    if !how.is_empty() {
        text.push_str(&format!(" How: {how}"));
    }
    let mut text = escaped(&text);
    let links: Vec<String> =
        (related.iter()).filter_map(|place| Some(link(&place.words, place.location.id?))).collect();
    if !links.is_empty() {
        text.push_str(&format!(" See {}.", links.join(", ")));
    }
    Message { text }
}

fn word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// Where the change is to be made: the loop's line; without one the module's file. Function and module are beside it.
/// Where no file is known there is no location: GitHub refuses a whole log for one location that names no file, and the
/// message has the names too.
fn location(
    analysis: &Analysis,
    advice: &Recommendation,
    about: Option<&LoopFacts>,
    root: &SourceRoot,
) -> Option<Location> {
    let module = module_of(analysis, advice, about);
    let line = about.and_then(|about| root.line(about.file.as_deref()?, about.line?, about.column));
    let physical = line.or_else(|| {
        let path = module.filter(|path| !path.starts_with('['))?;
        root.line(path, 0, None)
    });
    let mut logical = Vec::new();
    if let Some(function) = advice.function.as_deref().or(about.map(|about| about.function.as_str())) {
        logical.push(LogicalLocation {
            name: symbol(function),
            fully_qualified_name: Some(function.to_owned()),
            kind: "function",
        });
    }
    if let Some(path) = module {
        let name = base_name(path);
        logical.push(LogicalLocation {
            name: name.to_owned(),
            fully_qualified_name: Some(path.to_owned()),
            kind: "module",
        });
    }
    Some(Location { id: None, physical_location: Some(physical?), logical_locations: logical, message: None })
}

/// Path of the module that a recommendation is about: the loop's, the one that it names, else the program's.
fn module_of<'a>(
    analysis: &'a Analysis,
    advice: &Recommendation,
    about: Option<&LoopFacts>,
) -> Option<&'a str> {
    let named = |name: &str| {
        let same = |path: &str| path == name || base_name(path) == name;
        analysis.modules.iter().find(|module| same(&module.path))
    };
    let of_loop = about.and_then(|about| named(&about.module));
    let module = of_loop
        .or_else(|| named(advice.place.as_deref()?))
        .or_else(|| analysis.modules.iter().find(|module| module.main_module))?;
    Some(&module.path)
}

/// A place that a result links to, and its text, unescaped.
struct Related {
    location: Location,
    words: String,
}

/// What compilers said of the loop, and between which lines its dependences run.
fn related(about: &LoopFacts, root: &SourceRoot) -> Vec<Related> {
    let mut found: Vec<(PhysicalLocation, String)> = Vec::new();
    let mut add = |file: Option<&String>, line: Option<u32>, words: String| {
        let place = file.zip(line.filter(|&line| line > 0));
        let Some(physical) = place.and_then(|(file, line)| root.line(file, line, None)) else { return };
        let new = (physical, sentence(&words));
        if !found.contains(&new) {
            found.push(new);
        }
    };
    for reason in about.why_not.iter().take(REMARKS) {
        let by = reason.compiler.as_deref().unwrap_or("the binary");
        add(reason.file.as_ref(), reason.line, format!("{by}: {}", reason.message));
    }
    let dependences = about.dependence.iter().flat_map(|dependence| &dependence.found).take(DEPENDENCES);
    for dependence in dependences {
        let distance = crate::quantity::counted(dependence.distance, "iteration", "iterations");
        let kind = format!("{:?} dependence over {distance}", dependence.kind);
        for (end, name) in [(&dependence.source, "source"), (&dependence.sink, "sink")] {
            let operand = end.operand.as_deref().map(|operand| format!(" {operand}")).unwrap_or_default();
            add(end.file.as_ref(), end.line, format!("{kind}, {name}{operand}"));
        }
    }
    found
        .into_iter()
        .zip(1..)
        .map(|((physical, words), id)| Related {
            location: Location {
                id: Some(id),
                physical_location: Some(physical),
                logical_locations: Vec::new(),
                message: Some(plain(&words)),
            },
            words,
        })
        .collect()
}

/// For each recommendation its number among those of one remedy in one function of one file, in source order: this is
/// what stays when lines are inserted above.
fn ordinals(analysis: &Analysis, recommendations: &[Recommendation]) -> Vec<usize> {
    let key = |advice: &Recommendation| {
        let about = loop_of(analysis, advice);
        let at = about.map(|about| (about.line, about.column, about.depth, about.address.clone()));
        (anchor(advice, about), at, advice.place.clone())
    };
    let keys: Vec<_> = recommendations.iter().map(key).collect();
    let before = |own: usize| {
        let precedes = |other: usize| (&keys[other], other) < (&keys[own], own);
        (0..keys.len()).filter(|&other| keys[other].0 == keys[own].0 && precedes(other)).count()
    };
    (0..keys.len()).map(before).collect()
}

/// Remedy, condition, file and function, none of which moves with lines; where there is no loop, the place.
fn anchor(advice: &Recommendation, about: Option<&LoopFacts>) -> [String; 5] {
    let file = about.and_then(|about| about.file.as_deref()).map(base_name).unwrap_or_default();
    let function = advice.function.as_deref().or(about.map(|about| about.function.as_str()));
    let place = if about.is_none() { advice.place.clone() } else { None };
    [
        advice.id.clone(),
        advice.rule.clone(),
        file.to_owned(),
        function.map(undecorated).unwrap_or_default(),
        place.unwrap_or_default(),
    ]
}

fn fingerprint(advice: &Recommendation, about: Option<&LoopFacts>, ordinal: usize) -> String {
    let text = anchor(advice, about).join("\0") + &format!("\0{ordinal}");
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// FNV-1a with 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): the same in every version, as hashes of the standard library
/// are not, and short where a C++ symbol is long.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The numbers of the recommendation, for readers that sort and filter.
fn properties(advice: &Recommendation) -> Map<String, Value> {
    let mut bag = Map::new();
    let mut add = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            bag.insert(key.to_owned(), value);
        }
    };
    add("condition", Some(json!(advice.rule)));
    add("confidence", Some(json!(advice.confidence)));
    add("loopGain", advice.loop_gain.map(|gain| json!(gain)));
    add("programGain", advice.program_gain.map(|gain| json!(gain)));
    add("loopGainLikely", advice.loop_gain.map(|gain| json!(gain.likely())));
    add("programGainLikely", advice.program_gain.map(|gain| json!(gain.likely())));
    add("selfShare", advice.share.map(|share| json!(share)));
    add("loopId", advice.loop_id.map(|id| json!(id)));
    add("next", advice.next.as_ref().map(|next| json!(next)));
    bag
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // From the reference's table of test vectors.
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
