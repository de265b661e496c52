//! Parts: what each rank of a parallel job collected, written by the rank alone and merged afterwards.
//!
//! Ranks may sit on several nodes with a shared file system on which SQLite's locks cannot be trusted, so
//! no two ranks ever write one file. A part appears under its final name only when it is complete.

use crate::{Error, Experiment};
use loopwright_sample::recording::Rank;
use std::path::{Path, PathBuf};

/// `EXPERIMENT.parts/JOB/rank-N.lw`.
pub fn part_path(experiment: &Path, rank: &Rank) -> PathBuf {
    folder(experiment).join(file_name(&rank.job)).join(format!("rank-{}.lw", rank.rank))
}

fn folder(experiment: &Path) -> PathBuf {
    let mut name = experiment.as_os_str().to_owned();
    name.push(".parts");
    PathBuf::from(name)
}

/// Job names come from the environment; only harmless characters reach the file system.
fn file_name(job: &str) -> String {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = job.chars().map(harmless).take(100).collect();
    format!("job-{name}")
}

/// The parts beside an experiment that wait to be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Complete parts, by job and rank.
    pub complete: Vec<PathBuf>,
    /// Parts still being written.
    pub unfinished: Vec<PathBuf>,
}

impl Parts {
    /// Looks beside `experiment` for the parts of every job.
    pub fn beside(experiment: &Path) -> Result<Self, Error> {
        let mut parts = Self::default();
        for job in list(&folder(experiment))? {
            parts.add(&job)?;
        }
        Ok(parts)
    }

    /// Looks beside `experiment` for the parts of one job.
    pub fn of_job(experiment: &Path, job: &str) -> Result<Self, Error> {
        let mut parts = Self::default();
        parts.add(&folder(experiment).join(file_name(job)))?;
        Ok(parts)
    }

    fn add(&mut self, job: &Path) -> Result<(), Error> {
        // Merged parts are removed; targets of links are not loopwright's and stay.
        for file in list(job)?.into_iter().filter(|file| is(file, std::fs::FileType::is_file)) {
            match file.extension().and_then(|e| e.to_str()) {
                Some("lw") => self.complete.push(file),
                Some("partial") => self.unfinished.push(file),
                _ => {}
            }
        }
        self.complete.sort();
        self.unfinished.sort();
        Ok(())
    }
}

/// Whether a path itself, not what a link leads to, is of a kind.
fn is(path: &Path, kind: impl Fn(&std::fs::FileType) -> bool) -> bool {
    path.symlink_metadata().is_ok_and(|data| kind(&data.file_type()))
}

/// What is in a folder; nothing when it is none, or a link to one.
fn list(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !is(path, std::fs::FileType::is_dir) {
        return Ok(Vec::new());
    }
    let io = |source| Error::Io { path: path.to_owned(), source };
    match std::fs::read_dir(path) {
        Ok(entries) => entries.map(|entry| entry.map(|e| e.path()).map_err(io)).collect(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io(error)),
    }
}

impl Experiment {
    /// Opens the part of `rank` for writing; [`Experiment::finish_part`] makes it visible.
    pub fn create_part(experiment: &Path, rank: &Rank) -> Result<Self, Error> {
        let partial = part_path(experiment, rank).with_extension("partial");
        // A part of an earlier job with the same number (a requeued batch job) is stale.
        match std::fs::remove_file(&partial) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Io { path: partial, source: error });
            }
            _ => {}
        }
        Self::create_or_open(&partial)
    }

    /// Closes a part and gives it its final name.
    pub fn finish_part(self) -> Result<PathBuf, Error> {
        let partial = self.path.clone();
        self.connection.close().map_err(|(_, source)| Error::Sqlite { path: partial.clone(), source })?;
        let path = partial.with_extension("lw");
        std::fs::rename(&partial, &path).map_err(|source| Error::Io { path: partial, source })?;
        Ok(path)
    }

    /// Copies everything from another experiment into this one.
    pub fn import(&mut self, other: &Experiment) -> Result<(), Error> {
        for summary in other.runs()? {
            let run = self.copy_run(other, summary.id)?;
            let identities = other.module_identities(summary.id)?;
            for (module, (position, identity)) in other.code(summary.id)?.into_iter().zip(identities) {
                let mut functions = Vec::with_capacity(module.functions.len());
                for stored in module.functions.iter() {
                    let mut code = stored.code.clone();
                    if let Some(listing) = other.listing(stored.id)? {
                        code.files = listing.files;
                        code.instructions = listing.instructions;
                    }
                    functions.push(code);
                }
                self.add_code(run, position, &identity, &module.facts, &functions)?;
            }
            for path in other.sources(summary.id)? {
                if let Some(text) = other.source(&[summary.id], &path)? {
                    self.add_source(run, &path, &text)?;
                }
            }
        }
        Ok(())
    }

    /// Merges all complete parts that are beside this experiment and removes them. Returns how many.
    pub fn merge_parts(&mut self) -> Result<usize, Error> {
        let parts = Parts::beside(&self.path)?;
        for part in &parts.complete {
            let other = Experiment::open(part)?;
            self.import(&other)?;
            drop(other);
            std::fs::remove_file(part).map_err(|source| Error::Io { path: part.clone(), source })?;
            // Gone once empty; another rank may still be writing there.
            if let Some(job) = part.parent() {
                let _ = std::fs::remove_dir(job);
            }
        }
        if !parts.complete.is_empty() {
            let _ = std::fs::remove_dir(folder(&self.path));
        }
        Ok(parts.complete.len())
    }
}
