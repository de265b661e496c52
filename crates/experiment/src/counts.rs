//! Counting runs: what was counted in each module, in packed chunks of functions.
//!
//! A run of thousands of loops and hundreds of threads is large: functions are stored in chunks, each deflated, so
//! that neither writing nor reading needs all of it as text at once. What is joined with it stands in
//! [`crate::snapshots`]; the code of the counted functions is stored with [`Experiment::add_code`] as for a survey,
//! with the index into [`Counts::modules`] as position.

use crate::runs::{deflate, inflate};
use crate::{Error, Experiment, RunId};
use loopwright_instrument::facts::{Counts, FunctionCounts, LoopCounts};
use loopwright_sample::recording::Target;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;

/// Functions in one stored chunk.
const CHUNK: usize = 256;

impl Experiment {
    /// Stores a counting run of `target`; `machine` describes the machine it ran on.
    pub fn add_counts(
        &mut self,
        counts: &Counts,
        target: &Target,
        machine: Option<&impl Serialize>,
    ) -> Result<RunId, Error> {
        let path = self.path.clone();
        let mut head = counts.clone();
        for module in &mut head.modules {
            module.functions = Vec::new();
        }
        self.in_transaction(|transaction| {
            let run = crate::runs::insert(transaction, "counts", target, machine)?;
            transaction.execute(
                "INSERT INTO counting (run, packed) VALUES (?1, ?2)",
                params![run, deflate(&head)],
            )?;
            let mut insert = transaction
                .prepare("INSERT INTO counted (run, module, chunk, packed) VALUES (?1, ?2, ?3, ?4)")?;
            for (module, counted) in counts.modules.iter().enumerate() {
                for (chunk, functions) in counted.functions.chunks(CHUNK).enumerate() {
                    insert.execute(params![run, module as i64, chunk as i64, deflate(&functions)])?;
                }
            }
            Ok(run)
        })
        .map_err(|source| Error::Sqlite { path, source })
    }

    /// Reads a counting run back.
    pub fn counts(&self, run: RunId) -> Result<Counts, Error> {
        let packed: Option<Vec<u8>> = self
            .connection
            .query_row("SELECT packed FROM counting WHERE run = ?1", [run], |row| row.get(0))
            .optional()
            .map_err(|e| self.sqlite(e))?;
        let Some(packed) = packed else { return Err(self.no_such_run(&run.to_string())) };
        let mut counts: Counts = inflate(&packed).map_err(|e| self.damaged("counts", e))?;
        let mut query = self
            .connection
            .prepare("SELECT module, packed FROM counted WHERE run = ?1 ORDER BY module, chunk")
            .map_err(|e| self.sqlite(e))?;
        let mut rows = query.query([run]).map_err(|e| self.sqlite(e))?;
        while let Some(row) = rows.next().map_err(|e| self.sqlite(e))? {
            let module: i64 = row.get(0).map_err(|e| self.sqlite(e))?;
            let packed: Vec<u8> = row.get(1).map_err(|e| self.sqlite(e))?;
            let functions: Vec<FunctionCounts> = inflate(&packed).map_err(|e| self.damaged("counts", e))?;
            let known = counts.threads.len();
            if functions.iter().flat_map(threads).any(|thread| thread as usize >= known) {
                return Err(self.damaged("counts", "a function names a thread that does not exist"));
            }
            if functions.iter().flat_map(|f| &f.loops).any(|l| !is_plausible(l)) {
                return Err(self.damaged(
                    "counts",
                    "a loop's distribution of iterations has more entries than time allows",
                ));
            }
            let place = usize::try_from(module).ok().and_then(|module| counts.modules.get_mut(module));
            let Some(place) = place else {
                return Err(self.damaged("counts", "a function names a module that does not exist"));
            };
            place.functions.extend(functions);
        }
        // Whoever wrote the file may not have looked.
        loopwright_instrument::watchman::watch(&mut counts);
        Ok(counts)
    }

    /// The command of a run and how it ended.
    pub fn target(&self, run: RunId) -> Result<Target, Error> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT target FROM run WHERE id = ?1", [run], |row| row.get(0))
            .optional()
            .map_err(|e| self.sqlite(e))?;
        match text {
            Some(text) => self.parse("target", &text),
            None => Err(self.no_such_run(&run.to_string())),
        }
    }
}

/// Above this many entries of one loop a file lies (two years at one entry a nanosecond), and sums over ranks could
/// overflow.
const MOST_ENTRIES: u64 = 1 << 56;

fn is_plausible(counted: &LoopCounts) -> bool {
    let buckets = counted.trips.iter().flat_map(|trips| &trips.buckets);
    buckets.map(|bucket| bucket.2).try_fold(0u64, u64::checked_add).is_some_and(|sum| sum <= MOST_ENTRIES)
}

/// Every index into [`Counts::threads`] that a function holds.
fn threads(function: &FunctionCounts) -> impl Iterator<Item = u32> {
    let loops = function.loops.iter().flat_map(|l| &l.threads).map(|thread| thread.thread);
    function.threads.iter().map(|thread| thread.thread).chain(loops)
}
