//! `docs/rules.md`, generated from the rules' pages.
//!
//! The page is checked in; a test regenerates it and fails when it is stale. `LOOPWRIGHT_BLESS=1` writes it.

use crate::rule::{Check, Rule};
use crate::rules;
use std::fmt::Write as _;

/// The page, as Markdown.
pub fn page() -> String {
    let mut text = String::from(
        "# Rules of advice\n\n\
         Generated from the rules' own metadata (`crates/advise/src/rules/`); do not edit. To refresh it:\n\
         `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-advise handbook`.\n\n\
         A rule reads facts, never guesses: when a fact is missing, its recommendation names the command that\n\
         provides it. Rules that use exact counts (`loopwright tripcounts`, which `loopwright advise` makes by itself) are\n\
         silent, or give wide ranges, without them; what the running version cannot collect is left out of the next steps.\n\
         Rules that read traces (`loopwright map`, `loopwright dependencies`) say in how many iterations something was seen;\n\
         what did not occur there may occur elsewhere, and no rule calls it proved.\n\n\
         Gains come from one model, described in `crates/advise/src/gain.rs`; advice about the arithmetic of a loop promises\n\
         no more than memory leaves, and nothing where counts, time and ceilings show that the loop runs at the bandwidth\n\
         of main memory on data that does not fit into the caches.\n\n\
         | rule | looks at | finds |\n| --- | --- | --- |\n",
    );
    for rule in rules::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "| [`{0}`](#{0}) | {1} | {2} |", rule.id, scope(rule), rule.doc.title);
    }
    for rule in rules::ALL {
        chapter(&mut text, rule);
    }
    text.push_str(&rules::hot_scalar_loop::table_of_remedies());
    text
}

fn scope(rule: &Rule) -> &'static str {
    match rule.check {
        Check::Loop(_) => "each hot loop",
        Check::Module(_) => "each hot module",
        Check::Program(_) => "the program",
        Check::Advice(_) => "what the others recommend",
    }
}

fn chapter(text: &mut String, rule: &Rule) {
    let doc = &rule.doc;
    let _ = writeln!(text, "\n## {}\n\n{}.", rule.id, doc.title);
    for (heading, body) in doc.chapters() {
        let _ = writeln!(text, "\n### {heading}\n\n{body}");
    }
    let sources: Vec<&str> = doc.sources().collect();
    let _ = writeln!(text, "\n*Sources:* {}.", sources.join("; "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md");
        if std::env::var_os("LOOPWRIGHT_BLESS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            stored == page(),
            "docs/rules.md is stale; run `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-advise handbook`"
        );
    }

    #[test]
    fn every_chapter_says_something() {
        for rule in rules::ALL {
            let doc = &rule.doc;
            for (_, part) in doc.chapters() {
                assert!(part.len() > 20 && part.trim() == part, "{}: {part:?}", rule.id);
            }
            assert!(!doc.title.ends_with('.'), "{}", rule.id);
        }
    }
}
