//! Where the files of a job are: `EXPERIMENT.parts/JOB/`, and in it
//!
//! | file | what | made |
//! | --- | --- | --- |
//! | `rank-N.PROCESS.expected` | rank N is collected | at its start, removed at its end |
//! | `rank-N.NODE.part` | what rank N collected | when its program has ended |
//! | `first` | the process of rank 0, if it is collected | at its start, removed at its end |
//! | `node-NODE.machine` | the machine, for all ranks on it | by the first rank on a node |
//! | `common-HASH.piece` | what ranks have in common, such as the names of their modules | by the first rank that has it |
//! | `node-NODE.code` | what binaries say that others may not be able to read | by one rank of each further node |
//! | `*.partial` | a file that is being written | |
//!
//! All that ranks ask of each other is in the names: a listing is one request, 10,000 files are as many.

use super::process::{Process, own_node};
use loopwright_sample::recording::Rank;
use std::path::{Path, PathBuf};

/// Of announcements, parts, machines, code, common pieces, and of parts that earlier versions wrote.
pub(super) const EXPECTED: &str = "expected";
pub(super) const PART: &str = "part";
pub(super) const MACHINE: &str = "machine";
pub(super) const CODE: &str = "code";
pub(super) const PIECE: &str = "piece";
pub(super) const OLDER: &str = "lw";
pub(super) const PARTIAL: &str = "partial";
/// Names rank 0.
pub(super) const FIRST: &str = "first";

/// The part of this process's rank.
pub fn part_path(experiment: &Path, rank: &Rank) -> PathBuf {
    job_folder(experiment, &rank.job).join(format!("rank-{}.{}.{PART}", rank.rank, own_node()))
}

pub(super) fn folder(experiment: &Path) -> PathBuf {
    let mut name = experiment.as_os_str().to_owned();
    name.push(".parts");
    PathBuf::from(name)
}

pub(super) fn job_folder(experiment: &Path, job: &str) -> PathBuf {
    folder(experiment).join(file_name(job))
}

/// Job names come from the environment; only harmless characters reach the file system.
fn file_name(job: &str) -> String {
    let harmless = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = job.chars().map(harmless).take(100).collect();
    format!("job-{name}")
}

pub(super) fn announcement(rank: u32) -> String {
    format!("rank-{rank}.{}.{EXPECTED}", Process::own().name())
}

/// A file of the node of this process.
pub(super) fn of_node(kind: &str) -> String {
    format!("node-{}.{kind}", own_node())
}

/// A piece that ranks have in common.
pub(super) fn common(job: &Path, hash: u64) -> PathBuf {
    job.join(format!("common-{hash:016x}.{PIECE}"))
}

/// A name of its own for a file that is being written.
pub(super) fn partial(path: &Path) -> PathBuf {
    path.with_extension(format!("{}.{PARTIAL}", Process::own().name()))
}

/// What a name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// A rank is collected by a process.
    Expected(u32, Process),
    /// A part of a rank on a node.
    Part(u32, String),
    /// A part as earlier versions wrote it.
    Older,
    /// The machine of a node.
    Machine(String),
    /// Code that a node describes.
    Code(String),
    /// A piece that ranks have in common.
    Common,
    /// A process writes something, or wrote it when it was killed.
    Partial(Process),
    /// Anything else.
    Other,
}

pub(super) fn read(path: &Path) -> Named {
    named(path).unwrap_or(Named::Other)
}

fn named(path: &Path) -> Option<Named> {
    let (stem, kind) = path.file_name()?.to_str()?.rsplit_once('.')?;
    let rank = || stem.strip_prefix("rank-")?.split_once('.');
    let node = || stem.strip_prefix("node-").map(str::to_owned);
    Some(match kind {
        EXPECTED => Named::Expected(rank()?.0.parse().ok()?, Process::parse(rank()?.1)?),
        PART => Named::Part(rank()?.0.parse().ok()?, rank()?.1.to_owned()),
        MACHINE => Named::Machine(node()?),
        CODE => Named::Code(node()?),
        PIECE => Named::Common,
        OLDER => Named::Older,
        PARTIAL => Named::Partial(Process::parse(stem.rsplit_once('.')?.1)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let folder = Path::new("x.lw.parts/job-1");
        let read = |name: &str| read(&folder.join(name));
        assert_eq!(read(&announcement(12)), Named::Expected(12, Process::own()));
        let rank = Rank { rank: 3, size: 4, launcher: "slurm".into(), job: "../1 2".into() };
        let part = part_path(Path::new("a/x.lw"), &rank);
        assert_eq!(part.parent(), Some(Path::new("a/x.lw.parts/job-.._1_2")));
        assert_eq!(super::read(&part), Named::Part(3, own_node().to_owned()));
        assert_eq!(super::read(&partial(&part)), Named::Partial(Process::own()));
        assert_eq!(read(&of_node(CODE)), Named::Code(own_node().to_owned()));
        assert_eq!(read(&of_node(MACHINE)), Named::Machine(own_node().to_owned()));
        assert_eq!(super::read(&common(folder, 7)), Named::Common);
        assert_eq!(read("rank-3.lw"), Named::Older);
        for other in ["", "x", "rank-.part", "rank-x.y.part", "rank-1.expected", "rank-1.2.expected"] {
            assert_eq!(read(other), Named::Other, "{other}");
        }
    }
}
