//! Runs: one collection each, stored whole and never changed.

use crate::columns::{CHUNK, pack_samples, pack_stacks, unpack_samples, unpack_stacks};
use crate::{Error, Experiment};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use loopwright_remarks::remark::Remark;
use loopwright_sample::clocks::Clocks;
use loopwright_sample::recording::{Recording, Target};
use rusqlite::{OptionalExtension, params};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{Read, Write};

/// Number of a run within its experiment.
pub type RunId = i64;

/// Upper bound of one decompressed value: a damaged or hostile file must not exhaust memory.
const LARGEST_VALUE: u64 = 1 << 29;
/// The values of experiments unpack to 3 to 25 times their size; one that unpacks to more than this many times its size is made to fill memory.
const LARGEST_RATIO: u64 = 250;
/// Small ones may: a run of equal facts packs well.
const SMALL_VALUE: u64 = 32 << 20;

/// A run without its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Number.
    pub id: RunId,
    /// `survey`, `counts`, `patterns` or `remarks`.
    pub kind: String,
    /// Unix time.
    pub created: f64,
    /// Parallel job that it is one part of.
    pub job: Option<String>,
    /// Rank in that job.
    pub rank: Option<u32>,
    /// Command line.
    pub command: Vec<String>,
    /// Working directory.
    pub directory: String,
    /// Samples.
    pub samples: u64,
}

/// JSON, deflated: the structured facts are verbose and repetitive.
pub(crate) fn deflate(value: &impl Serialize) -> Vec<u8> {
    // At once, not through the encoder piece by piece: each of JSON's tiny writes would cost a call into it.
    let text = serde_json::to_vec(value).expect("plain data serialises");
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&text).and_then(|()| encoder.finish()).expect("memory can be written")
}

pub(crate) fn inflate<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let limit = (bytes.len() as u64 * LARGEST_RATIO).clamp(SMALL_VALUE, LARGEST_VALUE);
    let mut text = Vec::new();
    DeflateDecoder::new(bytes).take(limit + 1).read_to_end(&mut text).map_err(|e| e.to_string())?;
    if text.len() as u64 > limit {
        return Err("it unpacks to more than such a value can hold".to_owned());
    }
    serde_json::from_slice(&text).map_err(|e| e.to_string())
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data serialises")
}

pub(crate) fn now() -> f64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

/// Adds a run of `kind` that has no samples.
pub(crate) fn insert(
    transaction: &rusqlite::Connection,
    kind: &str,
    target: &Target,
    machine: Option<&impl Serialize>,
) -> rusqlite::Result<RunId> {
    let rank = target.rank.as_ref();
    transaction.execute(
        "INSERT INTO run (kind, created, job, rank, size, target, sampler, machine, processes, threads,
            modules, frames, stacks, sample_count)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, '{}', ?7, '[]', '[]', '[]', x'', x'', 0)",
        params![
            kind,
            now(),
            rank.map(|r| &r.job),
            rank.map(|r| r.rank),
            rank.map(|r| r.size),
            json(target),
            machine.map(json),
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}

impl Experiment {
    /// Stores a survey; `machine` describes the machine it ran on.
    pub fn add_survey(
        &mut self,
        recording: &Recording,
        machine: Option<&impl Serialize>,
    ) -> Result<RunId, Error> {
        let path = self.path.clone();
        self.in_transaction(|transaction| {
            let rank = recording.target.rank.as_ref();
            transaction.execute(
                "INSERT INTO run (kind, created, job, rank, size, target, sampler, machine, processes, threads,
                    modules, frames, stacks, sample_count)
                 VALUES ('survey', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                params![
                    now(),
                    rank.map(|r| &r.job),
                    rank.map(|r| r.rank),
                    rank.map(|r| r.size),
                    json(&recording.target),
                    json(&recording.sampler),
                    machine.map(json),
                    json(&recording.processes),
                    json(&recording.threads),
                    json(&recording.modules),
                    deflate(&recording.frames),
                    pack_stacks(&recording.stacks),
                    recording.samples.len() as i64,
                ],
            )?;
            let run = transaction.last_insert_rowid();
            transaction.execute(
                "INSERT INTO clocks (run, packed) VALUES (?1, ?2)",
                params![run, deflate(&recording.clocks)],
            )?;
            let mut insert =
                transaction.prepare("INSERT INTO samples (run, chunk, packed) VALUES (?1, ?2, ?3)")?;
            for (chunk, samples) in recording.samples.chunks(CHUNK).enumerate() {
                insert.execute(params![run, chunk as i64, pack_samples(samples)])?;
            }
            Ok(run)
        })
        .map_err(|source| Error::Sqlite { path, source })
    }

    /// Reads a survey back.
    pub fn recording(&self, run: RunId) -> Result<Recording, Error> {
        let row = self
            .connection
            .query_row(
                "SELECT target, sampler, processes, threads, modules, frames, stacks FROM run WHERE id = ?1",
                [run],
                |row| {
                    let texts: [String; 5] =
                        [row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?];
                    Ok((texts, row.get::<_, Vec<u8>>(5)?, row.get::<_, Vec<u8>>(6)?))
                },
            )
            .optional()
            .map_err(|e| self.sqlite(e))?;
        let Some((texts, frames, stacks)) = row else {
            return Err(self.no_such_run(&run.to_string()));
        };
        let mut recording = Recording {
            target: self.parse("target", &texts[0])?,
            sampler: self.parse("sampler", &texts[1])?,
            processes: self.parse("processes", &texts[2])?,
            threads: self.parse("threads", &texts[3])?,
            modules: self.parse("modules", &texts[4])?,
            frames: inflate(&frames).map_err(|e| self.damaged("frames", e))?,
            ..Recording::default()
        };
        let modules = recording.modules.len();
        if recording.frames.iter().any(|f| f.module.is_some_and(|m| m as usize >= modules)) {
            return Err(self.damaged("frames", "a frame names a module that does not exist"));
        }
        recording.stacks = unpack_stacks(&stacks, recording.frames.len())
            .ok_or_else(|| self.damaged("stacks", "they do not decode"))?;
        recording.clocks = self.clocks(run, recording.threads.len(), recording.stacks.len())?;
        let mut query = self
            .connection
            .prepare("SELECT packed FROM samples WHERE run = ?1 ORDER BY chunk")
            .map_err(|e| self.sqlite(e))?;
        let mut rows = query.query([run]).map_err(|e| self.sqlite(e))?;
        while let Some(row) = rows.next().map_err(|e| self.sqlite(e))? {
            let packed: Vec<u8> = row.get(0).map_err(|e| self.sqlite(e))?;
            let chunk = unpack_samples(&packed, recording.threads.len(), recording.stacks.len())
                .ok_or_else(|| self.damaged("samples", "they do not decode"))?;
            recording.samples.extend(chunk);
        }
        Ok(recording)
    }

    /// The clocks of a survey; none in files of earlier versions.
    fn clocks(&self, run: RunId, threads: usize, stacks: usize) -> Result<Clocks, Error> {
        let packed: Option<Vec<u8>> = self
            .connection
            .query_row("SELECT packed FROM clocks WHERE run = ?1", [run], |row| row.get(0))
            .optional()
            .map_err(|e| self.sqlite(e))?;
        let Some(packed) = packed else { return Ok(Clocks::default()) };
        let clocks: Clocks = inflate(&packed).map_err(|e| self.damaged("clocks", e))?;
        let known_stack = |stack: u32| (stack as usize) < stacks;
        let sound = clocks.threads.len() <= threads
            && clocks
                .waits
                .iter()
                .all(|wait| (wait.thread as usize) < threads && wait.stack.is_none_or(known_stack))
            && clocks.kernel.iter().all(|each| known_stack(each.stack))
            && clocks.boundaries.iter().all(|each| known_stack(each.stack))
            && clocks.calls.iter().all(|each| known_stack(each.stack));
        if sound { Ok(clocks) } else { Err(self.damaged("clocks", "they name what does not exist")) }
    }

    /// The machine stored with a run, as the machine crate wrote it.
    pub fn machine<T: DeserializeOwned>(&self, run: RunId) -> Result<Option<T>, Error> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT machine FROM run WHERE id = ?1", [run], |row| row.get(0))
            .map_err(|e| self.sqlite(e))?;
        text.map(|text| self.parse("machine", &text)).transpose()
    }

    /// All runs, oldest first.
    pub fn runs(&self) -> Result<Vec<RunSummary>, Error> {
        let mut query = self
            .connection
            .prepare("SELECT id, kind, created, job, rank, target, sample_count FROM run ORDER BY id")
            .map_err(|e| self.sqlite(e))?;
        let rows = query
            .query_map([], |row| {
                Ok((
                    RunSummary {
                        id: row.get(0)?,
                        kind: row.get(1)?,
                        created: row.get(2)?,
                        job: row.get(3)?,
                        rank: row.get(4)?,
                        command: Vec::new(),
                        directory: String::new(),
                        samples: row.get::<_, i64>(6)?.unsigned_abs(),
                    },
                    row.get::<_, String>(5)?,
                ))
            })
            .map_err(|e| self.sqlite(e))?;
        rows.map(|row| {
            let (mut summary, target) = row.map_err(|e| self.sqlite(e))?;
            let target: Target = self.parse("target", &target)?;
            summary.command = target.command;
            summary.directory = target.directory;
            Ok(summary)
        })
        .collect()
    }

    /// Stores compilers' remarks as a run of their own; later analyses use them.
    pub fn add_remarks(&mut self, remarks: &[Remark]) -> Result<RunId, Error> {
        let path = self.path.clone();
        self.in_transaction(|transaction| {
            transaction.execute(
                "INSERT INTO run (kind, created, target, sampler, processes, threads, modules, frames, stacks,
                    sample_count) VALUES ('remarks', ?1, '{}', '{}', '[]', '[]', '[]', x'', x'', 0)",
                [now()],
            )?;
            let run = transaction.last_insert_rowid();
            transaction.execute(
                "INSERT INTO remark (run, packed) VALUES (?1, ?2)",
                params![run, deflate(&remarks)],
            )?;
            Ok(run)
        })
        .map_err(|source| Error::Sqlite { path, source })
    }

    /// Remarks of the given runs, oldest first.
    pub fn remarks(&self, runs: &[RunId]) -> Result<Vec<Remark>, Error> {
        let mut query = self
            .connection
            .prepare("SELECT packed FROM remark WHERE run = ?1 ORDER BY id")
            .map_err(|e| self.sqlite(e))?;
        let mut remarks = Vec::new();
        for run in runs {
            let mut rows = query.query([run]).map_err(|e| self.sqlite(e))?;
            while let Some(row) = rows.next().map_err(|e| self.sqlite(e))? {
                let packed: Vec<u8> = row.get(0).map_err(|e| self.sqlite(e))?;
                remarks.extend(inflate::<Vec<Remark>>(&packed).map_err(|e| self.damaged("remarks", e))?);
            }
        }
        Ok(remarks)
    }

    /// Keeps the text of a source file as it was at the time of `run`.
    pub fn add_source(&mut self, run: RunId, path: &str, text: &str) -> Result<(), Error> {
        self.add_sources(run, &[(path.to_owned(), text.to_owned())])
    }

    /// Keeps source files (path and text), all in one transaction: each waits for the disk.
    pub fn add_sources(&mut self, run: RunId, sources: &[(String, String)]) -> Result<(), Error> {
        let file = self.path.clone();
        self.in_transaction(|transaction| {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO source (path, run, text) VALUES (?1, ?2, ?3)")?;
            for (path, text) in sources {
                insert.execute(params![path, run, deflate(text)])?;
            }
            Ok(())
        })
        .map_err(|source| Error::Sqlite { path: file, source })
    }

    /// The text of a source file as kept with one of `runs`.
    pub fn source(&self, runs: &[RunId], path: &str) -> Result<Option<String>, Error> {
        for run in runs.iter().rev() {
            let text: Option<Vec<u8>> = self
                .connection
                .query_row(
                    "SELECT text FROM source WHERE path = ?1 AND run = ?2",
                    params![path, run],
                    |row| row.get(0),
                )
                .optional()
                .map_err(|e| self.sqlite(e))?;
            if let Some(text) = text {
                return inflate(&text).map(Some).map_err(|e| self.damaged("source", e));
            }
        }
        Ok(None)
    }

    /// Paths of the sources kept with `run`.
    pub fn sources(&self, run: RunId) -> Result<Vec<String>, Error> {
        let mut query = self
            .connection
            .prepare("SELECT path FROM source WHERE run = ?1 ORDER BY path")
            .map_err(|e| self.sqlite(e))?;
        query.query_map([run], |row| row.get(0)).and_then(Iterator::collect).map_err(|e| self.sqlite(e))
    }

    /// Does several things as one: the file is written to its medium once, and holds all of them or none.
    pub fn together<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(|e| self.sqlite(e))?;
        let result = work(self);
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        self.connection.execute_batch(end).map_err(|e| self.sqlite(e))?;
        result
    }

    /// Does something wholly or not at all, by itself or as a part of what is done together.
    pub(crate) fn in_transaction<T>(
        &mut self,
        work: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        if !self.connection.is_autocommit() {
            let savepoint = self.connection.savepoint()?;
            let result = work(&savepoint)?;
            savepoint.commit()?;
            return Ok(result);
        }
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    pub(crate) fn parse<T: DeserializeOwned>(&self, what: &'static str, text: &str) -> Result<T, Error> {
        serde_json::from_str(text).map_err(|e| self.damaged(what, e))
    }

    pub(crate) fn no_such_run(&self, name: &str) -> Error {
        let known = self.runs().unwrap_or_default();
        let known: Vec<String> = known.iter().map(|run| run.id.to_string()).collect();
        Error::NoSuch { kind: "run", name: name.to_owned(), known: known.join(", "), path: self.path.clone() }
    }
}
