//! What the log's rules are: one for each remedy that it recommends, with how to do it.
//!
//! A rule here is a recommendation's id (`reorder-fp-sum`), which says what to do, and not the condition that found it:
//! code hosts list results by their rule, and print its help beside each.

use super::log::{Configuration, Described, Level, Rule};
use super::markdown;
use super::message::sentence;
use loopwright_advise::rule::Rule as Condition;
use loopwright_advise::{Change, How, Recommendation, rules};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Ways to do it that a rule's help shows, when those of its results differ.
const WAYS: usize = 3;

/// The rules in the order of their first results.
pub(super) fn rules_of(recommendations: &[Recommendation]) -> Vec<Rule> {
    let mut ids: Vec<&str> = Vec::new();
    for advice in recommendations {
        if !ids.contains(&advice.id.as_str()) {
            ids.push(&advice.id);
        }
    }
    ids.iter()
        .map(|id| rule(id, &recommendations.iter().filter(|a| a.id == *id).collect::<Vec<_>>()))
        .collect()
}

fn rule(id: &str, results: &[&Recommendation]) -> Rule {
    let mut conditions: Vec<&'static Condition> = Vec::new();
    for condition in results.iter().filter_map(|advice| rules::by_id(&advice.rule)) {
        if !conditions.iter().any(|known| known.id == condition.id) {
            conditions.push(condition);
        }
    }
    let title = title(results, &conditions);
    let full = match conditions.first() {
        Some(first) => format!("{} {}", full_stop(first.doc.detects), first.doc.why_it_costs),
        None => title.clone(),
    };
    let mut properties = Map::new();
    properties.insert("tags".to_owned(), json!(["performance"]));
    properties.insert("problem.severity".to_owned(), json!("recommendation"));
    properties
        .insert("conditions".to_owned(), conditions.iter().map(|c| Value::from(c.id)).collect::<Value>());
    Rule {
        id: id.to_owned(),
        name: camel(id),
        short_description: Described { text: title, markdown: None },
        full_description: Described { text: sentence(&full), markdown: None },
        help: help(results, &conditions),
        default_configuration: Configuration { level: Level::Note },
        properties,
    }
}

/// The results' own title where they agree: titles may name a place. Else what the condition is called.
fn title(results: &[&Recommendation], conditions: &[&Condition]) -> String {
    let first = results.first().map_or("", |advice| advice.title.as_str());
    let agree = results.iter().all(|advice| advice.title == first);
    match conditions.first() {
        Some(condition) if !agree => condition.doc.title.to_owned(),
        _ => sentence(first),
    }
}

fn full_stop(text: &str) -> String {
    let text = text.trim();
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

/// `reorder-fp-sum` as the identifier that names are by convention (3.49.7).
fn camel(id: &str) -> String {
    id.split('-')
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
        })
        .collect()
}

fn help(results: &[&Recommendation], conditions: &[&Condition]) -> Described {
    let mut ways: Vec<&How> = Vec::new();
    for advice in results {
        if !ways.contains(&&advice.how) {
            ways.push(&advice.how);
        }
    }
    let (mut plain, mut marked) = (String::new(), String::new());
    let mut chapter = |title: &str, text: &str| {
        let _ = write!(plain, "{title}: {}\n\n", text.trim());
        let _ = write!(marked, "**{title}.** {}\n\n", markdown::text(text.trim()));
    };
    for condition in conditions {
        chapter("Detects", condition.doc.detects);
        chapter("Why it costs", condition.doc.why_it_costs);
        chapter("When it is wrong", condition.doc.when_it_is_wrong);
    }
    for how in ways.iter().take(WAYS) {
        one_way(how, &mut plain, &mut marked);
    }
    for condition in conditions {
        let _ = write!(plain, "How to verify: {}\n\n", condition.doc.how_to_verify);
        let _ = write!(marked, "**How to verify.** {}\n\n", markdown::text(condition.doc.how_to_verify));
    }
    let mut sources: Vec<&String> = results.iter().flat_map(|advice| &advice.sources).collect();
    sources.sort();
    sources.dedup();
    if !sources.is_empty() {
        let _ =
            writeln!(plain, "Sources: {}", sources.iter().map(|s| s.as_str()).collect::<Vec<_>>().join("; "));
        let all: Vec<String> = sources.iter().map(|source| markdown::text(source)).collect();
        let _ = writeln!(marked, "**Sources.** {}", all.join("; "));
    }
    Described { text: plain.trim_end().to_owned(), markdown: Some(marked.trim_end().to_owned() + "\n") }
}

/// How to make the change: words, options, settings, code before and after.
fn one_way(how: &How, plain: &mut String, marked: &mut String) {
    if !how.text.trim().is_empty() {
        let _ = write!(plain, "How: {}\n\n", how.text.trim());
        let _ = write!(marked, "**How.** {}\n\n", markdown::text(how.text.trim()));
    }
    for flags in &how.flags {
        let _ = write!(plain, "{}: {}\n\n", flags.compiler, flags.flags);
        let _ = writeln!(marked, "- {}: {}", markdown::text(&flags.compiler), markdown::typed(&flags.flags));
    }
    for setting in &how.environment {
        let typed = format!("{}={}", setting.name, setting.value);
        let _ = write!(plain, "{typed}: {}\n\n", setting.meaning);
        let _ = writeln!(marked, "- {}: {}", markdown::typed(&typed), markdown::text(&setting.meaning));
    }
    if !how.flags.is_empty() || !how.environment.is_empty() {
        marked.push('\n');
    }
    for (language, fence, change) in [("C", "c", &how.c), ("Fortran", "fortran", &how.fortran)] {
        if let Some(change) = change {
            before_and_after(language, fence, change, plain, marked);
        }
    }
}

fn before_and_after(language: &str, fence: &str, change: &Change, plain: &mut String, marked: &mut String) {
    for (when, code) in [("before", &change.before), ("after", &change.after)] {
        if !code.trim().is_empty() {
            let _ = write!(plain, "{language}, {when}:\n{}\n\n", code.trim_end());
            let _ = write!(marked, "{language}, {when}:\n\n{}\n", markdown::code(fence, code));
        }
    }
}
