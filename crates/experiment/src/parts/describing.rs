//! What binaries say of the code that parts want, once for all ranks: by whoever merges, and beforehand by one rank of each
//! further node, whose binaries others may not be able to read.

use super::file::{Content, read_value, write_value};
use super::names::{self, CODE, Named};
use crate::describe::{Described, describe_wanted};
use crate::{Error, Wanted};
use loopwright_binary::image::Images;
use loopwright_binary::warning::Warning;
use loopwright_files::regular;
use loopwright_files::sources::Granted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Source files larger than this are generated; they are read from disk when shown.
const LARGEST_SOURCE: u64 = 4 << 20;

/// How binaries are read.
#[derive(Clone, Copy)]
pub struct Describing<'a> {
    /// The files that the command has read, with the folders of debug files.
    pub images: &'a Images,
    /// Further folders whose sources may be read.
    pub roots: &'a [PathBuf],
    /// Called with functions done and known so far.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Describing<'_> {
    /// Describes what is wanted.
    pub(super) fn describe(&self, wanted: &[Wanted]) -> Vec<Described> {
        describe_wanted(wanted, &[], self.images, self.progress)
    }

    /// Paths and texts of the sources that descriptions name. Users pass experiments on: a file that a line table names but that is
    /// not the program's is not read.
    pub fn texts(&self, described: &[Described]) -> Vec<(String, String)> {
        let sources: BTreeSet<&String> = described.iter().flat_map(Described::files).collect();
        let folders: BTreeSet<&Path> = described.iter().flat_map(Described::folders).map(Path::new).collect();
        let granted = Granted::new(self.roots, folders);
        let texts = sources.into_iter().filter_map(|path| {
            let real = granted.source(Path::new(path)).ok()?;
            let bytes = regular::read(&real, LARGEST_SOURCE).ok()?;
            Some((path.clone(), String::from_utf8_lossy(&bytes).into_owned()))
        });
        texts.collect()
    }
}

/// A build of a module: path, and what distinguishes builds.
pub(super) type Build = (String, String);

/// What all ranks want, by build: ranks of a job may run different programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Union(pub BTreeMap<Build, Wanted>);

impl Union {
    pub fn add(&mut self, wanted: &Wanted) {
        let build = (wanted.path.clone(), wanted.identity.clone());
        match self.0.get_mut(&build) {
            Some(known) => known.join(wanted),
            None => {
                self.0.insert(build, wanted.clone());
            }
        }
    }

    pub fn wanted(&self) -> Vec<Wanted> {
        self.0.values().cloned().collect()
    }
}

/// The binary could be read, and is the one that ran.
pub(super) fn is_of_the_binary(described: &Described) -> bool {
    let failed = |warning: &Warning| matches!(warning, Warning::Unreadable(_) | Warning::Rebuilt { .. });
    !described.facts.warnings.iter().any(failed)
}

/// What a node says of the code that its ranks touched.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct NodeCode {
    pub described: Vec<Described>,
    pub sources: Vec<(String, String)>,
}

/// Describes what the parts of this node want, into a file beside them.
pub(super) fn describe_node(job: &Path, how: &Describing<'_>) -> Result<(), Error> {
    let mut union = Union::default();
    for file in super::files(job)? {
        if matches!(names::read(&file), Named::Part(_, node) if node == super::process::own_node()) {
            // Whoever merges says what is wrong with a part.
            let Ok(content) = Content::read(&file) else { continue };
            content.head.runs.iter().flat_map(|run| &run.wanted).for_each(|wanted| union.add(wanted));
        }
    }
    let mut described = how.describe(&union.wanted());
    described.retain(is_of_the_binary);
    if described.is_empty() {
        return Ok(());
    }
    let sources = how.texts(&described);
    write_value(&job.join(names::of_node(CODE)), &NodeCode { described, sources })
}

/// What nodes have described, read when it is asked for.
#[derive(Default)]
pub(super) struct OfNodes {
    files: Vec<PathBuf>,
    read: Option<Vec<NodeCode>>,
}

impl OfNodes {
    pub fn add(&mut self, file: PathBuf) {
        self.files.push(file);
    }

    /// What the nodes say of a build, each of the functions that its ranks touched. A file that does not decode says nothing.
    pub fn of(&mut self, build: &Build) -> Vec<(&Described, &[(String, String)])> {
        let files = &self.files;
        let read = || files.iter().filter_map(|file| read_value(file, "code of a node").ok()).collect();
        let nodes: &Vec<NodeCode> = self.read.get_or_insert_with(read);
        let mut found = Vec::new();
        for NodeCode { described, sources } in nodes {
            let same = described.iter().filter(|one| one.facts.path == build.0 && one.identity == build.1);
            found.extend(same.map(|one| (one, sources.as_slice())));
        }
        found
    }
}
