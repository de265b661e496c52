//! Parts: what each rank of a parallel job collected, written by the rank alone and merged afterwards.
//!
//! Ranks may sit on several nodes with a shared file system on which neither SQLite's nor the kernel's locks can be trusted, so
//! no two ranks ever write one file: files are created, renamed and removed, and each name belongs to one process. A part
//! appears under its final name only when it is complete.
//!
//! ```text
//!   names      where the files of a job are, and what their names say
//!   process    whether a process runs, on this node and on others
//!   file       the form of a part
//!   part       a rank: announces itself, collects, delivers, and finds out whether it merges
//!   describing what binaries say, once for all ranks of a node
//!   lock       one process merges at a time
//!   merge      all parts into the experiment, in one transaction
//! ```

mod describing;
mod file;
mod lock;
mod merge;
mod names;
mod part;
mod process;

pub use describing::Describing;
pub use merge::{Merged, MergedRank};
pub use names::part_path;
pub use part::{Delivered, Part, Turn};

use crate::Error;
use names::Named;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A rank that announced itself and has not delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Folder of its job.
    pub job: PathBuf,
    /// Its rank.
    pub rank: u32,
    /// What is known of its process.
    pub state: Awaiting,
    announcement: PathBuf,
}

/// What is known of a process that has not delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaiting {
    /// It runs on this node.
    Runs,
    /// It ran on this node and has ended: it was killed.
    Ended,
    /// It is on another node, from which something was seen so long ago, by the clocks of both nodes.
    Elsewhere {
        /// Time since then.
        silent: Duration,
    },
}

/// The parts beside an experiment that wait to be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Complete parts, by job and rank.
    pub complete: Vec<PathBuf>,
    /// Ranks that have not delivered, by job and rank.
    pub unfinished: Vec<Awaited>,
}

impl Parts {
    /// Looks beside `experiment` for the parts of every job.
    pub fn beside(experiment: &Path) -> Result<Self, Error> {
        let mut parts = Self::default();
        for job in list(&names::folder(experiment))? {
            parts.add(&job)?;
        }
        Ok(parts)
    }

    /// Looks beside `experiment` for the parts of one job.
    pub fn of_job(experiment: &Path, job: &str) -> Result<Self, Error> {
        let mut parts = Self::default();
        parts.add(&names::job_folder(experiment, job))?;
        Ok(parts)
    }

    fn add(&mut self, job: &Path) -> Result<(), Error> {
        let (mut complete, mut unfinished) = (Vec::new(), Vec::new());
        for file in files(job)? {
            match names::read(&file) {
                Named::Part(rank, _) => complete.push((rank, file)),
                Named::Older => complete.push((u32::MAX, file)),
                Named::Expected(rank, process) => {
                    let state = match process.runs() {
                        Some(true) => Awaiting::Runs,
                        Some(false) => Awaiting::Ended,
                        None => Awaiting::Elsewhere { silent: silent(&file) },
                    };
                    unfinished.push(Awaited { job: job.to_owned(), rank, state, announcement: file });
                }
                _ => {}
            }
        }
        complete.sort();
        unfinished.sort_by_key(|awaited| awaited.rank);
        self.complete.extend(complete.into_iter().map(|(_, file)| file));
        self.unfinished.extend(unfinished);
        Ok(())
    }

    /// Removes the announcements of ranks that have ended without delivering, and what else is left of their jobs.
    pub fn forget_ended(&self) {
        for awaited in self.unfinished.iter().filter(|awaited| awaited.state == Awaiting::Ended) {
            let _ = std::fs::remove_file(&awaited.announcement);
            tidy(&awaited.job);
        }
    }
}

fn silent(file: &Path) -> Duration {
    let stamp = file.symlink_metadata().and_then(|data| data.modified());
    stamp.ok().and_then(|stamp| SystemTime::now().duration_since(stamp).ok()).unwrap_or_default()
}

/// Removes a job's folder when no rank is or was collected there: what is left only serves parts.
fn tidy(job: &Path) {
    let Ok(left) = files(job) else { return };
    let serves = |file: &PathBuf| match names::read(file) {
        Named::Machine(_) | Named::Code(_) | Named::Common => true,
        Named::Partial(process) => process.runs() == Some(false),
        // Rank 0 announced itself before it wrote this: it has ended.
        _ => file.ends_with(names::FIRST),
    };
    if left.iter().all(serves) {
        for file in left {
            let _ = std::fs::remove_file(file);
        }
        // Both stay where they hold something: another rank may just begin there.
        let _ = std::fs::remove_dir(job);
        if let Some(parts) = job.parent() {
            let _ = std::fs::remove_dir(parts);
        }
    }
}

/// Makes an empty file in a folder, which is made, too: one that has just finished there may remove it meanwhile.
fn create(folder: &Path, file: &Path) -> Result<(), Error> {
    loop {
        std::fs::create_dir_all(folder).map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        match std::fs::write(file, "") {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !folder.exists() => {}
            result => return result.map_err(|source| Error::Io { path: file.to_owned(), source }),
        }
    }
}

/// The files of a folder; targets of links are not loopwright's.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(list(folder)?.into_iter().filter(|file| is(file, std::fs::FileType::is_file)).collect())
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
