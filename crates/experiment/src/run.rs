//! Runs: one collection each, stored whole and never changed. All collectors share one shape: what is known of every run, and
//! the collector's own facts in named pieces ([`crate::pieces`]). A further collector implements [`Collected`].

use crate::code::{CodeModule, ReadModules};
use crate::pieces::{Pieces, RunId, Stored, deflate, inflate, json};
use crate::{Error, Experiment};
use loopwright_machine::network::Network;
use loopwright_machine::{Ceilings, Machine};
use loopwright_sample::recording::Target;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Form of what is stored of every run: target and machine. 2: warnings of ceilings by their fields.
pub(crate) const FORM: u32 = 2;

/// What one kind of collector delivers, and how it is stored.
pub trait Collected: Sized {
    /// Name of the kind in the store.
    const KIND: &'static str;
    /// Version of the pieces' form: raised when a field is renamed or changes its meaning. Pieces of a newer form are refused.
    const FORM: u32;

    /// Puts everything but the target into pieces.
    fn pack(&self, pieces: &mut Pieces);

    /// Reads the pieces back. The file may be damaged or hostile: whatever readers use as an index is checked here.
    fn unpack(stored: &Stored<'_>) -> Result<Self, Error>;

    /// Path and build id of each module; [`CodeModule::position`] is an index into them.
    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)>;

    /// Samples, for the list of runs.
    fn samples(&self) -> usize {
        0
    }
}

/// The machine as stored with a run: described always, the rest when it was known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineRecord {
    /// Topology, features and conditions.
    pub machine: Machine,
    /// Measured ceilings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ceilings: Option<Ceilings>,
    /// What communication between ranks takes, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub network: Option<Network>,
}

/// One run with what the binaries say.
#[derive(Clone, Debug, Default)]
pub struct Run<T> {
    /// Number in the experiment.
    pub id: RunId,
    /// The command, where it ran and how it ended.
    pub target: Target,
    /// The machine it ran on.
    pub machine: Option<Arc<MachineRecord>>,
    /// Described modules; positions are those of [`Collected::modules`].
    pub code: Vec<CodeModule>,
    /// What was collected.
    pub facts: T,
}

impl<T: Collected> Run<T> {
    /// Described modules, with the paths under which the run names them.
    pub fn named_code(&self) -> impl Iterator<Item = (&str, &CodeModule)> {
        let paths: Vec<&str> = self.facts.modules().map(|(path, _)| path).collect();
        self.code.iter().filter_map(move |code| Some((*paths.get(code.position as usize)?, code)))
    }
}

/// A run in the list of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Number.
    pub id: RunId,
    /// [`Collected::KIND`].
    pub kind: String,
    /// Unix time.
    pub created: f64,
    /// Parallel job that it is one part of.
    pub job: Option<String>,
    /// Rank in that job.
    pub rank: Option<u32>,
    /// Command line; empty for remarks.
    pub command: Vec<String>,
    /// Working directory.
    pub directory: String,
    /// Samples.
    pub samples: u64,
}

pub(crate) fn now() -> f64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

/// The number of a value that is stored once.
pub(crate) fn shared_id(connection: &Connection, packed: &Value) -> rusqlite::Result<i64> {
    let known: Option<i64> = connection
        .prepare_cached("SELECT id FROM shared WHERE packed = ?1")?
        .query_row([packed], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(known);
    }
    connection.execute("INSERT INTO shared (packed) VALUES (?1)", [packed])?;
    Ok(connection.last_insert_rowid())
}

impl Experiment {
    /// Stores a run of `target`; remarks of compilers have none. `machine` describes the machine it ran on.
    pub fn add<T: Collected>(
        &mut self,
        facts: &T,
        target: Option<&Target>,
        machine: Option<&MachineRecord>,
    ) -> Result<RunId, Error> {
        let mut pieces = Pieces::new(T::FORM);
        facts.pack(&mut pieces);
        let rank = target.and_then(|target| target.rank.as_ref());
        let machine = machine.map(|machine| Value::Blob(deflate(machine)));
        self.in_transaction(|transaction| {
            let machine = machine.map(|packed| shared_id(transaction, &packed)).transpose()?;
            transaction.execute(
                "INSERT INTO run (kind, created, job, rank, size, form, target, machine_id, sample_count)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    T::KIND,
                    now(),
                    rank.map(|r| &r.job),
                    rank.map(|r| r.rank),
                    rank.map(|r| r.size),
                    FORM,
                    json(&target),
                    machine,
                    facts.samples() as i64,
                ],
            )?;
            let run = transaction.last_insert_rowid();
            pieces.write(transaction, run)?;
            Ok(run)
        })
    }

    /// What a run collected.
    pub fn collected<T: Collected>(&self, run: RunId) -> Result<T, Error> {
        let kind: Option<String> =
            self.rows("SELECT kind FROM run WHERE id = ?1", [run], |row| row.get(0))?.pop();
        match kind {
            Some(kind) if kind == T::KIND => T::unpack(&Stored::of(self, run, T::KIND, T::FORM)),
            _ => Err(self.no_such_run(&run.to_string())),
        }
    }

    /// A run with the code of its modules; functions that another run has `read` are not read again.
    pub fn run<T: Collected>(&self, id: RunId, read: &mut ReadModules) -> Result<Run<T>, Error> {
        Ok(Run {
            id,
            target: self.target(id)?,
            machine: self.machine_beside(id, read)?,
            code: self.code_beside(id, read)?,
            facts: self.collected(id)?,
        })
    }

    /// The command of a run, where it ran and how it ended.
    pub fn target(&self, run: RunId) -> Result<Target, Error> {
        let target: Option<String> = self.of_run(run, "target")?;
        let target = target.map_or(Ok(None), |text| self.parse::<Option<Target>>("target", &text))?;
        target.ok_or_else(|| self.no_such_run(&run.to_string()))
    }

    /// The machine that a run was made on.
    pub fn machine(&self, run: RunId) -> Result<Option<MachineRecord>, Error> {
        let id: Option<i64> = self.of_run(run, "machine_id")?;
        id.map(|id| self.machine_by_id(id)).transpose()
    }

    /// A value that several runs share.
    pub(crate) fn shared(&self, id: i64) -> Result<Value, Error> {
        let found = self.rows("SELECT packed FROM shared WHERE id = ?1", [id], |row| row.get(0))?.pop();
        found.ok_or_else(|| self.damaged("shared", "a value that runs refer to is missing"))
    }

    /// The same, beside other runs: what one of them has read is not read again.
    fn machine_beside(
        &self,
        run: RunId,
        read: &mut ReadModules,
    ) -> Result<Option<Arc<MachineRecord>>, Error> {
        let Some(id) = self.of_run::<Option<i64>>(run, "machine_id")? else { return Ok(None) };
        if let Some(known) = read.machines.get(&id) {
            return Ok(Some(Arc::clone(known)));
        }
        let new = Arc::new(self.machine_by_id(id)?);
        read.machines.insert(id, Arc::clone(&new));
        Ok(Some(new))
    }

    fn machine_by_id(&self, id: i64) -> Result<MachineRecord, Error> {
        match self.shared(id)? {
            // Format 6 and earlier held text.
            Value::Text(text) => self.parse("machine", &text),
            Value::Blob(packed) => inflate(&packed).map_err(|e| self.damaged("machine", e)),
            _ => Err(self.damaged("machine", "it is neither text nor a blob")),
        }
    }

    /// A value that may be stored with any run.
    fn of_run<V: rusqlite::types::FromSql>(&self, run: RunId, what: &'static str) -> Result<V, Error> {
        let query = format!("SELECT form, {what} FROM run WHERE id = ?1");
        let stored: Option<(u32, V)> = self.rows(&query, [run], |row| Ok((row.get(0)?, row.get(1)?)))?.pop();
        let Some((form, value)) = stored else { return Err(self.no_such_run(&run.to_string())) };
        self.must_be_known("run", form, FORM)?;
        Ok(value)
    }

    /// All runs, oldest first.
    pub fn runs(&self) -> Result<Vec<RunSummary>, Error> {
        let rows = self.rows(
            "SELECT id, kind, created, job, rank, sample_count, form, target FROM run ORDER BY id",
            [],
            |row| {
                let summary = RunSummary {
                    id: row.get(0)?,
                    kind: row.get(1)?,
                    created: row.get(2)?,
                    job: row.get(3)?,
                    rank: row.get(4)?,
                    command: Vec::new(),
                    directory: String::new(),
                    samples: row.get::<_, i64>(5)?.unsigned_abs(),
                };
                Ok((summary, row.get::<_, u32>(6)?, row.get::<_, String>(7)?))
            },
        )?;
        rows.into_iter()
            .map(|(mut summary, form, target)| {
                self.must_be_known("run", form, FORM)?;
                if let Some(target) = self.parse::<Option<Target>>("target", &target)? {
                    (summary.command, summary.directory) = (target.command, target.directory);
                }
                Ok(summary)
            })
            .collect()
    }

    /// Copies a run with its pieces, not with its code and sources, from another experiment.
    pub(crate) fn copy_run(&mut self, other: &Experiment, run: RunId) -> Result<RunId, Error> {
        const RUN: &str = "kind, created, job, rank, size, form, target, sample_count, machine_id";
        const PIECE: &str = "name, position, form, packed";
        let values = |row: &rusqlite::Row<'_>| {
            (0..row.as_ref().column_count()).map(|at| row.get::<_, Value>(at)).collect::<Result<Vec<_>, _>>()
        };
        let runs = other.rows(&format!("SELECT {RUN} FROM run WHERE id = ?1"), [run], values)?;
        let Some(mut copied) = runs.into_iter().next() else {
            return Err(other.no_such_run(&run.to_string()));
        };
        let machine = match copied.pop() {
            Some(Value::Integer(id)) => Some(other.shared(id)?),
            _ => None,
        };
        let mut pieces = other.rows(&format!("SELECT {PIECE} FROM piece WHERE run = ?1"), [run], values)?;
        for packed in pieces.iter_mut().filter_map(|piece| piece.last_mut()) {
            if let Value::Integer(id) = packed {
                *packed = other.shared(*id)?;
            }
        }
        self.in_transaction(|transaction| {
            let machine = machine.map(|packed| shared_id(transaction, &packed)).transpose()?;
            copied.push(machine.map_or(Value::Null, Value::Integer));
            let insert = format!("INSERT INTO run ({RUN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
            transaction.execute(&insert, params_from_iter(copied))?;
            let run = transaction.last_insert_rowid();
            let mut insert =
                transaction.prepare(&format!("INSERT INTO piece (run, {PIECE}) VALUES (?, ?, ?, ?, ?)"))?;
            for piece in pieces {
                insert.execute(params_from_iter([Value::Integer(run)].into_iter().chain(piece)))?;
            }
            Ok(run)
        })
    }

    pub(crate) fn no_such_run(&self, name: &str) -> Error {
        let known = self.runs().unwrap_or_default();
        let known: Vec<String> = known.iter().map(|run| run.id.to_string()).collect();
        Error::NoSuch { kind: "run", name: name.to_owned(), known: known.join(", "), path: self.path.clone() }
    }
}
