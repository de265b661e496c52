//! Every relative link of every document leads to a file, and its anchor to a heading.

use loopwright_tidy::{files, read, root, shown};
use std::path::Path;

/// Targets of `[text](target)` outside code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else { break };
            found.push((index + 1, target.to_owned()));
            rest = after;
        }
    }
    found
}

/// The anchor of a heading, as forges write it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().to_lowercase();
    kept.chars()
        .filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_')
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

fn has_heading(document: &Path, wanted: &str) -> bool {
    read(document).lines().any(|l| l.starts_with('#') && anchor(l) == wanted)
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for document in files(&root(), ".md") {
        let folder = document.parent().unwrap();
        for (line, target) in links(&read(&document)) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (path, fragment) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() { document.clone() } else { folder.join(path) };
            if !file.exists() || (!fragment.is_empty() && !has_heading(&file, fragment)) {
                broken.push(format!("{}:{line}: {target}", shown(&document)));
            }
        }
    }
    assert!(seen >= 10, "only {seen} links found");
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn links_are_found_outside_code_only() {
    let text = "see [a](b.md) and [c](d.md#e)\n```sh\n[x](y)\n```\n";
    assert_eq!(links(text), [(1, "b.md".to_owned()), (1, "d.md#e".to_owned())]);
    assert_eq!(anchor("## What is *deliberately* absent?"), "what-is-deliberately-absent");
}

/// Code blocks in comments that rustdoc would run: without a language, or marked as Rust.
fn examples(text: &str) -> usize {
    let mut inside = false;
    let comments = text
        .lines()
        .map(str::trim_start)
        .filter_map(|line| line.strip_prefix("/// ").or_else(|| line.strip_prefix("//! ")));
    comments
        .filter_map(|line| line.trim_start().strip_prefix("```"))
        .filter(|language| {
            inside = !inside;
            inside && (language.is_empty() || language.starts_with("rust") || language.starts_with("no_run"))
        })
        .count()
}

/// Running rustdoc over a crate takes seconds even where there is nothing to run.
#[test]
fn examples_in_comments_are_run_where_there_are_any() {
    let mut wrong = Vec::new();
    for manifest in files(&root().join("crates"), "Cargo.toml") {
        let folder = manifest.parent().unwrap().join("src");
        if !folder.join("lib.rs").exists() {
            continue;
        }
        let found: usize = files(&folder, ".rs").iter().map(|file| examples(&read(file))).sum();
        let runs = !read(&manifest).contains("doctest = false");
        if runs != (found > 0) {
            wrong.push(format!("{}: {found} examples, doctest = {runs}", shown(&manifest)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
