//! Merging: all parts into the experiment in one transaction, which is written to the medium once. What ranks share is stored
//! once: the machine of a node, and what the binaries say, which is asked of them here, for all ranks together.
//!
//! Parts are removed when the transaction is through. A process that is killed in between leaves parts that are in the
//! experiment already: their runs are known by job, rank, kind and time, and are not stored again.

use super::describing::{Build, Describing, OfNodes, Union, is_of_the_binary};
use super::file::{Content, NodeMachine, StoredPiece, StoredRun, read, read_value};
use super::lock::Lock;
use super::names::{self, MACHINE, Named};
use super::process::fnv;
use super::{Parts, files, list, tidy};
use crate::describe::Described;
use crate::pieces::deflate;
use crate::run::shared_id;
use crate::{Error, Experiment, RunId};
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A rank whose part was merged.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MergedRank {
    /// Its job, as its launcher names it.
    pub job: String,
    /// The rank.
    pub rank: u32,
}

/// What was merged.
#[derive(Debug, Default)]
pub struct Merged {
    /// One for each part.
    pub ranks: Vec<MergedRank>,
    /// Why parts could not be read. They stay where they are.
    pub unreadable: Vec<Error>,
}

impl Experiment {
    /// Merges all complete parts that are beside the experiment `path`, which is made if it does not exist, and removes them.
    pub fn merge_parts(path: &Path, how: &Describing<'_>) -> Result<Merged, Error> {
        if Parts::beside(path)?.complete.is_empty() {
            return Ok(Merged::default());
        }
        let folder = names::folder(path);
        let lock = Lock::take(&folder)?;
        let mut experiment = Self::create_or_open(path)?;
        let (mut merged, mut done) = (Merged::default(), Vec::new());
        experiment.together(|experiment| {
            let mut merge = Merge::into(experiment);
            for job in list(&folder)? {
                let mut files = files(&job)?;
                // The order of the ranks, so that a job is stored in the same way whenever it is merged.
                files.sort_by_key(|file| match names::read(file) {
                    Named::Part(rank, _) => (rank, file.clone()),
                    _ => (u32::MAX, file.clone()),
                });
                for file in files {
                    match merge.file(&job, &file, &mut merged) {
                        Ok(true) => done.push(file),
                        Ok(false) => {}
                        Err(error) if stays(&error) => {
                            merged.unreadable.push(error);
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            merge.code(how)
        })?;
        let jobs: HashSet<&Path> = done.iter().filter_map(|file| file.parent()).collect();
        for file in &done {
            std::fs::remove_file(file).map_err(|source| Error::Io { path: file.clone(), source })?;
        }
        jobs.into_iter().for_each(tidy);
        drop(lock);
        let _ = std::fs::remove_dir(folder);
        Ok(merged)
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
}

/// What is known of a job's runs. A launcher may give the same name again (a requeued batch job, a port that is used again): a
/// second run of a kind on the same rank begins another job, with a number behind its name.
#[derive(Default)]
struct Job {
    stored: HashSet<(String, Option<u32>, u64)>,
    /// Kinds and ranks of its newest job of this name.
    taken: HashSet<(String, Option<u32>)>,
    number: u32,
}

/// What is done in the transaction.
struct Merge<'a> {
    experiment: &'a mut Experiment,
    jobs: HashMap<String, Job>,
    machines: HashMap<(PathBuf, String), Option<i64>>,
    /// Numbers of common pieces, by job and hash.
    common: HashMap<(PathBuf, u64), i64>,
    union: Union,
    /// The runs that want a build: kind, run, and position of the module in it.
    users: BTreeMap<Build, Vec<(String, RunId, u32)>>,
    nodes: OfNodes,
}

impl<'a> Merge<'a> {
    fn into(experiment: &'a mut Experiment) -> Self {
        Self {
            experiment,
            jobs: HashMap::new(),
            machines: HashMap::new(),
            common: HashMap::new(),
            union: Union::default(),
            users: BTreeMap::new(),
            nodes: OfNodes::default(),
        }
    }

    /// Stores what a file holds; whether it has served.
    fn file(&mut self, job: &Path, file: &Path, merged: &mut Merged) -> Result<bool, Error> {
        match names::read(file) {
            Named::Part(rank, _) => {
                let content = Content::read(file)?;
                let named = content.head.runs.first().and_then(|run| run.job.clone()).unwrap_or_default();
                self.part(job, &content)?;
                merged.ranks.push(MergedRank { job: named, rank });
                Ok(true)
            }
            Named::Older => {
                let other = Experiment::open(file)?;
                let of_run = |run: crate::RunSummary| Some(MergedRank { job: run.job?, rank: run.rank? });
                merged.ranks.extend(other.runs()?.into_iter().take(1).filter_map(of_run));
                self.experiment.import(&other)?;
                Ok(true)
            }
            Named::Code(_) => {
                self.nodes.add(file.to_owned());
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn part(&mut self, job: &Path, content: &Content) -> Result<(), Error> {
        let machine = self.machine(job, &content.head.node)?;
        let mut pieces = content.pieces.as_slice();
        for stored in &content.head.runs {
            let length = |piece: &StoredPiece| piece.length as usize;
            let (its, rest) = pieces.split_at(stored.pieces.iter().map(length).sum());
            pieces = rest;
            let common = stored.pieces.iter().filter_map(|piece| piece.common);
            common.into_iter().try_for_each(|hash| self.common(job, hash))?;
            let Some(run) = self.run(stored, machine)? else { continue };
            self.pieces(job, run, stored, its)?;
            for wanted in &stored.wanted {
                self.union.add(wanted);
                let build = (wanted.path.clone(), wanted.identity.clone());
                self.users.entry(build).or_default().push((stored.kind.clone(), run, wanted.position));
            }
        }
        Ok(())
    }

    /// The machine of a node.
    fn machine(&mut self, job: &Path, node: &str) -> Result<Option<i64>, Error> {
        let key = (job.to_owned(), node.to_owned());
        if let Some(known) = self.machines.get(&key) {
            return Ok(*known);
        }
        // Names in a file never become paths: only what is listed is read.
        let file = files(job)?.into_iter().find(|file| {
            matches!(names::read(file), Named::Machine(of) if of == node)
                && file.extension().is_some_and(|kind| kind == MACHINE)
        });
        let known: Option<NodeMachine> = file.and_then(|file| read_value(&file, "machine of a node").ok());
        let record = known.and_then(|known| known.record);
        let packed = record.map(|record| Value::Blob(deflate(&record)));
        let id = packed.map(|packed| shared_id(&self.experiment.connection, &packed)).transpose();
        let id = id.map_err(|e| self.experiment.sqlite(e))?;
        self.machines.insert(key, id);
        Ok(id)
    }

    /// Stores a run; nothing when it is stored already.
    fn run(&mut self, stored: &StoredRun, machine: Option<i64>) -> Result<Option<RunId>, Error> {
        let StoredRun { kind, created, form, target, job, rank, size, samples, .. } = stored;
        let name = match job {
            Some(job) => match self.name(job, kind, *rank, *created)? {
                Some(name) => Some(name),
                None => return Ok(None),
            },
            None => None,
        };
        let connection = &self.experiment.connection;
        let insert = connection.prepare_cached(
            "INSERT INTO run (kind, created, job, rank, size, form, target, machine_id, sample_count)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        );
        insert
            .and_then(|mut insert| {
                insert.insert(params![kind, created, name, rank, size, form, target, machine, samples])
            })
            .map(Some)
            .map_err(|e| self.experiment.sqlite(e))
    }

    /// The name under which a run's job is stored; nothing when the run is stored already.
    fn name(
        &mut self,
        job: &str,
        kind: &str,
        rank: Option<u32>,
        created: f64,
    ) -> Result<Option<String>, Error> {
        if !self.jobs.contains_key(job) {
            let known = self.stored_job(job)?;
            self.jobs.insert(job.to_owned(), known);
        }
        let known = self.jobs.entry(job.to_owned()).or_default();
        if !known.stored.insert((kind.to_owned(), rank, created.to_bits())) {
            return Ok(None);
        }
        if !known.taken.insert((kind.to_owned(), rank)) {
            known.number += 1;
            known.taken = HashSet::from([(kind.to_owned(), rank)]);
        }
        Ok(Some(numbered(job, known.number)))
    }

    fn stored_job(&self, job: &str) -> Result<Job, Error> {
        let mut known = Job::default();
        let rows: Vec<(String, String, Option<u32>, f64)> = self.experiment.rows(
            "SELECT job, kind, rank, created FROM run WHERE job = ?1 OR substr(job, 1, length(?2)) = ?2 ORDER BY id",
            params![job, format!("{job}#")],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
        for (name, kind, rank, created) in rows {
            let number = name.get(job.len() + 1..).and_then(|number| number.parse::<u32>().ok());
            let number = number.map_or(0, |number| number.saturating_sub(1));
            if number > known.number {
                (known.number, known.taken) = (number, HashSet::new());
            }
            if number == known.number {
                known.taken.insert((kind.clone(), rank));
            }
            known.stored.insert((kind, rank, created.to_bits()));
        }
        Ok(known)
    }

    /// Makes a common piece known. A part whose common piece is missing stays.
    fn common(&mut self, job: &Path, hash: u64) -> Result<(), Error> {
        let key = (job.to_owned(), hash);
        if self.common.contains_key(&key) {
            return Ok(());
        }
        let path = names::common(job, hash);
        let packed = read(&path)?;
        if fnv(&packed) != hash {
            let detail = "it is not what ranks refer to".to_owned();
            return Err(Error::Damaged { path, what: "piece of several ranks", detail });
        }
        let id = shared_id(&self.experiment.connection, &Value::Blob(packed));
        self.common.insert(key, id.map_err(|e| self.experiment.sqlite(e))?);
        Ok(())
    }

    fn pieces(&self, job: &Path, run: RunId, stored: &StoredRun, mut bytes: &[u8]) -> Result<(), Error> {
        let insert = self.experiment.connection.prepare_cached(
            "INSERT OR REPLACE INTO piece (run, name, position, form, packed) VALUES (?1, ?2, ?3, ?4, ?5)",
        );
        let mut insert = insert.map_err(|e| self.experiment.sqlite(e))?;
        for StoredPiece { name, position, length, common } in &stored.pieces {
            let (piece, rest) = bytes.split_at(*length as usize);
            bytes = rest;
            let shared = common.and_then(|hash| self.common.get(&(job.to_owned(), hash)));
            let packed = shared.map_or_else(|| Value::Blob(piece.to_vec()), |id| Value::Integer(*id));
            let added = insert.execute(params![run, name, position, stored.pieces_form, packed]);
            added.map_err(|e| self.experiment.sqlite(e))?;
        }
        Ok(())
    }

    /// Stores what binaries say: as they are read here, else as nodes have said, else as it is known from other jobs.
    fn code(mut self, how: &Describing<'_>) -> Result<(), Error> {
        let described = how.describe(&self.union.wanted());
        let users = std::mem::take(&mut self.users);
        for ((build, users), here) in users.into_iter().zip(described) {
            let Some((_, run, position)) = users.first() else { continue };
            if is_of_the_binary(&here) {
                let texts = how.texts(std::slice::from_ref(&here));
                self.store(&users, &here, &texts)?;
            } else {
                let of_nodes = self.nodes.of(&build);
                let of_nodes: Vec<(Described, Vec<(String, String)>)> =
                    of_nodes.into_iter().map(|(one, texts)| (one.clone(), texts.to_vec())).collect();
                for (one, texts) in &of_nodes {
                    self.store(&users, one, texts)?;
                }
                if of_nodes.is_empty() && self.module(&build)?.is_none() {
                    self.store(&users, &here, &[])?;
                } else if let Some(module) = self.module(&build)? {
                    self.link(*run, *position, module)?;
                }
            }
            let module = self.module_of(*run, *position)?;
            for (_, run, position) in &users[1..] {
                self.link(*run, *position, module)?;
            }
        }
        Ok(())
    }

    /// Stores a description with the first run that wants it, and its sources with the first run of each kind.
    fn store(
        &mut self,
        users: &[(String, RunId, u32)],
        described: &Described,
        texts: &[(String, String)],
    ) -> Result<(), Error> {
        let Some((_, run, position)) = users.first() else { return Ok(()) };
        let Described { identity, facts, functions, .. } = described;
        self.experiment.add_code(*run, *position, identity, facts, functions)?;
        let mut kinds = HashSet::new();
        for (kind, run, _) in users {
            if kinds.insert(kind) {
                self.experiment.add_sources(*run, texts)?;
            }
        }
        Ok(())
    }

    fn module(&self, build: &Build) -> Result<Option<i64>, Error> {
        self.experiment
            .connection
            .query_row(
                "SELECT id FROM module WHERE path = ?1 AND identity = ?2",
                params![build.0, build.1],
                |row| row.get(0),
            )
            .optional()
            .map_err(|e| self.experiment.sqlite(e))
    }

    fn module_of(&self, run: RunId, position: u32) -> Result<i64, Error> {
        let query = "SELECT module FROM run_module WHERE run = ?1 AND position = ?2";
        let found = self.experiment.connection.query_row(query, params![run, position], |row| row.get(0));
        found.map_err(|e| self.experiment.sqlite(e))
    }

    fn link(&self, run: RunId, position: u32, module: i64) -> Result<(), Error> {
        let insert = self
            .experiment
            .connection
            .prepare_cached("INSERT OR REPLACE INTO run_module (run, position, module) VALUES (?1, ?2, ?3)");
        let linked = insert.and_then(|mut insert| insert.execute(params![run, position, module]));
        linked.map(drop).map_err(|e| self.experiment.sqlite(e))
    }
}

/// Errors of one file, not of the experiment: it stays, and the others are merged.
fn stays(error: &Error) -> bool {
    matches!(error, Error::Damaged { .. } | Error::NewerForm { .. } | Error::Newer { .. } | Error::Io { .. })
}

fn numbered(job: &str, number: u32) -> String {
    match number {
        0 => job.to_owned(),
        number => format!("{job}#{}", number + 1),
    }
}
