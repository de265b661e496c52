//! States: which runs belong together. The latest state is the newest survey (all ranks of its job) with
//! every remark collected so far; a snapshot is a state with a name that later collections do not touch.

use crate::runs::json;
use crate::{Error, Experiment, RunId};
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};

/// The runs that are analysed together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Surveys: one, or one for each rank of a job.
    pub surveys: Vec<RunId>,
    /// Collections of remarks.
    pub remarks: Vec<RunId>,
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
    /// The newest survey with everything that belongs to it.
    pub fn latest(&self) -> Result<State, Error> {
        let runs = self.runs()?;
        let newest = runs.iter().rev().find(|run| run.kind == "survey");
        let Some(newest) = newest else { return Err(Error::Empty { path: self.path.clone() }) };
        self.state_of(newest.id)
    }

    /// The state around one survey.
    pub fn state_of(&self, survey: RunId) -> Result<State, Error> {
        let runs = self.runs()?;
        let Some(chosen) = runs.iter().find(|run| run.id == survey && run.kind == "survey") else {
            return Err(self.no_such_run(&survey.to_string()));
        };
        let together = |run: &&crate::RunSummary| {
            run.kind == "survey" && (run.id == chosen.id || (chosen.job.is_some() && run.job == chosen.job))
        };
        Ok(State {
            surveys: runs.iter().filter(together).map(|run| run.id).collect(),
            remarks: runs.iter().filter(|run| run.kind == "remarks").map(|run| run.id).collect(),
        })
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
