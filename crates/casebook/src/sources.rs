//! What each stage is written as, and how that differs from the stage before: what the casebook's page shows.
//!
//! The sources are read where the case is, when the document is made: they are not part of a record, which holds what a
//! run measured.

use crate::case::{Case, Stage};
use schemars::JsonSchema;
use serde::Serialize;
use similar::{ChangeTag, TextDiff};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The sources of a case in one language.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrackSources {
    /// The case's name.
    pub case: String,
    /// The language's track, where the case has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub track: Option<String>,
    /// In order.
    pub stages: Vec<StageSources>,
}

/// The sources of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageSources {
    /// The stage's name.
    pub name: String,
    /// Name of the stage that it is compared with; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The files that differ from those of `from`; all files of a stage without `from`.
    pub files: Vec<StageFile>,
    /// Names of the files that are the same as in `from`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// Names of the files of `from` that are not used any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
}

/// A source file of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StageFile {
    /// Its name, from the case's folder.
    pub name: String,
    /// Name of the file of `from` that it is compared with; absent where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// All lines, each behind a mark: a space where it is the same in `before`, `+` where it is new, `-` where only
    /// `before` has it. Without `before` every line has a space.
    pub marked: String,
}

/// A file of a stage with its text.
struct File {
    name: String,
    text: String,
}

/// The sources of a case, for each of its tracks. Files that cannot be read are left out.
pub fn sources(case: &Case) -> Vec<TrackSources> {
    let of_track = |track: &Option<String>| {
        let files: Vec<Vec<File>> =
            case.stages.iter().map(|stage| files(&case.folder, stage, track.as_deref())).collect();
        let stages = case.stages.iter().zip(&files).map(|(stage, own)| match stage.from {
            Some(from) => compared(stage, own, &case.stages[from], &files[from]),
            None => StageSources {
                name: stage.name.clone(),
                from: None,
                files: own.iter().map(whole).collect(),
                unchanged: Vec::new(),
                gone: Vec::new(),
            },
        });
        TrackSources { case: case.name.clone(), track: track.clone(), stages: stages.collect() }
    };
    case.tracks.iter().map(of_track).collect()
}

/// The files that a stage is built from, followed by the case's own headers that they include.
fn files(folder: &Path, stage: &Stage, track: Option<&str>) -> Vec<File> {
    let mut wanted: Vec<PathBuf> = stage.build.sources.of(track).to_vec();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    let mut next = 0;
    while let Some(path) = wanted.get(next).cloned() {
        next += 1;
        if !seen.insert(path.clone()) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(folder.join(&path)) else { continue };
        wanted.extend(included(&text).map(|name| path.with_file_name(name)));
        found.push(File { name: path.display().to_string(), text });
    }
    found
}

/// Names in `#include "NAME"`.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include"))
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name))
}

/// A stage beside the one that it comes from.
fn compared(stage: &Stage, own: &[File], from: &Stage, before: &[File]) -> StageSources {
    let mut found = StageSources {
        name: stage.name.clone(),
        from: Some(from.name.clone()),
        files: Vec::new(),
        unchanged: Vec::new(),
        gone: Vec::new(),
    };
    let mut left: Vec<&File> = before.iter().collect();
    let mut changed = Vec::new();
    for file in own {
        // A file of the same name is the same file, whatever else is like it.
        match left.iter().position(|old| old.name == file.name) {
            Some(at) if left[at].text == file.text => found.unchanged.push(left.remove(at).name.clone()),
            Some(at) => found.files.push(marked(file, left.remove(at))),
            None => changed.push(file),
        }
    }
    for file in changed {
        match nearest(file, &left) {
            Some(at) => found.files.push(marked(file, left.remove(at))),
            None => found.files.push(whole(file)),
        }
    }
    found.gone = left.into_iter().map(|old| old.name.clone()).collect();
    found
}

/// The file of the stage before that has most in common with this one; none where all are of another kind.
fn nearest(file: &File, left: &[&File]) -> Option<usize> {
    let kind = |name: &str| Path::new(name).extension().map(|extension| extension.to_owned());
    let alike = |old: &File| TextDiff::from_lines(&old.text, &file.text).ratio();
    let candidates = left.iter().enumerate().filter(|(_, old)| kind(&old.name) == kind(&file.name));
    candidates.map(|(at, old)| (at, alike(old))).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
}

fn whole(file: &File) -> StageFile {
    let marked = file.text.lines().map(|line| format!(" {line}\n")).collect();
    StageFile { name: file.name.clone(), before: None, marked }
}

fn marked(file: &File, before: &File) -> StageFile {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.text.lines().collect(), file.text.lines().collect());
    let mut marked = String::new();
    for change in TextDiff::from_slices(&old, &new).iter_all_changes() {
        marked.push(match change.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Insert => '+',
            ChangeTag::Delete => '-',
        });
        marked.push_str(change.value());
        marked.push('\n');
    }
    StageFile { name: file.name.clone(), before: Some(before.name.clone()), marked }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> File {
        File { name: name.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_file_is_marked_line_by_line() {
        let before = file("plain.c", "int a;\nfor (;;)\n    f(a);\n");
        let after = file("restrict.c", "int a;\n#pragma omp simd\nfor (;;)\n    g(a);\n");
        let found = marked(&after, &before);
        assert_eq!((found.name.as_str(), found.before.as_deref()), ("restrict.c", Some("plain.c")));
        assert_eq!(found.marked, " int a;\n+#pragma omp simd\n for (;;)\n-    f(a);\n+    g(a);\n");
        assert_eq!(whole(&after).marked.lines().filter(|line| line.starts_with(' ')).count(), 4);
    }

    #[test]
    fn a_renamed_file_is_compared_with_the_one_most_like_it() {
        let (driver, solver) = (file("driver.c", "main\nx\ny\n"), file("plain.c", "solve\na\nb\nc\n"));
        let header = file("lattice.h", "solve\na\nb\nd\n");
        let now = file("packed.c", "solve\na\nb\nd\n");
        assert_eq!(nearest(&now, &[&driver, &header, &solver]), Some(2));
        assert_eq!(nearest(&now, &[&header]), None);
    }

    #[test]
    fn headers_of_the_case_are_found() {
        let text =
            "#include <stdio.h>\n#include \"lattice.h\"\n  # include \"a/b.h\"\nchar *s = \"include\";\n";
        assert_eq!(included(text).collect::<Vec<_>>(), ["lattice.h", "a/b.h"]);
    }

    #[test]
    fn every_stage_of_the_casebook_shows_what_it_changes() {
        let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../casebook");
        for case in crate::discover::named(&book, &[]).expect("the casebook") {
            for track in sources(&case) {
                for (stage, described) in track.stages.iter().zip(&case.stages) {
                    let place = format!("{} {:?} {}", case.name, track.track, stage.name);
                    assert_eq!(stage.from.is_none(), described.from.is_none(), "{place}");
                    // A stage may change nothing but its options; a first one has its program.
                    if stage.from.is_none() {
                        assert!(!stage.files.is_empty(), "{place}");
                    }
                    for each in stage.files.iter().filter(|each| each.before.is_some()) {
                        assert!(
                            each.marked.lines().any(|line| !line.starts_with(' ')),
                            "{place}: {}",
                            each.name
                        );
                    }
                }
            }
        }
    }
}
