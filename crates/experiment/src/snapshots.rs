//! States: which runs belong together. The latest state is the newest survey (all ranks of its job) with the counts and
//! traces of the same command and every remark collected so far; a snapshot is a state with a name that later
//! collections do not touch.
//!
//! Counts and traces belong to a survey when they are of the same command in the same folder and were taken before the next survey
//! of it: whoever rebuilds and surveys again does not see old ones become new ones. Which build of a module they are of
//! is told by its build id when they are joined.

use crate::runs::json;
use crate::{Error, Experiment, RunId, RunSummary};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// The runs that are analysed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Surveys: one, or one for each rank of a job; none when there are only counts or traces.
    pub surveys: Vec<RunId>,
    /// Counting runs, oldest first: later ones replace what they counted again.
    #[serde(default)]
    pub counts: Vec<RunId>,
    /// Tracing runs, oldest first: later ones replace what they traced again.
    #[serde(default)]
    pub patterns: Vec<RunId>,
    /// Collections of remarks.
    pub remarks: Vec<RunId>,
}

fn is_collection(run: &RunSummary) -> bool {
    matches!(run.kind.as_str(), "survey" | "counts" | "patterns")
}

/// All runs of the same kind in the same job; the run alone outside of jobs.
fn job<'a>(run: &'a RunSummary, runs: &'a [RunSummary]) -> Vec<&'a RunSummary> {
    let together = |other: &&RunSummary| {
        other.kind == run.kind && (other.id == run.id || (run.job.is_some() && other.job == run.job))
    };
    runs.iter().filter(together).collect()
}

fn state_around(chosen: &RunSummary, runs: &[RunSummary]) -> State {
    let same = |kind: &'static str| {
        runs.iter().filter(move |run| {
            run.kind == kind && run.command == chosen.command && run.directory == chosen.directory
        })
    };
    let last_of = |runs: &[&RunSummary]| runs.iter().map(|run| run.id).max().unwrap_or(chosen.id);
    let surveys = if chosen.kind == "survey" {
        job(chosen, runs)
    } else {
        same("survey").rfind(|run| run.id < chosen.id).map_or_else(Vec::new, |newest| job(newest, runs))
    };
    let until = if chosen.kind == "survey" {
        let last = last_of(&surveys);
        let next = same("survey").find(|run| run.id > last);
        next.map_or(RunId::MAX, |next| next.id - 1)
    } else {
        last_of(&job(chosen, runs))
    };
    let until_then = |kind| same(kind).map(|run| run.id).filter(|&id| id <= until).collect();
    State {
        surveys: surveys.iter().map(|run| run.id).collect(),
        counts: until_then("counts"),
        patterns: until_then("patterns"),
        remarks: runs.iter().filter(|run| run.kind == "remarks").map(|run| run.id).collect(),
    }
}

/// A named state.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Name.
    pub name: String,
    /// Unix time.
    pub created: f64,
    /// Its runs.
    pub state: State,
}

impl Experiment {
    /// The newest survey, counting or tracing run with everything that belongs to it.
    pub fn latest(&self) -> Result<State, Error> {
        let runs = self.runs()?;
        let newest = runs.iter().rev().find(|run| is_collection(run));
        let Some(newest) = newest else { return Err(Error::Empty { path: self.path.clone() }) };
        Ok(state_around(newest, &runs))
    }

    /// The state around one survey, counting or tracing run.
    pub fn state_of(&self, run: RunId) -> Result<State, Error> {
        let runs = self.runs()?;
        match runs.iter().find(|known| known.id == run && is_collection(known)) {
            Some(chosen) => Ok(state_around(chosen, &runs)),
            None => Err(self.no_such_run(&run.to_string())),
        }
    }

    /// Gives the latest state a name.
    pub fn take_snapshot(&mut self, name: &str) -> Result<Snapshot, Error> {
        let state = self.latest()?;
        let created = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0.0, |elapsed| elapsed.as_secs_f64());
        let added = self
            .connection
            .execute(
                "INSERT OR IGNORE INTO snapshot (name, created, runs) VALUES (?1, ?2, ?3)",
                params![name, created, json(&state)],
            )
            .map_err(|e| self.sqlite(e))?;
        if added == 0 {
            return Err(Error::SnapshotExists { name: name.to_owned(), path: self.path.clone() });
        }
        Ok(Snapshot { name: name.to_owned(), created, state })
    }

    /// All snapshots, oldest first.
    pub fn snapshots(&self) -> Result<Vec<Snapshot>, Error> {
        let mut query = self
            .connection
            .prepare("SELECT name, created, runs FROM snapshot ORDER BY created, name")
            .map_err(|e| self.sqlite(e))?;
        let rows: Vec<(String, f64, String)> = query
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .and_then(Iterator::collect)
            .map_err(|e| self.sqlite(e))?;
        rows.into_iter()
            .map(|(name, created, runs)| {
                Ok(Snapshot { name, created, state: self.parse("snapshot", &runs)? })
            })
            .collect()
    }

    /// A state by name: a snapshot, `latest`, or `run:N`.
    pub fn named(&self, name: &str) -> Result<State, Error> {
        let stored: Option<String> = self
            .connection
            .query_row("SELECT runs FROM snapshot WHERE name = ?1", [name], |row| row.get(0))
            .optional()
            .map_err(|e| self.sqlite(e))?;
        if let Some(stored) = stored {
            return self.parse("snapshot", &stored);
        }
        if name == "latest" {
            return self.latest();
        }
        if let Some(number) = name.strip_prefix("run:") {
            return match number.parse() {
                Ok(run) => self.state_of(run),
                Err(_) => Err(self.no_such_run(number)),
            };
        }
        let mut known: Vec<String> = self.snapshots()?.into_iter().map(|s| s.name).collect();
        known.push("latest".to_owned());
        known.push("run:N".to_owned());
        Err(Error::NoSuch {
            kind: "snapshot",
            name: name.to_owned(),
            known: known.join(", "),
            path: self.path.clone(),
        })
    }
}
