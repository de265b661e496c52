//! Words that hide who does what stay out of documents, comments and messages (CONTRIBUTING.md, Conventions).

use loopwright_tidy::{files, root, shown};

/// Phrases in lower case. Each has a plain replacement: *is*, *shows*, *reports*, *no user*, *rarely*, a parameter's name,
/// *unavailable*, *result of*, *remains*.
const PHRASES: &[&str] = &[
    "stands",
    "tells",
    "speaks",
    "nobody",
    "seldom",
    "so many",
    "cannot be had",
    "what came of",
    "left behind",
];

const SUFFIXES: &[&str] =
    &[".rs", ".md", ".toml", ".ts", ".tsx", ".css", ".c", ".h", ".f90", ".py", ".yml", "Makefile"];

/// End of a path, phrase, and why it may be there.
const ALLOWED: &[(&str, &str, &str)] = &[("tidy/tests/main/english.rs", "", "lists the phrases")];

/// Places of phrases in a text: line and phrase. A line break counts as a space, and phrases are whole words.
fn found(text: &str) -> Vec<(usize, &'static str)> {
    let lower = text.to_lowercase();
    // Words with their lines; the marks of comments are no words.
    let words: Vec<(usize, &str)> = lower
        .lines()
        .enumerate()
        .flat_map(|(line, text)| {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
            words.filter(|word| word.chars().any(char::is_alphanumeric)).map(move |word| (line + 1, word))
        })
        .collect();
    let mut places = Vec::new();
    for phrase in PHRASES {
        let parts: Vec<&str> = phrase.split(' ').collect();
        for at in words.windows(parts.len()) {
            if at.iter().map(|(_, word)| *word).eq(parts.iter().copied()) {
                places.push((at[0].0, *phrase));
            }
        }
    }
    places
}

#[test]
fn text_is_plain_english() {
    let mut wrong = Vec::new();
    let mut used = vec![false; ALLOWED.len()];
    for suffix in SUFFIXES {
        for file in files(&root(), suffix) {
            // A file that is not UTF-8 is no text.
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let path = shown(&file);
            for (line, phrase) in found(&text) {
                let allowed = ALLOWED.iter().position(|(end, which, _)| {
                    path.ends_with(end) && (which.is_empty() || *which == phrase)
                });
                match allowed {
                    Some(index) => used[index] = true,
                    None => wrong.push(format!("{path}:{line}: {phrase}")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "say it in plain English (subject, verb, object):\n{}", wrong.join("\n"));
    for (place, used) in ALLOWED.iter().zip(used) {
        assert!(used, "{}: {:?} is allowed but absent", place.0, place.1);
    }
}

#[test]
fn phrases_are_found_across_lines_and_as_whole_words_only() {
    let text = "/// It Stands\n/// for so\n/// many. Understands, tells_all, foretells.\n";
    assert_eq!(found(text), [(1, "stands"), (2, "so many")]);
    assert_eq!(found("Nobody knows."), [(1, "nobody")]);
}
