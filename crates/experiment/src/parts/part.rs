//! A rank of a job: it announces itself when it begins, delivers its part when its program has ended, and finds out then what is
//! left to do for it.
//!
//! Which ranks are collected is known only to their launcher (`mpirun -n 1 loopwright survey .. : -n 7 ./halo`). The ranks of an MPI
//! job have all begun before one of them ends, so that their announcements are all there by then. Of those that still run the
//! lowest waits for the others and merges. It does not matter when two believe that they are the lowest, or none does: merging
//! takes what is there, one process at a time ([`super::lock`]), and `loopwright merge` and `show` take what is left.

use super::describing::{self, Describing};
use super::file::{self, Content, NodeMachine};
use super::names::{self, FIRST, MACHINE, Named};
use super::process::{Beat, Process, Seen, own_node};
use crate::{Collected, Error, MachineRecord, RunId, Wanted};
use loopwright_sample::recording::{Rank, Target};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A rank renews its announcement in this interval, ...
const PERIOD: Duration = Duration::from_secs(2);
/// ... in large jobs so that there are at most this number of renewals a second: a metadata server does ten thousands.
const RENEWALS_PER_SECOND: u32 = 500;
/// Beyond three intervals, how long a rank on another node may be silent: a node may be busy.
const GRACE: Duration = Duration::from_secs(10);

/// The part of a rank that is being collected.
pub struct Part {
    path: PathBuf,
    content: Content,
    machine: MachineRecord,
    announcement: Announcement,
}

/// Says that a rank is collected, until it is dropped.
struct Announcement {
    job: PathBuf,
    rank: u32,
    size: u32,
    file: PathBuf,
    /// It was the first on its node, and describes its binaries if others might not be able to read them.
    leads_node: bool,
    /// What is left of the job may have no further use when this rank ends.
    tidies: bool,
    beat: Option<Beat>,
}

impl Announcement {
    fn make(experiment: &Path, rank: &Rank) -> Result<Self, Error> {
        let job = names::job_folder(experiment, &rank.job);
        let file = job.join(names::announcement(rank.rank));
        super::create(&job, &file)?;
        if rank.rank == 0 {
            file::write(&job.join(FIRST), Process::own().name().as_bytes())?;
        }
        let beat = Some(Beat::start(&file, period(rank.size)));
        Ok(Self { job, rank: rank.rank, size: rank.size, file, leads_node: false, tidies: true, beat })
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        self.beat.take();
        if self.rank == 0 && first(&self.job).as_ref() == Some(&Process::own()) {
            let _ = std::fs::remove_file(self.job.join(FIRST));
        }
        let _ = std::fs::remove_file(&self.file);
        if self.tidies {
            super::tidy(&self.job);
        }
    }
}

fn period(size: u32) -> Duration {
    PERIOD.max(Duration::from_secs((size / RENEWALS_PER_SECOND).into()))
}

/// The process of rank 0, if it is collected.
fn first(job: &Path) -> Option<Process> {
    Process::parse(&String::from_utf8(loopwright_files::regular::read(&job.join(FIRST), 256).ok()?).ok()?)
}

impl Part {
    /// Announces a rank. A place that cannot be written to is found out here.
    pub fn begin(experiment: &Path, rank: &Rank, machine: &MachineRecord) -> Result<Self, Error> {
        let path = names::part_path(experiment, rank);
        let mut announcement = Announcement::make(experiment, rank)?;
        // A part of an earlier job with the same number (a requeued batch job) is stale.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Io { path, source: error });
            }
            _ => {}
        }
        announcement.leads_node = describe_machine(&announcement.job, machine)?;
        Ok(Self { path, content: Content::new(own_node()), machine: machine.clone(), announcement })
    }

    /// Adds what was collected; the machine is that of the node.
    pub fn add<T: Collected>(&mut self, facts: &T, target: &Target) -> RunId {
        self.content.add(facts, target)
    }

    /// Adds what a run wants to know of its binaries.
    pub fn want(&mut self, run: RunId, wanted: Vec<Wanted>) {
        self.content.want(run, wanted);
    }

    /// Writes the part.
    pub fn deliver(self) -> Result<Delivered, Error> {
        let Self { path, content, machine, mut announcement } = self;
        // Where no rank was collected for a moment the machine may have gone with the last one.
        describe_machine(&announcement.job, &machine)?;
        for (hash, packed) in &content.common {
            let common = names::common(&announcement.job, *hash);
            if !common.exists() {
                file::write(&common, packed)?;
            }
        }
        file::write(&path, &content.to_bytes())?;
        // Its part waits for whoever merges: that one tidies.
        announcement.tidies = false;
        Ok(Delivered { path, announcement, far: HashMap::new() })
    }
}

/// Describes the machine for all ranks of this node, if none of them has. Whether it did.
fn describe_machine(job: &Path, machine: &MachineRecord) -> Result<bool, Error> {
    let path = job.join(names::of_node(MACHINE));
    let described = file::read_value::<NodeMachine>(&path, "machine of a node").ok();
    // One of an earlier job with the same number names a process that has ended, and is as good.
    let describer = described.and_then(|known| Process::parse(&known.process));
    if describer.is_some_and(|process| process.runs() == Some(true)) {
        return Ok(false);
    }
    // Of several ranks that get here at the same time each writes the same, and each may lead.
    let known = NodeMachine { process: Process::own().name(), record: Some(machine.clone()) };
    file::write_value(&path, &known)?;
    Ok(true)
}

/// What a rank has to do once it has delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing: another rank merges.
    Leave,
    /// To wait for this number of ranks that have not delivered.
    Wait(usize),
    /// To describe the binaries of its node for the rank that merges, which is on another node.
    Describe,
    /// To merge.
    Merge,
}

/// A rank whose part is written. Dropping it ends the rank.
pub struct Delivered {
    path: PathBuf,
    announcement: Announcement,
    /// What was seen of ranks on other nodes.
    far: HashMap<PathBuf, Seen>,
}

impl Delivered {
    /// The part.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is to be done now.
    pub fn turn(&mut self) -> Result<Turn, Error> {
        let Announcement { job, rank, leads_node, .. } = &self.announcement;
        let (job, rank, leads_node) = (job.clone(), *rank, *leads_node);
        // Most ranks need no listing.
        let first = first(&job).filter(|process| rank != 0 && process.runs() != Some(false));
        if first.is_some_and(|first| first.is_near() || !leads_node) {
            return Ok(Turn::Leave);
        }
        let others = self.running(&job)?;
        self.announcement.tidies = others.is_empty();
        let lowest = others.iter().min_by_key(|(rank, _)| *rank).filter(|(lowest, _)| *lowest < rank);
        Ok(match lowest {
            Some((_, process)) if process.is_near() || !leads_node => Turn::Leave,
            Some(_) => match others.iter().filter(|(_, process)| process.is_near()).count() {
                0 => Turn::Describe,
                near => Turn::Wait(near),
            },
            None if others.is_empty() => Turn::Merge,
            None => Turn::Wait(others.len()),
        })
    }

    /// Other ranks that announced themselves and run.
    fn running(&mut self, job: &Path) -> Result<Vec<(u32, Process)>, Error> {
        let patience = 3 * period(self.announcement.size) + GRACE;
        let mut running = Vec::new();
        for file in super::list(job)? {
            let Named::Expected(rank, process) = names::read(&file) else { continue };
            if file == self.announcement.file {
                continue;
            }
            let runs = process.runs().unwrap_or_else(|| {
                let seen = self.far.entry(file.clone()).or_insert_with(|| Seen::first(&file));
                seen.still_for(&file) <= patience
            });
            if runs {
                running.push((rank, process));
            }
        }
        Ok(running)
    }

    /// Describes the binaries of this node.
    pub fn describe_node(&self, how: &Describing<'_>) -> Result<(), Error> {
        describing::describe_node(&self.announcement.job, how)
    }
}
