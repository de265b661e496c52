//! The explanation of a reason: the structure behind `loopwright explain REASON` and the documentation page.

use crate::reasons::{self, Example, Reason};
use std::fmt::Write;

/// An explanation ready to be printed: headed paragraphs, in order.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Stable id.
    pub id: &'static str,
    /// Title of one line.
    pub title: &'static str,
    /// No action is needed.
    pub benign: bool,
    /// The meaning of the compiler's message.
    pub meaning: &'static str,
    /// What the reason costs at run time.
    pub cost: &'static str,
    /// Remedies, best first: what it applies to (`source`, `gcc`, ...), and what to do.
    pub remedies: Vec<(&'static str, &'static str)>,
    /// When the remedy is wrong; empty when never.
    pub caveats: &'static str,
    /// The messages of each compiler: (compiler, message).
    pub words: Vec<(&'static str, String)>,
    /// Examples: (language, original, rewritten, flags of the rewritten one).
    pub examples: Vec<(&'static str, &'static str, &'static str, String)>,
}

/// Explains a reason.
pub fn explain(reason: &'static Reason) -> Explanation {
    let list = |words: &[&str]| words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ");
    let mut words = Vec::new();
    let gcc: Vec<&str> = reason.gcc.iter().chain(reason.gcc_hints).copied().collect();
    if !gcc.is_empty() {
        words.push(("GCC", list(&gcc)));
    }
    if !reason.clang.is_empty() {
        let names = if reason.clang_names.is_empty() {
            String::new()
        } else {
            format!(" ({})", reason.clang_names.join(", "))
        };
        words.push(("clang", format!("{}{names}", list(reason.clang))));
    }
    if !reason.intel.is_empty() {
        let numbers: Vec<String> = reason.intel.iter().map(|number| format!("#{number}")).collect();
        words.push(("Intel", numbers.join(", ")));
    }
    let example = |language, example: &'static Example| {
        (language, example.bad, example.mended, example.mended_flags.join(" "))
    };
    Explanation {
        id: reason.id,
        title: reason.title,
        benign: reason.benign,
        meaning: reason.meaning,
        cost: reason.cost,
        remedies: reason.remedies.iter().map(|remedy| (remedy.by, remedy.what)).collect(),
        caveats: reason.caveats,
        words,
        examples: vec![example("C", &reason.c), example("Fortran", &reason.fortran)],
    }
}

/// The documentation page of all reasons, in Markdown.
pub fn page() -> String {
    let mut page = String::from(
        "# Why a loop is not vectorised\n\n\
         Every reason that loopwright recognises in the reports of GCC, clang and Intel's compilers. This page is generated\n\
         from the table in `crates/remarks/src/reasons/table/`; `loopwright explain REASON` prints one entry.\n\n\
         | reason | in short | GCC | clang | Intel |\n| --- | --- | --- | --- | --- |\n",
    );
    let said = |words: &Explanation, compiler: &str| {
        if words.words.iter().any(|(name, _)| *name == compiler) { "yes" } else { "-" }
    };
    for reason in reasons::all() {
        let e = explain(reason);
        let _ = writeln!(
            page,
            "| [{0}](#{0}) | {1} | {2} | {3} | {4} |",
            e.id,
            e.title,
            said(&e, "GCC"),
            said(&e, "clang"),
            said(&e, "Intel")
        );
    }
    for reason in reasons::all() {
        entry(&mut page, &explain(reason));
    }
    page
}

fn entry(page: &mut String, e: &Explanation) {
    let _ = writeln!(
        page,
        "\n## {}\n\n**{}**{}\n",
        e.id,
        e.title,
        if e.benign { " (needs no remedy)" } else { "" }
    );
    let _ = writeln!(page, "{}\n\n*Cost.* {}\n\n*Remedies*\n", e.meaning, e.cost);
    for (by, what) in &e.remedies {
        let _ = writeln!(
            page,
            "- {}{what}",
            if *by == "any" || *by == "source" { String::new() } else { format!("{by}: ") }
        );
    }
    if !e.caveats.is_empty() {
        let _ = writeln!(page, "\n*Caveat.* {}", e.caveats);
    }
    if !e.words.is_empty() {
        let _ = writeln!(page, "\n*How compilers say it*\n");
        for (compiler, words) in &e.words {
            let _ = writeln!(page, "- {compiler}: {words}");
        }
    }
    for (language, bad, mended, flags) in &e.examples {
        let fence = language.to_ascii_lowercase();
        let with = if flags.is_empty() { String::new() } else { format!(", with `{flags}`") };
        if bad == mended {
            let _ = writeln!(
                page,
                "\n*{language}*{}\n\n```{fence}\n{bad}```",
                if flags.is_empty() { String::new() } else { format!(", mended by `{flags}`") }
            );
        } else {
            let _ = writeln!(
                page,
                "\n*{language}, as written*\n\n```{fence}\n{bad}```\n\n*mended*{with}\n\n```{fence}\n{mended}```"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The committed page equals the generated one; `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-remarks page` renews it.
    #[test]
    fn the_committed_page_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reasons.md");
        if std::env::var_os("LOOPWRIGHT_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, page()).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == page(), "docs/reasons.md is out of date; run the test with LOOPWRIGHT_BLESS=1");
    }

    #[test]
    fn every_reason_explains_itself_in_both_languages() {
        for reason in reasons::all() {
            let e = explain(reason);
            assert_eq!(e.examples.len(), 2);
            assert!(!e.remedies.is_empty() && !e.meaning.is_empty());
        }
    }
}
