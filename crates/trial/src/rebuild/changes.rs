//! What changes in a version of the program, by source.

use crate::line::resolved;
use crate::profile::Stage;
use loopwright_experiment::trials::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Options that the linker must know of, too: code of link-time optimisation is made there, and libraries of threads are added.
pub(crate) fn is_for_the_linker(option: &str) -> bool {
    ["-flto", "-fuse-ld="].iter().any(|beginning| option.starts_with(beginning))
        || option == "-fopenmp"
        || option == "-pthread"
}

/// What changes, by source.
#[derive(Default)]
pub(super) struct Changes<'a> {
    everywhere: Vec<&'a str>,
    options: BTreeMap<PathBuf, Vec<&'a str>>,
    pub edits: BTreeMap<PathBuf, Vec<&'a Part>>,
    pub linker: Vec<&'a str>,
    /// Words that commands which link leave out.
    pub not_linked: Vec<&'a str>,
    /// Objects in place of those that sources are compiled to.
    pub objects: BTreeMap<PathBuf, PathBuf>,
    /// Another compiler, and the options that it does not know.
    pub compilers: BTreeMap<PathBuf, (&'a str, &'a [String])>,
    pub profiled: BTreeSet<PathBuf>,
    /// What the profiled sources are compiled for.
    pub stage: Stage,
}

impl<'a> Changes<'a> {
    pub fn of(parts: &'a [Part], stage: Stage) -> Self {
        let mut changes = Self { stage, ..Self::default() };
        for part in parts {
            match part {
                Part::Options { files, options } => {
                    let all = options.iter().map(String::as_str);
                    changes.linker.extend(all.clone().filter(|option| is_for_the_linker(option)));
                    if files.is_empty() {
                        changes.everywhere.extend(all.clone());
                    }
                    for file in files {
                        changes.options.entry(resolved(Path::new(file))).or_default().extend(all.clone());
                    }
                }
                Part::Edit { file, .. } => {
                    changes.edits.entry(resolved(Path::new(file))).or_default().push(part);
                }
                Part::Compiler { files, compiler, without } => {
                    let new = (compiler.as_str(), without.as_slice());
                    changes.compilers.extend(files.iter().map(|file| (resolved(Path::new(file)), new)));
                }
                Part::Profile { files } => {
                    changes.profiled.extend(files.iter().map(|file| resolved(Path::new(file))));
                }
                Part::Link { options, without } => {
                    changes.linker.extend(options.iter().map(String::as_str));
                    changes.not_linked.extend(without.iter().map(String::as_str));
                }
                Part::Variable { .. } => {}
            }
        }
        changes
    }

    pub fn touch(&self, source: &Path) -> bool {
        self.edits.contains_key(source)
            || self.compilers.contains_key(source)
            || self.profiled.contains(source)
            || !self.options(source).is_empty()
    }

    pub fn options(&self, source: &Path) -> Vec<&'a str> {
        let own = self.options.get(source).into_iter().flatten();
        self.everywhere.iter().chain(own).copied().collect()
    }
}
