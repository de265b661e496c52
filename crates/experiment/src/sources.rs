//! The text of source files as it was at the time of a run.

use crate::pieces::{deflate, inflate};
use crate::{Error, Experiment, RunId};
use rusqlite::{OptionalExtension, params};

impl Experiment {
    /// Keeps the text of a source file as it was at the time of `run`.
    pub fn add_source(&mut self, run: RunId, path: &str, text: &str) -> Result<(), Error> {
        self.add_sources(run, &[(path.to_owned(), text.to_owned())])
    }

    /// Keeps source files (path and text), all in one transaction: each waits for the disk.
    pub fn add_sources(&mut self, run: RunId, sources: &[(String, String)]) -> Result<(), Error> {
        self.in_transaction(|transaction| {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO source (path, run, text) VALUES (?1, ?2, ?3)")?;
            for (path, text) in sources {
                insert.execute(params![path, run, deflate(text)])?;
            }
            Ok(())
        })
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
        self.rows("SELECT path FROM source WHERE run = ?1 ORDER BY path", [run], |row| row.get(0))
    }
}
