//! States: which runs belong together. The latest state is the newest survey (all ranks of its job) with the counts,
//! traces, trials and searches of the same command and every remark collected so far; a snapshot is a state with a name that later
//! collections do not touch.
//!
//! Counts and traces belong to a survey when they are of the same command in the same folder and were taken before the next survey
//! of it: whoever rebuilds and surveys again does not see old ones become new ones. Which build of a module they are of
//! is decided by its build id when they are joined.

use crate::communication::Messages;
use crate::energy::Energy;
use crate::heap::HeapUse;
use crate::input_output::InputOutput;
use crate::pieces::json;
use crate::reproduction::Reproduction;
use crate::trials::Trials;
use crate::tuning::Tuning;
use crate::{Collected, Error, Experiment, RunId, RunSummary};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::injected::Injected;
use loopwright_instrument::traced::Patterns;
use loopwright_remarks::remark::Remark;
use loopwright_sample::recording::Recording;
use loopwright_sample::top_down::TopDown;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Kinds of runs that belong to a survey of the same command, in the order in which they are listed.
const BESIDE: [&str; 11] = [
    Counts::KIND,
    Patterns::KIND,
    TopDown::KIND,
    Injected::KIND,
    Trials::KIND,
    Tuning::KIND,
    Reproduction::KIND,
    Energy::KIND,
    Messages::KIND,
    InputOutput::KIND,
    HeapUse::KIND,
];
const SURVEY: &str = Recording::KIND;
const REMARKS: &str = <Vec<Remark> as Collected>::KIND;

/// Version of the form in which a state is stored.
const FORM: u32 = 1;

/// The runs that are analysed together, by kind and oldest first: of surveys one, or one for each rank of a job; later
/// counts and traces replace what they counted and traced again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State(BTreeMap<String, Vec<RunId>>);

impl State {
    /// The runs of one kind.
    pub fn of<T: Collected>(&self) -> &[RunId] {
        self.of_kind(T::KIND)
    }

    fn of_kind(&self, kind: &str) -> &[RunId] {
        self.0.get(kind).map_or(&[], Vec::as_slice)
    }

    /// The same with these runs of one kind.
    #[must_use]
    pub fn with<T: Collected>(mut self, runs: Vec<RunId>) -> Self {
        self.0.insert(T::KIND.to_owned(), runs);
        self.0.retain(|_, runs| !runs.is_empty());
        self
    }

    /// The same without the runs of one kind.
    #[must_use]
    pub fn without<T: Collected>(self) -> Self {
        self.with::<T>(Vec::new())
    }

    /// All runs of the program: surveys, then what belongs to them.
    pub fn collections(&self) -> Vec<RunId> {
        [SURVEY].iter().chain(&BESIDE).flat_map(|kind| self.of_kind(kind)).copied().collect()
    }
}

fn is_collection(run: &RunSummary) -> bool {
    run.kind == SURVEY || BESIDE.contains(&run.kind.as_str())
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
    let surveys = if chosen.kind == SURVEY {
        job(chosen, runs)
    } else {
        same(SURVEY).rfind(|run| run.id < chosen.id).map_or_else(Vec::new, |newest| job(newest, runs))
    };
    let until = if chosen.kind == SURVEY {
        let last = last_of(&surveys);
        let next = same(SURVEY).find(|run| run.id > last);
        next.map_or(RunId::MAX, |next| next.id - 1)
    } else {
        last_of(&job(chosen, runs))
    };
    let until_then = |kind| same(kind).map(|run| run.id).filter(|&id| id <= until).collect();
    let remarks = runs.iter().filter(|run| run.kind == REMARKS).map(|run| run.id).collect();
    let surveys = surveys.iter().map(|run| run.id).collect();
    let beside = BESIDE.iter().map(|kind| (*kind, until_then(kind)));
    let all = beside.chain([(SURVEY, surveys), (REMARKS, remarks)]);
    State(
        all.filter(|(_, runs): &(_, Vec<_>)| !runs.is_empty())
            .map(|(k, runs)| (k.to_owned(), runs))
            .collect(),
    )
}

/// A named state.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The name that the user gave it.
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
        let created = crate::run::now();
        let added = self
            .connection
            .execute(
                "INSERT OR IGNORE INTO snapshot (name, created, runs, form) VALUES (?1, ?2, ?3, ?4)",
                params![name, created, json(&state), FORM],
            )
            .map_err(|e| self.sqlite(e))?;
        if added == 0 {
            return Err(Error::SnapshotExists { name: name.to_owned(), path: self.path.clone() });
        }
        Ok(Snapshot { name: name.to_owned(), created, state })
    }

    /// All snapshots, oldest first.
    pub fn snapshots(&self) -> Result<Vec<Snapshot>, Error> {
        let rows: Vec<(String, f64, String, u32)> =
            self.rows("SELECT name, created, runs, form FROM snapshot ORDER BY created, name", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
        rows.into_iter()
            .map(|(name, created, runs, form)| {
                self.must_be_known("snapshot", form, FORM)?;
                let mut state: State = self.parse("snapshot", &runs)?;
                state.0.retain(|_, runs| !runs.is_empty());
                Ok(Snapshot { name, created, state })
            })
            .collect()
    }

    /// A state by name: a snapshot, `latest`, or `run:N`.
    pub fn named(&self, name: &str) -> Result<State, Error> {
        let snapshots = self.snapshots()?;
        if let Some(snapshot) = snapshots.iter().find(|snapshot| snapshot.name == name) {
            return Ok(snapshot.state.clone());
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
        let mut known: Vec<String> = snapshots.into_iter().map(|snapshot| snapshot.name).collect();
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
