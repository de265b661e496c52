//! What changes compile: the sources that each of them touches, and so the part of the build that it repeats.

use crate::builder::Builder;
use crate::change::Candidate;
use crate::line::Lines;
use loopwright_experiment::trials::Part;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How long the build of one change takes, in builds of the unchanged program, of which this many sources are compiled: by their
/// numbers of sources, with one more for the link. Settings need no build; rustc compiles the whole program again.
pub(crate) fn share_of_build(
    one: &Candidate,
    builder: &Builder,
    lines: &Lines,
    program: &Path,
    unchanged: usize,
) -> f64 {
    let is_setting = |part: &Part| matches!(part, Part::Variable { .. });
    if one.parts.as_ref().is_ok_and(|parts| parts.iter().all(is_setting)) {
        return 0.0;
    }
    match builder {
        Builder::Commands(_) => {}
        Builder::Cargo(shop) => return shop.share_of_build(one.parts.as_deref().unwrap_or_default()),
        Builder::Rustc(_) => return 1.0,
    }
    let is_whole = |part: &Part| matches!(part, Part::Options { files, .. } if files.is_empty());
    let own = match one.parts.as_ref().is_ok_and(|parts| parts.iter().any(is_whole)) {
        true => lines.behind(program).iter().map(|line| line.sources.len()).sum(),
        false => touched(std::slice::from_ref(one)).len(),
    };
    (own as f64 + 1.0) / (unchanged as f64 + 1.0)
}

/// The single sources that changes compile. They are compiled for the unchanged program, too. Where options are for the whole program,
/// its other objects stay those of the user's build, which the same commands have made: projects have hundreds of them.
pub(crate) fn touched(candidates: &[Candidate]) -> BTreeSet<PathBuf> {
    let parts = candidates.iter().filter_map(|candidate| candidate.parts.as_ref().ok()).flatten();
    let mut sources = BTreeSet::new();
    for part in parts {
        match part {
            Part::Options { files, .. } | Part::Compiler { files, .. } | Part::Profile { files } => {
                sources.extend(files.iter().map(PathBuf::from));
            }
            Part::Edit { file, .. } => drop(sources.insert(PathBuf::from(file))),
            Part::Variable { .. } | Part::Link { .. } => {}
        }
    }
    sources
}
